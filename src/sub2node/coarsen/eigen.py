"""The smallest eigenpairs of graph Laplacians."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..base.progress import step
from ..base.ragged import Array, SparseMatrix, generator, pointers, ranges

_DENSE = 400  # nodes up to which a dense solver is quicker
_BATCH = 1 << 23  # entries of dense matrices that are solved together: 64 MB
_ENOUGH = 1e-5  # residual of an eigenvector, as a share of its eigenvalue
_ROUNDS, _CHUNK = 15, 40  # looks at the residual, and iterations between two
_SPARSE = 12  # entries per row up to which a factorisation may be tried …
_WIDE = 4  # … where the bandwidth is so many times the square root of the nodes at most, …
_FEW = 2  # … after so many looks
_SMALL = 3000  # nodes up to which it is tried on any graph


@dataclass(frozen=True, eq=False)
class Eigenpairs:
    """The first eigenpairs of each component's Laplacian.

    Args:
        values: (C, K), ascending.
        vectors: (n, K); rows of a component hold its own vectors.
        notes: Where the solver came less near than it should.
    """

    values: Array
    vectors: Array
    notes: tuple[str, ...] = ()


def laplacian(weights: SparseMatrix) -> SparseMatrix:
    """L = D - W as CSR."""
    return (sp.diags_array(strengths(weights)) - weights).tocsr()


def strengths(weights: SparseMatrix) -> Array:
    """The sum of weights around each node; float64 (n,)."""
    return np.asarray(weights.sum(axis=1), np.float64).ravel()


def by_component(weights: SparseMatrix, component: Array, k: int, *, seed: int) -> Eigenpairs:
    """The first ``k`` eigenpairs of every component, the one of eigenvalue 0 among them.

    Args:
        weights: W, CSR (n, n) without diagonal.
        component: The component of each node, numbered from 0; each has more than ``k`` nodes.
        k: Number of eigenpairs.
        seed: Seed of the solver's start.
    """
    sizes = np.bincount(component)
    order = np.argsort(component, kind="stable")
    ptr = pointers(sizes)
    values, vectors = np.zeros((len(sizes), k)), np.zeros((len(component), k))
    notes: list[str] = []
    for size in np.unique(sizes[sizes <= _DENSE]):
        same = np.flatnonzero(sizes == size)
        at_once = max(1, _BATCH // size**2)
        for start in range(0, len(same), at_once):
            part = same[start : start + at_once]
            nodes = order[ranges(ptr[part], sizes[part])]
            part_values, columns = np.linalg.eigh(_stack(weights, nodes, len(part)))
            values[part], vectors[nodes] = part_values[:, :k], columns[:, :, :k].reshape(-1, k)
    for number in np.flatnonzero(sizes > _DENSE):
        nodes = np.sort(order[ptr[number] : ptr[number + 1]])
        block = weights if len(nodes) == len(component) else weights[nodes][:, nodes].tocsr()
        one = lowest(laplacian(block), np.ones(len(nodes)), k, seed=seed)
        values[number], vectors[nodes] = one.values[0], one.vectors
        notes += one.notes
    return Eigenpairs(np.maximum(values, 0), vectors, tuple(notes))


def _stack(weights: SparseMatrix, nodes: Array, count: int) -> Array:
    """Dense Laplacians (count, s, s) of sets of s nodes each, laid one after the other."""
    size = len(nodes) // count
    entries = weights[nodes].tocoo()
    place = np.full(weights.shape[0], -1)
    place[nodes] = np.arange(len(nodes))
    row, column = entries.coords[0], place[entries.coords[1]]
    dense = np.zeros((count, size, size))
    dense[row // size, row % size, column % size] = -entries.data
    diagonal = np.arange(size)
    dense[:, diagonal, diagonal] = -dense.sum(axis=2)
    return dense


def lowest(matrix: SparseMatrix, null: Array, k: int, *, seed: int) -> Eigenpairs:
    """The first ``k`` eigenpairs of a positive semi-definite matrix with one known null vector.

    By a block of preconditioned conjugate gradients; where that is slow, as on meshes and chains,
    by inverting a sparse matrix; where neither converges, the result comes with a note.

    Args:
        matrix: CSR (n, n).
        null: The vector of eigenvalue 0, (n,).
        k: Number of eigenpairs, the known one counted.
        seed: Seed of the start.
    """
    size, k = matrix.shape[0], min(k, matrix.shape[0])
    null = null[:, None] / np.linalg.norm(null)
    if k == 1:
        return Eigenpairs(np.zeros((1, 1)), null)
    if size <= max(_DENSE, 5 * (k + 5)):  # LOBPCG wants few columns
        values, vectors = np.linalg.eigh(matrix.toarray())
        return Eigenpairs(values[None, :k], vectors[:, :k])
    narrow = _is_narrow(matrix)
    rounds = _FEW if narrow else _ROUNDS
    pairs = _conjugate_gradients(matrix, null, count=k - 1, rounds=rounds, seed=seed)
    left = _residual(matrix, *pairs)
    if left > _ENOUGH and (narrow or size <= _SMALL):
        inverted = _invert(matrix, pairs, k, seed)
        if inverted is not None and _residual(matrix, *inverted) < left:
            pairs, left = inverted, _residual(matrix, *inverted)
    notes: tuple[str, ...] = ()
    if left > _ENOUGH:
        notes = (
            f"the eigenvectors of a component of {size:,} nodes are approximate: the solver"
            f" stopped at a residual of {left:.1e} of the eigenvalue.",
        )
    values, vectors = pairs
    return Eigenpairs(np.r_[0.0, values][None], np.hstack([null, vectors]), notes)


Pairs = tuple[Array, Array]


def _is_narrow(matrix: SparseMatrix) -> bool:
    """Whether a graph is long rather than wide, as meshes are, so that factors stay sparse."""
    size = matrix.shape[0]
    if matrix.nnz > _SPARSE * size:
        return False
    order = sp.csgraph.reverse_cuthill_mckee(matrix, symmetric_mode=True)
    place = np.empty(size, np.int64)
    place[order] = np.arange(size)
    rows = np.repeat(np.arange(size), np.diff(matrix.indptr))
    band = int(np.abs(place[rows] - place[matrix.indices]).max(initial=0))
    return band <= _WIDE * math.sqrt(size)


def _conjugate_gradients(
    matrix: SparseMatrix, null: Array, *, count: int, rounds: int, seed: int
) -> Pairs:
    """By LOBPCG with the diagonal as preconditioner, some columns more than ``count``."""
    from scipy.sparse.linalg import lobpcg

    size, diagonal = matrix.shape[0], matrix.diagonal()
    inverse = sp.diags_array(1 / np.where(diagonal > 0, diagonal, 1))
    block = generator(seed).standard_normal((size, count + min(count, 4) + 1))
    best = _smoothed(matrix, inverse, null, block)
    for number in range(rounds):
        step("Computing eigenvectors", number, rounds)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the residual is checked below
                values, vectors = lobpcg(
                    matrix, best[1], M=inverse, Y=null, tol=1e-12, maxiter=_CHUNK, largest=False
                )
        except (ValueError, np.linalg.LinAlgError):
            break
        if not (np.isfinite(values).all() and np.isfinite(vectors).all()):
            break
        best = values, vectors
        if _residual(matrix, values[:count], vectors[:, :count]) <= _ENOUGH:
            break
    step("Computing eigenvectors", rounds, rounds)
    return best[0][:count], best[1][:, :count]


def _smoothed(matrix: SparseMatrix, inverse: SparseMatrix, null: Array, block: Array) -> Pairs:
    """Random vectors after damped Jacobi steps, and the best combinations of them."""
    for _ in range(10):
        block = block - 0.5 * (inverse @ (matrix @ block))
    block = block - null @ (null.T @ block)
    block, _ = np.linalg.qr(block)
    values, turn = np.linalg.eigh(block.T @ (matrix @ block))
    return values, block @ turn


def _invert(matrix: SparseMatrix, near: Pairs, k: int, seed: int) -> Pairs | None:
    """By Lanczos on the inverse of a slightly shifted matrix; None where that fails."""
    from scipy.sparse.linalg import ArpackError, eigsh

    shift = -max(0.01 * float(near[0].max()), 1e-14 * float(matrix.diagonal().max()))
    start = generator(seed).standard_normal(matrix.shape[0])
    try:
        values, vectors = eigsh(matrix.tocsc(), k=k, sigma=shift, which="LM", v0=start)
    except (ArpackError, RuntimeError, MemoryError):
        return None
    order = np.argsort(values)[1:]
    return values[order], vectors[:, order]


def _residual(matrix: SparseMatrix, values: Array, vectors: Array) -> float:
    """The largest ‖Lu - λu‖ / λ."""
    left = np.linalg.norm(matrix @ vectors - vectors * values, axis=0)
    return float((left / np.maximum(values, np.finfo(float).tiny)).max())
