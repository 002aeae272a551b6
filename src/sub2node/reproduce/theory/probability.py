"""How likely a link of the S2N graph is to be strong (Proposition 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ...base.errors import ConfigError
from ...base.ragged import Array
from .sampling import Sets, node_sets


def edge_probability_bound(mean_size: float, mean_degree: float, nodes: int, c: float) -> float:
    """P(Â_ij ≥ c) ≤ N̄² E[d] / (c N), for i ≠ j (Proposition 2); above 1 it says nothing.

    For subgraphs whose nodes are drawn uniformly, and independently of each other, it holds in
    *every* graph: E[Â_ij] = E[size_i] E[size_j] Σ_uv A_uv / N², and Σ_uv A_uv = N E[d]; the
    configuration model is not needed. For other ways of drawing use :func:`expected_weight` / c.

    Args:
        mean_size: N̄, the mean number of nodes in a subgraph.
        mean_degree: E[d] of the global graph.
        nodes: N, the number of nodes.
        c: The weight, above 0.
    """
    if not (c > 0 and nodes > 0 and mean_size >= 0 and mean_degree >= 0):
        raise ConfigError(
            "c and the number of nodes must be above 0, mean size and mean degree 0 or more; found"
            f" c={c}, nodes={nodes}, mean_size={mean_size}, mean_degree={mean_degree}."
        )
    return mean_size**2 * mean_degree / (c * nodes)


def expected_weight(adjacency: sp.csr_array, chance: Array) -> float:
    """E[Â_ij] = pᵀ A p of two sets drawn independently in one way; exact, by any way of drawing.

    Args:
        adjacency: A, CSR (N, N).
        chance: p, how likely a set has each node; (N,).
    """
    return float(chance @ (adjacency @ chance))


@dataclass(frozen=True)
class Weights:
    """Weights of links between pairs of random sets.

    Args:
        values: Â_ij of each pair; (pairs,).
        mean_size: The mean size of all sets.
        expected: pᵀ A p, with the shares of sets that have a node as p.
    """

    values: Array
    mean_size: float
    expected: float

    def reach(self, c: float) -> int:
        """Pairs with Â_ij ≥ c."""
        return int((self.values >= c).sum())


def sample_weights(
    adjacency: sp.csr_array, sizes: tuple[Array, Array], kind: Sets, rng: np.random.Generator
) -> Weights:
    """Â_ij of pairs of fresh sets, so that pairs are independent given the graph.

    Args:
        adjacency: A, CSR (N, N).
        sizes: The sizes of the first and of the second set of each pair; (pairs,) each.
        kind: How the sets are drawn; see :func:`node_sets`.
        rng: The source of randomness.
    """
    first, second = (node_sets(adjacency, size, kind, rng) for size in sizes)
    values = np.asarray((first @ adjacency).multiply(second).sum(axis=1)).ravel()
    chance = np.asarray(first.sum(axis=0) + second.sum(axis=0)).ravel() / (2 * len(values))
    size = float(first.nnz + second.nnz) / (2 * len(values))
    return Weights(values, size, expected_weight(adjacency, chance))
