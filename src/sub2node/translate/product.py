"""W, block by block: statistics of all entries, and the entries that are kept.

M × M is never held: rows are produced in blocks under a memory limit, and what is not kept is gone
before the next block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import progress
from ..errors import ConfigError, Sub2NodeError
from ..ragged import Array, blocks, owners, pointers
from .kernels import Kernel

SCRATCH = 256 << 20  # bytes to work in where the user sets no limit
_ENTRY = 12  # bytes of a kept entry: column, value, share of the row
_COPIES = 4  # temporary arrays of a block's size that are alive at a time


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
        return np.asarray((values > max(self.above, 0)) & (values >= self.least))


@dataclass(frozen=True)
class Limit:
    """Memory that may be used: to work in, and for what is kept.

    Args:
        memory: Bytes; None: a working space of 256 MB, and no limit on what is kept.
    """

    memory: int | None = None

    @property
    def scratch(self) -> int:
        """Bytes for a block."""
        return (SCRATCH if self.memory is None else max(self.memory // 2, 1)) // _COPIES

    def check(self, entries: int, bytes_each: int) -> None:
        """Raise if the kept entries do not fit."""
        if self.memory is not None and entries * bytes_each > self.memory:
            raise MemoryLimitError(
                f"the kept entries need more than the memory limit of {self.memory / 1e9:.2g} GB;"
                " keep fewer (cut, min_weight, top_k), raise the limit, or use engine='duckdb'."
            )


class MemoryLimitError(Sub2NodeError):
    """What is to be kept does not fit into the memory that was granted."""


def parse_memory(text: str | int | None) -> int | None:
    """``"2GB"``, ``"500MB"`` or a number of bytes → bytes."""
    if text is None or isinstance(text, int):
        if text is not None and text < 1:
            raise ConfigError(f"a memory limit is positive, found {text}.")
        return text
    units = {"kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
    number, unit = text.strip()[:-2], text.strip()[-2:].lower()
    try:
        value = float(number) * units[unit]
    except (KeyError, ValueError):
        raise ConfigError(f"a memory limit looks like 2GB or 500MB, found {text!r}.") from None
    if not value >= 1:
        raise ConfigError(f"a memory limit is positive, found {text!r}.")
    return int(value)


@dataclass
class Sums:
    """Σ w and Σ w² over the leading square of W, gathered as blocks go by.

    Args:
        size: Rows and columns that count: those of the train block.
    """

    size: int
    total: float = 0.0
    squares: float = 0.0

    def add(self, block: Any, start: int, *, half: bool) -> None:
        """Add the rows from ``start`` on; ``half``: their columns start there too, and what is
        right of the square on the diagonal stands for its mirror image as well."""
        first = start if half else 0
        inside = block[: max(self.size - start, 0), : max(self.size - first, 0)]
        self._add(inside, 2 if half else 1)
        if half:
            self._add(inside[:, : inside.shape[0]], -1)

    def _add(self, block: Any, times: int) -> None:
        data = block.data if sp.issparse(block) else block.ravel(order="K")
        values = data.astype(np.float64)
        self.total += times * float(values.sum())
        self.squares += times * float(values @ values)


def _pieces(kernel: Kernel, left: Any, right: Any, scratch: int) -> Iterator[tuple[int, int]]:
    """Runs of rows that fit into the working space."""
    need = kernel.bytes_per_row(left, right, rough=True)
    if need.sum() > scratch:
        need = kernel.bytes_per_row(left, right, rough=False)
    return blocks(np.ceil(need).astype(np.int64), scratch)


def measure(kernel: Kernel, members: Any, *, limit: Limit) -> Sums:
    """Σ w and Σ w² of all subgraphs with each other, from one half of the product."""
    count = members.shape[0]
    sums = Sums(count)
    for start, stop in _pieces(kernel, members, members, limit.scratch):
        sums.add(kernel.block(members[start:stop], members[start:]), start, half=True)
        progress.step("Measuring", _half(stop, count), _half(count, count))
    return sums


def rows(
    kernel: Kernel,
    left: Any,
    right: Any,
    keep: Keep,
    *,
    limit: Limit,
    sums: Sums | None = None,
    what: str = "Translating",
) -> Any:
    """The kept weights of ``left`` (K, N) with ``right`` (R, N): CSR (K, R)."""
    found, kept, count = [], 0, left.shape[0]
    for start, stop in _pieces(kernel, left, right, limit.scratch):
        block = kernel.block(left[start:stop], right)
        if sums is not None:
            sums.add(block, start, half=False)
        found.append(_kept(block, keep, start))
        kept += found[-1].nnz
        limit.check(kept, 2 * _ENTRY)  # the pieces, and the whole they are put together to
        progress.step(what, stop, count, f"{stop:,} rows, {kept:,} entries kept")
    if not found:
        return sp.csr_array((count, right.shape[0]), dtype=left.dtype)
    return found[0] if len(found) == 1 else sp.vstack(found, format="csr")


def upper(kernel: Kernel, members: Any, keep: Keep, *, limit: Limit, sums: Sums | None) -> Any:
    """The kept weights of all subgraphs with each other, from one half of the product: CSR.

    Pays where few entries are kept, because the kept half is mirrored at the end.
    """
    found, kept, count = [], 0, members.shape[0]
    for start, stop in _pieces(kernel, members, members, limit.scratch):
        block = kernel.block(members[start:stop], members[start:])
        if sums is not None:
            sums.add(block, start, half=True)
        part = _kept(block, keep, 0).tocoo()
        row, column = part.coords
        half = column >= row
        found.append((row[half] + start, column[half] + start, part.data[half]))
        kept += int(half.sum())
        limit.check(kept, 4 * _ENTRY)
        detail = f"{stop:,} rows, {kept:,} pairs kept"
        progress.step("Translating", _half(stop, count), _half(count, count), detail)
    if not found:
        return sp.csr_array((count, count), dtype=members.dtype)
    row, column, data = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return mirrored(row, column, data, count)


def _half(stop: int, count: int) -> float:
    """Work done once ``stop`` rows of one half of a square of ``count`` rows are done."""
    return stop * count - stop * (stop - 1) / 2


def mirrored(row: Array, column: Array, data: Array, count: int) -> Any:
    """The symmetric CSR matrix with these entries on and above its diagonal."""
    off = row != column
    ends = (np.concatenate([row, column[off]]), np.concatenate([column, row[off]]))
    whole = sp.coo_array((np.concatenate([data, data[off]]), ends), shape=(count, count)).tocsr()
    whole.sort_indices()
    return whole


def _kept(block: Any, keep: Keep, start: int) -> Any:
    """The kept entries of a block as CSR; ``start`` is the number of its first row."""
    if sp.issparse(block):
        block = block.tocsr()
        block.sort_indices()
        passed = keep.mask(block.data)
        row, column, data = owners(block.indptr), block.indices, block.data
        if not passed.all():
            row, column, data = row[passed], column[passed], data[passed]
    else:
        row, column = np.nonzero(keep.mask(block))
        data = block[row, column]
    if keep.top_k is not None:
        best = largest(row, column, data, keep.top_k, diagonal=start)
        row, column, data = row[best], column[best], data[best]
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


def united(half: Any) -> Any:
    """Each row's own choice of entries → a symmetric matrix: an entry that either end chose."""
    return half.maximum(half.T).tocsr()
