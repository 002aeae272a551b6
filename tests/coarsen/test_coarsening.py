"""The coarse graph and its spectral errors against their definitions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coarsening_cases import CONTRACTIONS, OPTIONS, PARTITIONS, RATIOS, outcome, pieces
from networkx_graphs import graph_of
from sub2node import ConfigError, Graph
from sub2node.coarsen import Coarsening, coarsen


@given(graph=pieces(), ratio=RATIOS, options=OPTIONS)
@pytest.mark.parametrize("method", PARTITIONS)
def test_the_coarse_graph_has_the_sums(
    method: str, graph: Graph, ratio: float, options: dict[str, Any]
) -> None:
    coarse = outcome(graph, method, ratio, **options)
    if coarse is None:
        return
    assert coarse.partition is not None
    member = np.zeros((coarse.num_sets, graph.num_nodes))
    kept = np.flatnonzero(coarse.partition >= 0)
    member[coarse.partition[kept], kept] = 1
    dense = member @ graph.adjacency(dtype=np.float64).toarray() @ member.T
    np.fill_diagonal(dense, 0)
    assert coarse.graph.num_nodes == coarse.num_sets
    assert coarse.graph.num_loops == 0
    assert np.array_equal(coarse.graph.adjacency(loops=True, dtype=np.float64).toarray(), dense)


def test_the_coarse_graph_is_symmetric_to_the_last_bit() -> None:
    weights = [2.0**-53, 1.0, 2.0**-53, 2.0**-24]
    graph = Graph.from_edges([0, 0, 1, 1], [2, 3, 2, 3], weights=weights)
    coarse = coarsen(graph, "heavy_edge", 0.5, eigenvectors=2)
    coarse = replace(coarse, partition=np.array([0, 0, 1, 1]))
    dense = coarse.graph.adjacency().toarray()
    assert np.array_equal(dense, dense.T)


def spectrum(coarsening: Coarsening, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Fine and coarse eigenvalues and ε of a connected graph, as they are defined."""
    part = coarsening.partition
    assert part is not None
    dense = coarsening.source.adjacency(dtype=np.float64).toarray()
    matrix = np.diag(dense.sum(axis=1)) - dense
    sizes = np.bincount(part)
    rows = np.zeros((len(sizes), len(part)))
    rows[part, np.arange(len(part))] = 1 / np.sqrt(sizes[part])
    k = min(k, len(sizes))
    values, vectors = np.linalg.eigh(matrix)
    coarse = np.linalg.eigvalsh(rows @ matrix @ rows.T)[:k]
    root = vectors @ np.diag(np.sqrt(np.maximum(values, 0))) @ vectors.T
    lost = np.eye(len(part)) - rows.T @ rows
    scaled = vectors[:, 1:k] / np.sqrt(values[1:k])
    epsilon = np.linalg.norm(root @ lost @ scaled, 2) if k > 1 else 0.0
    return values[:k], coarse, float(epsilon)


@given(
    size=st.integers(6, 40),
    seed=st.integers(0, 10**6),
    method=st.sampled_from(CONTRACTIONS),
    ratio=st.sampled_from([0.3, 0.5, 0.8]),
    k=st.integers(2, 12),
)
def test_errors_equal_their_definition(
    size: int, seed: int, method: str, ratio: float, k: int
) -> None:
    # Random weights: no two eigenvalues are equal, so the first k eigenvectors are determined.
    plain = nx.gnm_random_graph(size, 2 * size, seed=seed)
    plain.add_edges_from(zip(range(size), range(1, size), strict=False))
    weights = np.random.default_rng(seed).random(plain.number_of_edges()) + 0.2
    coarsening = coarsen(graph_of(plain, weights), method, ratio)
    errors = coarsening.errors(k)
    fine, coarse, epsilon = spectrum(coarsening, k)
    assert errors.fine == pytest.approx(fine.tolist(), rel=1e-6, abs=1e-6)
    assert errors.coarse == pytest.approx(coarse.tolist(), rel=1e-6, abs=1e-6)
    assert errors.subspace == pytest.approx(epsilon, rel=1e-5, abs=1e-6)
    assert all(b >= a - 1e-8 for a, b in zip(errors.fine, errors.coarse, strict=True))
    relative = (coarse[1:] - fine[1:]) / fine[1:]
    assert errors.eigenvalues == pytest.approx(relative.tolist(), abs=1e-5)
    assert errors.mean == pytest.approx(relative.mean() if len(relative) else 0, abs=1e-5)


