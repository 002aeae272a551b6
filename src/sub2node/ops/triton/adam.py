"""Adam with weight decay, clipping and a learning rate for each replica, in two passes."""

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl
from torch import Tensor

_BLOCK, _PARTS = 1024, 128
BETA1, BETA2, EPSILON = tl.constexpr(0.9), tl.constexpr(0.999), tl.constexpr(1e-8)  # PyTorch's
LOG1, LOG2 = tl.constexpr(math.log(0.9)), tl.constexpr(math.log(0.999))


@triton.jit
def _squares(grad, stride, part, part_stride, size, BLOCK: tl.constexpr):
    """Sum of squares of some numbers of a replica."""
    replica, program = tl.program_id(1).to(tl.int64), tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(program * BLOCK, size, tl.num_programs(0) * BLOCK):
        i = start + tl.arange(0, BLOCK)
        value = tl.load(grad + replica * stride + i, mask=i < size, other=0.0)
        total += value * value
    tl.store(part + replica * part_stride + program, tl.sum(total))


@triton.jit
def _step(
    value, grad, grad_stride, one, two, rate, count, part, part_stride, parts, clip, decay, size,
    BLOCK: tl.constexpr, PARTS: tl.constexpr, CLIP: tl.constexpr,
):  # fmt: skip
    """One step of the numbers of a replica."""
    replica = tl.program_id(1).to(tl.int64)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok, offset = i < size, replica * size + i
    g = tl.load(grad + replica * grad_stride + i, mask=ok, other=0.0)
    if CLIP:
        p = tl.arange(0, PARTS)
        squares = tl.load(part + replica * part_stride + p, mask=p < parts, other=0.0)
        factor = clip / (tl.sqrt(tl.sum(squares)) + 1e-6)
        g *= tl.where(factor < 1.0, factor, tl.where(factor == factor, 1.0, factor))
    x = tl.load(value + offset, mask=ok, other=0.0)
    g += decay * x
    first = tl.load(one + offset, mask=ok, other=0.0)
    first += (1.0 - BETA1) * (g - first)
    second = tl.load(two + offset, mask=ok, other=0.0)
    second = BETA2 * second + (1.0 - BETA2) * g * g
    steps = tl.load(count).to(tl.float64)
    left1 = (1.0 - tl.exp(steps * LOG1)).to(tl.float32)
    left2 = (1.0 - tl.exp(steps * LOG2)).to(tl.float32)
    speed = tl.load(rate + replica).to(tl.float32) / left1
    change = speed * first / (tl.sqrt(second) / tl.sqrt(left2) + EPSILON)
    tl.store(value + offset, x - change, mask=ok)
    tl.store(one + offset, first, mask=ok)
    tl.store(two + offset, second, mask=ok)


@triton.jit
def _keep(source, target, better, size, BLOCK: tl.constexpr):
    """Copy the numbers of replicas that are better."""
    replica = tl.program_id(1).to(tl.int64)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < tl.where(tl.load(better + replica) > 0, size, 0)
    value = tl.load(source + replica * size + i, mask=ok, other=0.0)
    tl.store(target + replica * size + i, value, mask=ok)


def adam(
    slabs: list[tuple[Tensor, Tensor, Tensor, Tensor]],
    rate: Tensor,
    count: Tensor,
    *,
    clip: float,
    decay: float,
) -> None:
    """One step of all replicas, in place.

    Args:
        slabs: Values, gradients and both moments; (R, S) each.
        rate: Learning rates; float64 (R,).
        count: How many steps there have been, this one included; ().
        clip: Largest norm of a replica's gradient over all slabs; 0: no limit.
        decay: Weight decay.
    """
    replicas = len(rate)
    counts = [min(_PARTS, triton.cdiv(grad.shape[1], _BLOCK)) for _, grad, *_ in slabs]
    parts = rate.new_empty(replicas, sum(counts) if clip else 0, dtype=torch.float32)
    if clip:
        views = parts.split(counts, dim=1)
        for (_, grad, *_), view in zip(slabs, views, strict=True):
            _squares[(view.shape[1], replicas)](
                grad, grad.stride(0), view, parts.stride(0), grad.shape[1], BLOCK=_BLOCK
            )
    for value, grad, one, two in slabs:
        size = value.shape[1]
        _step[(triton.cdiv(size, _BLOCK), replicas)](
            value, grad, grad.stride(0), one, two, rate, count, parts, parts.stride(0),
            parts.shape[1], clip, decay, size,
            BLOCK=_BLOCK, PARTS=triton.next_power_of_2(max(1, parts.shape[1])), CLIP=clip > 0,
        )  # fmt: skip


def keep(source: Tensor, target: Tensor, better: Tensor) -> None:
    """Copy the rows of ``source`` that are better, bool (R,), into ``target``; (R, S) each."""
    _keep[(triton.cdiv(source.shape[1], _BLOCK), len(source))](
        source, target, better.view(torch.uint8), source.shape[1], BLOCK=_BLOCK
    )
