"""Ragged arrays: M lists in one flat array, list i being ``flat[ptr[i]:ptr[i + 1]]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .errors import ConfigError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import scipy.sparse as sp
    from numpy.typing import ArrayLike, DTypeLike

Array = np.ndarray[Any, np.dtype[Any]]
# A string, so that whoever needs only the name does not import SciPy.
SparseMatrix: TypeAlias = "sp.csr_array"


def pointers(counts: Array) -> Array:
    """Counts (M,) → int64 ``ptr`` (M+1,)."""
    ptr = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=ptr[1:])
    return ptr


def lengths(ptr: Array, rows: Array) -> Array:
    """Lengths of some lists, by their numbers, without a look at the others."""
    return np.asarray(ptr[rows + 1] - ptr[rows])


def owners(ptr: Array) -> Array:
    """The list that each flat entry belongs to: ``ptr`` (M+1,) → int64 (ptr[-1],)."""
    return np.repeat(np.arange(len(ptr) - 1, dtype=np.int64), np.diff(ptr))


def ranges(starts: Array, counts: Array) -> Array:
    """``start, start+1, …`` for each pair, concatenated: int64 (sum of counts,)."""
    ends = np.cumsum(counts, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - counts), counts) + np.arange(total, dtype=np.int64)


def blocks(counts: Array, limit: int) -> Iterator[tuple[int, int]]:
    """Cut ``range(len(counts))`` into runs whose counts add up to ``limit`` at most, or of one."""
    ends = np.cumsum(counts, dtype=np.int64)
    start = 0
    while start < len(ends):
        done = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + limit, side="right")))
        yield start, stop
        start = stop


def index_dtype(*bounds: int) -> type[np.int32 | np.int64]:
    """int32 where every bound fits, else int64: SciPy wants one type for both CSR arrays."""
    return np.int32 if max(bounds, default=0) <= np.iinfo(np.int32).max else np.int64


def distinct(keys: Array) -> Array:
    """The distinct integers among these, ascending; by sorting, where NumPy would hash."""
    keys = np.sort(keys)
    return keys[np.r_[True, keys[1:] != keys[:-1]]] if len(keys) else keys


def repeated_entries(owner: Array, value: Array) -> Array:
    """Positions of entries whose owner and value occurred before; by owner and value ascending."""
    order = np.lexsort((value, owner))
    one, two = order[:-1], order[1:]
    return np.asarray(two[(owner[one] == owner[two]) & (value[one] == value[two])])


def among(keys: Array, values: Array) -> Array:
    """Which keys occur in ``values``, which is ascending; quickest if ``keys`` ascend too."""
    if not len(values):
        return np.zeros(len(keys), dtype=bool)
    place = np.minimum(np.searchsorted(values, keys), len(values) - 1)
    return np.asarray(values[place] == keys)


def sealed(array: Array) -> Array:
    """Make an array of our own read-only, in place."""
    array.flags.writeable = False
    return array


def frozen(array: ArrayLike, dtype: DTypeLike | None = None) -> Array:
    """A read-only array: as it is if nobody can write to it, else a sealed copy."""
    if isinstance(array, np.ndarray) and (dtype is None or array.dtype == dtype):
        view: object = array
        while isinstance(view, np.ndarray) and not view.flags.writeable:
            view = view.base
        if not isinstance(view, np.ndarray):
            return array
    return sealed(np.array(array, dtype=dtype))


def integers(values: ArrayLike, what: str) -> Array:
    """Whole numbers as int64; anything else is refused rather than rounded.

    Args:
        values: Numbers, as an array or a sequence.
        what: What the numbers are, for the error message.
    """
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty(1, dtype=object)
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind in "iu" and array.max() <= np.iinfo(np.int64).max:
        return array.astype(np.int64, copy=False)
    if array.dtype.kind == "f":
        exact = np.abs(array) <= np.float64(2**53)  # as a float64, which a float16 cannot hold
        integral = np.isfinite(array) & (array == np.floor(array)) & exact
        if integral.all():
            return array.astype(np.int64)
        array = array[~integral]  # the error names the first that is wrong
    raise DataError(f"{what} must be whole numbers, found {str(array.ravel()[0])!r}.")


def generator(seed: int) -> np.random.Generator:
    """Random numbers that depend on the seed alone."""
    if seed < 0:
        raise ConfigError(f"a seed is 0 or more, found {seed}.")
    return np.random.default_rng(seed)
