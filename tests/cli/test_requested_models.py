"""``s2n run --model``: which models, and what an option means for each of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import sub2node as s2n
from commands import refused
from drawn_runs import DATA, TINY, run
from sub2node.base.errors import ConfigError
from sub2node.cli.requested_models import model_names
from sub2node.coarsen import coarsen, with_virtual


def test_names_of_models() -> None:
    assert model_names([], None, all_models=False) == [None]  # what the preset says
    assert model_names([], "s2n+0", all_models=False) == ["s2n+0"]
    assert model_names(["bag", "s2n+a"], None, all_models=False) == ["bag", "s2n+a"]
    everything = model_names([], None, all_models=True)
    assert everything[0] == "majority"
    assert everything[-1] == "best"
    assert len(everything) == len(set(everything)) == 20


@pytest.mark.parametrize(
    ("models", "structure", "all_models", "message"),
    [
        (["bag"], None, True, "--all compares all models"),
        ([], "s2n+0", True, "--all compares all models"),
        (["bag"], "s2n+0", False, "two ways to name a model"),
        (["bagg"], None, False, "there is no model 'bagg'. Did you mean 'bag'?"),
        (["bag", "bag"], None, False, "a model is named twice"),
    ],
)
def test_names_that_cannot_be(
    models: list[str], structure: str | None, all_models: bool, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        model_names(models, structure, all_models=all_models)


@pytest.mark.slow
def test_a_run_folder_is_a_preset(tmp_path: Path) -> None:
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


@pytest.mark.slow
def test_models_are_compared_in_a_table_and_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "all"
    done = run("--model", "majority", "--model", "gnn-plain", "--model", "s2n+0", "--seeds", "2",
               "-o", out, "--set", "epochs=2", "--set", "hidden=8")  # fmt: skip
    assert done.code == 0, done.err
    facts = json.loads((out / "comparison.json").read_text(), parse_constant=pytest.fail)
    assert [row["model"] for row in facts["models"]] == ["majority", "gnn-plain", "s2n+0 gcn2"]
    for row in facts["models"][1:]:
        assert row["config"]["model"]["hidden"] == 8
        assert row["config"]["training"]["epochs"] == 2
    assert {p.name for p in (out / "models").iterdir()} == {"majority", "gnn-plain", "s2n+0-gcn2"}


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
        (("--model", "majority", "--groups", "paper"), "--groups is for --model best"),
        (("--model", "best", "--groups", "paper"), "no column 'paper'"),
        (("--model", "majority", "--split-time", "day", "--splits", "2"), "omit --splits"),
        (("--model", "majority", "--split-by", "paper"), "no column 'paper'"),
    ],
)
def test_mistakes_are_one_sentence(words: tuple[str, ...], message: str) -> None:
    refused(run(*words), message)


@pytest.mark.slow
def test_a_gpu_that_is_not_there() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    for models in (("bag",), ("glass",), ("bag", "glass", "s2n+0")):
        words = [word for name in models for word in ("--model", name)]
        refused(run(*words, "--device", "cuda"), "no GPU")


BOTH = ("--model", "bag", "--model", "majority")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*BOTH, "--preset", "missing.toml"), "there is no preset file 'missing.toml'"),
        ((*BOTH, "--preset", "paper:nonsense"), "bag has no settings but its default"),
        ((*BOTH, "--preset", "paper"), "bag has no settings but its default"),
        ((*BOTH, "--conv", "gcnn"), "--conv is for a structure"),
        ((*BOTH, "--conv", "gcn"), "--conv is for a structure"),
        ((*BOTH, "--coarsen", "heavy_edge:0.3"), "--coarsen is for cos2n+0 or cos2n+a"),
        ((*BOTH, "--inputs", "wl"), "a use for --inputs"),
        ((*BOTH, "--features", "svd"), "a use for --features"),
        (("--model", "diffused-bag", "--model", "bag", "--set", "hops=many"), "found 'many'"),
        (("--model", "diffused-bag", "--model", "bag", "--set", "hops=0"), "hops is at least 1"),
        (("--model", "gnn-plain", "--model", "bag", "--set", "lr=x"), "training.lr is a number"),
        (("--model", "s2n+0", "--model", "gnn-plain", "--set", "batch=0"), "training.batch is at"),
        (
            ("--model", "s2n+0", "--model", "bag", "--coarsen", "heavy_edge:0.3"),
            "--coarsen is for cos2n+0 or cos2n+a",
        ),
    ],
)
def test_what_no_model_of_several_can_use_is_refused(words: tuple[str, ...], message: str) -> None:
    refused(run("--seeds", "1", *words), message)


@pytest.mark.slow
def test_what_one_model_of_several_can_use_is_taken() -> None:
    done = run("--model", "diffused-bag", "--model", "bag", "--set", "hops=2", "--json")
    assert [row["config"] for row in done.json["models"]] == [
        {"baseline": "diffused-bag", "criterion": "micro_f1", "hops": 2},
        {"baseline": "bag", "criterion": "micro_f1"},
    ]
    refused(run(*BOTH, "--set", "hops=2"), "no setting 'hops'")
    refused(run(*BOTH, "--features", "svdd"), "--features cannot be 'svdd'")


def test_the_structure_channel_of_subgnn_is_a_setting() -> None:
    words = ("--set", "structure=false", "--json", *TINY)
    done = run("--model", "subgnn", "--seeds", "1", *words)
    assert done.code == 0, done.err
    assert done.json["config"]["model"]["structure"] is False


@pytest.mark.slow
@pytest.mark.parametrize("model", [("--model", "s2n+0"), ("--model", "glass")])
def test_a_preset_file_of_one_in_a_comparison(tmp_path: Path, model: tuple[str, str]) -> None:
    out = tmp_path / "run"
    settings = ("--set", "features.kind=random", "--set", "epochs=2")
    assert run(*model, "--seeds", "1", "-o", out, *settings).code == 0
    preset = out / "config.toml"
    own = [line for line in preset.read_text().splitlines() if not line.startswith("baseline")]
    preset.write_text("\n".join(own))
    done = run(*model, "--model", "bag", "--seeds", "1", "--preset", preset, "--json")
    assert done.code == 0, done.err
    assert [row["preset"] for row in done.json["models"]] == [str(preset), "default"]
    assert done.json["models"][0]["config"]["training"]["epochs"] == 2


@pytest.mark.slow
def test_a_preset_file_of_a_baseline_in_a_comparison(tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert run("--model", "diffused-bag", "-o", out, "--set", "hops=2").code == 0
    words = ("--model", "diffused-bag", "--model", "bag", "--preset", out / "config.toml")
    rows = run(*words, "--json").json["models"]
    assert rows[0]["config"]["hops"] == 2
    assert rows[0]["preset"].endswith("config.toml")
    assert rows[1]["preset"] == "default"


@pytest.mark.slow
def test_published_settings() -> None:
    facts = run("--model", "glass", "--preset", "paper", "--seeds", "1", "--json", *TINY).json
    assert facts["config"]["model"]["hidden"] == 13
    other = run("--model", "glass", "--preset", "paper:coreness", "--seeds", "1", "--json", *TINY)
    assert other.json["config"]["model"]["layers"] == 2
    both = run("--model", "glass", "--model", "bag", "--preset", "paper", "--seeds", "1", "--json",
               *TINY)  # fmt: skip
    assert [row["preset"] for row in both.json["models"]] == ["paper", "default"]


def test_gensim_that_is_missing(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models.doc2vec", None)
    refused(run("--model", "sub2vec"), "pip install 'sub2node[baselines]'")
    done = run("--model", "sub2vec", "--model", "majority", "--json")
    assert [row["model"] for row in done.json["models"]] == ["majority"]
    assert "Warning: sub2vec: Sub2Vec needs the package 'gensim'" in done.err


@pytest.mark.slow
def test_tables_with_names_and_one_label(tmp_path: Path) -> None:
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


@pytest.mark.slow
def test_data_with_virtual_subgraphs_is_not_coarsened(tmp_path: Path) -> None:
    task = s2n.load_task(DATA)
    virtual = coarsen(task.graph, "variation_edges", 0.1).subgraphs
    s2n.save_task(with_virtual(task, virtual), tmp_path / "data")
    done = run("--all", "--coarsen", "heavy_edge:0.3", data=tmp_path / "data")
    refused(done, "the data brings virtual subgraphs; omit --coarsen.")
