"""What it costs to contract an edge, against matrices and plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from strategies import graphs
from sub2node.coarsen import costs as module
from sub2node.coarsen.costs import Level, affinity_gs, algebraic_jc, heavy_edge, variation_edges
from sub2node.task import Graph


def level_of(graph: Graph, *, width: int = 3, seed: int = 0) -> Level:
    """The graph with a random basis, which no method needs to be an eigenbasis."""
    basis = np.random.default_rng(seed + 1).standard_normal((graph.num_nodes, width))
    component = np.zeros(graph.num_nodes, dtype=np.int64)
    weights = graph.adjacency(dtype=np.float64)
    return Level(weights, basis, component, np.random.default_rng(seed))


@given(graphs(edges=1), st.integers(1, 5), st.integers(0, 99))
def test_edges_are_all_there_once(graph: Graph, width: int, seed: int) -> None:
    level = level_of(graph, width=width, seed=seed)
    low, high, weight = level.edges()
    dense = np.zeros((graph.num_nodes, graph.num_nodes))
    dense[low, high] = weight
    assert (low < high).all()
    assert np.array_equal(dense + dense.T, level.weights.toarray())
    assert level.degrees == pytest.approx(level.weights.toarray().sum(axis=1))
    indptr, columns, uphill = level.uphill
    dense[:] = 0
    dense[np.repeat(np.arange(graph.num_nodes), np.diff(indptr)), columns] = uphill
    assert np.array_equal(dense + dense.T, level.weights.toarray())


@given(graphs(edges=1), st.integers(1, 5), st.integers(0, 99), st.integers(1, 4))
def test_variation_equals_the_matrices(graph: Graph, width: int, seed: int, block: int) -> None:
    level = level_of(graph, width=width, seed=seed)
    low, high, weight = level.edges()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        found = variation_edges(level, low, high, weight)
    degree = level.weights.toarray().sum(axis=1)
    for edge, (i, j, w) in enumerate(zip(low, high, weight, strict=True)):
        local = np.array([[2 * degree[i] - w, -w], [-w, 2 * degree[j] - w]])
        rows = level.basis[[i, j]]
        centred = rows - rows.mean(axis=0)
        assert found[edge] == pytest.approx(np.linalg.norm(centred.T @ local @ centred))


@given(graphs(edges=1))
def test_heavy_edge_equals_a_loop(graph: Graph) -> None:
    level = level_of(graph)
    low, high, weight = level.edges()
    heaviest = level.weights.toarray().max(axis=1)
    found = heavy_edge(level, low, high, weight)
    for edge, (i, j, w) in enumerate(zip(low, high, weight, strict=True)):
        assert found[edge] == pytest.approx(-w / max(heaviest[i], heaviest[j]))


@given(graphs(edges=1), st.integers(0, 99))
def test_algebraic_distance_equals_a_loop(graph: Graph, seed: int) -> None:
    level = level_of(graph, seed=seed)
    low, high, weight = level.edges()
    found = algebraic_jc(level, low, high, weight)
    dense = level.weights.toarray()
    x = np.random.default_rng(seed).standard_normal((graph.num_nodes, module._VECTORS))
    for _ in range(module._SWEEPS):
        new = x.copy()
        for i, row in enumerate(dense):
            mean = row @ x / row.sum() if row.sum() else np.zeros(module._VECTORS)
            new[i] = (x[i] + mean) / 2
        x = new
    for edge, (i, j) in enumerate(zip(low, high, strict=True)):
        assert found[edge] == pytest.approx(max(((x[i] - x[j]) ** 2).max(), 1e-6))


@given(graphs(edges=1), st.integers(0, 99), st.integers(1, 4))
def test_affinity_equals_a_sweep_node_by_node(graph: Graph, seed: int, block: int) -> None:
    level = level_of(graph, seed=seed)
    low, high, weight = level.edges()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        found = affinity_gs(level, low, high, weight)
    dense = level.weights.toarray()
    x = np.random.default_rng(seed).standard_normal((graph.num_nodes, module._VECTORS))
    for i, row in enumerate(dense):
        if row.any():
            x[i] = row @ x / row.sum()
    affinity = np.zeros_like(dense)
    for i, j in zip(low, high, strict=True):
        share = (x[i] @ x[j]) ** 2 / ((x[i] @ x[i]) * (x[j] @ x[j]))
        affinity[i, j] = affinity[j, i] = share
    assume((affinity.max(axis=1)[low] > 1e-6).all())
    for edge, (i, j) in enumerate(zip(low, high, strict=True)):
        most = max(affinity[i].max(), affinity[j].max())
        assert found[edge] == pytest.approx(-affinity[i, j] / most, abs=1e-9)


@pytest.mark.parametrize("name", list(module.EDGE_METHODS))
def test_costs_do_not_depend_on_the_scale_of_weights(name: str) -> None:
    rng = np.random.default_rng(3)
    low, high = np.nonzero(np.triu(rng.random((30, 30)) < 0.2, 1))
    weights = rng.random(len(low)) + 0.5
    orders = []
    for scale in (1.0, 2.0**-40, 2.0**40):
        graph = Graph.from_edges(low, high, weights=weights * scale, num_nodes=30)
        level = level_of(graph)
        cost = module.EDGE_METHODS[name](level, *level.edges())
        assert np.isfinite(cost).all()
        orders.append(np.argsort(cost, kind="stable").tolist())
    assert orders[0] == orders[1] == orders[2]
