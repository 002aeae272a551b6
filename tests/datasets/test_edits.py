"""Edits of edges reach what they aim at, and say where they do not."""

from __future__ import annotations

import numpy as np
import pytest

from sub2node.datasets.edits import reach_cut_ratio, reach_density
from sub2node.datasets.random_graphs import barabasi_albert
from sub2node.task import Graph, Subgraphs, measure


def random_graph(nodes: int, seed: int) -> Graph:
    return Graph.from_edges(
        *barabasi_albert(nodes, 3, np.random.default_rng(seed)), num_nodes=nodes
    )


def edges_outside(graph: Graph, sets: Subgraphs) -> set[tuple[int, int]]:
    """Edges whose ends are in no common subgraph."""
    low, high, _ = graph.edges()
    common = sets.membership(graph.num_nodes)
    together = (common.T @ common).toarray() > 0
    return {(u, v) for u, v in zip(low.tolist(), high.tolist(), strict=True) if not together[u, v]}


@pytest.mark.parametrize("seed", range(3))
def test_densities_of_disjoint_sets_are_reached(seed: int) -> None:
    graph, rng = random_graph(60, seed), np.random.default_rng(seed)
    sets = Subgraphs.from_lists(rng.permutation(60)[:40].reshape(5, 8))
    targets = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    edited, reached = reach_density(graph, sets, targets, tolerance=1e-9, rng=rng)
    assert reached.all()
    assert measure(edited, sets).density == pytest.approx(targets)
    assert edges_outside(edited, sets) == edges_outside(graph, sets)


@pytest.mark.parametrize("seed", range(3))
def test_cut_ratios_of_disjoint_sets_are_reached(seed: int) -> None:
    graph, rng = random_graph(100, seed), np.random.default_rng(seed)
    sets = Subgraphs.from_lists(rng.permutation(100)[:40].reshape(5, 8))
    targets = np.array([0.01, 0.02, 0.03, 0.04, 0.05])
    edited, reached = reach_cut_ratio(graph, sets, targets, tolerance=0.002, rng=rng)
    assert reached.all()
    measured = measure(edited, sets)
    assert np.abs(measured.cut_ratio - targets).max() <= 0.002 + 0.5 / (8 * 92)
    assert measured.edges.tolist() == measure(graph, sets).edges.tolist()  # none inside


def test_targets_that_exclude_each_other_are_not_claimed() -> None:
    graph = random_graph(30, 0)
    sets = Subgraphs.from_lists([range(6), range(6), range(10, 16)])
    targets = np.array([0.0, 1.0, 1.0])  # the same set cannot be empty and full
    edited, reached = reach_density(
        graph, sets, targets, tolerance=0.01, rng=np.random.default_rng(0)
    )
    within = np.abs(measure(edited, sets).density - targets) <= 0.01
    assert reached.tolist() == within.tolist()
    assert reached[2]
    assert not reached[:2].all()
