"""Normalisation of the channels of all nodes by a learned share of their mean.

GraphNorm (Cai et al. 2021, https://proceedings.mlr.press/v139/cai21e.html) of one graph.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

_CHUNK = 4096  # rows whose sums are made while they are in cache
_LEAST = 1e-5  # added to a variance


class _Standardise(torch.autograd.Function):
    """(x - s m) / √(v + ε) by channel: m the mean over rows, v that of (x - s m)²."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, share: Tensor) -> Tensor:
        mean, squares = x.mean(0), torch.zeros_like(share)
        result, away = torch.empty_like(x), share * mean
        for rows, part in zip(_chunks(x), _chunks(result), strict=True):
            torch.sub(rows, away, out=part)
            squares += part.square().sum(0)
        rate = torch.rsqrt(squares / len(x) + _LEAST)
        result *= rate
        ctx.save_for_backward(result, share, mean, rate)
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor]:
        (grad,), (result, share, mean, rate) = grads, ctx.saved_tensors
        size = len(result)
        inner = torch.zeros_like(share)  # what reaches the variance
        for part, of_part in zip(_chunks(result), _chunks(grad), strict=True):
            inner += (part * of_part).sum(0)
        # Of x - s m: rate · (grad - result · inner / N); it reaches x, and by the mean all rows.
        to_centred = (grad.sum(0) - result.sum(0) * inner / size) * rate
        to_x = torch.addcmul(grad, result, inner / size, value=-1.0)
        to_x -= share * to_centred / (size * rate)
        to_x *= rate
        return to_x, -mean * to_centred


class NodeNorm(nn.Module):
    """Channels of all nodes brought to a learned share of their mean and to variance 1."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.share, self.scale = nn.Parameter(torch.ones(width)), nn.Parameter(torch.ones(width))
        self.shift = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        """Of all nodes, (N, width)."""
        return torch.addcmul(self.shift, self.standard(x), self.scale)

    def standard(self, x: Tensor) -> Tensor:
        """Before scale and shift."""
        return _Standardise.apply(x, self.share)  # type: ignore[no-any-return,no-untyped-call]


def _chunks(x: Tensor) -> list[Tensor]:
    return [x[first : first + _CHUNK] for first in range(0, len(x), _CHUNK)]
