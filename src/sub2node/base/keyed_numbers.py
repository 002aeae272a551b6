"""Random numbers by place: each a function of a key alone, whatever else is drawn."""

from __future__ import annotations

import numpy as np

from .ragged import Array

STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)
_MANTISSA = np.uint64(11)  # of 64 bits, what a double has no room for


def mix(state: Array) -> Array:
    """The output function of SplitMix64, in place; uint64, wrapping.

    Steele, Lea and Flood 2014, https://doi.org/10.1145/2660193.2660195.
    """
    state ^= state >> _SHIFTS[0]
    state *= _FACTORS[0]
    state ^= state >> _SHIFTS[1]
    state *= _FACTORS[1]
    state ^= state >> _SHIFTS[2]
    return state


def set_keys(ptr: Array, values: Array) -> Array:
    """A key of each set, by what it holds in any order; uint64 (L,).

    Args:
        ptr: Pointers of the sets, (L+1,).
        values: Their members, whole numbers from 0, flat.
    """
    each = mix((np.asarray(values).astype(np.uint64) + np.uint64(1)) * STEP)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(each, dtype=np.uint64)])
    return mix(sums[ptr[1:]] - sums[ptr[:-1]])


def keyed_uniform(keys: Array, count: int) -> Array:
    """Numbers from 0 to below 1 of each key; float64 (L, count).

    Args:
        keys: Keys, uint64 (L,).
        count: How many of each; the first are the same whatever the count.
    """
    columns = np.arange(1, count + 1, dtype=np.uint64) * STEP
    bits = mix(np.asarray(keys)[:, None] + columns)
    return np.asarray((bits >> _MANTISSA) * 2.0**-53)
