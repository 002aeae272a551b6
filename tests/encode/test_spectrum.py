"""The normalised adjacency, its known eigenpairs and its solver against dense matrices."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from networkx_graphs import graph_of, normalized
from strategies import graphs
from sub2node.base.errors import Sub2NodeError
from sub2node.encode.spectrum import Spectrum, solve, strengths, symmetric
from sub2node.task import Graph


@given(graph=graphs(plain=True))
def test_the_matrix_is_the_dense_one(graph: Graph) -> None:
    assert symmetric(graph).toarray() == pytest.approx(normalized(graph))
    assert symmetric(graph, np.float32).dtype == np.float32
    dense = graph.adjacency(loops=True, dtype=np.float64).toarray()
    assert strengths(graph) == pytest.approx(dense.sum(axis=1))


@given(graph=graphs(plain=True))
def test_known_eigenpairs_are_all_of_1_and_minus_1(graph: Graph) -> None:
    spectrum = Spectrum(graph)
    vectors, values = spectrum.known_pairs
    dense, columns = normalized(graph), vectors.toarray()
    assert dense @ columns == pytest.approx(columns * values, abs=1e-12)
    nonzero = np.linalg.norm(columns, axis=0) > 0
    chosen = columns[:, nonzero]
    assert chosen.T @ chosen == pytest.approx(np.eye(chosen.shape[1]), abs=1e-12)
    eigenvalues = np.linalg.eigvalsh(dense)
    for sign in (1, -1):
        assert (values[nonzero] == sign).sum() == np.isclose(eigenvalues, sign).sum()
    rest = spectrum.deflated() @ np.eye(graph.num_nodes)
    assert np.abs(np.linalg.eigvalsh(rest)).max() < 1 - 1e-9


@given(graph=graphs(plain=True))
def test_sides_are_two_colours_of_bipartite_components(graph: Graph) -> None:
    whole = nx.from_scipy_sparse_array(graph.adjacency(loops=True))
    sides = Spectrum(graph).sides
    for nodes in nx.connected_components(whole):
        part = whole.subgraph(nodes)
        if part.number_of_edges() and nx.is_bipartite(part):
            assert all(sides[u] * sides[v] == -1 for u, v in part.edges)
        else:
            assert not sides[list(nodes)].any()


@pytest.mark.parametrize(
    ("which", "key"), [("LA", lambda values: -values), ("LM", lambda values: -np.abs(values))]
)
@pytest.mark.parametrize(
    "graph",
    [
        nx.cycle_graph(30),  # all but two eigenvalues are there twice
        nx.complete_graph(30),  # one is there 29 times
        nx.disjoint_union_all([nx.cycle_graph(5)] * 6),
        nx.gnm_random_graph(30, 60, seed=0),
    ],
)
def test_the_solver_misses_no_copy_of_an_eigenvalue(graph: nx.Graph, which, key) -> None:
    matrix = symmetric(graph_of(graph))
    values, vectors = solve(matrix, 7, which, "a test")
    dense = np.linalg.eigvalsh(matrix.toarray())
    assert np.sort(key(values)) == pytest.approx(np.sort(key(dense))[:7], abs=1e-8)
    assert matrix @ vectors == pytest.approx(vectors * values, abs=1e-7)
    assert vectors.T @ vectors == pytest.approx(np.eye(7), abs=1e-7)
    again = solve(matrix, 7, which, "a test")
    assert np.array_equal(values, again[0])
    assert np.array_equal(vectors, again[1])


def test_leading_eigenvalues_come_after_the_known_ones() -> None:
    graph = graph_of(nx.gnm_random_graph(40, 80, seed=1))
    values, _ = Spectrum(graph).leading(3)
    dense = np.abs(np.linalg.eigvalsh(normalized(graph)))
    below = np.sort(dense[dense < 1 - 1e-9])[::-1]
    assert np.abs(values) == pytest.approx(below[:3])


def test_a_solver_that_gives_up_says_what_to_do() -> None:
    matrix = symmetric(graph_of(nx.path_graph(300)))
    with pytest.raises(Sub2NodeError, match=r"a test: the solver found \d of 6 .* fewer columns"):
        solve(matrix, 6, "LA", "a test", iterations=1)
