"""Random vectors of nodes, each a function of a seed and the number of the node alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..base.keyed_numbers import STEP, mix
from ..base.ragged import Array

_PURPOSE = 3  # 0 to 2 are the streams of initial values and dropout
_BLOCK = 1 << 16  # numbers drawn together: their scratch arrays stay in the processor's cache
_HALF = np.uint64(32)


def random_vectors(seeds: Sequence[int], nodes: Array, width: int, *, scale: float = 1.0) -> Array:
    """Vectors from N(0, scale²), float32 (R, n, width).

    The vector of a node does not depend on which other nodes are requested, nor on what else a
    replica draws, so only the vectors that are read are made. A number is drawn by its place: the
    outputs of SplitMix64 (Steele, Lea and Flood 2014, https://doi.org/10.1145/2660193.2660195)
    at a position that a hash of seed and node gives, two numbers by Box and Muller from each.

    Args:
        seeds: One seed per replica.
        nodes: Numbers of nodes, (n,).
        width: Number of columns; a column is the same whatever the width.
        scale: Standard deviation of the values.
    """
    vectors = np.empty((len(seeds), len(nodes), width), np.float32)
    columns = np.arange(1, (width + 1) // 2 + 1, dtype=np.uint64) * STEP
    rows = max(1, _BLOCK // max(width, 1))
    for seed, block in zip(seeds, vectors, strict=True):
        key = np.random.SeedSequence([seed, _PURPOSE]).generate_state(1, np.uint64)
        for first in range(0, len(nodes), rows):
            numbers = np.asarray(nodes[first : first + rows]).astype(np.uint64)
            bits = mix(mix(numbers * STEP + key)[:, None] + columns)
            even, odd = _normal_pairs(bits)
            block[first : first + rows, 0::2] = even
            block[first : first + rows, 1::2] = odd[:, : width // 2]
    vectors *= np.float32(scale)
    return vectors


def _normal_pairs(bits: Array) -> tuple[Array, Array]:
    """Two independent standard normal numbers from each 64 bits: radius and angle."""
    radius = (bits >> _HALF).astype(np.float32)
    radius += np.float32(0.5)  # never 0, which has no logarithm
    radius *= np.float32(2**-32)
    np.log(radius, out=radius)
    radius *= np.float32(-2)
    np.sqrt(radius, out=radius)
    angle = bits.astype(np.uint32).astype(np.float32)
    angle *= np.float32(2 * np.pi / 2**32)
    return radius * np.cos(angle), radius * np.sin(angle)
