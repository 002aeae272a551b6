"""The symmetric normalised adjacency S = D^-½ A D^-½ and its spectrum.

The random walk P = D^-1 A is similar to S, so both have the same eigenvalues, and the same diagonal
of every power; the normalised Laplacian is I - S.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh

from ..base.errors import Sub2NodeError
from ..base.ragged import Array, SparseMatrix
from ..task import Graph

Which = Literal["LA", "LM"]
Operator: TypeAlias = "SparseMatrix | LinearOperator"
AWAY = 4.0  # taken off an eigenvalue that shall come last
_ATTEMPTS = 200


def symmetric(graph: Graph, dtype: DTypeLike = np.float64) -> SparseMatrix:
    """S with the weights and self-loops that the graph has, CSR (N, N); isolated rows are 0."""
    matrix = graph.adjacency(loops=True, dtype=np.float64).tocsr(copy=True)
    strength = np.asarray(matrix.sum(axis=1)).ravel()
    root = np.divide(1, np.sqrt(strength), out=np.zeros_like(strength), where=strength > 0)
    matrix.data *= np.repeat(root, np.diff(matrix.indptr))
    matrix.data *= root[matrix.indices]
    return matrix.astype(dtype, copy=False)


def strengths(graph: Graph) -> Array:
    """Sum of the weights of each node's edges, its self-loop once: float64 (N,)."""
    return np.asarray(graph.adjacency(loops=True, dtype=np.float64).sum(axis=1)).ravel()


@dataclass(frozen=True, eq=False)
class Spectrum:
    """S without the part that is known in closed form.

    Every component has the eigenvalue 1, with the vector √(d_v / vol); every bipartite one -1 too,
    with the signs of its two sides. A graph can have thousands of components, for which no solver
    finds thousands of equal eigenvalues; here they are taken out of the operator first.

    Args:
        graph: The graph whose adjacency is analysed.
    """

    graph: Graph

    @cached_property
    def matrix(self) -> SparseMatrix:
        """S, float64 CSR."""
        return symmetric(self.graph)

    @cached_property
    def components(self) -> tuple[int, Array]:
        """Number of components, and that of each node."""
        return connected_components(self.graph.adjacency(), directed=False)  # type: ignore[no-any-return]

    @cached_property
    def stationary(self) -> Array:
        """d_v / vol of its component, 0 for isolated nodes: float64 (N,)."""
        count, label = self.components
        degree = strengths(self.graph)
        volume = np.bincount(label, degree, minlength=count)[label]
        return np.divide(degree, volume, out=np.zeros_like(degree), where=volume > 0)

    @cached_property
    def sides(self) -> Array:
        """±1 by the side of a node in a bipartite component with an edge, else 0; int8 (N,)."""
        # A component is bipartite if its double cover falls into two.
        size = self.graph.num_nodes
        matrix = self.matrix
        ones = np.ones(len(matrix.data), np.int8)  # a weight of 0.5 is an edge too
        matrix = sp.csr_array((ones, matrix.indices, matrix.indptr), shape=matrix.shape)
        cover = sp.block_array([[None, matrix], [matrix, None]], format="csr")
        _, label = connected_components(cover, directed=False)
        first, second = label[:size], label[size:]  # of a node's two copies
        sides = np.where(first < second, 1, -1).astype(np.int8)
        sides[(first == second) | (np.diff(matrix.indptr) == 0)] = 0
        return sides

    @cached_property
    def known_pairs(self) -> tuple[SparseMatrix, Array]:
        """The known eigenvectors as columns, sparse (N, C); and their eigenvalues ±1."""
        count, label = self.components
        nodes, root = np.arange(self.graph.num_nodes), np.sqrt(self.stationary)
        shape = (self.graph.num_nodes, count)
        plus = sp.csr_array((root, (nodes, label)), shape=shape)
        minus = sp.csr_array((root * self.sides, (nodes, label)), shape=shape)
        values = np.concatenate([np.ones(count), -np.ones(count)])
        return sp.hstack([plus, minus], format="csr"), values

    def deflated(self) -> LinearOperator:
        """S with the known eigenvectors mapped to 0."""
        vectors, values = self.known_pairs
        matrix, back, size = self.matrix, vectors.T.tocsr(), self.graph.num_nodes

        def product(x: Array) -> Array:
            x = x.ravel()  # SciPy hands over columns of a matrix as (N, 1)
            return np.asarray(matrix @ x - vectors @ (values * (back @ x)))

        return LinearOperator((size, size), matvec=product, dtype=np.float64)

    def leading(self, count: int) -> tuple[Array, Array]:
        """Eigenpairs of largest magnitude after the known ones: (r,), (N, r)."""
        return solve(self.deflated(), count, "LM", "leading eigenvalues of the random walk")


