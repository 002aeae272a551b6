"""``s2n encode``, and ``s2n run`` with what it made."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import sub2node as s2n
from commands import fork_process
from sub2node.cli import main
from sub2node.encode import (
    border_inputs,
    laplacian,
    random_walk,
    subgraph_statistics,
    weisfeiler_leman,
)
from sub2node.encode.encoding_files import load_encoding
from sub2node.encode.structure_statistics import NODE_COLUMNS, SUBGRAPH_COLUMNS

DATA = "generate:density,subgraphs=30,seed=3"
QUICK = ("--preset", "fast", "--set", "epochs=2", "--seeds", "1", "--structure", "s2n+0")
Command = Callable[..., SimpleNamespace]


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    return s2n.load_task(DATA)


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command line in this process, with a cache of its own."""
    monkeypatch.setenv("S2N_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def call(*words: str | Path) -> SimpleNamespace:
        monkeypatch.setattr(sys, "argv", ["s2n", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsys.readouterr()
        return SimpleNamespace(code=end.value.code, out=out, err=" ".join(err.split()))

    return call


def done(found: SimpleNamespace) -> SimpleNamespace:
    assert found.code == 0, found.err
    return found


@pytest.mark.slow
def test_a_table_says_what_was_made_and_how_well(command: Command) -> None:
    words = ("encode", DATA, "--rwpe", "8", "--lappe", "4", "--node-statistics", "--device", "cpu")
    first = done(command(*words)).out
    for text in (
        "rwpe",
        "lappe",
        "structure",
        "240",
        "exact, by",
        "residual at most",
        "Estimated:",
    ):
        assert text in first
    assert "kept" not in first
    again = done(command(*words)).out
    assert again.count("kept") == 3
    assert "kept" not in done(command(*words, "--fresh")).out


@pytest.mark.process
def test_the_command_as_a_process(tmp_path: Path) -> None:
    made = fork_process("encode", DATA, "--rwpe", "4", "-o", tmp_path / "a.npz",
                        env={"COLUMNS": "110", "S2N_CACHE": str(tmp_path / "cache")})  # fmt: skip
    out, err = made.communicate()
    assert made.returncode == 0, err
    assert err == ""
    assert "Wrote" in out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.npz", "cache"]


@pytest.mark.slow
def test_json_has_the_facts(command: Command) -> None:
    words = ("encode", DATA, "--rwpe", "8", "--lappe", "4", "--pretrain", "svd", "--width", "5")
    found = json.loads(done(command(*words, "--json")).out)
    assert [(row["name"], row["nodes"], row["columns"]) for row in found] == [
        ("rwpe", 240, 8), ("lappe", 240, 4), ("svd", 600, 5)
    ]  # fmt: skip
    assert found[0]["error"] == 0
    assert found[0]["route"] in found[0]["estimates"]
    assert found[1]["residual"] <= 1e-5
    assert len(found[2]["singular_values"]) == 5
    assert all(row["cached"] for row in json.loads(done(command(*words, "--json")).out))
    whole = json.loads(done(command("encode", DATA, "--rwpe", "8", "--all-nodes", "--json")).out)
    assert whole[0]["nodes"] == 600


def test_json_counts_the_columns_of_every_table(command: Command) -> None:
    found = json.loads(done(command("encode", DATA, "--node-statistics", "--json")).out)
    assert found[0]["columns"] == len(NODE_COLUMNS)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "npz", "safetensors"])
def test_files_hold_what_the_library_makes(
    command: Command, task: s2n.SubgraphTask, tmp_path: Path, ending: str
) -> None:
    out = tmp_path / f"a.{ending}"
    words = (
        "encode",
        DATA,
        "--rwpe",
        "3",
        "--lappe",
        "2",
        "--pretrain",
        "svd",
        "--node-statistics",
    )
    done(command(*words, "--width", "4", "-o", out))
    rows = np.unique(task.subgraphs.nodes)
    expected = {"rwpe": random_walk(task.graph, 3, nodes=rows).values,
                "lappe": laplacian(task.graph, 2, nodes=rows).values}  # fmt: skip
    for name, width in (("rwpe", 3), ("lappe", 2), ("svd", 4), ("structure", 7)):
        found = load_encoding(out, task.graph, name)
        assert np.array_equal(found.nodes, rows)
        assert found.width == width
        if name in expected:
            assert found.values == pytest.approx(expected[name], abs=1e-6)
    if ending == "parquet":
        names = parquet.read_schema(out).names
        assert names[:4] == ["node", "rwpe_1", "rwpe_2", "rwpe_3"]
        assert names[-7:] == [f"structure_{name}" for name in NODE_COLUMNS]


@pytest.mark.slow
def test_an_output_is_replaced_only_when_asked(command: Command, tmp_path: Path) -> None:
    out = tmp_path / "a.npz"
    done(command("encode", DATA, "--rwpe", "3", "-o", out))
    before = out.read_bytes()
    refused = command("encode", DATA, "--rwpe", "4", "-o", out)
    assert refused.code == 2
    assert "exists already" in refused.err
    assert out.read_bytes() == before
    done(command("encode", DATA, "--rwpe", "4", "-o", out, "--overwrite"))
    assert np.load(out)["rwpe"].shape == (240, 4)


def test_a_tolerance_is_kept(command: Command, task: s2n.SubgraphTask, tmp_path: Path) -> None:
    out = tmp_path / "a.npz"
    words = ("encode", DATA, "--rwpe", "12", "--tolerance", "0.01", "--json", "-o", out)
    (facts,) = json.loads(done(command(*words)).out)
    assert facts["error"] <= 0.01
    assert set(facts["estimates"]) >= {"products", "leading"}
    found = load_encoding(out, task.graph)
    exact = random_walk(task.graph, 12, nodes=found.nodes, route="products").values
    assert np.abs(found.values - exact).max() <= facts["error"] + 1e-5


@pytest.mark.slow
def test_pre_training_takes_settings(command: Command) -> None:
    words = ("encode", DATA, "--pretrain", "link", "--width", "4", "--set", "epochs=2", "--set",
             "layers=1", "--set", "aggregation=gcn", "--json")  # fmt: skip
    (facts,) = json.loads(done(command(*words)).out)
    assert (facts["settings"]["epochs"], facts["settings"]["layers"]) == (2, 1)
    assert facts["settings"]["aggregation"] == "gcn"
    assert 0 < facts["auc"] <= 1
    (again,) = json.loads(done(command(*words)).out)
    assert again["cached"]
    (other,) = json.loads(done(command(*words, "--set", "epochs=1")).out)
    assert "cached" not in other


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["structure", "wl", "wl-hops", "border"])
def test_tables_of_subgraphs(
    command: Command, task: s2n.SubgraphTask, tmp_path: Path, kind: str
) -> None:
    out = tmp_path / "a.parquet"
    words = ("encode", DATA, "--subgraphs", kind, "-o", out)
    text = done(command(*words)).out
    assert "30 subgraphs" in " ".join(text.split())
    found = parquet.read_table(out)
    assert found["subgraph"].to_pylist() == task.in_input_order(task.subgraph_ids).tolist()
    values = np.stack([found[name].to_numpy() for name in found.column_names[1:]], axis=1)
    if kind == "structure":
        assert found.column_names == ["subgraph", *SUBGRAPH_COLUMNS]
        assert values == pytest.approx(task.in_input_order(subgraph_statistics(task)))
    elif kind == "border":
        border = border_inputs(task)
        assert found.column_names == ["subgraph", *border.columns]
        assert np.array_equal(values, task.in_input_order(border.values))
    else:
        view: Any = "hops" if kind == "wl-hops" else "induced"
        assert np.array_equal(values, task.in_input_order(weisfeiler_leman(task, view=view)))
    facts = json.loads(done(command(*words[:4], "--json")).out)
    assert facts["mean"] == pytest.approx(values.mean(axis=0).tolist())


