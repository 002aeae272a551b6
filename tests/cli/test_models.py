"""``s2n run --model``: baselines as a person asks for them."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sub2node.base import progress
from sub2node.cli import main
from sub2node.train.checkpoint import Checkpoint

DATA = "generate:density,subgraphs=30,seed=3"
TINY = ("--set", "epochs=2", "--set", "start=0")
NODES = 600


@dataclass
class Done:
    code: Any
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out, parse_constant=pytest.fail)


Run = Callable[..., Done]


@pytest.fixture
def run(capsys, monkeypatch) -> Run:
    """The command in this process, which saves the time to start one."""
    monkeypatch.setenv("COLUMNS", "200")

    def command(*words: str | Path, data: str | Path = DATA) -> Done:
        monkeypatch.setattr(sys, "argv", ["s2n", "run", str(data), *map(str, words)])
        code: Any = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return Done(code or 0, " ".join(said.out.split()), " ".join(said.err.split()))

    return command


@pytest.fixture
def vectors(tmp_path) -> Path:
    path = tmp_path / "vectors.npy"
    np.save(path, np.random.default_rng(0).normal(size=(NODES, 64)).astype(np.float32))
    return path


def refused(done: Done, words: str = "") -> None:
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("Error: ")
    assert words in done.err


def test_a_run_folder_is_a_preset(run, tmp_path) -> None:
    out = tmp_path / "run"
    first = run("--model", "glass", "--seeds", "2", "-o", out, *TINY)
    assert first.code == 0, first.err
    assert "glass on density" in first.out
    names = {file.name for file in out.iterdir()}
    assert names == {
        "checksums.json", "config.toml", "result.json", "MODEL_CARD.md", "predictions.parquet",
        "epochs.parquet", "embeddings.parquet", "subgraphs.parquet",
    }  # fmt: skip
    assert not (tmp_path / "run.checkpoint").exists()
    kept = json.loads((out / "result.json").read_text())
    preset = ("--preset", out / "config.toml", "--seeds", "2", "--json")
    for words in ((), ("--model", "glass")):
        again = run(*preset, *words).json
        assert again["model"] == "glass"
        assert again["test"] == kept["test"]
        assert again["config"] == kept["config"]
    changed = run(*preset, "--set", "z_ratio=0.7").json
    assert changed["config"]["model"]["z_ratio"] == 0.7
    refused(run(*preset, "--model", "bag"), "has settings for 'glass', not for 'bag'")
    refused(run(*preset, "--structure", "s2n+a"), "baseline")
    refused(run(*preset, "--set", "hops=2"), "no setting 'hops'")


def test_models_are_compared_in_a_table_and_a_folder(run, tmp_path) -> None:
    out = tmp_path / "all"
    done = run("--model", "majority", "--model", "gnn-plain", "--model", "s2n+0", "--seeds", "2",
               "-o", out, "--set", "epochs=2", "--set", "hidden=8")  # fmt: skip
    assert done.code == 0, done.err
    found = json.loads((out / "comparison.json").read_text(), parse_constant=pytest.fail)
    assert [row["model"] for row in found["models"]] == ["majority", "gnn-plain", "s2n+0 gcn2"]
    for row in found["models"][1:]:
        assert row["config"]["model"]["hidden"] == 8
        assert row["config"]["training"]["epochs"] == 2
    assert {p.name for p in (out / "models").iterdir()} == {"majority", "gnn-plain", "s2n+0-gcn2"}


def test_random_splits_and_their_parts(run) -> None:
    done = run("--model", "majority", "--model", "bag", "--splits", "3", "--parts", "50/25/25",
               "--json")  # fmt: skip
    for row in done.json["models"]:
        assert row["test"]["micro_f1"]["n"] == 3
        assert row["data"]["splits"] == 3
        sizes = row["data"]["split"]
        assert sizes["train"] == 15
        assert {sizes["val"], sizes["test"]} <= {7, 8}
    assert "corrected resampled" in done.json["test"]
    one = run("--model", "majority", "--splits", "2", "--parts", "2/1/1", "--json").json
    other = run("--model", "majority", "--splits", "2", "--parts", "50/25/25", "--json").json
    assert one["test"] == other["test"]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ("50/25", "written as 50/25/25"),
        ("a/b/c", "written as 50/25/25"),
        ("", "written as 50/25/25"),
        ("50/25/25/0", "written as 50/25/25"),
        ("0/1/1", "above 0"),
        ("-1/1/1", "above 0"),
        ("nan/1/1", "above 0"),
        ("1/nan/1", "above 0"),
        ("1/inf/1", "above 0"),
        ("98/1/1", "use larger ones"),
        ("1/1/98", "use larger ones"),
    ],
)
def test_parts_that_are_none(run, parts, words) -> None:
    refused(run("--model", "majority", "--splits", "2", "--parts", parts), words)


def test_parts_without_splits(run) -> None:
    refused(run("--model", "majority", "--parts", "50/25/25"), "--splits 10")


def test_parts_that_leave_none_for_test_say_so(run) -> None:
    done = run("--model", "majority", "--splits", "2", "--parts", "98/1/1")
    assert "--splits 10" not in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--model", "bag", "--features", "svd"),
            "no model that is asked for has a use for --features",
        ),
        (("--model", "bag", "--encoding", "rwpe"), "a use for --encoding"),
        (("--model", "glass", "--inputs", "wl"), "a use for --inputs"),
        (("--model", "gbdt", "--inputs", "wl"), "a use for --inputs"),
        (("--model", "gbdt", "--features", "random"), "cannot be 'random'"),
        (("--model", "bag", "--coarsen", "heavy_edge:0.3"), "bag has no coarsening"),
        (("--model", "bag", "--conv", "gcn"), "--conv is for a structure"),
        (("--model", "bag", "--set", "hops=1"), "no setting 'hops'"),
        (("--model", "bag", "--set", "published_ties=true"), "no setting 'published_ties'"),
        (("--model", "glass", "--set", "epochs=0"), "training.epochs is at least 1"),
        (("--model", "glass", "--set", "lr=x"), "training.lr is a number"),
        (("--model", "glass", "--features", "svd", "--set", "kind=link"), "set twice"),
        (("--model", "wl", "--preset", "nothing.toml"), "no preset file"),
        (("--model", "wl", "--preset", "paper:density"), "wl has no settings but its default"),
        (("--model", "glass", "--preset", "paper:nell"), "no published settings of glass for"),
        (("--model", "majority", "--seeds", "0"), "at least one seed"),
        (("--model", "majority", "--against", "nothing"), "no result.json"),
        (("--model", "majority", "--resume"), "--resume needs the folder"),
    ],
)
def test_mistakes_are_one_sentence(run, words, message) -> None:
    refused(run(*words), message)


def test_a_gpu_that_is_not_there(run) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    for models in (("bag",), ("glass",), ("bag", "glass", "s2n+0")):
        words = [word for name in models for word in ("--model", name)]
        refused(run(*words, "--device", "cuda"), "no GPU")


BOTH = ("--model", "bag", "--model", "majority")


@pytest.mark.parametrize(
    "words",
    [
        (*BOTH, "--preset", "missing.toml"),
        (*BOTH, "--preset", "paper:nonsense"),
        (*BOTH, "--preset", "paper"),
        (*BOTH, "--conv", "gcnn"),
        (*BOTH, "--conv", "gcn"),
        (*BOTH, "--coarsen", "heavy_edge:0.3"),
        (*BOTH, "--inputs", "wl"),
        (*BOTH, "--features", "svd"),
        ("--model", "diffused-bag", "--model", "bag", "--set", "hops=many"),
        ("--model", "diffused-bag", "--model", "bag", "--set", "hops=0"),
        ("--model", "gnn-plain", "--model", "bag", "--set", "lr=x", "--set", "epochs=2"),
        ("--model", "s2n+0", "--model", "gnn-plain", "--set", "batch=0", "--set", "epochs=2"),
        ("--model", "s2n+0", "--model", "bag", "--set", "epochs=2", "--coarsen", "heavy_edge:0.3"),
    ],
)
def test_what_no_model_of_several_can_use_is_refused(run, words) -> None:
    refused(run("--seeds", "1", *words))


def test_what_one_model_of_several_can_use_is_taken(run) -> None:
    done = run("--model", "diffused-bag", "--model", "bag", "--set", "hops=2", "--json")
    assert [row["config"] for row in done.json["models"]] == [
        {"baseline": "diffused-bag", "hops": 2},
        {"baseline": "bag"},
    ]
    refused(run(*BOTH, "--set", "hops=2"), "no setting 'hops'")
    refused(run(*BOTH, "--features", "svdd"), "--features cannot be 'svdd'")


def test_an_encoding_file_for_a_model_without_node_vectors(run, vectors) -> None:
    refused(run("--model", "bag", "--encoding", vectors))


def test_a_file_of_features(run, vectors) -> None:
    done = run("--model", "gnn-plain", "--seeds", "1", "--features", vectors, "--json", *TINY)
    assert done.json["config"]["features"]["kind"] == "given"
    refused(run("--model", "bag", "--features", vectors), "a use for --features")


def test_a_file_of_encodings_with_default_features(run, vectors) -> None:
    done = run("--model", "glass", "--seeds", "1", "--encoding", vectors, *TINY)
    assert done.code == 0, done.err


def test_the_structure_channel_of_subgnn_is_a_setting(run) -> None:
    done = run("--model", "subgnn", "--seeds", "1", "--set", "structure=false", *TINY)
    assert "--structure" not in done.err


@pytest.mark.parametrize("model", [("--model", "s2n+0"), ("--model", "glass")])
def test_a_preset_file_of_one_in_a_comparison(run, tmp_path, model) -> None:
    out = tmp_path / "run"
    settings = ("--set", "features.kind=random", "--set", "epochs=2")
    assert run(*model, "--seeds", "1", "-o", out, *settings).code == 0
    preset = out / "config.toml"
    own = [line for line in preset.read_text().splitlines() if not line.startswith("baseline")]
    preset.write_text("\n".join(own))
    done = run(*model, "--model", "bag", "--seeds", "1", "--preset", preset, "--json")
    assert done.code == 0, done.err


def test_a_preset_file_of_a_baseline_in_a_comparison(run, tmp_path) -> None:
    out = tmp_path / "run"
    assert run("--model", "diffused-bag", "-o", out, "--set", "hops=2").code == 0
    words = ("--model", "diffused-bag", "--model", "bag", "--preset", out / "config.toml")
    rows = run(*words, "--json").json["models"]
    assert rows[0]["config"]["hops"] == 2
    assert rows[0]["preset"].endswith("config.toml")
    assert rows[1]["preset"] == "default"


def test_published_settings(run) -> None:
    found = run("--model", "glass", "--preset", "paper", "--seeds", "1", "--json", *TINY).json
    assert found["config"]["model"]["hidden"] == 13
    other = run("--model", "glass", "--preset", "paper:coreness", "--seeds", "1", "--json", *TINY)
    assert other.json["config"]["model"]["layers"] == 2
    both = run("--model", "glass", "--model", "bag", "--preset", "paper", "--seeds", "1", "--json",
               *TINY)  # fmt: skip
    assert [row["preset"] for row in both.json["models"]] == ["paper", "default"]


def test_the_published_score_is_shown(run) -> None:
    words = ("--model", "glass", "--seeds", "2", "--set", "published_ties=true", *TINY)
    assert "published rule" in run(*words).out
    found = run(*words, "--json").json
    assert found["published_ties"]["n"] == 2
    assert found["published_ties"]["mean"] >= found["test"]["micro_f1"]["mean"]
    split = run(*words, "--splits", "2", "--json").json
    assert split["published_ties"]["n"] == 2


def test_a_baseline_against_another(run, tmp_path) -> None:
    out = tmp_path / "first"
    assert run("--model", "statistics", "--set", "trees=5", "--seeds", "3", "-o", out).code == 0
    done = run("--model", "majority", "--against", out)
    assert "Against: statistics" in done.out
    found = run("--model", "majority", "--against", out, "--json").json["against"]
    assert found["same_data"] is True
    assert found["n"] == 3
    refused(run("--model", "majority", "--against", out, "--splits", "2"), "--splits")
    refused(run(*BOTH, "--against", out), "--against is for one model")


def test_gensim_that_is_missing(run, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models.doc2vec", None)
    refused(run("--model", "sub2vec"), "pip install 'sub2node[baselines]'")
    done = run("--model", "sub2vec", "--model", "majority", "--json")
    assert [row["model"] for row in done.json["models"]] == ["majority"]
    assert "Warning: sub2vec: Sub2Vec needs the package 'gensim'" in done.err


def test_a_run_that_is_refused_leaves_nothing(run, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models.doc2vec", None)
    assert run("--model", "sub2vec", "-o", tmp_path / "run").code == 2
    done = run("--model", "majority", "-o", tmp_path / "run")
    assert done.code == 0, done.err


def interrupted(what: str, at: int) -> AbstractContextManager[None]:
    """Ctrl-C in the so-many-th report of this work."""
    count = [0]

    def interrupt(report: progress.Report) -> None:
        count[0] += report.what.startswith(what)
        if report.what.startswith(what) and count[0] == at:
            os.kill(os.getpid(), signal.SIGINT)

    return progress.listen(interrupt)


def test_ctrl_c_in_a_simple_model(run) -> None:
    with interrupted("Candidate", 2):
        assert run("--model", "bag").code == 130
    with interrupted("Candidate", 2):
        done = run("--model", "majority", "--model", "bag", "--model", "wl", "--json")
    assert [row["model"] for row in done.json["models"]] == ["majority"]
    assert "interrupted in bag" in done.err


def test_ctrl_c_in_a_network(run) -> None:
    words = ("--set", "epochs=100000", "--set", "start=1", "--set", "features.kind=random")
    with interrupted("Training", 4):
        done = run("--model", "glass", "--model", "bag", "--seeds", "1", "--json", *words)
    assert done.code == 0, done.err
    (row,) = done.json["models"]
    assert row["ended"] == "interrupted"
    assert any("interrupted after 4 of 100000 epochs" in note for note in row["notes"])


def test_ctrl_c_in_a_network_before_validation_counts(run) -> None:
    with interrupted("Training", 4):
        done = run("--model", "glass", "--seeds", "1", "--features", "random")  # start is 10
    assert "interrupted after 4 of" in done.out + done.err
    assert "finite" not in done.err


class Killed(BaseException):
    """As if the process was."""


@pytest.mark.parametrize("model", ["glass", "gnn-seg"])
def test_a_run_that_was_killed_goes_on(run, tmp_path, monkeypatch, model) -> None:
    monkeypatch.setattr(Checkpoint, "due", property(lambda self: True))
    words = ("--model", model, "--seeds", "2", "--set", "epochs=6", "--set", "start=0", "--set",
             "features.kind=random", "--set", "published_ties=true", "--json")  # fmt: skip
    whole = run(*words).json
    fit = sys.modules["sub2node.train.fit"]
    step = fit.step

    def kill(what: str, done: float, total: float, detail: str = "") -> None:
        if done == 4:
            raise Killed
        step(what, done, total, detail)

    out = ("-o", tmp_path / "run")
    with monkeypatch.context() as patch:
        patch.setattr(fit, "step", kill)
        with pytest.raises(Killed):
            run(*words, *out)
    refused(run(*words, *out), "--resume")
    resumed = run(*words, *out, "--resume").json
    for key in ("test", "val", "best_epoch", "published_ties", "config"):
        assert resumed[key] == whole[key]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run"]


def test_tables_with_names_and_one_label(run, tmp_path) -> None:
    rows = [(f"s{i}", f"n{i % 7}", "xy"[i % 2], ["train", "train", "val", "test"][i // 2 % 4])
            for i in range(24)]  # fmt: skip
    edges = "".join(f"n{i},n{i + 1},{i + 0.5}\n" for i in range(6)) + "n0,n0,2\n"
    (tmp_path / "edges.csv").write_text("source,target,weight\n" + edges)
    members = "".join(f"{s},{n}\n{s},n6\n" if n != "n6" else f"{s},{n}\n" for s, n, *_ in rows)
    (tmp_path / "members.csv").write_text("subgraph_id,node_id\n" + members)
    labels = "".join(f"{s},{label},{part}\n" for s, _, label, part in rows)
    (tmp_path / "labels.csv").write_text("subgraph_id,label,split\n" + labels)
    names = ("majority", "bag", "statistics", "s2n-kernel", "gnn-seg", "glass")
    words = [word for name in names for word in ("--model", name)]
    done = run(*words, "--seeds", "1", "--json", *TINY, "--set", "trees=3", data=tmp_path)
    assert done.code == 0, done.err
    assert [row["model"] for row in done.json["models"]] == list(names)
