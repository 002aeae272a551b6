"""Edges of subgraphs: what is wrong with them is found at once, and each has its option."""

from __future__ import annotations

from typing import Any

import pytest

from sub2node import DataError, SubgraphTask

EDGES = {"source": list("abcd"), "target": list("bcda")}
MEMBERS = {"subgraph_id": list("ssttuu"), "node_id": list("abcdac")}
OWN = {
    "subgraph_id": ["s", "s", "new", "s", "t", "s", "u"],
    "source": ["a", "b", "a", "zz", "c", "a", "a"],
    "target": ["b", "a", "b", "a", "c", "d", "c"],
}


def task_of(**options: Any) -> SubgraphTask:
    return SubgraphTask.from_tables(EDGES, MEMBERS, subgraph_edges=OWN, **options)


def test_all_problems_are_found_with_their_rows() -> None:
    with pytest.raises(DataError) as error:
        task_of()
    found = {p.kind: (p.rows.tolist(), p.option) for p in error.value.problems}
    assert found == {
        "unknown edge end": ([2, 3], "--unknown-nodes drop"),
        "self-loop": ([4], "--bad-rows drop"),
        "edge outside of its subgraph": ([5], "--bad-rows drop"),
        "edge outside of the graph": ([6], "--bad-rows drop"),
    }
    (problem,) = (p for p in error.value.problems if p.kind.endswith("the graph"))
    assert problem.message == "row 7 has the edge a-c, which the graph does not have."


def test_what_is_left_are_the_edges() -> None:
    task = task_of(unknown_nodes="drop", bad_rows="drop")
    assert task.subgraphs.edges.tolist() == [[0, 1]]
    assert task.subgraphs.edge_ptr.tolist() == [0, 1, 1, 1]
    assert "2 edges of subgraphs with unknown ends dropped." in task.notes
    assert "1 repeated edge of subgraphs merged." in task.notes
