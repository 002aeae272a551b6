"""What contracting an edge costs, by method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from ..base.ragged import Array, SparseMatrix
from ..task.induced_edges import uphill_entries, uphill_rows
from .eigen import laplacian, strengths

_BLOCK = 1 << 20  # edges whose vectors are compared together
_VECTORS, _SWEEPS = 10, 20


@dataclass(frozen=True, eq=False)
class Level:
    """A graph on its way to fewer nodes.

    Args:
        weights: W, CSR (n, n), float64, symmetric, without diagonal.
        basis: The vectors to preserve, (n, K), scaled so that each has variation 1 (A^T L A = I);
            used by local variation only.
        component: The component of each node.
        rng: Random numbers for this level.
    """

    weights: SparseMatrix
    basis: Array
    component: Array
    rng: np.random.Generator

    @cached_property
    def degrees(self) -> Array:
        """The sum of weights around each node, (n,)."""
        return strengths(self.weights)

    @cached_property
    def uphill(self) -> tuple[Array, Array, Array]:
        """Each edge once, from its end of lower degree: row pointers, columns, weights."""
        indptr, indices = self.weights.indptr, self.weights.indices
        up = uphill_entries(indptr, indices)
        return uphill_rows(indptr, up), indices[up], self.weights.data[up]

    def edges(self) -> tuple[Array, Array, Array]:
        """Each edge once: low end, high end, weight."""
        indptr, indices = self.weights.indptr, self.weights.indices
        rows = np.repeat(np.arange(len(indptr) - 1, dtype=indices.dtype), np.diff(indptr))
        once = rows < indices
        return rows[once], indices[once], self.weights.data[once]


def variation_edges(level: Level, low: Array, high: Array, weight: Array) -> Array:
    """Local variation: 0.5 (d_i + d_j) ‖a_i - a_j‖² (Loukas 2019; the weight itself cancels)."""
    degree = level.degrees
    return 0.5 * (degree[low] + degree[high]) * _apart(level.basis, low, high, np.sum)


def heavy_edge(level: Level, low: Array, high: Array, weight: Array) -> Array:
    """The heaviest first, as a share of the heaviest edge at either end."""
    return -_share(weight, low, high, level.weights.shape[0])


def algebraic_jc(level: Level, low: Array, high: Array, weight: Array) -> Array:
    """Algebraic distance: the largest difference of random vectors after damped Jacobi steps."""
    size, degree = level.weights.shape[0], level.degrees
    inverse = 1 / np.where(degree > 0, degree, 1)[:, None]
    x = level.rng.standard_normal((size, _VECTORS))
    for _ in range(_SWEEPS):
        x = 0.5 * (x + inverse * (level.weights @ x))
    return np.maximum(_apart(x, low, high, np.max), 1e-6)


def affinity_gs(level: Level, low: Array, high: Array, weight: Array) -> Array:
    """Affinity: how parallel the rows of random vectors are after a Gauss-Seidel sweep on Lx = 0.

    (x_i·x_j)² / (‖x_i‖² ‖x_j‖²), as a share of the largest at either end.
    """
    from scipy.sparse.linalg import spsolve_triangular

    size = level.weights.shape[0]
    x = level.rng.standard_normal((size, _VECTORS))
    matrix = laplacian(level.weights)
    matrix.setdiag(np.where(matrix.diagonal() > 0, matrix.diagonal(), 1))
    x = spsolve_triangular(sp.tril(matrix).tocsr(), sp.triu(level.weights, 1) @ x, lower=True)
    norm = np.maximum(np.linalg.norm(x, axis=1, keepdims=True), np.finfo(float).tiny)
    x = x / norm
    affinity = np.empty(len(low))
    for start in range(0, len(low), _BLOCK):
        part = slice(start, start + _BLOCK)
        affinity[part] = np.einsum("ek,ek->e", x[low[part]], x[high[part]]) ** 2
    return -_share(affinity, low, high, size)


Cost = Callable[[Level, Array, Array, Array], Array]
EDGE_METHODS: dict[str, Cost] = {
    "variation_edges": variation_edges,
    "heavy_edge": heavy_edge,
    "algebraic_jc": algebraic_jc,
    "affinity_gs": affinity_gs,
}


def _apart(x: Array, low: Array, high: Array, over: Callable[..., Array]) -> Array:
    """Squared differences of the rows at both ends, reduced by ``over`` along the columns."""
    result = np.empty(len(low))
    for start in range(0, len(low), _BLOCK):
        part = slice(start, start + _BLOCK)
        result[part] = over((x[low[part]] - x[high[part]]) ** 2, axis=1)
    return result


def _share(values: Array, low: Array, high: Array, size: int) -> Array:
    """Each edge's value divided by the largest one at either end."""
    most = np.zeros(size)
    np.maximum.at(most, low, values)
    np.maximum.at(most, high, values)
    return np.asarray(values / np.maximum(np.maximum(most[low], most[high]), np.finfo(float).tiny))
