"""Random numbers of replicas: each has its own streams, whoever trains beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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

    def glorot(self, *shape: int) -> nn.Parameter:
        """Glorot's uniform distribution, by the last two dimensions; (R, *shape)."""
        return self.uniform(*shape, bound=math.sqrt(6 / sum(shape[-2:])))

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
    """What is dropped while training: bits from each replica's own generator.

    On the CPU they are NumPy's SFC64, three times quicker than PyTorch's Mersenne twister.
    """

    def __init__(self, seeds: Sequence[int], device: Any = "cpu") -> None:
        self.seeds, self.device = tuple(seeds), torch.device(device)
        self._sources: list[Any] = [
            np.random.SFC64(np.random.SeedSequence([seed, 1]))
            if self.device.type == "cpu"
            else _generator(seed, 1, device)
            for seed in seeds
        ]

    def keep(self, share: float, *shape: int) -> Tensor:
        """Float32 ones, and zeros with probability ``share`` (to 1/65536); (R, *shape)."""
        keep = torch.empty(len(self.seeds), math.prod(shape), device=self.device)
        self._fill(keep, share)
        return keep.view(len(self.seeds), *shape)

    def keep_rows(self, share: float, counts: Sequence[int], width: int) -> Tensor:
        """The same for rows that replicas have different numbers of; (Σ counts, width)."""
        keep = torch.empty(sum(counts), width, device=self.device)
        self._fill([part.view(-1) for part in torch.split(keep, list(counts))], share)
        return keep

    def _fill(self, parts: Iterable[Tensor], share: float) -> None:
        """Ones and zeros into one flat part a replica."""
        least = round(share * 2**16) - 2**15
        for part, source in zip(parts, self._sources, strict=True):
            size = len(part)
            if self.device.type == "cpu":  # NumPy compares, torch converts: the quicker of each
                kept = source.random_raw(-(-size // 4)).view(np.int16)[:size] >= least
                part.copy_(torch.from_numpy(kept.view(np.uint8)))
            else:
                words = torch.empty(-(-size // 4), dtype=torch.int64, device=self.device)
                words.random_(-(2**63), None, generator=source)
                part.copy_(words.view(torch.int16)[:size] >= least)

    def integers(self) -> list[int]:
        """A seed a replica, for what draws from a generator that is not ours."""
        if self.device.type == "cpu":
            return [int(source.random_raw()) >> 2 for source in self._sources]
        return [
            int(torch.randint(2**62, (), generator=source, device=self.device))
            for source in self._sources
        ]

    def state(self) -> Tensor:
        """All states, to go on from later; uint8 (R, K)."""
        if self.device.type != "cpu":
            return torch.stack([source.get_state() for source in self._sources])
        states = [source.state["state"]["state"] for source in self._sources]
        return torch.from_numpy(np.array(states, dtype=np.uint64).view(np.uint8))

    def restore(self, state: Tensor) -> None:
        """Go on from what :meth:`state` gave."""
        for source, part in zip(self._sources, state.cpu().contiguous(), strict=True):
            if self.device.type != "cpu":
                source.set_state(part)
            else:
                whole = source.state
                whole["state"]["state"] = part.numpy().view(np.uint64).copy()
                source.state = whole