@pytest.mark.slow
def test_a_damaged_cache_is_said(command: Command, tmp_path: Path) -> None:
    done(command("encode", DATA, "--rwpe", "4"))
    (file,) = (tmp_path / "cache" / "encodings").iterdir()
    file.write_bytes(file.read_bytes()[:-3])
    assert "it was made anew" in " ".join(done(command("encode", DATA, "--rwpe", "4")).out.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "say what to make: --rwpe 64"),
        (("--rwpe", "0"), "whole number from 1, found 0"),
        (("--lappe", "-3"), "whole number from 1, found -3"),
        (("--lappe", "5000"), "at most 596 columns; 5000 were asked for"),
        (("--rwpe", "4", "--subgraphs", "wl"), "run twice"),
        (("--subgraphs", "lw"), "structure, border, border2, wl or wl-hops, not"),
        (("--pretrain", "bert"), "--pretrain is link or svd, not 'bert'"),
        (("--pretrain", "rwpe"), "--pretrain is link or svd, not 'rwpe'"),
        (("--pretrain", "svd", "--width", "5000"), "5000 columns were asked for"),
        (("--pretrain", "link", "--set", "epoch=3"), "no setting 'epoch'. Did you mean 'epochs'"),
        (("--pretrain", "link", "--set", "epochs=0"), "epochs is at least 1, found 0"),
        (("--pretrain", "link", "--set", "epochs"), "written key=value"),
        (("--pretrain", "svd", "--set", "layers=3"), "svd has no setting 'layers'"),
        (("--rwpe", "4", "--set", "seed=1"), "--set goes with --pretrain"),
        (("--lappe", "4", "--tolerance", "0.1"), "--tolerance goes with --rwpe"),
        (("--rwpe", "4", "--tolerance", "1.5"), "at least 0 and below 1"),
        (("--rwpe", "4", "--device", "tpu"), "tpu"),
        (("--rwpe", "4", "-o", "a.csv"), "an output ends in .parquet, .npz, .safetensors"),
        (("--rwpe", "4", "-o", "file/a.npz"), "no folder to write into"),
    ],
)
def test_mistakes_are_one_sentence(
    command: Command, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    (tmp_path / "file").write_text("")
    found = command("encode", DATA, *words)
    assert found.code == 2
    assert found.out == ""
    assert message in found.err
    assert found.err.startswith("Error:")
    assert not list(tmp_path.glob("*.npz"))


@pytest.mark.parametrize(
    "words",
    [("link", "--set", "lr=high"), ("link", "--set", "dropout=none"), ("svd", "--set", "seed=-1")],
)
def test_values_of_the_wrong_kind_are_one_sentence(
    command: Command, words: tuple[str, ...]
) -> None:
    assert command("encode", DATA, "--pretrain", *words).code == 2


def scores(found: SimpleNamespace) -> Any:
    return json.loads(done(found).out)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("--features", "svd", "--encoding", "rwpe", "--inputs", "structure"),
        ("--features", "constant", "--encoding", "lappe", "--set", "features.join=share",
         "--set", "features.sign_flips=true"),
        ("--features", "random", "--encoding", "structure", "--set", "features.join=concat",
         "--inputs", "wl"),
    ],
)  # fmt: skip
def test_a_run_reads_encodings_by_name(command: Command, words: tuple[str, ...]) -> None:
    found = scores(command("run", DATA, *QUICK, *words, "--json"))
    assert found["test"]["micro_f1"]["n"] == 1
    assert found["config"]["features"]["kind"] == words[1]
    assert found["config"]["features"]["encoding"] == words[3]


