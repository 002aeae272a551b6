"""Random numbers of replicas: each has its own streams, whoever trains beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from ..ops.triton.dropout_draws import Draw

_PLACES = 2**20  # draws of a step are fewer


def _generator(seed: int, purpose: int, device: torch.device | str) -> torch.Generator:
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

    def zeros(self, *shape: int) -> nn.Parameter:
        """(R, *shape)."""
        return nn.Parameter(torch.zeros(len(self), *shape))

    def ones(self, *shape: int) -> nn.Parameter:
        """(R, *shape)."""
        return nn.Parameter(torch.ones(len(self), *shape))

    def integers(self) -> list[int]:
        """One seed per replica, for code that draws from a generator of its own."""
        return [int(torch.randint(2**62, (), generator=g)) for g in self._generators]


class Streams:
    """What is dropped while training: bits of each replica's own.

    On the CPU they come from NumPy's SFC64, one generator per replica, three times quicker than
    PyTorch's Mersenne twister. On a GPU they are a function of seed, step and place of use
    (:mod:`sub2node.ops.triton.dropout_draws`), which kernels compute on the way.

    Args:
        seeds: One seed per replica.
        device: Device that the bits are for.
        counted: Whether bits are a function of their place, as on a GPU; default: on a GPU.
    """

    def __init__(
        self,
        seeds: Sequence[int],
        device: torch.device | str = "cpu",
        *,
        counted: bool | None = None,
    ) -> None:
        self.seeds, self.device = tuple(seeds), torch.device(device)
        self.counted = self.device.type != "cpu" if counted is None else counted
        sequences = [np.random.SeedSequence([seed, 1]) for seed in seeds]
        self._sources = [] if self.counted else [np.random.SFC64(s) for s in sequences]
        keys = np.array([s.generate_state(1, np.uint64)[0] for s in sequences], np.uint64)
        self._keys = torch.from_numpy(keys.view(np.int64)).to(self.device)
        self._step = torch.zeros((), dtype=torch.int64, device=self.device)
        self._site = self._places = 0

    def begin(self) -> None:
        """A new step begins."""
        if self.counted:
            self._step += 1
            self._site = 0

    def place(self) -> int:
        """A number for a draw that is made once in each step, at whatever time."""
        self._places += 1
        return _PLACES + self._places

    def draw(self, share: float, site: int = 0) -> Draw:
        """Which numbers are kept, to be computed where they are needed.

        Args:
            share: Probability that a number is dropped.
            site: A number from :meth:`place`; by default the next one of this step.
        """
        self._site += not site
        return Draw(self._keys, self._step, site or self._site, share)

    def keep(self, share: float, *shape: int, site: int = 0) -> Tensor:
        """Float32 ones, and zeros with probability ``share`` (to 1/65536); (R, *shape)."""
        if self.counted:
            return self.draw(share, site).keep(*shape)
        keep = torch.empty(len(self.seeds), math.prod(shape))
        self._fill(keep, share)
        return keep.view(len(self.seeds), *shape)

    def keep_rows(self, share: float, counts: Sequence[int], width: int) -> Tensor:
        """The same for rows that replicas have different numbers of; (Σ counts, width)."""
        if self.counted:
            keep = self.draw(share).keep(max(counts), width)
            return torch.cat([part[:count] for part, count in zip(keep, counts, strict=True)])
        keep = torch.empty(sum(counts), width)
        self._fill([part.view(-1) for part in torch.split(keep, list(counts))], share)
        return keep

    def _fill(self, parts: Iterable[Tensor], share: float) -> None:
        """Ones and zeros into one flat part per replica: NumPy compares, torch converts."""
        least = round(share * 2**16) - 2**15
        for part, source in zip(parts, self._sources, strict=True):
            size = len(part)
            keep = source.random_raw(-(-size // 4)).view(np.int16)[:size] >= least
            part.copy_(torch.from_numpy(keep.view(np.uint8)))

    def integers(self) -> list[int]:
        """One seed per replica, for code that draws from a generator of its own."""
        if not self.counted:
            return [int(source.random_raw()) >> 2 for source in self._sources]
        self._site += 1
        place = [int(self._step), self._site]
        states = [np.random.SeedSequence([seed, 2, *place]) for seed in self.seeds]
        return [int(state.generate_state(1, np.uint64)[0] >> 2) for state in states]

    def state(self) -> Tensor:
        """Where all replicas stand, to go on from later."""
        if self.counted:
            return torch.stack([self._step, torch.full_like(self._step, self._site)]).cpu()
        states = [source.state["state"]["state"] for source in self._sources]
        return torch.from_numpy(np.array(states, dtype=np.uint64).view(np.uint8))

    def restore(self, state: Tensor) -> None:
        """Go on from what :meth:`state` gave."""
        if self.counted:
            self._step.copy_(state[0])
            self._site = int(state[1])
            return
        for source, part in zip(self._sources, state.cpu().contiguous(), strict=True):
            full = source.state
            full["state"]["state"] = part.numpy().view(np.uint64).copy()
            source.state = full
