"""Random bits without a state: a function of seed, step, place of use and position.

Whatever runs beside it, and in whichever order, a replica gets the same bits, so nothing has to be
stored between a forward and a backward pass, and a step can be replayed as a CUDA graph. Two rounds
of a 32-bit mixer (``lowbias32``), each with a key of its own. Here in plain PyTorch; in
:mod:`.random` for kernels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

WORD = 2**32 - 1
GOLDEN, SECOND = 0x1E3779B9, 0x5BD1E995  # odd constants that tell steps, sites and keys apart


@dataclass(frozen=True, eq=False)
class Draw:
    """Numbers of which each is kept with probability 1 - ``share``, others in every step.

    Args:
        seeds: One seed per replica; int64 (R,).
        step: The number of the training step; int64 ().
        site: The number of the draw within the step.
        share: Fraction that is dropped.
    """

    seeds: Tensor
    step: Tensor
    site: int
    share: float

    @property
    def threshold(self) -> int:
        """A number is kept if the upper 31 of its 32 bits are at least this."""
        return round(self.share * 2**31)

    def keep(self, *shape: int) -> Tensor:
        """Float32 ones and zeros; (R, *shape)."""
        first, second = (key[:, None] for key in self._keys())
        place = torch.arange(math.prod(shape), device=self.seeds.device)
        words = mixed((mixed(place ^ first) + second) & WORD)
        return (words >> 1 >= self.threshold).float().view(len(self.seeds), *shape)

    def _keys(self) -> tuple[Tensor, Tensor]:
        """(R,) each."""
        low, high = self.seeds & WORD, (self.seeds >> 32) & WORD
        first = mixed((mixed((low + self.step * GOLDEN) & WORD) ^ high) + self.site * SECOND & WORD)
        return first, mixed(first ^ SECOND)


def mixed(x: Tensor) -> Tensor:
    """A bijection of 32-bit words that changes about half of the bits; int64, below 2³²."""
    x = ((x ^ x >> 16) * 0x7FEB352D) & WORD
    x = ((x ^ x >> 15) * 0x846CA68B) & WORD
    return x ^ x >> 16
