"""RWPE against dense powers of the random walk."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from networkx_graphs import graph_of
from strategies import graphs
from sub2node.base.errors import ConfigError, DataError
from sub2node.encode import random_walk
from sub2node.task import Graph

ROUNDING = 1e-5
MODULE = sys.modules["sub2node.encode.random_walk"]


def walk(graph: Graph) -> Any:
    """P = D^-1 A, dense; rows of nodes without edges are 0."""
    matrix = graph.adjacency(loops=True, dtype=np.float64).toarray()
    degree = matrix.sum(axis=1, keepdims=True)
    return np.divide(matrix, degree, out=np.zeros_like(matrix), where=degree > 0)


def returns(graph: Graph, width: int) -> Any:
    """diag(P^k) for k = 1…K by dense matrix powers."""
    powers = [step := walk(graph)]
    while len(powers) < width:
        powers.append(powers[-1] @ step)
    return np.stack([power.diagonal() for power in powers], axis=1)


@st.composite
def scaled_graphs(draw: st.DrawFn) -> Graph:
    """Graphs whose weights are whole numbers, fractions or large."""
    graph = draw(graphs(plain=True))
    if graph.weights is None:
        return graph
    scale = draw(st.sampled_from([1, 0.25, 100]))
    return replace(graph, weights=graph.weights * scale, loop_weights=graph.loop_weights * scale)


@cache
def hard_graphs() -> dict[str, Graph]:
    """Graphs with repeated eigenvalues, ±1 among them."""
    some = nx.gnm_random_graph(30, 60, seed=0)
    return {
        "pentagons": graph_of(nx.disjoint_union_all([nx.cycle_graph(5)] * 60)),
        "pairs": graph_of(nx.disjoint_union_all([nx.path_graph(2)] * 80)),
        "squares": graph_of(nx.disjoint_union_all([nx.cycle_graph(4)] * 50)),
        "copies": graph_of(nx.disjoint_union_all([some] * 12)),
        "even ring": graph_of(nx.cycle_graph(200)),
        "odd ring": graph_of(nx.cycle_graph(201)),
        "complete": graph_of(nx.complete_graph(150)),
        "complete bipartite": graph_of(nx.complete_bipartite_graph(60, 90)),
        "star": graph_of(nx.star_graph(150)),
        "cube": graph_of(nx.hypercube_graph(8)),
        "isolated": graph_of(nx.compose(nx.empty_graph(150), nx.cycle_graph(3))),
        "mixed": graph_of(
            nx.disjoint_union_all(
                [nx.complete_graph(8)] * 9 + [nx.star_graph(5)] * 9 + [nx.empty_graph(9), some]
            )
        ),
    }


@pytest.mark.slow
@pytest.mark.parametrize("route", ["auto", "products", "eigen"])
@given(graph=scaled_graphs(), width=st.integers(1, 9))
def test_exact_routes_are_dense_powers(route: Any, graph: Graph, width: int) -> None:
    encoding = random_walk(graph, width, route=route, device="cpu")
    assert encoding.values.shape == (graph.num_nodes, width)
    assert encoding.values == pytest.approx(returns(graph, width), abs=ROUNDING)
    assert encoding.facts.get("error", 0) == 0


@pytest.mark.slow
@given(
    graph=graphs(plain=True, edges=1),
    width=st.integers(1, 12),
    tolerance=st.sampled_from([0.3, 0.05, 1e-3, 1e-7]),
)
def test_the_approximate_route_keeps_its_word(graph: Graph, width: int, tolerance: float) -> None:
    encoding = random_walk(graph, width, route="leading", tolerance=tolerance)
    error = np.abs(encoding.values - returns(graph, width)).max()
    assert error <= encoding.facts.get("error", 0) + ROUNDING
    assert encoding.facts.get("error", 0) <= tolerance


@pytest.mark.slow
@pytest.mark.parametrize("tolerance", [0.3, 1e-3])
@pytest.mark.parametrize("name", list(hard_graphs()))
def test_repeated_eigenvalues_break_no_certificate(name: str, tolerance: float) -> None:
    graph = hard_graphs()[name]
    truth = returns(graph, 40)
    for width in (1, 25, 40):
        encoding = random_walk(graph, width, route="leading", tolerance=tolerance)
        error = np.abs(encoding.values - truth[:, :width])
        assert error.max() <= encoding.facts["error"] + ROUNDING
        assert encoding.facts["error"] <= tolerance
        assert error[:, : encoding.facts["exact_until"]].max(initial=0) <= ROUNDING


def test_the_approximate_route_saves_products() -> None:
    encoding = random_walk(hard_graphs()["complete"], 40, route="leading", tolerance=0.02)
    assert encoding.facts["exact_until"] <= 2
    assert 0 < encoding.facts["error"] <= 0.02


def test_eigenvalues_of_bipartite_components_are_known() -> None:
    graph = graph_of(nx.disjoint_union_all([nx.path_graph(4)] * 80))  # ±1 and ±½, 80 times each
    encoding = random_walk(graph, 40, route="leading", tolerance=1e-3)
    assert encoding.facts["next_eigenvalue"] == pytest.approx(0.5, abs=0.01)
    assert encoding.facts["exact_until"] < 14
    assert np.abs(encoding.values - returns(graph, 40)).max() <= encoding.facts["error"] + ROUNDING


@pytest.mark.slow
def test_a_missed_copy_of_an_eigenvalue_is_within_the_bound() -> None:
    graph = graph_of(nx.grid_graph((9, 9, 9), periodic=True))
    encoding = random_walk(graph, 48, nodes=[0], route="leading", tolerance=1e-3)
    values = np.linalg.eigvalsh(walk(graph))  # all degrees are equal, so P is symmetric
    truth = (values[:, None] ** np.arange(1, 49)).mean(axis=0)  # and all nodes are
    late = slice(encoding.facts["exact_until"], None)
    assert encoding.facts["exact_until"] < 48
    assert np.abs(encoding.values[0] - truth)[late].max() <= encoding.facts["error"] + 1e-9


def test_a_graph_whose_eigenvalues_are_all_known() -> None:
    graph = Graph.from_edges([0], [0], num_nodes=6)
    encoding = random_walk(graph, 3, route="leading", tolerance=0.1)
    assert encoding.values == pytest.approx(returns(graph, 3), abs=ROUNDING)


@pytest.mark.parametrize("weight", [0.5, 256.0])
def test_small_and_large_weights_close_odd_rings(weight: float) -> None:
    graph = Graph.from_edges(
        [0, 1, 2, 3], [1, 2, 0, 3], weights=[1, 1, weight, 1], num_nodes=6
    )  # a triangle, a node with a loop, two without edges
    encoding = random_walk(graph, 9, route="leading", tolerance=0.01)
    assert np.abs(encoding.values - returns(graph, 9)).max() <= encoding.facts["error"] + ROUNDING


@pytest.mark.slow
def test_values_are_those_of_pyg() -> None:
    from torch_geometric.data import Data
    from torch_geometric.transforms import AddRandomWalkPE

    graph = graph_of(nx.compose(nx.empty_graph(70), nx.gnm_random_graph(60, 150, seed=3)))
    rows = np.repeat(np.arange(70), graph.degrees)
    edges = torch.from_numpy(np.stack([rows, graph.indices]).astype(np.int64))
    data = AddRandomWalkPE(11)(Data(edge_index=edges, num_nodes=70))
    truth = data.random_walk_pe.numpy()
    for route in ("products", "eigen"):
        assert random_walk(graph, 11, route=route).values == pytest.approx(truth, abs=ROUNDING)


@pytest.mark.slow
def test_some_nodes_have_the_rows_that_they_have_among_all(monkeypatch: Any) -> None:
    monkeypatch.setitem(MODULE._CACHED, "cpu", 1)  # blocks of 32 nodes
    graph = graph_of(nx.gnm_random_graph(100, 250, seed=1))
    some = np.r_[3, 7, 20:90, 99]
    for route, tolerance in (("products", 0.0), ("eigen", 0.0), ("leading", 0.1)):
        all_nodes = random_walk(graph, 7, route=route, tolerance=tolerance)
        encoding = random_walk(graph, 7, route=route, tolerance=tolerance, nodes=some[::-1])
        assert encoding.nodes.tolist() == some.tolist()
        slack = all_nodes.facts["error"] + encoding.facts["error"] + ROUNDING
        assert np.abs(encoding.values - all_nodes.at(some)).max() <= slack
        assert np.abs(all_nodes.values - returns(graph, 7)).max() <= slack


def test_threads_take_blocks_and_an_interruption_leaves_the_rest(monkeypatch: Any) -> None:
    monkeypatch.setitem(MODULE._CACHED, "cpu", 1)  # blocks of 32 nodes
    graph = graph_of(nx.gnm_random_graph(1000, 2500, seed=1))
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        alone = random_walk(graph, 7, route="products").values
        torch.set_num_threads(3)
        assert np.array_equal(random_walk(graph, 7, route="products").values, alone)
        blocks = []

        def interrupted(work: Any, block: Any, width: int) -> Any:
            blocks.append(torch.get_num_threads())
            raise KeyboardInterrupt

        monkeypatch.setattr(MODULE._Work, "_block", interrupted)
        with pytest.raises(KeyboardInterrupt):
            random_walk(graph, 7, route="products")
        assert len(blocks) < 32
        assert set(blocks) == {1}
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def test_bipartite_graphs_return_on_even_steps_only() -> None:
    values = random_walk(graph_of(nx.cycle_graph(6)), 9, route="products").values
    assert not values[:, ::2].any()
    assert (values[:, 1::2] > 0.2).all()


def test_isolated_nodes_have_0_and_a_loop_alone_has_1() -> None:
    graph = Graph.from_edges([0, 2], [1, 2], num_nodes=4)
    for route, tolerance in (("products", 0.0), ("eigen", 0.0), ("leading", 0.1)):
        values = random_walk(graph, 3, route=route, tolerance=tolerance).values
        assert values == pytest.approx(
            np.array([[0, 1, 0], [0, 1, 0], [1, 1, 1], [0, 0, 0]]), abs=ROUNDING
        )


def test_graphs_without_edges_or_nodes() -> None:
    none = np.empty(0, np.int64)
    for route, tolerance in (("auto", 0.0), ("products", 0.0), ("eigen", 0.0), ("leading", 0.1)):
        bare = random_walk(
            Graph.from_edges(none, none, num_nodes=3), 4, route=route, tolerance=tolerance
        )
        assert bare.values.shape == (3, 4)
        assert not bare.values.any()
        empty = random_walk(
            Graph.from_edges(none, none, num_nodes=0), 4, route=route, tolerance=tolerance
        )
        assert empty.values.shape == (0, 4)
        nobody = random_walk(
            graph_of(nx.cycle_graph(5)), 4, nodes=[], route=route, tolerance=tolerance
        )
        assert nobody.values.shape == (0, 4)


def test_without_a_tolerance_no_route_is_approximate() -> None:
    graph = graph_of(nx.gnm_random_graph(300, 900, seed=0))
    exact = random_walk(graph, 5)
    assert exact.facts["route"] in ("products", "eigen")
    assert "leading" not in exact.facts["estimates"]
    assert exact.facts["error"] == 0
    loose = random_walk(graph, 5, tolerance=0.1)
    assert "leading" in loose.facts["estimates"]
    assert loose.facts["error"] <= 0.1
    assert min(exact.facts["estimates"], key=exact.facts["estimates"].get) == exact.facts["route"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0}, "whole number from 1"),
        ({"width": 2.0}, "whole number from 1"),
        ({"width": True}, "whole number from 1"),
        ({"route": "quick"}, "a route is one of"),
        ({"route": "leading"}, "give the tolerance"),
        ({"tolerance": -0.1}, "at least 0 and below 1"),
        ({"tolerance": 1.0}, "at least 0 and below 1"),
        ({"tolerance": float("nan")}, "at least 0 and below 1"),
        ({"nodes": [5]}, "0…4, found 5"),
        ({"nodes": [-1]}, "0…4, found -1"),
    ],
)
def test_bad_arguments_are_one_sentence(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        random_walk(graph_of(nx.cycle_graph(5)), **options)


@pytest.mark.parametrize("nodes", [[False, True, True, False, True], [1.5], ["a"]])
def test_nodes_that_are_no_numbers_of_nodes_are_refused(nodes: Any) -> None:
    with pytest.raises(DataError, match="nodes must be whole numbers"):
        random_walk(graph_of(nx.cycle_graph(5)), 2, nodes=nodes)