@pytest.mark.slow
def test_errors_of_a_graph_beyond_the_dense_solver() -> None:
    plain = nx.connected_watts_strogatz_graph(1000, 8, 0.3, seed=0)
    coarsening = coarsen(graph_of(plain), "variation_edges", 0.4)
    errors = coarsening.errors(6)
    fine, coarse, epsilon = spectrum(coarsening, 6)
    assert errors.fine[1:] == pytest.approx(fine[1:].tolist(), rel=1e-6)
    assert errors.coarse[1:] == pytest.approx(coarse[1:].tolist(), rel=1e-6)
    assert errors.subspace == pytest.approx(epsilon, rel=1e-3)


@pytest.mark.slow
def test_local_variation_keeps_the_spectrum_better_than_weights_do() -> None:
    graph = graph_of(nx.connected_watts_strogatz_graph(500, 6, 0.05, seed=0))
    by_variation, by_weight = (
        coarsen(graph, method, 0.4).errors(4) for method in ("variation_edges", "heavy_edge")
    )
    assert by_variation.mean < by_weight.mean
    assert by_variation.subspace < by_weight.subspace


def test_single_sets_lose_nothing() -> None:
    graph = graph_of(nx.gnm_random_graph(30, 100, seed=0))
    coarse = replace(coarsen(graph), partition=np.arange(30))
    errors = coarse.errors(10)
    assert errors.fine == pytest.approx(errors.coarse, abs=1e-9)
    assert errors.subspace == pytest.approx(0, abs=1e-7)
    assert errors.mean == pytest.approx(0, abs=1e-9)


def test_one_set_has_no_errors_to_measure() -> None:
    errors = replace(coarsen(graph_of(nx.cycle_graph(8))), partition=np.zeros(8, np.int64)).errors()
    assert (errors.fine, errors.coarse) == ((0,), (0,))
    assert (errors.subspace, errors.mean, errors.eigenvalues) == (0, 0, ())


def test_errors_are_those_of_the_largest_component_that_was_kept() -> None:
    big, small = nx.gnm_random_graph(20, 60, seed=1), nx.cycle_graph(7)
    alone = coarsen(graph_of(big), ratio=0.5)
    both = coarsen(graph_of(nx.disjoint_union(small, big)), ratio=0.5)
    assert both.errors(5).fine == pytest.approx(alone.errors(5).fine, abs=1e-9)
    assert len(both.errors(50).fine) == 10


@pytest.mark.parametrize("k", [1, 0, -1])
def test_errors_of_fewer_than_two_eigenvalues_are_refused(k: int) -> None:
    with pytest.raises(ConfigError, match="two eigenvalues at least"):
        coarsen(graph_of(nx.cycle_graph(8))).errors(k)


def test_errors_do_not_depend_on_the_unit_of_weights() -> None:
    graph = nx.gnm_random_graph(40, 120, seed=0)
    weights = np.random.default_rng(0).random(120) + 0.5
    one, two = (
        coarsen(graph_of(graph, weights * s), "heavy_edge").errors(5) for s in (1.0, 2.0**-40)
    )
    assert one.subspace > 0
    assert two.subspace == pytest.approx(one.subspace)


def test_it_says_what_it_is() -> None:
    coarse = coarsen(graph_of(nx.cycle_graph(10)), ratio=0.4)
    assert repr(coarse) == (
        "Coarsening(variation_edges, ratio 0.4: 6 sets of 10 nodes, 4 virtual subgraphs)"
    )
    assert coarse.partition is not None
    with pytest.raises(ValueError, match="read-only"):
        coarse.partition[0] = 3
