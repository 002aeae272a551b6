"""Graphs against their dense definition, and what is no graph."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from strategies import graphs
from sub2node import DataError
from sub2node.task import Graph, Names


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40))
def test_from_edges_equals_the_dense_definition(pairs: list[tuple[int, int]]) -> None:
    dense = np.zeros((10, 10), dtype=bool)
    for u, v in pairs:
        dense[u, v] = dense[v, u] = True
    ends = np.array(pairs, dtype=int).reshape(-1, 2)
    graph = Graph.from_edges(ends[:, 0], ends[:, 1], num_nodes=10)
    loops = np.flatnonzero(dense.diagonal())
    assert np.array_equal(graph.loops, loops)
    assert np.array_equal(graph.adjacency(loops=True).toarray() != 0, dense)
    assert graph.num_edges == np.triu(dense, 1).sum()
    assert np.array_equal(graph.degrees, dense.sum(axis=1) - dense.diagonal())


@given(graphs(weighted=True))
def test_edges_give_back_the_graph(graph: Graph) -> None:
    low, high, weights = graph.edges()
    assert (low < high).all()
    again = Graph.from_edges(
        np.concatenate([high, graph.loops]),
        np.concatenate([low, graph.loops]),
        weights=np.concatenate([weights, graph.loop_weights]),
        num_nodes=graph.num_nodes,
        names=graph.names,
        titles=graph.titles,
        features=graph.features,
    )
    assert again == graph
    assert hash(again) == hash(graph)


@given(graphs())
def test_uphill_has_each_edge_once(graph: Graph) -> None:
    indptr, indices = graph.uphill
    rows = np.repeat(np.arange(graph.num_nodes), np.diff(indptr))
    pairs = {(min(u, v), max(u, v)) for u, v in zip(rows.tolist(), indices.tolist(), strict=True)}
    low, high, _ = graph.edges()
    assert len(indices) == graph.num_edges
    assert pairs == set(zip(low.tolist(), high.tolist(), strict=True))
    assert (graph.degrees[rows] <= graph.degrees[indices]).all()


@given(graphs())
def test_has_edges_equals_networkx(graph: Graph) -> None:
    low, high, _ = graph.edges()
    other = nx.Graph()
    other.add_nodes_from(range(graph.num_nodes))
    other.add_edges_from(zip(low.tolist(), high.tolist(), strict=True))
    a, b = np.divmod(np.arange(graph.num_nodes**2), graph.num_nodes)
    expected = [other.has_edge(u, v) for u, v in zip(a.tolist(), b.tolist(), strict=True)]
    assert graph.has_edges(a, b).tolist() == expected


def test_arrays_are_read_only_and_not_shared() -> None:
    features = np.ones((2, 1), dtype=np.float32)
    graph = Graph.from_edges([0], [1], features=features)
    features[0] = 9
    assert graph.features is not None
    assert graph.features[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        graph.indices[0] = 0


def test_large_ids_keep_small_types() -> None:
    graph = Graph.from_edges([0], [100_000])
    assert graph.indices.dtype == np.int32
    assert graph.num_nodes == 100_001
    assert Graph.from_edges([], []).num_nodes == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"features": [[1.0]]}, "one row per node"),
        ({"features": [["x"], ["y"]]}, "features"),
        ({"features": [[], []]}, "features"),
        ({"features": [[1.0], [np.nan]]}, "feature 0 of node 1 is nan"),
        ({"names": Names(["a"])}, "expected 2"),
        ({"names": Names(["a", "a"])}, "'a' twice"),
        ({"names": Names(["a", ""])}, "empty name"),
        ({"names": Names(["a", "b\tc"])}, "without tabs"),
        ({"weights": [0.0]}, "above 0"),
        ({"weights": [np.inf]}, "finite"),
        ({"weights": ["x"]}, "must be numbers"),
        ({"weights": [1.0, 2.0]}, "edge weights of shape"),
        ({"num_nodes": 1}, "has 1 nodes"),
    ],
)
def test_bad_edges_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Graph.from_edges([0], [1], **change)


@pytest.mark.parametrize(
    ("indptr", "indices", "message"),
    [
        ([0, 1, 1], [1], "both directions"),
        ([0, 1, 2], [0, 1], "self-loops"),
        ([0, 2, 3, 4], [2, 1, 0, 0], "ascend"),
        ([0, 1, 3], [1, 0], "indptr"),
        ([0, 1, 2], [1, 7], "must lie in"),
        ([0, 1, 2], [2**32 + 1, 2**32], "no position"),
    ],
)
def test_bad_adjacency_is_refused(indptr: list[int], indices: list[int], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Graph(np.array(indptr), np.array(indices))


def test_adjacency_with_unequal_weights_is_refused() -> None:
    with pytest.raises(DataError, match="same weight"):
        Graph(np.array([0, 1, 2]), np.array([1, 0]), weights=np.array([1.0, 2.0]))


def test_hash_depends_on_content_only() -> None:
    one = Graph.from_edges([0, 1], [1, 2])
    assert one.hash == Graph.from_edges([2, 0], [1, 1]).hash
    assert one.hash != Graph.from_edges([0, 1], [1, 2], num_nodes=4).hash
    assert one.hash != Graph.from_edges([0, 1], [1, 2], weights=[1, 1]).hash
    assert one.hash != Graph.from_edges([0, 1, 1], [1, 2, 1]).hash
    wide = sp.csr_array(one.adjacency())
    again = Graph(wide.indptr.astype(np.int64), wide.indices.astype(np.int64))
    assert again.hash == one.hash
