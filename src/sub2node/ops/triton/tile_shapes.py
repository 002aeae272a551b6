"""Shapes as kernels want them."""

from __future__ import annotations

from torch import Tensor


def block(width: int) -> int:
    """Columns of a tile that holds so many: a power of two, 16 at least."""
    return max(16, 1 << (width - 1).bit_length())


def by_replica(x: Tensor) -> Tensor:
    """With the numbers of a replica one after the other; replicas may share them."""
    return x if x[0].is_contiguous() else x.contiguous()
