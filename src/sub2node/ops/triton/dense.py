"""Sums of linear maps, Σ own · x + share · x W (+ bias), for all replicas.

Gradients of weights are sums over all rows. Programs sum some rows each and a second pass adds
them, in a fixed order: no atomics, the same result each time.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

from . import second_stream
from .reduce import summed
from .tile_shapes import block, by_replica

# Measured on an H200: rows of a tile, warps, and programs over all replicas.
_ONE, _TWO, _VECTORS, _WEIGHTS = (64, 4, 528), (128, 8, 528), (64, 4, 528), (64, 4, 264)


@cache
def _precision(device: torch.device) -> str:
    """How a product of float32 is done: by six of bfloat16, exact to 2⁻²², where they are quick."""
    if device.type != "cuda" or torch.version.cuda is None:
        return "ieee"
    return "bf16x6" if torch.cuda.get_device_capability(device)[0] >= 8 else "ieee"


@triton.jit
def _tile(x, stride, replica, row, n, width, BK: tl.constexpr):
    """Some rows of a replica."""
    k = tl.arange(0, BK)
    ok = (row < n)[:, None] & (k < width)[None, :]
    places = x + replica * stride + row.to(tl.int64)[:, None] * width + k[None, :]
    return tl.load(places, mask=ok, other=0.0)


@triton.jit
def _matrix(w, stride, replica, rows, columns, BK: tl.constexpr, BN: tl.constexpr):
    """The weights of a replica."""
    k, c = tl.arange(0, BK)[:, None], tl.arange(0, BN)[None, :]
    ok = (k < rows) & (c < columns)
    return tl.load(w + replica * stride + k * columns + c, mask=ok, other=0.0)


@triton.jit
def _store(out, value, replica, row, n, width, BN: tl.constexpr):
    """Some rows of a replica."""
    c = tl.arange(0, BN)
    target = out + replica * n * width + row.to(tl.int64)[:, None] * width + c[None, :]
    tl.store(target, value, mask=(row < n)[:, None] & (c < width)[None, :])


@triton.jit
def _forward(
    x, x_stride, w, w_stride, own, share, k, y, y_stride, v, v_stride, y_own, y_share, k2,
    bias, bias_stride, out, n, width, tiles,
    BM: tl.constexpr, BK: tl.constexpr, BK2: tl.constexpr, BN: tl.constexpr,
    OWN: tl.constexpr, TWO: tl.constexpr, OWN2: tl.constexpr, BIAS: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    replica = tl.program_id(1).to(tl.int64)
    matrix = share * _matrix(w, w_stride, replica, k, width, BK, BN)
    if TWO:
        matrix2 = y_share * _matrix(v, v_stride, replica, k2, width, BK2, BN)
    if BIAS:
        c = tl.arange(0, BN)
        added = tl.load(bias + replica * bias_stride + c, mask=c < width, other=0.0)[None, :]
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        row = tile * BM + tl.arange(0, BM)
        part = _tile(x, x_stride, replica, row, n, k, BK)
        total = tl.dot(part, matrix, input_precision=PRECISION)
        if OWN:
            total += own * part
        if TWO:
            part2 = _tile(y, y_stride, replica, row, n, k2, BK2)
            total = tl.dot(part2, matrix2, total, input_precision=PRECISION)
            if OWN2:
                total += y_own * part2
        if BIAS:
            total += added
        _store(out, total, replica, row, n, width, BN)


@triton.jit
def _vectors(
    grad, grad_stride, w, w_stride, own, share, k, to_x, v, v_stride, y_own, y_share, k2, to_y,
    n, width, tiles, BM: tl.constexpr, BK: tl.constexpr, BK2: tl.constexpr, BN: tl.constexpr,
    OWN: tl.constexpr, OWN2: tl.constexpr, TO_X: tl.constexpr, TO_Y: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    """Gradients of vectors: own · g + share · g Wᵀ."""
    replica = tl.program_id(1).to(tl.int64)
    if TO_X:
        matrix = tl.trans(share * _matrix(w, w_stride, replica, k, width, BK, BN))
    if TO_Y:
        matrix2 = tl.trans(y_share * _matrix(v, v_stride, replica, k2, width, BK2, BN))
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        row = tile * BM + tl.arange(0, BM)
        g = _tile(grad, grad_stride, replica, row, n, width, BN)
        if TO_X:
            product = tl.dot(g, matrix, input_precision=PRECISION)
            _store(to_x, product + own * g if OWN else product, replica, row, n, k, BK)
        if TO_Y:
            product2 = tl.dot(g, matrix2, input_precision=PRECISION)
            _store(to_y, product2 + y_own * g if OWN2 else product2, replica, row, n, k2, BK2)


@triton.jit
def _weights(
    grad, grad_stride, x, x_stride, share, k, part, size, offset, bias_offset, n, width, tiles,
    BM: tl.constexpr, BK: tl.constexpr, BN: tl.constexpr, BIAS: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    """Gradients of weights and bias, summed over a program's tiles: share · xᵀ g."""
    replica, program = tl.program_id(1).to(tl.int64), tl.program_id(0)
    c = tl.arange(0, BN)
    total, to_bias = tl.zeros([BK, BN], tl.float32), tl.zeros([BN], tl.float32)
    for tile in range(program, tiles, tl.num_programs(0)):
        row = tile * BM + tl.arange(0, BM)
        g = _tile(grad, grad_stride, replica, row, n, width, BN)
        vectors = _tile(x, x_stride, replica, row, n, k, BK)
        total = tl.dot(tl.trans(vectors), g, total, input_precision=PRECISION)
        if BIAS:
            to_bias += tl.sum(g, axis=0)
    start = part + (program * tl.num_programs(1) + replica) * size
    j = tl.arange(0, BK)[:, None]
    target = start + offset + j * width + c[None, :]
    tl.store(target, share * total, mask=(j < k) & (c < width)[None, :])
    if BIAS:
        tl.store(start + bias_offset + c, to_bias, mask=c < width)