@pytest.mark.slow
def test_a_run_reads_link_embeddings(command: Command) -> None:
    words = (*QUICK, "--features", "link", "--json", "--set")
    section = ("features.pretraining.epochs=1", "--set", "pretraining.held_out=0.3")
    found = scores(command("run", DATA, *words, *section))
    assert any("validation AUC" in note for note in found["notes"])
    assert found["config"]["features"]["pretraining"]["epochs"] == 1
    text = scores(command("run", DATA, *words, "features.pretraining=epochs=1,held_out=0.3"))
    assert (text["config"], text["notes"]) == (found["config"], found["notes"])


@pytest.mark.slow
def test_a_run_reads_files(command: Command, tmp_path: Path) -> None:
    done(command("encode", DATA, "--rwpe", "6", "--lappe", "6", "-o", "pe.parquet"))
    done(command("encode", DATA, "--pretrain", "svd", "--width", "6", "-o", "x.npz"))
    both = scores(command("run", DATA, *QUICK, "--features", "x.npz", "--encoding",
                          "pe.parquet:rwpe", "--inputs", "wl", "--json"))  # fmt: skip
    assert both["config"]["features"]["kind"] == "given"
    np.save(tmp_path / "zeros.npy", np.zeros((600, 6)))
    nothing, something = (
        scores(command("run", DATA, *QUICK, "--features", "x.npz", "--encoding", encoding,
                       "--set", "features.join=add", "--json"))
        for encoding in ("zeros.npy", "pe.parquet:lappe")
    )  # fmt: skip
    without = scores(command("run", DATA, *QUICK, "--features", "x.npz", "--json"))
    assert nothing["val"] == without["val"]
    assert nothing["test"] == without["test"]
    assert something["config"] == nothing["config"]


