"""LapPE against dense decompositions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from networkx_graphs import graph_of, normalized
from strategies import graphs
from sub2node.base.errors import ConfigError, Sub2NodeError
from sub2node.encode import laplacian
from sub2node.task import Graph


def parts(graph: Graph) -> list[Any]:
    found = nx.from_scipy_sparse_array(graph.adjacency())
    return [np.array(sorted(part)) for part in nx.connected_components(found)]


def check(graph: Graph, values: Any, *, close: float = 1e-5) -> None:
    """Columns of each component: orthonormal, eigenvectors, of the smallest eigenvalues."""
    for nodes in parts(graph):
        kept = min(values.shape[1], len(nodes) - 1)
        vectors = values[nodes, :kept].astype(np.float64)
        assert not values[nodes, kept:].any()
        if not kept:
            continue
        system = np.eye(len(nodes)) - normalized(graph)[np.ix_(nodes, nodes)]
        truth = np.linalg.eigvalsh(system)[1 : kept + 1]
        assert vectors.T @ vectors == pytest.approx(np.eye(kept), abs=close)
        mine = np.einsum("ni,nm,mi->i", vectors, system, vectors)
        assert mine == pytest.approx(truth, abs=close)
        assert system @ vectors == pytest.approx(vectors * truth, abs=close)
        root = np.sqrt(graph.adjacency(loops=True, dtype=np.float64).sum(axis=1))[nodes]
        assert root / np.linalg.norm(root) @ vectors == pytest.approx(np.zeros(kept), abs=close)


def widest(graph: Graph) -> int:
    return max(len(nodes) for nodes in parts(graph)) - 1


@given(graph=graphs(edges=1, plain=True))
def test_vectors_are_those_of_each_component(graph: Graph) -> None:
    if graph.weights is not None:
        graph = replace(graph, weights=graph.weights / 4, loop_weights=graph.loop_weights / 4)
    for width in {1, (1 + widest(graph)) // 2, widest(graph)}:
        check(graph, laplacian(graph, width).values)


@given(graph=graphs(edges=1, plain=True))
def test_the_residual_is_the_one_reported(graph: Graph) -> None:
    found = laplacian(graph, 1)
    largest = [nodes for nodes in parts(graph) if len(nodes) == widest(graph) + 1]
    assert found.facts["residual"] <= 1e-10
    assert found.facts["components"] == len(parts(graph))
    truth = [
        np.linalg.eigvalsh(np.eye(len(n)) - normalized(graph)[np.ix_(n, n)])[1] for n in largest
    ]
    assert np.abs(np.array(truth) - found.facts["eigenvalues"][0]).min() <= 1e-9


@given(graph=graphs(edges=1, plain=True))
def test_the_largest_entry_is_positive(graph: Graph) -> None:
    values = laplacian(graph, widest(graph)).values
    for nodes in parts(graph):
        block = values[nodes][:, : len(nodes) - 1]
        if block.size:
            assert (block.max(axis=0) >= np.abs(block).max(axis=0) * (1 - 1e-5)).all()


@pytest.mark.parametrize(
    "graph",
    [
        nx.path_graph(2), nx.cycle_graph(8), nx.complete_graph(7), nx.star_graph(9),
        nx.hypercube_graph(4), nx.complete_bipartite_graph(3, 5), nx.cycle_graph(400),
        nx.disjoint_union_all([nx.path_graph(2)] * 30 + [nx.cycle_graph(6)] * 20),
        nx.disjoint_union_all([nx.path_graph(3)] * 9 + [nx.empty_graph(5)]),
    ],
)  # fmt: skip
def test_bipartite_and_symmetric_components(graph: nx.Graph) -> None:
    made = graph_of(graph)
    check(made, laplacian(made, min(widest(made), 6)).values)


def lanczos(graph: nx.Graph, width: int, *, loops: bool = False, weights: bool = False) -> None:
    ends = np.array(nx.convert_node_labels_to_integers(graph).edges)
    extra = np.repeat(np.arange(0, len(graph), 3)[:, None], 2, axis=1)
    ends = np.concatenate([ends, extra]) if loops else ends
    given = np.random.default_rng(0).uniform(0.1, 3, len(ends)) if weights else None
    made = Graph.from_edges(*ends.T, num_nodes=len(graph), weights=given)
    found = laplacian(made, width)
    check(made, found.values, close=2e-5)
    assert found.facts["residual"] <= 1e-5
    whole = found.values.astype(np.float64)
    left = whole - normalized(made) @ whole - whole * found.facts["eigenvalues"]
    if len(parts(made)) == 1:
        residual = np.linalg.norm(left, axis=0).max()
        assert residual == pytest.approx(found.facts["residual"], abs=1e-6)


@pytest.mark.slow
def test_components_above_400_nodes_are_solved_by_lanczos() -> None:
    lanczos(nx.connected_watts_strogatz_graph(450, 6, 0.3, seed=0), 12)
    lanczos(nx.connected_watts_strogatz_graph(450, 6, 0.3, seed=0), 12, loops=True, weights=True)
    lanczos(nx.path_graph(401), 4)
    lanczos(nx.star_graph(450), 6)
    both = nx.disjoint_union(nx.barbell_graph(210, 5), nx.gnm_random_graph(420, 1500, seed=4))
    lanczos(nx.disjoint_union(both, nx.cycle_graph(9)), 10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("graph", "width"),
    [
        (nx.cycle_graph(500), 16),
        (nx.grid_graph((21, 21), periodic=True), 8),
        (nx.grid_graph((8, 8, 8), periodic=True), 32),
        (nx.hypercube_graph(9), 16),
        (nx.balanced_tree(2, 8), 16),
    ],
    ids=["ring", "torus", "torus of three", "cube", "tree"],
)
def test_no_copy_of_a_repeated_eigenvalue_is_missed(graph: nx.Graph, width: int) -> None:
    lanczos(graph, width)


@pytest.mark.slow
def test_a_wide_table_has_zeros_in_a_smaller_large_component() -> None:
    both = nx.disjoint_union(nx.complete_graph(440), nx.gnm_random_graph(405, 3000, seed=2))
    made = graph_of(both)
    assert not laplacian(made, 410).values[440:, 404:].any()


def test_two_calls_agree_to_the_bit() -> None:
    for graph in (nx.gnm_random_graph(50, 100, seed=0), nx.barabasi_albert_graph(500, 3, seed=0)):
        first, second = (laplacian(graph_of(graph), 8) for _ in range(2))
        assert np.array_equal(first.values, second.values)
        assert first.facts["eigenvalues"] == second.facts["eigenvalues"]


def test_some_nodes_have_the_rows_that_they_have_among_all() -> None:
    graph = graph_of(nx.gnm_random_graph(40, 60, seed=0))
    some = laplacian(graph, 5, nodes=[30, 2, 2, 11])
    assert some.nodes.tolist() == [2, 11, 30]
    assert np.array_equal(some.values, laplacian(graph, 5).values[[2, 11, 30]])


@pytest.mark.slow
def test_thousands_of_components() -> None:
    pieces = [nx.path_graph(2)] * 2000 + [nx.complete_graph(4)] * 500 + [nx.empty_graph(1000)]
    graph = graph_of(nx.disjoint_union_all(pieces))
    values = laplacian(graph, 3).values
    assert np.abs(values[:4000, 0]) == pytest.approx(np.full(4000, 0.5**0.5))
    assert not values[:4000, 1:].any()
    cliques = values[4000:6000].reshape(500, 4, 3).astype(np.float64)
    products = np.einsum("cni,cmi->cnm", cliques, cliques)
    assert products == pytest.approx(np.broadcast_to(np.eye(4) - 0.25, (500, 4, 4)), abs=1e-5)
    assert not values[6000:].any()


def test_more_columns_than_the_largest_component_allows() -> None:
    graph = graph_of(nx.disjoint_union(nx.path_graph(7), nx.path_graph(3)))
    assert laplacian(graph, 6).width == 6
    with pytest.raises(ConfigError, match=r"7 nodes, .* at most 6 columns; 7 were asked for"):
        laplacian(graph, 7)
    none = np.empty(0, np.int64)
    for size in (0, 3):
        with pytest.raises(ConfigError, match="at most 0 columns; 1 were"):
            laplacian(Graph.from_edges(none, none, num_nodes=size), 1)


def test_a_solver_that_does_not_converge_offers_a_next_step() -> None:
    with pytest.raises(Sub2NodeError, match=r"0 of 8 .* ask for fewer columns, loosen"):
        laplacian(graph_of(nx.path_graph(900)), 8, iterations=1)


def test_a_residual_above_the_tolerance_is_no_result() -> None:
    with pytest.raises(Sub2NodeError, match="above the 1e-20 asked for; ask for fewer columns"):
        laplacian(graph_of(nx.gnm_random_graph(50, 200, seed=0)), 8, tolerance=1e-20)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0}, "columns of LapPE is a whole number from 1, found 0"),
        ({"width": "4"}, "columns of LapPE is a whole number from 1, found '4'"),
        ({"tolerance": 0}, "the tolerance of LapPE is above 0, found 0"),
        ({"tolerance": np.nan}, "the tolerance of LapPE is above 0, found nan"),
    ],
)
def test_bad_arguments_are_one_sentence(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        laplacian(graph_of(nx.cycle_graph(9)), **{"width": 3, **options})


@pytest.mark.parametrize("iterations", [0, -1, "many"])
def test_bad_iterations_are_one_sentence(iterations: Any) -> None:
    with pytest.raises(
        ConfigError, match=f"iterations is a whole number from 1, found {iterations!r}"
    ):
        laplacian(graph_of(nx.path_graph(450)), 3, iterations=iterations)
