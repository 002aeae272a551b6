"""Graphs of other libraries, in and out."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

from strategies import graphs
from sub2node import DataError, Graph
from sub2node.io import as_graph, task_from_graph, to_igraph, to_networkx
from sub2node.task import Names


def bare(graph: Graph) -> Graph:
    """A graph without what other libraries do not carry."""
    return Graph(
        graph.indptr, graph.indices, graph.weights, graph.loops, graph.loop_weights,
        names=graph.names,
    )  # fmt: skip


@given(graphs(edges=1))
def test_networkx_round_trip(graph: Graph) -> None:
    again = as_graph(to_networkx(graph))
    if graph.names is None:
        assert again == bare(graph)
    else:
        assert again.names == graph.names
        assert again.hash == bare(graph).hash


@pytest.mark.slow
@given(graphs(edges=1))
def test_igraph_round_trip(graph: Graph) -> None:
    pytest.importorskip("igraph")
    assert as_graph(to_igraph(graph)) == bare(graph)


@given(graphs(edges=1, plain=True))
def test_scipy_round_trip(graph: Graph) -> None:
    again = as_graph(graph.adjacency(loops=True))
    assert np.array_equal(
        again.adjacency(loops=True).toarray(), graph.adjacency(loops=True).toarray()
    )


def test_pyg_round_trip() -> None:
    pytest.importorskip("torch_geometric")
    task = task_from_graph(nx.path_graph(4), [[0, 1], [2, 3]], ["x", "y"], ["train", "train"])
    assert as_graph(task.to_pyg()) == task.graph


def test_directed_graphs_lose_their_direction() -> None:
    directed = nx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")])
    graph = as_graph(directed)
    assert graph.num_edges == 2
    assert list(graph.names or ()) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("graph", "directed"),
    [
        (nx.DiGraph([(0, 1), (1, 2)]), True),
        (nx.path_graph(3), False),
        (sp.coo_array(([1, 1], ([0, 1], [1, 2])), shape=(3, 3)), True),
        (sp.coo_array(([1, 1], ([0, 1], [1, 0])), shape=(3, 3)), False),
    ],
)
def test_a_task_says_that_directions_are_ignored(graph: object, directed: bool) -> None:
    task = task_from_graph(graph, [[0, 1], [1]], ["x", "y"])
    assert task.notes == ("The graph is directed; directions are ignored, and an edge either way"
                          " is an edge.",) * directed  # fmt: skip


def test_task_from_lists_and_mappings() -> None:
    ring = nx.cycle_graph(["a", "b", "c", "d"])
    task = task_from_graph(
        ring,
        {"s": ["a", "b"], "t": ["c"], "u": ["d", "d"]},
        {"s": ["x", "y"], "t": ["y"], "u": ["x"]},
        {"s": "train", "t": "test", "u": "train"},
    )
    assert task.multilabel
    assert [task.subgraphs.name_of(i) for i in range(3)] == ["s", "u", "t"]
    assert task.notes == ("1 repeated member merged: 'd' in subgraph 'u'.",)
    assert task_from_graph(ring, [["a"], ["b"]]).labels is None


@pytest.mark.parametrize(
    ("subgraphs", "labels", "message"),
    [
        ([["a"], []], None, "subgraph 1 is empty"),
        ([["a"], ["z"]], None, "subgraph 1 has the node 'z'"),
        ([["a"], ["b"]], ["x"], "2 subgraphs but 1 label"),
        ({"s": ["a"]}, {"t": "x"}, "the label of subgraph 's' is missing"),
    ],
)
def test_bad_lists(subgraphs: object, labels: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        task_from_graph(nx.path_graph(["a", "b"]), subgraphs, labels)  # type: ignore[arg-type]


def test_what_is_no_graph() -> None:
    with pytest.raises(DataError, match="cannot make a graph from dict"):
        as_graph({})
    with pytest.raises(DataError, match="square"):
        as_graph(sp.csr_array(np.ones((2, 3))))
    mixed = nx.Graph([(0, 1), (1, 2)])
    mixed[0][1]["weight"] = 2.0
    with pytest.raises(DataError, match="1 of 2 edges have no 'weight'"):
        as_graph(mixed)
    with pytest.raises(DataError, match="different weights"):
        as_graph(sp.csr_array(np.array([[0, 1.0], [2.0, 0]])))
    graph = as_graph(sp.csr_array(np.array([[0, 1.0], [2.0, 0]])), repeated="max")
    assert graph.weights is not None
    assert graph.weights.tolist() == [2, 2]
    with pytest.raises(DataError, match="twice"):
        as_graph(nx.Graph([(1, "1")]))
    assert Names(["a"]) != "a"


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([None, None], "no subgraph has a label; the label of row 1 is missing"),
        (np.array([[1, 0], [0, 1]]), "0/1 table"),
    ],
)
def test_labels_in_lists_that_are_none(labels: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        task_from_graph(nx.path_graph(4), [[0, 1], [2]], labels)  # type: ignore[arg-type]


def test_labels_in_lists_mean_what_they_say() -> None:
    path = nx.path_graph(4)
    for missing in (None, float("nan")):
        task = task_from_graph(path, [[0, 1], [2]], ["a", missing])
        assert (len(task), task.unlabelled.subgraph_ids) == (1, ["1"])
    assert task_from_graph(path, [[0], [2]], [["a"], "bc"]).class_names == ("a", "bc")
    assert task_from_graph(path, [[0], [2]], [1.0, 2.0]).class_names == ("1", "2")
    assert len(task_from_graph(path, (nodes for nodes in ([0], [1])))) == 2  # type: ignore[arg-type]
    with pytest.raises(DataError, match="the same name once it is text"):
        task_from_graph(path, {1: [0], "1": [1]})
    directed = nx.DiGraph()
    directed.add_weighted_edges_from([("u", "v", 1), ("v", "u", 2)])
    with pytest.raises(DataError, match="repeated='sum'"):
        task_from_graph(directed, [["u"]])
    assert task_from_graph(directed, [["u"]], repeated="sum").graph.weights is not None
