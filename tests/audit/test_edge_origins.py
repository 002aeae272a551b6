"""Edges by the origin that the user names, and the errors for a table that does not fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from audit_tasks import clean_task
from sub2node.audit.edge_origins import edge_origins
from sub2node.base.errors import DataError
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask
from sub2node.task.names import Names


def named_task() -> SubgraphTask:
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], num_nodes=5, names=Names(list("abcde")))
    sets = Subgraphs.from_lists([[0], [1], [2]])
    split = Split.sizes(train=1, val=1, test=1)
    return SubgraphTask(graph, sets, labels=np.array([0, 1, 0]), split=split)


def test_each_origin_has_its_edges_in_either_direction() -> None:
    table = {
        "source": ["b", "c", "a", "d"],
        "target": ["a", "b", "d", "c"],
        "origin": ["screen", "papers", "screen", "screen"],
    }
    task = named_task()
    screen, papers = edge_origins(task, table)
    assert (screen.name, papers.name) == ("screen", "papers")
    assert (int(screen.chosen.sum()), int(papers.chosen.sum())) == (3, 1)
    dense = papers.adjacency.toarray()
    assert dense.tolist() == dense.T.tolist()
    assert dense.sum() == 2
    assert dense[1, 2] == 1
    rest = papers.without(task).graph
    assert rest.num_edges == 3
    assert rest.names == task.graph.names
    assert not rest.adjacency().toarray()[1, 2]


def test_weights_of_the_other_edges_stay() -> None:
    task = clean_task()
    low, high, _ = task.graph.edges()
    weights = 1.0 + np.arange(len(low))
    graph = Graph.from_edges(low, high, weights=weights, num_nodes=task.graph.num_nodes)
    task = replace(task, graph=graph)
    table = {"source": low[:5], "target": high[:5], "origin": ["x"] * 5}
    (origin,) = edge_origins(task, table)
    left = origin.without(task).graph
    expected = graph.adjacency().toarray()
    expected[low[:5], high[:5]] = expected[high[:5], low[:5]] = 0
    assert np.array_equal(left.adjacency().toarray(), expected)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"source": ["a"], "target": ["b"]}, "no column 'origin'"),
        ({"source": ["a"], "target": ["z"], "origin": ["x"]}, "row 1: the node 'z' is not"),
        ({"source": ["a", "e"], "target": ["b", "a"], "origin": ["x", "x"]},
         "row 2: the graph has no edge between 'e' and 'a'"),
        ({"source": ["a"], "target": ["b"], "origin": [None]}, "name no origin"),
    ],
)  # fmt: skip
def test_a_table_that_does_not_fit_is_refused(table: dict[str, list], message: str) -> None:
    with pytest.raises(DataError, match=message):
        edge_origins(named_task(), table)


def test_a_graph_without_edges_has_none_of_an_origin() -> None:
    task = named_task()
    empty = replace(task, graph=Graph.from_edges([], [], num_nodes=5))
    with pytest.raises(DataError, match="no edge between '0' and '1'"):
        edge_origins(empty, {"source": [0], "target": [1], "origin": ["x"]})
