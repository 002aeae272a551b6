"""LapPE: eigenvectors of the normalised Laplacian I - S, the slowest waves on the graph first."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.linalg import LinearOperator

from ..base.errors import ConfigError, Sub2NodeError
from ..base.progress import step
from ..base.ragged import Array, pointers, ranges
from ..task import Graph
from ..task.whole_graph import require_loaded
from .encoding import Encoding, check_count, wanted_nodes
from .spectrum import AWAY, Spectrum, solve

_SMALL = 400  # components up to this size are solved densely, all of one size together
_BYTES = 1 << 28  # of dense matrices at a time
_TIE = 1e-6


def laplacian(
    graph: Graph,
    width: int = 64,
    *,
    nodes: ArrayLike | None = None,
    tolerance: float = 1e-5,
    iterations: int | None = None,
) -> Encoding:
    """LapPE of some nodes: the K smallest non-trivial eigenvectors of the normalised Laplacian.

    Each connected component has eigenvectors of its own, of length 1; its trivial one (eigenvalue
    0) is left out. A component of n nodes fills the first n - 1 columns, the rest is 0, so isolated
    nodes have 0. The entry of largest magnitude of a vector is positive. Weights and self-loops of
    the graph count.

    Args:
        graph: The graph whose nodes are encoded.
        width: Number of columns, K; below the size of the largest component.
        nodes: The nodes to encode; None: all.
        tolerance: Largest residual ‖(I - S) u - λ u‖ that is accepted.
        iterations: The most restarts of the solver; None: its default.

    Returns:
        Vectors (n, K); ``facts`` has the largest residual and the eigenvalues of the largest
        component.
    """
    require_loaded(graph, "LapPE")
    width, wanted = check_count(width, "columns of LapPE"), wanted_nodes(nodes, graph.num_nodes)
    if not tolerance > 0:
        raise ConfigError(f"the tolerance of LapPE is above 0, found {tolerance}.")
    if iterations is not None:
        check_count(iterations, "iterations")
    start, work = time.perf_counter(), _Components(Spectrum(graph), width, tolerance, iterations)
    largest = int(work.sizes.max(initial=0))
    if width > largest - 1:
        raise ConfigError(
            f"the largest component of the graph has {largest:,} nodes, so LapPE has at most"
            f" {max(largest - 1, 0)} columns; {width} were asked for."
        )
    work.run()
    if work.residual > tolerance:
        raise Sub2NodeError(
            f"LapPE: a residual is {work.residual:.1e}, above the {tolerance:g} asked for; ask for"
            " fewer columns, allow more iterations, or loosen the tolerance."
        )
    facts = {
        "residual": work.residual,
        "components": len(work.sizes),
        "eigenvalues": work.eigenvalues.tolist(),
        "seconds": time.perf_counter() - start,
    }
    return Encoding("lappe", wanted, work.values[wanted], facts)


@dataclass(eq=False)
class _Components:
    spectrum: Spectrum
    width: int
    tolerance: float
    iterations: int | None

    def __post_init__(self) -> None:
        count, label = self.spectrum.components
        self.label = label
        self.sizes = np.bincount(label, minlength=count)
        self.order = np.argsort(label, kind="stable")  # nodes of a component stand together
        self.first = pointers(self.sizes)[:-1]
        self.values = np.zeros((len(label), self.width))
        self.residual = 0.0
        self.eigenvalues = np.empty(0)

    def run(self) -> None:
        """Fill the table, component by component of the large, size by size of the small."""
        # Lanczos is for few vectors of many: where most are wanted, all are computed at once.
        densely = max(_SMALL, 2 * self.width)
        small = np.unique(self.sizes[(self.sizes > 1) & (self.sizes <= densely)])
        large = np.flatnonzero(self.sizes > densely)
        for size in small.tolist():
            which = np.flatnonzero(self.sizes == size)
            batch = max(1, _BYTES // (8 * size * size))
            for start in range(0, len(which), batch):
                self._solve_dense(which[start : start + batch], size)
        for component in large.tolist():
            self._solve_sparse(component)
        step("Laplacian encoding", 1, 1)

    def _nodes(self, which: Array, size: int) -> Array:
        return self.order[ranges(self.first[which], np.full(len(which), size))]

    def _solve_dense(self, which: Array, size: int) -> None:
        """All components of one size: a stack of dense matrices."""
        nodes = self._nodes(which, size)
        place = np.empty(len(self.label), np.int64)
        place[nodes] = np.arange(len(nodes))
        rows = self.spectrum.matrix[nodes]
        entry = np.repeat(np.arange(len(nodes)), np.diff(rows.indptr))
        dense = np.zeros((len(which), size, size))
        dense[entry // size, entry % size, place[rows.indices] % size] = rows.data
        root = np.sqrt(self.spectrum.stationary[nodes]).reshape(len(which), size)
        dense -= AWAY * root[:, :, None] * root[:, None, :]
        count = min(self.width, size - 1)
        values, vectors = np.linalg.eigh(dense)
        values, vectors = values[:, ::-1][:, :count], vectors[:, :, ::-1][:, :, :count]
        self._store_vectors(nodes, values, vectors)

    def _solve_sparse(self, component: int) -> None:
        """One large component, by Lanczos without its trivial eigenvector."""
        nodes = self._nodes(np.array([component]), int(self.sizes[component]))
        matrix = self.spectrum.matrix
        if len(nodes) < matrix.shape[0]:
            matrix = matrix[nodes][:, nodes]
        root = np.sqrt(self.spectrum.stationary[nodes])
        products, guess = 0, 40 * self.width + 400

        def product(x: Array) -> Array:
            nonlocal products
            products += 1
            step("Laplacian encoding", min(products, 0.99 * guess), guess, f"{len(nodes):,} nodes")
            x = x.ravel()
            return np.asarray(matrix @ x - (AWAY * (root @ x)) * root)

        operator = LinearOperator((len(nodes),) * 2, matvec=product, dtype=np.float64)
        values, vectors = solve(
            operator,
            self.width,
            "LA",
            "LapPE",
            tolerance=self.tolerance / 100,
            iterations=self.iterations,
        )
        self._store_vectors(nodes, values[None], vectors[None])

    def _store_vectors(self, nodes: Array, values: Array, vectors: Array) -> None:
        """Fix signs, check residuals, fill the rows; (c, k) and (c, n, k)."""
        size, count = vectors.shape[1], vectors.shape[2]
        vectors = vectors * _signs(vectors)[:, None, :]
        flat = vectors.reshape(-1, count)
        left = (self.spectrum.matrix[nodes][:, nodes] @ flat).reshape(vectors.shape)
        error = np.linalg.norm(left - values[:, None, :] * vectors, axis=1)
        self.residual = max(self.residual, float(error.max(initial=0.0)))
        self.values[nodes, :count] = flat
        if size == self.sizes.max():
            self.eigenvalues = 1 - values[0]


def _signs(vectors: Array) -> Array:
    """±1 per vector, so that its largest entry is positive; the first one of those that tie."""
    size = np.abs(vectors)
    first = np.argmax(size >= size.max(axis=1, keepdims=True) * (1 - _TIE), axis=1)
    chosen = np.take_along_axis(vectors, first[:, None, :], axis=1)[:, 0]
    return np.where(chosen < 0, -1.0, 1.0)
