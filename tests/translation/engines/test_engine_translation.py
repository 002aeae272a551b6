"""DuckDB and Spark give what the memory engine gives, and refuse what it refuses."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

import sub2node as s2n
from sub2node import DataError, S2NGraph, SubgraphTask, save_task

pytest.importorskip("ibis")

from directed_tasks import directed_task
from parquet_tables import same_graph, write_parquet


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.datasets.generate("density", subgraphs=40, seed=2)


@pytest.fixture
def spark() -> str:
    """A master on this machine."""
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
    directed, out = directed_task(weighted=True), {"direction": "out", "top_k": 3}
    on_interrupt = signal.getsignal(signal.SIGINT)
    one = s2n.translate(directed, engine="spark", master=spark, **out)  # type: ignore[arg-type]
    assert same_graph(one, s2n.translate(directed, **out))  # type: ignore[arg-type]
    assert signal.getsignal(signal.SIGINT) is on_interrupt  # PySpark leaves its own
    assert same_graph(s2n.translate(named, engine="spark", master=spark), s2n.translate(named))
    folder = save_task(task, tmp_path / "task")
    for kept in ({"cut": 1.0}, {"top_k": 3}):
        graph = s2n.translate(folder, engine="spark", master=spark, **kept)  # type: ignore[arg-type]
        assert same_graph(graph, s2n.translate(task, **kept))  # type: ignore[arg-type]


@pytest.mark.slow
def test_tables_with_string_ids_are_never_loaded(tmp_path: Path) -> None:
    task = SubgraphTask.from_tables(
        {"source": ["a", "b", "b"], "target": ["b", "c", "a"], "weight": [0.5, 2.0, 0.5]},
        {"subgraph_id": ["s", "s", "t"], "node_id": ["a", "b", "c"], "weight": [1.0, 2.0, 3.0]},
        {"subgraph_id": ["s", "t"], "label": ["x", "x"], "split": ["test", "train"]},
    )
    graph = s2n.translate(save_task(task, tmp_path / "t"), engine="duckdb")
    assert same_graph(graph, s2n.translate(task))
    assert graph.task_hash == task.hash
    graph.save(tmp_path / "g", task)
    assert len(S2NGraph.load(tmp_path / "g", task=task).attach(task.subgraphs).known.data)


GOOD: dict[str, dict[str, list[object]]] = {
    "edges": {"source": ["a", "b"], "target": ["b", "c"]},
    "members": {"subgraph_id": ["s", "t"], "node_id": ["a", "c"]},
    "labels": {"subgraph_id": ["s", "t"], "label": ["x", "y"], "split": ["train", "train"]},
    "nodes": {"node_id": ["a", "b", "c"]},
}


@pytest.mark.slow
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
            {"subgraph_id": ["s", "t"], "label": ["x", "y"], "split": ["train", "later"]},
            "the split word 'later'",
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
    write_parquet(folder, **{**GOOD, name: columns})
    before = sorted(p.name for p in tmp_path.iterdir())
    with pytest.raises(DataError, match=message):
        s2n.translate(folder, engine="duckdb", spill=tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == before
