"""DuckDB and Spark give what the memory engine gives, and refuse what it refuses."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sub2node as s2n
from strategies import tasks
from sub2node import ConfigError, DataError, S2NGraph, Sub2NodeError, SubgraphTask, save_task
from sub2node.translation import TranslationOptions

pytest.importorskip("ibis")
from sub2node.translation.engines import backends, translate_to


def same(one: S2NGraph, two: S2NGraph) -> bool:
    return (
        np.array_equal(one.weights.toarray(), two.weights.toarray())
        and one.split.words() == two.split.words()
        and one.statistics.total == pytest.approx(two.statistics.total)
        and one.statistics.squares == pytest.approx(two.statistics.squares)
    )


@settings(max_examples=25)
@given(tasks(), st.booleans(), st.data())
def test_duckdb_equals_memory(task: SubgraphTask, self_loops: bool, data: st.DataObject) -> None:
    if task.split is not None and not task.split.visible("train"):
        task = replace(task, split=None)
    kept = data.draw(
        st.sampled_from([{}, {"min_weight": 2.0}, {"top_k": 1}, {"top_k": 2, "min_weight": 2.0}])
    )
    one = s2n.translate(task, self_loops=self_loops, **kept)
    two = s2n.translate(task, self_loops=self_loops, engine="duckdb", **kept)
    assert same(one, two)
    assert two.attach(task.subgraphs).known.shape[0] == len(task)


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.datasets.generate("density", subgraphs=40, seed=2)


@pytest.mark.parametrize("kept", [{}, {"cut": 1.0}, {"min_weight": 20.0}, {"top_k": 3}])
def test_duckdb_cuts_like_memory(task: SubgraphTask, kept: dict[str, float]) -> None:
    one, two = (s2n.translate(task, engine=e, **kept) for e in ("memory", "duckdb"))  # type: ignore[arg-type]
    assert same(one, two)


@pytest.fixture(scope="module")
def spark() -> str:
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    return "local[2]"


@pytest.mark.filterwarnings("ignore")  # PySpark with newer pandas
def test_spark_equals_memory(task: SubgraphTask, spark: str, tmp_path: Path) -> None:
    """Real PySpark: string ids, self-loops, repeated edges, a split, a cut, the largest k."""
    named = SubgraphTask.from_tables(
        {"source": ["a", "b", "c", "c", "a"], "target": ["b", "c", "d", "c", "b"]},
        {"subgraph_id": ["s", "s", "t", "t", "u"], "node_id": ["a", "c", "b", "c", "d"]},
        {
            "subgraph_id": ["s", "t", "u"],
            "label": ["x", "x", "x"],
            "split": ["train", "val", "train"],
        },
    )
    assert same(s2n.translate(named, engine="spark", master=spark), s2n.translate(named))
    folder = save_task(task, tmp_path / "task")
    for kept in ({}, {"cut": 1.0}, {"top_k": 3}):
        found = s2n.translate(folder, engine="spark", master=spark, **kept)  # type: ignore[arg-type]
        assert same(found, s2n.translate(task, **kept))  # type: ignore[arg-type]


def test_spark_needs_a_master_and_nothing_of_duckdb(task: SubgraphTask) -> None:
    pytest.importorskip("pyspark")
    with pytest.raises(ConfigError, match="needs a master"):
        s2n.translate(task, engine="spark")
    with pytest.raises(ConfigError, match="are DuckDB's"):
        s2n.translate(task, engine="spark", master="local[2]", memory="1GB")
    with pytest.raises(ConfigError, match="a master is Spark's"):
        s2n.translate(task, engine="duckdb", master="local[2]")


def test_tables_with_string_ids_are_never_loaded(tmp_path: Path) -> None:
    task = SubgraphTask.from_tables(
        {"source": ["a", "b", "b"], "target": ["b", "c", "a"], "weight": [0.5, 2.0, 0.5]},
        {"subgraph_id": ["s", "s", "t"], "node_id": ["a", "b", "c"], "weight": [1.0, 2.0, 3.0]},
        {"subgraph_id": ["s", "t"], "label": ["x", "x"], "split": ["test", "train"]},
    )
    found = s2n.translate(save_task(task, tmp_path / "t"), engine="duckdb")
    assert same(found, s2n.translate(task))
    assert found.task_hash == task.hash
    found.save(tmp_path / "g", task)
    assert len(S2NGraph.load(tmp_path / "g", task=task).attach(task.subgraphs).known.data)


def test_members_alone_are_enough(tmp_path: Path) -> None:
    """No labels, edges in both directions and twice over: the memory engine merges them too."""
    edges = {"source": [0, 1, 1, 2, 0], "target": [1, 0, 2, 3, 1]}
    members = {"subgraph_id": [7, 7, 3, 3], "node_id": [0, 1, 2, 3]}
    write(tmp_path, edges=edges, members=members)
    assert same(
        s2n.translate(tmp_path, engine="duckdb"),
        s2n.translate(SubgraphTask.from_tables(edges, members)),
    )


def test_subgraphs_are_in_the_order_of_their_members(tmp_path: Path) -> None:
    members = {"subgraph_id": ["s", "s", "t", "u"], "node_id": ["a", "b", "c", "d"]}
    edges = {"source": ["a", "b", "c"], "target": ["b", "c", "d"]}
    labels = {"subgraph_id": ["u", "t", "s"], "label": ["x", "y", "z"]}
    write(tmp_path, edges=edges, members=members, labels=labels)
    found = s2n.translate(tmp_path, engine="duckdb")
    assert same(found, s2n.translate(SubgraphTask.from_tables(edges, members, labels)))


def test_weights_are_those_of_the_memory_engine(tmp_path: Path) -> None:
    edges = {"source": ["a"], "target": ["b"], "weight": [0.7]}
    members = {"subgraph_id": ["s", "t"], "node_id": ["a", "b"]}
    write(tmp_path, edges=edges, members=members)
    kept = {"self_loops": False, "min_weight": 0.7}
    found = s2n.translate(tmp_path, engine="duckdb", **kept)  # type: ignore[arg-type]
    assert same(found, s2n.translate(SubgraphTask.from_tables(edges, members), **kept))  # type: ignore[arg-type]


def test_a_query_tells_its_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sub2node.base import progress

    monkeypatch.setattr(backends, "_INTERVAL", 0.01)
    seen: list[progress.Report] = []
    with progress.listen(seen.append):
        s2n.translate(random_tables(tmp_path), engine="duckdb")
    assert max(report.done for report in seen if report.what == "Joining tables") > 0


def write(folder: Path, **tables: dict[str, list[object]]) -> Path:
    for name, columns in tables.items():
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    return folder


GOOD: dict[str, dict[str, list[object]]] = {
    "edges": {"source": ["a", "b"], "target": ["b", "c"]},
    "members": {"subgraph_id": ["s", "t"], "node_id": ["a", "c"]},
    "labels": {"subgraph_id": ["s", "t"], "label": ["x", "y"], "split": ["train", "train"]},
    "nodes": {"node_id": ["a", "b", "c"]},
}


@pytest.mark.parametrize(
    ("name", "columns", "message"),
    [
        ("edges", {"from": ["a"], "to": ["b"]}, "no column 'source'; columns found: from, to"),
        ("members", {"subgraph_id": ["s"]}, "no column 'node_id'; columns found: subgraph_id"),
        ("edges", {"source": ["a", "b"], "target": ["b", "zz"]}, "'zz' is not in the nodes table"),
        ("members", {"subgraph_id": ["s", "t"], "node_id": ["a", "q"]}, "'q' is not in the nodes"),
        (
            "members",
            {"subgraph_id": ["s", "s", "t"], "node_id": ["a", "a", "c"]},
            "1 member given twice",
        ),
        (
            "members",
            {"subgraph_id": ["s", "w"], "node_id": ["a", "c"]},
            "'w' has no row here",
        ),
        (
            "members",
            {"subgraph_id": ["s", "s"], "node_id": ["a", "c"]},
            "1 subgraph without members",
        ),
        (
            "labels",
            {"subgraph_id": ["s", "t"], "label": ["x", "y"], "split": ["val", "test"]},
            "the train stage is empty",
        ),
        (
            "labels",
            {"subgraph_id": ["s", "t"], "label": ["x", "y"], "split": ["train", "dev"]},
            "the split word 'dev'",
        ),
        (
            "labels",
            {"subgraph_id": ["s", "s"], "label": ["x", "y"]},
            "several labels go in one list",
        ),
        (
            "edges",
            {"source": ["a", "b"], "target": ["b", "a"], "weight": [1.0, 2.0]},
            "1 edge given several times with different weights",
        ),
        (
            "edges",
            {"source": ["a", "b"], "target": ["b", "c"], "weight": [1.0, -2.0]},
            "1 row with a weight that is missing, not finite or not above 0",
        ),
        (
            "members",
            {"subgraph_id": ["s", "t"], "node_id": ["a", "c"], "weight": [1.0, None]},
            "1 row with a weight that is missing",
        ),
        ("edges", {"source": ["a", None], "target": ["b", "c"]}, "'source' is missing in 1 row"),
        (
            "members",
            {"subgraph_id": ["s", "t"], "node_id": ["a", None]},
            "'node_id' is missing",
        ),
        (
            "members",
            {"subgraph_id": ["s", None], "node_id": ["a", "b"]},
            "subgraph_id is missing",
        ),
        ("edges", {"source": [1, 2], "target": [2, 3]}, "ids are numbers in edges.target but text"),
        ("edges", {"source": [1.5], "target": [2.5]}, "ids are integers or text"),
        ("nodes", {"node_id": ["a", "a", "b", "c"]}, "1 node given twice"),
    ],
)
def test_bad_tables(
    tmp_path: Path, name: str, columns: dict[str, list[object]], message: str
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    write(folder, **{**GOOD, name: columns})
    before = sorted(p.name for p in tmp_path.iterdir())
    with pytest.raises(DataError, match=message):
        s2n.translate(folder, engine="duckdb", spill=tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_folders_without_tables(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such folder"):
        s2n.translate(tmp_path / "none", engine="duckdb")
    with pytest.raises(DataError, match=r"no edges\.parquet; 's2n convert' makes it"):
        s2n.translate(tmp_path, engine="duckdb")
    write(tmp_path, **GOOD)
    pq.write_table(pa.table(GOOD["edges"]).slice(0, 0), tmp_path / "edges.parquet")
    with pytest.raises(DataError, match="the graph has no edges"):
        s2n.translate(tmp_path, engine="duckdb")
    (tmp_path / "edges.parquet").write_bytes(b"PAR1 broken")
    with pytest.raises(DataError, match="no whole Parquet file"):
        s2n.translate(tmp_path, engine="duckdb")


def random_tables(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 20_000, (2, 400_000))
    rows = np.stack([rng.choice(20_000, 20, replace=False) for _ in range(4_000)])
    return write(
        folder,
        edges={"source": ends[0], "target": ends[1]},  # type: ignore[dict-item]
        members={"subgraph_id": np.repeat(np.arange(4_000), 20), "node_id": rows.ravel()},  # type: ignore[dict-item]
    )


def test_out_of_disk_while_spilling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ibis

    connect: Callable[..., object] = ibis.duckdb.connect
    monkeypatch.setattr(
        backends,
        "_duckdb",
        lambda found, config: connect(**config, max_temp_directory_size="1MB", threads=1),
    )
    folder = random_tables(tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(Sub2NodeError, match="memory limit is too small for this query, or what it"):
        translate_to(
            folder, out, TranslationOptions(), engine="duckdb", memory="40MB", spill=tmp_path
        )
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith("s2n-")] == []
    full = backends._explain(OSError("IO Error: No space left on device"), tmp_path)
    assert "no room is left to spill" in str(full)


def test_spilling_gives_the_same(tmp_path: Path) -> None:
    folder = random_tables(tmp_path)
    roomy = s2n.translate(folder, engine="duckdb", min_weight=3.0)
    tight = s2n.translate(folder, engine="duckdb", min_weight=3.0, memory="150MB", spill=tmp_path)
    assert same(roomy, tight)


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, task: SubgraphTask) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "ibis", None)
    with pytest.raises(s2n.MissingExtraError, match=r"pip install 'sub2node\[scale\]'"):
        s2n.translate(task, engine="duckdb")