def solve(
    operator: Operator,
    count: int,
    which: Which,
    what: str,
    *,
    tolerance: float = 0.0,
    iterations: int | None = None,
) -> tuple[Array, Array]:
    """The largest eigenpairs of a symmetric operator by Lanczos, the same on every call.

    One start vector meets one vector of each eigenspace only, so copies of a repeated eigenvalue
    can be missed. The eigenpairs of a call are therefore taken out and the solver is called again,
    from another start, until what it returns is no larger than what there is.

    Args:
        operator: A matrix or operator (n, n) with eigenvalues in [-1, 1] and perhaps some below.
        count: The number of eigenpairs; below n.
        which: The largest ones (``LA``) or those of largest magnitude (``LM``).
        what: What is solved, for the message if it fails.
        tolerance: Relative accuracy; 0 is that of the machine.
        iterations: The most restarts; None: the solver's default.
    """
    size, best = operator.shape[0], (np.empty(0), np.empty((operator.shape[0], 0)))
    wanted = count
    for attempt in range(_ATTEMPTS):
        pairs = _lanczos(
            _without(operator, *best, which),
            min(wanted, size - 1),
            which=which,
            what=what,
            tolerance=tolerance,
            iterations=iterations,
            attempt=attempt,
        )
        size_of = np.abs if which == "LM" else np.asarray
        least = size_of(best[0]).min(initial=np.inf) if len(best[0]) >= count else -np.inf
        new = size_of(pairs[0]) > least + 10 * max(tolerance, 1e-10)
        if not new.any():
            return best
        values = np.concatenate([best[0], pairs[0][new]])
        vectors = np.concatenate([best[1], pairs[1][:, new]], axis=1)
        order = np.argsort(-size_of(values), kind="stable")[:count]
        best = values[order], vectors[:, order]
        wanted = max(1, count // 4) if attempt else 1  # one to see whether any was missed
    raise Sub2NodeError(
        f"{what}: eigenvalues are repeated too often for the solver; ask for fewer columns."
    )


def _without(operator: Operator, values: Array, vectors: Array, which: Which) -> Operator:
    """The operator with some of its eigenvalues moved to where they are not looked for."""
    if not len(values):
        return operator
    gone = values + (AWAY if which == "LA" else 0.0)

    def product(x: Array) -> Array:
        x = x.ravel()
        return np.asarray(operator @ x - vectors @ (gone * (vectors.T @ x)))

    return LinearOperator(operator.shape, matvec=product, dtype=np.float64)


def _lanczos(
    operator: Operator,
    count: int,
    *,
    which: Which,
    what: str,
    tolerance: float,
    iterations: int | None,
    attempt: int,
) -> tuple[Array, Array]:
    size = operator.shape[0]
    start = np.random.default_rng(attempt).standard_normal(size)
    space = min(size, max(2 * count + 1, 20))
    try:
        return eigsh(  # type: ignore[no-any-return]
            operator, count, which=which, v0=start, tol=tolerance, maxiter=iterations, ncv=space
        )
    except ArpackNoConvergence as error:
        raise Sub2NodeError(
            f"{what}: the solver found {len(error.eigenvalues)} of {count} eigenvectors and then"
            " stopped; ask for fewer columns, loosen the tolerance, or allow more iterations."
        ) from None
    except ArpackError as error:
        raise Sub2NodeError(f"{what}: {error}; ask for fewer columns.") from None
