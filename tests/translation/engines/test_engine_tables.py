"""Parquet tables for an engine: found, ordered, and refused."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sub2node as s2n
from sub2node import DataError, SubgraphTask, save_task

pytest.importorskip("ibis")

from parquet_tables import same_graph, write_parquet
from sub2node.translation.engines.engine_tables import find_tables, write_tables


@pytest.mark.slow
def test_members_alone_are_enough(tmp_path: Path) -> None:
    """No labels, edges in both directions and twice over: the memory engine merges them too."""
    edges = {"source": [0, 1, 1, 2, 0], "target": [1, 0, 2, 3, 1]}
    members = {"subgraph_id": [7, 7, 3, 3], "node_id": [0, 1, 2, 3]}
    write_parquet(tmp_path, edges=edges, members=members)
    assert same_graph(
        s2n.translate(tmp_path, engine="duckdb"),
        s2n.translate(SubgraphTask.from_tables(edges, members)),
    )


@pytest.mark.slow
def test_subgraphs_are_in_the_order_of_their_members(tmp_path: Path) -> None:
    members = {"subgraph_id": ["s", "s", "t", "u"], "node_id": ["a", "b", "c", "d"]}
    edges = {"source": ["a", "b", "c"], "target": ["b", "c", "d"]}
    labels = {"subgraph_id": ["u", "t", "s"], "label": ["x", "y", "z"]}
    write_parquet(tmp_path, edges=edges, members=members, labels=labels)
    graph = s2n.translate(tmp_path, engine="duckdb")
    assert same_graph(graph, s2n.translate(SubgraphTask.from_tables(edges, members, labels)))


GOOD: dict[str, dict[str, list[object]]] = {
    "edges": {"source": ["a", "b"], "target": ["b", "c"]},
    "members": {"subgraph_id": ["s", "t"], "node_id": ["a", "c"]},
    "labels": {"subgraph_id": ["s", "t"], "label": ["x", "y"], "split": ["train", "train"]},
    "nodes": {"node_id": ["a", "b", "c"]},
}


@pytest.mark.slow
def test_folders_without_tables(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such folder"):
        s2n.translate(tmp_path / "none", engine="duckdb")
    with pytest.raises(DataError, match=r"no edges\.parquet; 's2n convert' makes it"):
        s2n.translate(tmp_path, engine="duckdb")
    write_parquet(tmp_path, **GOOD)
    pq.write_table(pa.table(GOOD["edges"]).slice(0, 0), tmp_path / "edges.parquet")
    with pytest.raises(DataError, match="the graph has no edges"):
        s2n.translate(tmp_path, engine="duckdb")
    (tmp_path / "edges.parquet").write_bytes(b"PAR1 broken")
    with pytest.raises(DataError, match="no whole Parquet file"):
        s2n.translate(tmp_path, engine="duckdb")


def test_subgraphs_are_numbered_by_stage(tmp_path: Path) -> None:
    write_parquet(
        tmp_path,
        edges={"source": [0, 1], "target": [1, 2]},
        members={"subgraph_id": [5, 7, 6, 5], "node_id": [0, 1, 2, 1]},
        labels={"subgraph_id": [7, 6, 5], "split": ["test", "train", "val"], "label": list("abc")},
    )
    tables = find_tables(tmp_path)
    assert tables.sets.to_pydict() == {"subgraph_id": [6, 5, 7], "number": [0, 1, 2]}
    assert tables.split.words() == ["train", "val", "test"]
    assert tables.labels["label"].to_pylist() == ["b", "c", "a"]
    assert tables.hash == ""


def test_tables_of_a_task_say_which_it_is(tmp_path: Path) -> None:
    task = s2n.datasets.generate("density", subgraphs=20)
    written = write_tables(task, tmp_path / "tables")
    assert written.hash == task.hash
    assert find_tables(save_task(task, tmp_path / "saved")).hash == task.hash
    assert find_tables(tmp_path / "tables").split.words() == task.split.words()
