"""Lists of edges as people give them → each undirected edge once, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..base.errors import ConfigError, DataError
from ..base.ragged import Array, integers

Repeated = Literal["same", "sum", "max"]


class Edges(NamedTuple):
    """Undirected edges, each once with ``low < high`` and sorted; the self-loops beside them."""

    low: Array
    high: Array
    weights: Array | None
    loops: Array
    loop_weights: Array | None
    repeats: int
    """How many entries of the input repeat another one."""
    repeated_pairs: Array = np.empty((0, 2), np.int64)
    """Ends of the edges that are given more than once, (K, 2)."""


def undirected(
    source: ArrayLike,
    target: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    repeated: Repeated = "same",
    name: Callable[[int], str] = str,
) -> Edges:
    """Sort edges, merge repeated ones (either direction), set self-loops aside: O(E log E).

    ``name`` tells what to call a node in an error; the rest is as in :meth:`Graph.from_edges`.
    """
    if repeated not in get_args(Repeated):
        raise ConfigError(f"repeated is 'same', 'sum' or 'max', not {repeated!r}.")
    low, high = _read_ids(source, "source"), _read_ids(target, "target")
    if low.shape != high.shape:
        raise DataError(f"{len(low):,} edge sources but {len(high):,} targets.")
    low, high = np.minimum(low, high), np.maximum(low, high)
    size = int(high.max()) + 1 if len(high) else 0
    values = None if weights is None else check_weights(weights, len(low))
    key = low * size + high
    if values is None:
        key = np.sort(key)
    else:
        order = np.argsort(key, kind="stable")
        key, values = key[order], values[order]
    first = np.ones(len(key), dtype=bool)
    first[1:] = key[1:] != key[:-1]
    if values is not None:
        values = _merge_weights(key, first, values=values, repeated=repeated, name=name, size=size)
    repeats = len(key) - int(first.sum())
    low, high = np.divmod(key[first], max(size, 1))
    loop = low == high
    again = np.unique(key[~first]) if repeats else key[:0]
    pairs = np.stack(np.divmod(again, max(size, 1)), axis=1)
    if values is None:
        return Edges(low[~loop], high[~loop], None, low[loop], None, repeats, pairs)
    return Edges(low[~loop], high[~loop], values[~loop], low[loop], values[loop], repeats, pairs)


def conflicting_weights(ends: Sequence[Array], weights: Array) -> Array:
    """Rows whose edge is given with different weights, in either direction; ascending.

    Args:
        ends: Both ends of each edge as positions, (E,) each.
        weights: Weights, which count as equal if they are so in single precision.
    """
    low, high = np.minimum(*ends), np.maximum(*ends)
    key = low * (int(high.max(initial=0)) + 1) + high
    order = np.argsort(key, kind="stable")
    key, values = key[order], weights[order].astype(np.float32)
    starts = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])[: len(key)])
    if len(starts) == len(key):
        return starts[:0]
    differ = np.maximum.reduceat(values, starts) != np.minimum.reduceat(values, starts)
    sizes = np.diff(np.append(starts, len(key)))
    return np.sort(order[np.repeat(differ, sizes)])


def _merge_weights(
    key: Array,
    first: Array,
    *,
    values: Array,
    repeated: Repeated,
    name: Callable[[int], str],
    size: int,
) -> Array:
    starts = np.flatnonzero(first)
    if not len(starts):
        return values
    if repeated == "sum":
        with np.errstate(over="ignore"):
            sums = np.asarray(np.add.reduceat(values, starts), np.float32)
        if not np.isfinite(sums).all():
            a, b = divmod(int(key[starts[np.argmin(np.isfinite(sums))]]), size)
            raise DataError(f"the weights of the edge {name(a)}-{name(b)} add up to too much.")
        return sums
    largest = np.maximum.reduceat(values, starts)
    if repeated == "same":
        clash = np.flatnonzero(largest != np.minimum.reduceat(values, starts))
        if len(clash):
            a, b = divmod(int(key[starts[clash[0]]]), size)
            raise DataError(
                f"the edge {name(a)}-{name(b)} is given several times with different weights; say"
                " what they mean together with repeated='sum' or repeated='max'."
            )
    return largest


def _read_ids(values: ArrayLike, what: str) -> Array:
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"edge {what}s must be a flat list, found shape {array.shape}.")
    array = integers(array, f"edge {what}s")
    if len(array) and array.min() < 0:
        row = int(np.argmax(array < 0))
        raise DataError(f"edge {row + 1} has the negative {what} {array[row]}; ids start at 0.")
    if len(array) and array.max() >= 2**31:
        raise DataError(f"node id {array.max()} is too large; the limit is 2,147,483,647.")
    return array


def check_weights(values: ArrayLike, count: int) -> Array:
    """Edge weights as float32; raises unless there are ``count``, all finite and above 0."""
    original = array = np.asarray(values)
    if array.shape != (count,):
        raise DataError(f"{count:,} edges but edge weights of shape {array.shape}.")
    if array.dtype.kind not in "iufb":
        raise DataError(f"edge weights must be numbers, found {array.dtype}.")
    with np.errstate(over="ignore", under="ignore"):
        array = array.astype(np.float32)
    bad = np.flatnonzero(~(array > 0) | ~np.isfinite(array))
    if len(bad):
        value = original[bad[0]]
        raise DataError(f"edge {bad[0] + 1} has weight {value}; {weight_problem(value)}")
    return array


def weight_problem(value: float) -> str:
    """What is wrong with a weight that is not one in single precision."""
    if not np.isfinite(value) or value <= 0:
        return "weights are finite and above 0."
    largest, smallest = np.finfo(np.float32).max, np.finfo(np.float32).smallest_subnormal
    return f"weights are from {smallest:.1g} to {largest:.2g}; divide all of them by a number."
