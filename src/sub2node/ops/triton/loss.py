"""Mean loss of each replica, with its gradient in the same pass."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

_ROWS = 64


@triton.jit
def _losses(
    logits, stride, labels, labels_stride, loss, slope, n, classes, divisor,
    BM: tl.constexpr, BC: tl.constexpr, BINARY: tl.constexpr,
):  # fmt: skip
    """Loss of each row and its gradient: cross-entropy, or binary cross-entropy."""
    replica = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.arange(0, BC)
    inside = row < n
    ok = inside[:, None] & (c < classes)[None, :]
    offset = row.to(tl.int64)[:, None] * classes + c[None, :]
    if BINARY:
        x = tl.load(logits + replica * stride + offset, mask=ok, other=0.0)
        y = tl.load(labels + replica * labels_stride + offset, mask=ok, other=0.0)
        small = tl.exp(-tl.abs(x))
        losses = tl.maximum(x, 0.0) - x * y + tl.log(1.0 + small)
        losses = tl.where(x == x, losses, x)
        chance = tl.where(x >= 0.0, 1.0, small) / (1.0 + small)
        gradient = (tl.where(x == x, chance, x) - y) / divisor
        total = tl.sum(tl.where(ok, losses, 0.0), axis=1)
    else:
        x = tl.load(logits + replica * stride + offset, mask=ok, other=-float("inf"))
        y = tl.load(labels + replica * labels_stride + row, mask=inside, other=0)
        top = tl.max(tl.where(ok, x, -float("inf")), axis=1)
        top = tl.where(inside, top, 0.0)
        raised = tl.where(ok, tl.exp(x - top[:, None]), 0.0)
        below = tl.where(inside, tl.sum(raised, axis=1), 1.0)
        right = (c[None, :] == y[:, None]) & ok
        chosen = tl.sum(tl.where(right, x, 0.0), axis=1)
        total = tl.log(below) - (chosen - top)
        share = raised / below[:, None]
        gradient = (share - tl.where(right, 1.0, 0.0)) / divisor
    tl.store(loss + replica * n + row, total / divisor, mask=inside)
    tl.store(slope + replica * n * classes + offset, gradient, mask=ok)


class Losses(torch.autograd.Function):
    """(R, m, C) and labels (m,), (m, C), (R, m) or (R, m, C) → (R,)."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, labels: Tensor, own: bool) -> Tensor:
        """Mean over subgraphs, and over classes where labels are zeros and ones."""
        logits, labels = logits.contiguous(), labels.contiguous()
        replicas, rows, classes = logits.shape
        binary = labels.dim() - own == 2
        loss, slope = logits.new_empty(replicas, rows), torch.empty_like(logits)
        _losses[(triton.cdiv(rows, _ROWS), replicas)](
            logits, logits.stride(0), labels, labels.stride(0) if own else 0, loss, slope, rows,
            classes, float(rows * classes if binary else rows),
            BM=_ROWS, BC=max(2, triton.next_power_of_2(classes)), BINARY=binary,
        )  # fmt: skip
        ctx.save_for_backward(slope)
        return loss.sum(1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """To the logits."""
        (slope,) = ctx.saved_tensors
        return slope * grads[0][:, None, None], None, None