def _grid(rows: int, replicas: int, shape: tuple[int, int, int]) -> tuple[tuple[int, int], int]:
    """The grid, and how many tiles there are."""
    tiles = triton.cdiv(rows, shape[0])
    return (max(1, min(tiles, shape[2] // replicas)), replicas), tiles


class LinearSum(torch.autograd.Function):
    """One or two terms and a bias; (R, n, K), (R, K, F) … → (R, n, F)."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        own: float,
        share: float,
        y: Tensor | None,
        second: Tensor | None,
        own2: float,
        share2: float,
        bias: Tensor | None,
    ) -> Tensor:
        """(R, n, F)."""
        x, weight = by_replica(x), by_replica(weight)
        y, second = (None if t is None else by_replica(t) for t in (y, second))
        ctx.terms = ((own, share), (own2, share2))
        ctx.save_for_backward(x, weight, y, second)
        (replicas, rows, k), width = x.shape, weight.shape[2]
        out = x.new_empty(replicas, rows, width)
        k2 = k if y is None else y.shape[2]
        shape = _ONE if y is None else _TWO
        grid, tiles = _grid(rows, replicas, shape)
        _forward[grid](
            x, x.stride(0), weight, weight.stride(0), own, share, k,
            x if y is None else y, 0 if y is None else y.stride(0),
            weight if second is None else second, 0 if second is None else second.stride(0),
            own2, share2, k2, x if bias is None else bias, 0 if bias is None else bias.stride(0),
            out, rows, width, tiles,
            BM=shape[0], BK=block(k), BK2=block(k2), BN=block(width), OWN=own != 0,
            TWO=y is not None, OWN2=own2 != 0, BIAS=bias is not None,
            PRECISION=_precision(x.device), num_warps=shape[1],
        )  # fmt: skip
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """To vectors, weights and bias."""
        grad = by_replica(grads[0])
        x, weight, y, second = ctx.saved_tensors
        with (
            second_stream.launch_beside(grad.device, grad, x, y)
            if second_stream.is_allowed(grad.device)
            else nullcontext()
        ):
            parts = LinearSum._to_weights(ctx, grad)
        to_x, to_y = LinearSum._to_vectors(ctx, grad)
        return (
            to_x, None if parts[0] is None else parts[0].unflatten(1, weight.shape[1:]), None, None,
            to_y, None if parts[1] is None else parts[1].unflatten(1, second.shape[1:]), None, None,
            None if parts[2] is None else parts[2].unsqueeze(1),
        )  # fmt: skip

    @staticmethod
    def _to_vectors(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
        x, weight, y, second = ctx.saved_tensors
        (replicas, rows, width), needs = grad.shape, ctx.needs_input_grad
        to_x = x.new_empty(x.shape) if needs[0] else None
        to_y = y.new_empty(y.shape) if needs[4] else None
        if to_x is None and to_y is None:
            return None, None
        (own, share), (own2, share2) = ctx.terms
        other = weight if second is None else second
        grid, tiles = _grid(rows, replicas, _VECTORS)
        _vectors[grid](
            grad, grad.stride(0), weight, weight.stride(0), own, share, weight.shape[1],
            grad if to_x is None else to_x, other, other.stride(0), own2, share2, other.shape[1],
            grad if to_y is None else to_y, rows, width, tiles,
            BM=_VECTORS[0], BK=block(weight.shape[1]), BK2=block(other.shape[1]),
            BN=block(width), OWN=own != 0, OWN2=own2 != 0, TO_X=to_x is not None,
            TO_Y=to_y is not None, PRECISION=_precision(x.device), num_warps=_VECTORS[1],
        )  # fmt: skip
        return to_x, to_y

    @staticmethod
    def _to_weights(ctx: Any, grad: Tensor) -> list[Tensor | None]:
        """Of both terms and the bias; flat, (R, S) each."""
        x, weight, y, second = ctx.saved_tensors
        (replicas, rows, width), needs = grad.shape, ctx.needs_input_grad
        required = [needs[1], needs[5], needs[8]]
        if not any(required):
            return [None, None, None]
        # Room only for what a kernel writes: the rest of a new buffer is whatever was in memory.
        written = [required[0] or required[2], required[1], required[2]]
        numels = [weight[0].numel(), 0 if second is None else second[0].numel(), width]
        sizes = [numel if used else 0 for numel, used in zip(numels, written, strict=True)]
        grid, tiles = _grid(rows, replicas, _WEIGHTS)
        parts = grad.new_empty(grid[0], replicas, sum(sizes))
        for number, vectors in enumerate((x, y)):
            if not written[number]:
                continue
            k = vectors.shape[2]
            _weights[grid](
                grad, grad.stride(0), vectors, vectors.stride(0), ctx.terms[number][1], k, parts,
                sum(sizes), sum(sizes[:number]), sum(sizes[:2]), rows, width, tiles,
                BM=_WEIGHTS[0], BK=block(k), BN=block(width), BIAS=number == 0 and required[2],
                PRECISION=_precision(x.device), num_warps=_WEIGHTS[1],
            )  # fmt: skip
        gradients = summed(parts).split(sizes, dim=1)
        return [part if needed else None for part, needed in zip(gradients, required, strict=True)]
