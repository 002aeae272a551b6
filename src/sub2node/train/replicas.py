"""The tensors of a network replica by replica: steps, clipping and best states are per replica."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

import torch
from torch import Tensor, nn
from torch.nn.utils import get_total_norm

_OWN = re.compile(r"\.replicas\.(\d+)\.")  # parameters of a custom convolution, not stacked


class Replicas:
    """R models in one network.

    Parameters are stacked, (R, …), except those of custom convolutions, which are one module per
    replica. This class hides the difference.
    """

    def __init__(self, network: nn.Module, count: int) -> None:
        self.network, self.count = network, count
        self.stacked, self.own = [], []
        for name, parameter in network.named_parameters():
            match = _OWN.search(name)
            if match:
                self.own.append((int(match[1]), parameter))
            else:
                self.stacked.append(parameter)

    @cached_property
    def views(self) -> list[list[Tensor]]:
        """The parameters of each replica."""
        return [
            [p.detach()[r] for p in self.stacked] + [p.detach() for s, p in self.own if s == r]
            for r in range(self.count)
        ]

    def clear(self) -> None:
        """Forget all gradients."""
        for parameter in self.network.parameters():
            parameter.grad = None

    def norms(self) -> Tensor:
        """Norm of each replica's gradient; (R,)."""
        present = ([g for g in grads if g is not None] for grads in self.gradients())
        return torch.stack([get_total_norm(grads) for grads in present])

    def gradients(self) -> list[list[Tensor | None]]:
        """The gradients of each replica, as :attr:`views`; None where there is none."""
        return [
            [None if p.grad is None else p.grad[r] for p in self.stacked]
            + [p.grad for s, p in self.own if s == r]
            for r in range(self.count)
        ]

    def clip(self, largest: float) -> None:
        """Shrink the gradients of replicas whose norm is above ``largest``."""
        factor = (largest / (self.norms() + 1e-6)).clamp(max=1.0)
        for p in self.stacked:
            if p.grad is not None:
                p.grad.mul_(factor.view(-1, *(1,) * (p.dim() - 1)))
        for r, p in self.own:
            if p.grad is not None:
                p.grad.mul_(factor[r])

    def tensors(self) -> dict[str, Tensor]:
        """Everything that makes up the networks: parameters, and the statistics of norms."""
        return self.network.state_dict()

    def copy(self, into: dict[str, Tensor], which: Iterable[int]) -> None:
        """Copy the state of some replicas into a dict made from :meth:`tensors`."""
        _copy(self.tensors(), into, list(which))

    def load(self, state: dict[str, Tensor]) -> None:
        """Take over the state of all replicas."""
        _copy(state, self.tensors(), list(range(self.count)))


def _copy(source: dict[str, Tensor], target: dict[str, Tensor], which: list[int]) -> None:
    with torch.no_grad():
        for name, tensor in source.items():
            match = _OWN.search(name)
            if match is None:
                for r in which:
                    target[name][r].copy_(tensor[r])
            elif int(match[1]) in which:
                target[name].copy_(tensor)
