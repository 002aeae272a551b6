"""W, block by block: statistics of all entries, and the entries that are kept.

M × M is never held: rows come in blocks under a memory limit; what is not kept is gone before long.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

from ..base import progress
from ..base.ragged import Array, SparseMatrix, blocks, index_dtype, owners, pointers
from .edge_weights import Block, EdgeWeights, LinearEdgeWeights, Side
from .memory_limits import Limit
from .weight_statistics import Statistics

_Result = TypeVar("_Result")
_ENTRY = 12  # bytes of an entry that is kept: column, value, share of the row
_GROUPS = 16  # of subgraphs, for which sums are known beforehand
_SAFE = 1 - 1e-5  # a bound that rests on rounded sums is taken a little lower


@dataclass(frozen=True)
class Keep:
    """Which entries of W are kept; zeros never are.

    Args:
        above: Only weights above this.
        least: Only weights of at least this.
        top_k: Only the diagonal and each row's k largest others; an entry that is among the
            largest of either its row or its column stays, so that W stays symmetric.
    """

    above: float = 0.0
    least: float = 0.0
    top_k: int | None = None

    def mask(self, values: Array) -> Array:
        """Which of these weights pass the bounds."""
        passed = values > np.float64(max(self.above, 0))  # else a float32 would round the bound
        if self.least > 0:
            passed &= values >= np.float64(self.least)
        return np.asarray(passed)


@dataclass
class Sums:
    """Σ w and Σ w² over the leading square of W, gathered as blocks go by.

    Args:
        size: Rows and columns that count: those of the train block.
    """

    size: int
    total: float = 0.0
    squares: float = 0.0

    @property
    def statistics(self) -> Statistics:
        """What the sums so far say."""
        return Statistics(self.size, self.total, self.squares)

    def of(self, block: Block, start: int, *, half: bool) -> tuple[float, float]:
        """Both sums over the rows from ``start`` on; ``half``: their columns start there too, and
        what is right of the square on the diagonal stands for its mirror image as well."""
        first = start if half else 0
        inside = block[: max(self.size - start, 0), : max(self.size - first, 0)]
        total, squares = _sums(inside)
        if not half:
            return total, squares
        own_total, own_squares = _sums(inside[:, : inside.shape[0]])
        return 2 * total - own_total, 2 * squares - own_squares

    def add(self, block_sums: tuple[float, float]) -> None:
        """Add the sums of a block."""
        self.total += block_sums[0]
        self.squares += block_sums[1]


def _sums(block: Block) -> tuple[float, float]:
    data: Array = block if isinstance(block, np.ndarray) else block.data
    letters = "ij"[: data.ndim]
    squares = np.einsum(f"{letters},{letters}->", data, data, dtype=np.float64)
    return float(data.sum(dtype=np.float64)), float(squares)


def _blocks(
    edge_weights: EdgeWeights,
    left: SparseMatrix,
    *,
    right: SparseMatrix | Side,
    limit: Limit,
    work: Callable[[Block, int], _Result],
    half: bool,
) -> Iterator[tuple[int, _Result]]:
    """What ``work(block, start)`` makes of each block of rows of W, in order, after its end.

    ``half``: only columns from the first row on. SciPy and NumPy let go of Python's lock while
    they work, so as many blocks as there are processors are made at a time, sharing the memory.
    """
    workers = _processors()
    scratch = limit.scratch // workers
    side = right if isinstance(right, Side) else Side(right)
    need = edge_weights.bytes_per_row(left, side, rough=True)
    if need.sum() > scratch:
        need = edge_weights.bytes_per_row(left, side, rough=False)
    pieces = list(blocks(np.ceil(need).astype(np.int64), scratch))

    def make(piece: tuple[int, int]) -> tuple[int, _Result]:
        start, stop = piece
        block = edge_weights.block(left[start:stop], side, start if half else 0)
        return stop, work(block, start)

    if len(pieces) < 2:
        yield from map(make, pieces)
        return
    with ThreadPoolExecutor(workers) as pool:
        ahead = deque(pool.submit(make, piece) for piece in pieces[: workers + 1])
        coming = iter(pieces[workers + 1 :])
        while ahead:
            yield ahead.popleft().result()
            ahead.extend(pool.submit(make, piece) for piece in islice(coming, 1))


def _parts(
    edge_weights: EdgeWeights,
    left: SparseMatrix,
    right: SparseMatrix | Side | None = None,
    *,
    keep: Callable[[Block, int], _Result],
    limit: Limit,
    sums: Sums | None,
) -> Iterator[tuple[int, _Result]]:
    """What ``keep(block, start)`` leaves of each block, as :func:`_blocks`; may fill ``sums``.

    Without ``right`` the subgraphs are taken with each other, by the half from the diagonal on.
    """
    half = right is None

    def work(block: Block, start: int) -> tuple[_Result, tuple[float, float]]:
        seen = (0.0, 0.0) if sums is None else sums.of(block, start, half=half)
        return keep(block, start), seen

    for stop, (part, seen) in _blocks(
        edge_weights,
        left,
        right=left if right is None else right,
        limit=limit,
        work=work,
        half=half,
    ):
        if sums is not None:
            sums.add(seen)
        yield stop, part


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def measure(
    edge_weights: EdgeWeights, members: SparseMatrix, sums: Sums, *, limit: Limit, half: bool = True
) -> None:
    """Fill ``sums``, keeping nothing; from the ``half`` on and above the diagonal, or from all."""
    inside = members[: sums.size]

    def work(block: Block, start: int) -> tuple[float, float]:
        return sums.of(block, start, half=half)

    made = _blocks(edge_weights, inside, right=inside, limit=limit, work=work, half=half)
    for stop, block_sums in made:
        sums.add(block_sums)
        progress.step("Measuring weights", _half(stop, sums.size), _half(sums.size, sums.size))


def rows(
    edge_weights: EdgeWeights,
    left: SparseMatrix,
    right: SparseMatrix | Side,
    keep: Keep,
    *,
    limit: Limit,
    sums: Sums | None = None,
    what: str = "Translating",
) -> SparseMatrix:
    """The kept weights of ``left`` (K, N) with ``right`` (R, N): CSR (K, R); may fill ``sums``."""

    def keep_entries(block: Block, start: int) -> SparseMatrix:
        return _keep_entries(block, keep, start)

    parts, entry_count, count = [], 0, left.shape[0]
    for stop, part in _parts(edge_weights, left, right, keep=keep_entries, limit=limit, sums=sums):
        parts.append(part)
        entry_count += part.nnz
        limit.check(entry_count, _ENTRY)
        progress.step(what, stop, count, f"{stop:,} rows, {entry_count:,} entries kept")
    if not parts:
        width = (right.rows if isinstance(right, Side) else right).shape[0]
        return sp.csr_array((count, width), dtype=left.dtype)
    return parts[0] if len(parts) == 1 else _stacked(parts)


def _stacked(parts: list[SparseMatrix]) -> SparseMatrix:
    """CSR matrices under one another; each is let go as it is copied, so W is not held twice."""
    total, width = sum(part.nnz for part in parts), parts[0].shape[1]
    data = np.empty(total, parts[0].dtype)
    indices = np.empty(total, index_dtype(total, width))
    ptr = pointers(np.concatenate([np.diff(part.indptr) for part in parts]))
    stop = total
    while parts:
        part = parts.pop()
        start = stop - part.nnz
        data[start:stop], indices[start:stop] = part.data, part.indices
        stop = start
    shape = (len(ptr) - 1, width)
    return sp.csr_array((data, indices, ptr.astype(indices.dtype)), shape=shape)


def upper(
    edge_weights: EdgeWeights, members: SparseMatrix, keep: Keep, *, limit: Limit, sums: Sums | None
) -> SparseMatrix:
    """The kept weights of all subgraphs with each other, by the half on and above the diagonal.

    CSR. Pays where few entries are kept, because they are mirrored at the end; full blocks are only
    computed from the diagonal on, sparse ones are computed whole and cut. May fill ``sums``.
    """

    def keep_pairs(block: Block, start: int) -> _Entries:
        return _upper_entries(block, keep, start)

    parts, pair_count, count = [], 0, members.shape[0]
    for stop, part in _parts(edge_weights, members, keep=keep_pairs, limit=limit, sums=sums):
        parts.append(part)
        pair_count += len(part[2])
        limit.check(pair_count, 4 * _ENTRY)
        _report_progress(stop, count, pair_count)
    return mirrored(*_concatenate(parts, members.dtype), count)


def upper_by_score(
    edge_weights: LinearEdgeWeights,
    members: SparseMatrix,
    *,
    sums: Sums,
    score: float,
    least: float,
    limit: Limit,
) -> SparseMatrix | None:
    """The same, of entries above a standard score that is itself measured on the way.

    The mean is known before; the standard deviation is at least that of what has been seen, with
    the rest as even as it could be. So the bound only rises: what lies below it now can go, and
    the exact bound is applied at the end. Fills ``sums``; None where too much had to be kept
    meanwhile: the caller then goes through W again with the exact bound.
    """
    size, count = sums.size, members.shape[0]
    total, rest = _evenly(edge_weights, members[:size])
    above, room = _bound(size, total, rest(0), score), limit.scratch // (2 * _ENTRY)

    def keep_pairs(block: Block, start: int) -> _Entries:
        return _upper_entries(block, Keep(above, least), start)

    parts: list[_Entries] = []
    fits, pair_count = True, 0
    for stop, entries in _parts(edge_weights, members, keep=keep_pairs, limit=limit, sums=sums):
        above = max(above, _bound(size, total, sums.squares + rest(stop), score))
        if fits:
            parts.append(entries)
            pair_count += len(entries[2])
        if pair_count > room:
            parts = [_at_least(part, above) for part in parts]
            pair_count = sum(len(part[2]) for part in parts)
            fits = pair_count <= room
        if not fits:
            parts, pair_count = [], 0
        _report_progress(stop, count, pair_count)
    exact = sums.statistics.weight_at(score)
    if not fits:
        return None
    return mirrored(*_concatenate([_at_least(part, exact) for part in parts], members.dtype), count)


def _bound(size: int, total: float, squares: float, score: float) -> float:
    """The weight of a standard score, if Σ w² is at least ``squares``; at least 0."""
    spread = Statistics(size, total, squares)
    return max(_SAFE * (spread.mean + score * spread.std), 0.0) if size > 1 else 0.0


def _evenly(
    edge_weights: LinearEdgeWeights, members: SparseMatrix
) -> tuple[float, Callable[[int], float]]:
    """Σ w of these subgraphs, and the least that Σ w² can be over the rows and columns from a row
    on: what it would be if the weights between two groups of subgraphs were all the same."""
    count = members.shape[0]
    starts = np.unique(np.linspace(0, count, _GROUPS, endpoint=False).astype(np.int64))
    sizes = np.diff([*starts, count])
    totals = edge_weights.totals(members, starts)
    even = totals**2 / (sizes[:, None] * sizes)
    after = [float(even[group:, group:].sum()) for group in range(len(starts) + 1)]

    def rest(row: int) -> float:
        return after[int(np.searchsorted(starts, row))]

    return float(totals.sum()), rest


_Entries = tuple[Array, Array, Array]


def _report_progress(stop: int, count: int, pair_count: int) -> None:
    detail = f"{stop:,} rows, {pair_count:,} pairs kept"
    progress.step("Translating", _half(stop, count), _half(count, count), detail)


def _upper_entries(block: Block, keep: Keep, start: int) -> _Entries:
    """Row, column and weight of the kept entries of a block on and above the diagonal."""
    part = _keep_entries(block, keep, 0).tocoo()
    row, column = part.coords
    half = column >= row
    return row[half] + start, column[half] + start, part.data[half]


def _at_least(entries: _Entries, above: float) -> _Entries:
    row, column, data = entries
    passed = data > np.float64(above)
    return row[passed], column[passed], data[passed]


def _concatenate(parts: list[_Entries], dtype: DTypeLike) -> _Entries:
    if not parts:
        empty = np.empty(0, np.int32)
        return empty, empty, np.empty(0, dtype)
    row, column, data = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return row, column, data


def _half(stop: int, count: int) -> float:
    """Work done once ``stop`` rows of one half of a square of ``count`` rows are done."""
    return stop * count - stop * (stop - 1) / 2


def mirrored(row: Array, column: Array, data: Array, count: int) -> SparseMatrix:
    """The symmetric CSR matrix with these entries on and above its diagonal."""
    off = row != column
    ends = (np.concatenate([row, column[off]]), np.concatenate([column, row[off]]))
    matrix = sp.coo_array((np.concatenate([data, data[off]]), ends), shape=(count, count)).tocsr()
    matrix.sort_indices()
    return matrix


def _keep_entries(block: Block, keep: Keep, start: int) -> SparseMatrix:
    """The kept entries of a block as CSR; ``start`` is the number of its first row."""
    if not isinstance(block, np.ndarray):
        block = block.tocsr()
        block.sort_indices()
        mask = keep.mask(block.data)
        data, column = block.data[mask], block.indices[mask]
        ptr = pointers(mask)[block.indptr]
    else:
        block = np.ascontiguousarray(block)
        mask = keep.mask(block)
        numbers = np.arange(block.shape[1], dtype=index_dtype(block.shape[1]))
        data, column = block[mask], np.broadcast_to(numbers, block.shape)[mask]
        ptr = pointers(mask.sum(axis=1))
    if keep.top_k is not None:
        best = largest(owners(ptr), column, data, keep.top_k, diagonal=start)
        row = owners(ptr)[best]
        data, column = data[best], column[best]
        ptr = pointers(np.bincount(row, minlength=block.shape[0]))
    return sp.csr_array((data, column, ptr), shape=block.shape)


def largest(row: Array, column: Array, data: Array, k: int, *, diagonal: int = 0) -> Array:
    """Positions of each row's k largest entries off the diagonal, and of those on it, ascending.

    Of equal ones the lower column wins. ``diagonal`` is what to add to a row to get its own column.
    """
    own = column == row + diagonal
    others = np.flatnonzero(~own)
    order = others[np.lexsort((column[others], -data[others], row[others]))]
    counts = np.bincount(row[others], minlength=int(row.max(initial=-1)) + 1)
    rank = np.arange(len(order)) - pointers(counts)[row[order]]
    return np.sort(np.concatenate([order[rank < k], np.flatnonzero(own)]))


def united(half: SparseMatrix) -> SparseMatrix:
    """Each row's own choice of entries → a symmetric matrix: an entry that either end chose."""
    return half.maximum(half.T).tocsr()
