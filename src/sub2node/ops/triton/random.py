"""The bits of :mod:`.dropout_draws` inside kernels."""

from __future__ import annotations

import triton
import triton.language as tl

from . import dropout_draws as draws

GOLDEN, SECOND = tl.constexpr(draws.GOLDEN), tl.constexpr(draws.SECOND)


@triton.jit
def mix(x):
    """A bijection of 32-bit words that changes about half of the bits."""
    x = (x ^ (x >> 16)) * 0x7FEB352D
    x = (x ^ (x >> 15)) * 0x846CA68B
    return x ^ (x >> 16)


@triton.jit
def keys(seeds, step, site, replica):
    """The two keys of a draw."""
    seed = tl.load(seeds + replica).to(tl.uint64)
    low, high = seed.to(tl.uint32), (seed >> 32).to(tl.uint32)
    now = tl.load(step).to(tl.uint32) * GOLDEN
    first = mix((mix(low + now) ^ high) + site.to(tl.uint32) * SECOND)
    return first, mix(first ^ SECOND)


@triton.jit
def is_kept(place, first, second, threshold):
    """Whether the number at a place is kept."""
    word = mix(mix(place.to(tl.uint32) ^ first) + second)
    return (word >> 1).to(tl.int32) >= threshold
