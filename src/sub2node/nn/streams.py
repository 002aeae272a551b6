"""Random numbers of replicas: each has its own streams, whoever trains beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn


def _generator(seed: int, purpose: int, device: Any) -> torch.Generator:
    state = np.random.SeedSequence([seed, purpose]).generate_state(1, np.uint64)
    return torch.Generator(device).manual_seed(int(state[0] >> 1))


class Init:
    """Initial values of parameters, stacked over replicas; always drawn on the CPU."""

    def __init__(self, seeds: Sequence[int]) -> None:
        self.seeds = tuple(seeds)
        self._generators = [_generator(seed, 0, "cpu") for seed in self.seeds]

    def __len__(self) -> int:
        return len(self.seeds)

    def uniform(self, *shape: int, bound: float) -> nn.Parameter:
        """U(-bound, bound); (R, *shape)."""
        return nn.Parameter(
            torch.stack(
                [
                    torch.empty(shape).uniform_(-bound, bound, generator=stream)
                    for stream in self._generators
                ]
            )
        )

    def glorot(self, *shape: int, fans: int | None = None) -> nn.Parameter:
        """Glorot's uniform distribution; ``fans`` is fan-in plus fan-out, else of the shape."""
        total = sum(shape[-2:]) if fans is None else fans
        return self.uniform(*shape, bound=math.sqrt(6 / total))

    def normal(self, *shape: int, scale: float) -> Tensor:
        """N(0, scale²); (R, *shape)."""
        return torch.stack(
            [torch.randn(shape, generator=stream) * scale for stream in self._generators]
        )

    def zeros(self, *shape: int) -> nn.Parameter:
        """(R, *shape)."""
        return nn.Parameter(torch.zeros(len(self), *shape))

    def ones(self, *shape: int) -> nn.Parameter:
        """(R, *shape)."""
        return nn.Parameter(torch.ones(len(self), *shape))

    def integers(self) -> list[int]:
        """A seed a replica, for what draws from a generator that is not ours."""
        return [int(torch.randint(2**62, (), generator=g)) for g in self._generators]


class Streams:
    """What is dropped while training: bits from each replica's own generator."""

    def __init__(self, seeds: Sequence[int], device: Any = "cpu") -> None:
        self.generators = [_generator(seed, 1, device) for seed in seeds]
        self.device = torch.device(device)

    def keep(self, share: float, *shape: int) -> Tensor:
        """Booleans, False with probability ``share`` (to 1/65536); (R, *shape)."""
        size = math.prod(shape)
        words = torch.empty(
            len(self.generators), -(-size // 4), dtype=torch.int64, device=self.device
        )
        for part, stream in zip(words, self.generators, strict=True):
            part.random_(-(2**63), None, generator=stream)
        bits = words.view(torch.int16)[:, :size]
        return (bits >= round(share * 2**16) - 2**15).view(-1, *shape)

    def integers(self) -> list[int]:
        """A seed a replica, for what draws from a generator that is not ours."""
        size = {"generator": None, "device": self.device}
        return [
            int(torch.randint(2**62, (), **{**size, "generator": g}))  # type: ignore[call-overload]
            for g in self.generators
        ]

    def state(self) -> Tensor:
        """All states, to go on from later; uint8 (R, K)."""
        return torch.stack([stream.get_state() for stream in self.generators])

    def restore(self, state: Tensor) -> None:
        """Go on from what :meth:`state` gave."""
        for stream, part in zip(self.generators, state, strict=True):
            stream.set_state(part.cpu().contiguous())
