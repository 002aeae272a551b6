"""Several levels of contraction against Loukas's algorithm, written out with dense matrices."""

from __future__ import annotations

import numpy as np
import pytest

from sub2node.base.errors import ConfigError
from sub2node.coarsen import coarsen
from sub2node.coarsen.coarsen import AVERAGING, Averaging
from sub2node.task import Graph


def random_graph(size: int, seed: int) -> Graph:
    """A connected graph whose weights make all costs differ."""
    rng = np.random.default_rng(seed)
    tree = np.array([rng.integers(0, node) for node in range(1, size)])
    ends = np.c_[[tree, np.arange(1, size)], rng.integers(0, size, (2, 2 * size))]
    ends = np.unique(np.sort(ends[:, ends[0] != ends[1]], axis=0), axis=1)
    return Graph.from_edges(*ends, num_nodes=size, weights=rng.uniform(0.5, 2, ends.shape[1]))


def dense_levels(weights: np.ndarray, target: int, k: int, power: float) -> tuple[np.ndarray, int]:
    """The set of each node after contracting the cheapest edges, and the number of levels.

    A set has the sum of its nodes' vectors over this power of its size.
    """
    labels, levels = np.arange(len(weights)), 0
    values, vectors = np.linalg.eigh(laplacian(weights))
    basis = vectors[:, 1:k] / np.sqrt(values[1:k])
    while len(weights) > target:
        merged = cheapest_matching(weights, basis, len(weights) - target)
        join = (merged[:, None] == np.arange(merged.max() + 1)).astype(float)  # nodes × sets
        weights = join.T @ weights @ join
        np.fill_diagonal(weights, 0)
        basis = (join / join.sum(axis=0) ** power).T @ basis
        gram = basis.T @ laplacian(weights) @ basis
        basis = basis @ np.linalg.inv(np.linalg.cholesky(gram)).T  # variation 1 again
        labels, levels = merged[labels], levels + 1
    return labels, levels


def laplacian(weights: np.ndarray) -> np.ndarray:
    return np.diag(weights.sum(axis=0)) - weights


def cheapest_matching(weights: np.ndarray, basis: np.ndarray, most: int) -> np.ndarray:
    """The set of each node where at most so many edges are contracted, none with a common end."""
    degrees = weights.sum(axis=0)
    edges = np.argwhere(np.triu(weights))
    costs = [(degrees[i] + degrees[j]) * ((basis[i] - basis[j]) ** 2).sum() for i, j in edges]
    head = np.arange(len(weights))
    used: set[int] = set()
    for low, high in edges[np.argsort(costs)].tolist():
        if not used & {low, high} and len(used) < 2 * most:
            head[high] = low
            used |= {low, high}
    return np.unique(head, return_inverse=True)[1]


@pytest.mark.parametrize(("averaging", "power"), [("mean", 1.0), ("root", 0.5)])
@pytest.mark.parametrize("k", [2, 4, 6])
@pytest.mark.parametrize("seed", range(4))
def test_levels_equal_those_with_dense_matrices(
    seed: int, k: int, averaging: Averaging, power: float
) -> None:
    graph = random_graph(40, seed)
    coarse = coarsen(graph, "variation_edges", 0.8, eigenvectors=k, averaging=averaging)
    expected, levels = dense_levels(graph.adjacency(dtype=np.float64).toarray(), 8, k, power)
    assert levels >= 3
    assert coarse.levels == levels
    assert np.asarray(coarse.partition).tolist() == expected.tolist()


def test_the_averaging_makes_a_difference() -> None:
    graph = random_graph(60, 0)
    partitions = [
        np.asarray(coarsen(graph, ratio=0.8, averaging=averaging).partition)
        for averaging in AVERAGING
    ]
    assert (partitions[0] != partitions[1]).any()
    with pytest.raises(ConfigError, match="averaging is mean or root, not 'sum'"):
        coarsen(graph, averaging="sum")  # type: ignore[arg-type]