@pytest.mark.slow
def test_a_run_with_a_file_in_another_order_is_the_same_run(
    command: Command, task: s2n.SubgraphTask, tmp_path: Path
) -> None:
    values = np.random.default_rng(0).standard_normal((600, 4)).astype(np.float32)
    np.save(tmp_path / "x.npy", values)
    order = np.random.default_rng(1).permutation(600)
    names = order if task.graph.names is None else [task.graph.names[int(i)] for i in order]
    columns = {f"x_{i}": values[order, i] for i in range(4)}
    parquet.write_table(pa.table({"node": names, **columns}), tmp_path / "x.parquet")
    one, other = (
        scores(command("run", DATA, *QUICK, "--features", f"x.{ending}", "--json"))
        for ending in ("npy", "parquet")
    )
    assert one["test"] == other["test"]
    assert one["val"] == other["val"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--features", "lnk"), "--features cannot be 'lnk'. Did you mean 'link'?"),
        (("--encoding", "rwp"), "--encoding cannot be 'rwp'. Did you mean 'rwpe'?"),
        (("--inputs", "structures"), "--inputs cannot be 'structures'. Did you mean"),
        (("--inputs", "x.npy"), "--inputs cannot be 'x.npy'"),
        (("--features", "none.npy"), "none.npy: there is no such file"),
        (("--features", "short.npy"), "3 rows, but the graph has 600 nodes"),
        (("--features", "nan.npy"), "is nan at node 5"),
        (("--features", "some.npz"), "features are needed for all: s2n encode --all-nodes"),
        (("--encoding", "some.npz:y"), "has no table 'y'"),
        (("--encoding", "other.npz"), "made for another graph"),
        (("--encoding", "wide.npy"), "cannot be added to features of width 128"),
        (("--encoding", "some.npz"), "is not among them: encode all nodes"),
        (("--encoding", "wide.npy", "--set", "features.encoding=rwpe"), "omit one"),
        (("--features", "given"), "the graph has no features"),
    ],
)
def test_mistakes_of_a_run_are_one_sentence(
    command: Command, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    np.save(tmp_path / "short.npy", np.ones((3, 2)))
    bad = np.ones((600, 2))
    bad[5, 1] = np.nan
    np.save(tmp_path / "nan.npy", bad)
    np.savez(tmp_path / "some.npz", nodes=np.arange(50), x=np.ones((50, 64)))
    np.savez(tmp_path / "other.npz", x=np.ones((600, 64)), graph_hash=np.array("0" * 64))
    np.save(tmp_path / "wide.npy", np.ones((600, 99)))
    found = command("run", DATA, *QUICK, *words)
    assert found.code == 2
    assert found.out == ""
    assert message in found.err
    assert "Traceback" not in found.err


def test_a_file_of_features_is_not_dropped_in_silence(command: Command, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((600, 4)))
    words = ("--features", "x.npy", "--set", "features.kind=random")
    assert command("run", DATA, *QUICK, *words).code == 2
