"""Subgraphs without a label are kept apart, and change nothing for the others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import tasks
from sub2node import DataError, SubgraphTask
from sub2node.io.save import tables_of


@given(tasks(), st.lists(st.integers(0, 3), min_size=1, max_size=3), st.randoms())
def test_they_change_nothing_for_the_others(task: SubgraphTask, sizes, random) -> None:
    if task.labels is None or not len(task) or not task.graph.num_nodes:
        return
    tables = {name: table.to_pydict() for name, table in tables_of(task).items()}
    before = _from_tables(tables)
    nodes = tables["nodes"]["node_id"]
    members, size = tables["members"], 0
    for number, count in enumerate(sizes):
        for node in [nodes[0], *random.choices(nodes, k=count)]:
            members["subgraph_id"].append(f"new {number}")
            members["node_id"].append(node)
            if "weight" in members:
                members["weight"].append(1.0)
        size += 1
    members["subgraph_id"] = list(map(str, members["subgraph_id"]))
    after = _from_tables(tables)
    assert after.hash == before.hash
    assert np.array_equal(after.input_order, before.input_order)
    assert after.subgraph_ids == before.subgraph_ids
    assert len(after.unlabelled) == size
    assert after.unlabelled.labels is None
    assert after.unlabelled.graph is after.graph


def _from_tables(tables: dict[str, dict[str, list[object]]]) -> SubgraphTask:
    frames = {name: pa.table(columns) for name, columns in tables.items()}
    return SubgraphTask.from_tables(
        frames["edges"],
        frames["members"],
        frames["labels"],
        nodes=frames["nodes"],
        subgraph_edges=frames.get("subgraph_edges"),
    )


def test_what_is_known_of_them_stays() -> None:
    edges = {"source": ["a", "b"], "target": ["b", "c"]}
    members = {"subgraph_id": list("stuu"), "node_id": list("abcx")}
    labels = {"subgraph_id": list("stu"), "label": ["x", "y", None], "title": list("STU")}
    labels |= {"date": ["1", "2", "3"], "split": ["train", "train", ""]}
    own = {"subgraph_id": ["u"], "source": ["a"], "target": ["b"]}
    task = SubgraphTask.from_tables(edges, members, labels, unknown_nodes="drop")
    assert task.unlabelled.subgraphs.titles[0] == "U"
    assert task.unlabelled.attributes["date"][0] == "3"
    assert task.unlabelled.members("u") == ["c"]
    with pytest.raises(DataError, match="no member of 'u'"):
        SubgraphTask.from_tables(edges, members, labels, subgraph_edges=own, unknown_nodes="drop")
    dropped = SubgraphTask.from_tables(
        edges, members, labels, unknown_nodes="drop", unlabelled="drop"
    )
    assert (dropped.unlabelled, dropped.hash) == (None, task.hash)
