"""The end of a layer: norm, + skip, ReLU, dropout, in one pass over its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

from .dropout_draws import Draw
from .random import is_kept, keys
from .reduce import summed
from .tile_shapes import block

EPSILON, MOMENTUM = 1e-5, 0.1  # PyTorch's
_TILE, _PROGRAMS = 4096, 132  # numbers per program; programs of a sum over rows, per replica


@triton.jit
def _place(n, width, BM: tl.constexpr, BF: tl.constexpr, tile):
    row = tile * BM + tl.arange(0, BM)
    f = tl.arange(0, BF)
    ok = (row < n)[:, None] & (f < width)[None, :]
    return row.to(tl.int64)[:, None] * width + f[None, :], ok


@triton.jit(do_not_specialize=["site", "threshold"])
def _forward(
    z, z_stride, skip, skip_stride, mean, inverse, gamma, beta, affine_stride, out, mask,
    seeds, step, site, threshold, scale, n, width,
    BM: tl.constexpr, BF: tl.constexpr, NORM: tl.constexpr, SKIP: tl.constexpr, RELU: tl.constexpr,
    DROP: tl.constexpr, MASK: tl.constexpr,
):  # fmt: skip
    replica = tl.program_id(1).to(tl.int64)
    offset, ok = _place(n, width, BM, BF, tl.program_id(0))
    value = tl.load(z + replica * z_stride + offset, mask=ok, other=0.0)
    if NORM:
        f = tl.arange(0, BF)
        low, raised = replica * width + f, replica * affine_stride + f
        centre = tl.load(mean + low, mask=f < width, other=0.0)
        factor = tl.load(inverse + low, mask=f < width, other=0.0)
        factor *= tl.load(gamma + raised, mask=f < width, other=0.0)
        shift = tl.load(beta + raised, mask=f < width, other=0.0)
        value = (value - centre[None, :]) * factor[None, :] + shift[None, :]
    if SKIP:
        value += tl.load(skip + replica * skip_stride + offset, mask=ok, other=0.0)
    passed = ok
    if RELU:
        passed = passed & (value > 0.0)
        value = tl.where(value > 0.0, value, tl.where(value == value, 0.0, value))
    if DROP:
        first, second = keys(seeds, step, site, replica)
        keep = is_kept(offset, first, second, threshold)
        passed = passed & keep
        value *= tl.where(keep, scale, 0.0)
    tl.store(out + replica * n * width + offset, value, mask=ok)
    if MASK:
        tl.store(mask + replica * n * width + offset, passed.to(tl.uint8), mask=ok)


@triton.jit
def _masked_gradient(grad, grad_stride, mask, replica, n, width, offset, ok, scale):
    """The gradient before ReLU and dropout."""
    value = tl.load(grad + replica * grad_stride + offset, mask=ok, other=0.0)
    open_ = tl.load(mask + replica * n * width + offset, mask=ok, other=0)
    return tl.where(open_ > 0, value * scale, 0.0)


@triton.jit
def _backward(
    grad, grad_stride, mask, z, z_stride, mean, inverse, gamma, affine_stride, sums, to_z, to_skip,
    scale, n, width,
    BM: tl.constexpr, BF: tl.constexpr, NORM: tl.constexpr, SKIP: tl.constexpr,
):  # fmt: skip
    replica = tl.program_id(1).to(tl.int64)
    offset, ok = _place(n, width, BM, BF, tl.program_id(0))
    value = _masked_gradient(grad, grad_stride, mask, replica, n, width, offset, ok, scale)
    if SKIP:
        tl.store(to_skip + replica * n * width + offset, value, mask=ok)
    if NORM:
        f = tl.arange(0, BF)
        low = replica * width + f
        centre = tl.load(mean + low, mask=f < width, other=0.0)
        factor = tl.load(inverse + low, mask=f < width, other=0.0)
        to_beta = tl.load(sums + 2 * replica * width + f, mask=f < width, other=0.0)
        to_gamma = tl.load(sums + (2 * replica + 1) * width + f, mask=f < width, other=0.0)
        weight = tl.load(gamma + replica * affine_stride + f, mask=f < width, other=0.0) * factor
        x = tl.load(z + replica * z_stride + offset, mask=ok, other=0.0)
        normed = (x - centre[None, :]) * factor[None, :]
        value = weight[None, :] * (value - to_beta[None, :] / n - normed * (to_gamma / n)[None, :])
    tl.store(to_z + replica * n * width + offset, value, mask=ok)


@triton.jit
def _moments(z, z_stride, part, n, width, tiles, BM: tl.constexpr, BF: tl.constexpr):
    """Mean of some tiles, and the sum of squares around it; tiles are merged as by Chan et al."""
    replica, program = tl.program_id(1).to(tl.int64), tl.program_id(0)
    f = tl.arange(0, BF)
    mean, squares = tl.zeros([BF], tl.float32), tl.zeros([BF], tl.float32)
    count = 0.0
    for tile in range(program, tiles, tl.num_programs(0)):
        offset, ok = _place(n, width, BM, BF, tile)
        value = tl.load(z + replica * z_stride + offset, mask=ok, other=0.0)
        rows = tl.minimum(n - tile * BM, BM).to(tl.float32)
        centre = tl.sum(value, axis=0) / rows
        around = tl.where(ok, value - centre[None, :], 0.0)
        step, merged = centre - mean, count + rows
        squares += tl.sum(around * around, axis=0) + step * (step * (count * rows / merged))
        mean += step * (rows / merged)
        count = merged
    start = part + (replica * tl.num_programs(0) + program) * 2 * width + f
    tl.store(start, mean, mask=f < width)
    tl.store(start + width, squares, mask=f < width)


@triton.jit
def _rows_of(p, programs, tiles, n, BM: tl.constexpr):
    """Rows that a program saw."""
    rows = (tiles - p + programs - 1) // programs * BM
    rows -= tl.where((tiles - 1) % programs == p, tiles * BM - n, 0)
    return tl.where(p < programs, rows, 0).to(tl.float32)[:, None]


@triton.jit
def _statistics(
    part, programs, tiles, mean, inverse, running_mean, running_variance, running_stride,
    n, width, epsilon, momentum, BM: tl.constexpr, BP: tl.constexpr, BF: tl.constexpr,
):  # fmt: skip
    """Mean and 1 / sd of each channel from those of programs; moves the running statistics."""
    replica = tl.program_id(0).to(tl.int64)
    f = tl.program_id(1) * BF + tl.arange(0, BF)
    fine = f < width
    centre, squares = tl.zeros([BF], tl.float32), tl.zeros([BF], tl.float32)
    for done in range(0, programs, BP):
        p = done + tl.arange(0, BP)
        ok = (p < programs)[:, None] & fine[None, :]
        start = part + (replica * programs + p[:, None]) * 2 * width + f[None, :]
        means = tl.load(start, mask=ok, other=0.0)
        centre += tl.sum(means * (_rows_of(p, programs, tiles, n, BM) / n), axis=0)
    for done in range(0, programs, BP):
        p = done + tl.arange(0, BP)
        ok = (p < programs)[:, None] & fine[None, :]
        start = part + (replica * programs + p[:, None]) * 2 * width + f[None, :]
        away = tl.where(ok, tl.load(start, mask=ok, other=0.0) - centre[None, :], 0.0)
        squares += tl.sum(tl.load(start + width, mask=ok, other=0.0), axis=0)
        squares += tl.sum(away * away * _rows_of(p, programs, tiles, n, BM), axis=0)
    variance = squares / n
    tl.store(mean + replica * width + f, centre, mask=fine)
    tl.store(inverse + replica * width + f, 1.0 / tl.sqrt(variance + epsilon), mask=fine)
    offset = replica * running_stride + f
    before = tl.load(running_mean + offset, mask=fine, other=0.0)
    tl.store(running_mean + offset, (1.0 - momentum) * before + momentum * centre, mask=fine)
    before = tl.load(running_variance + offset, mask=fine, other=0.0)
    unbiased = squares / (n - 1.0)
    tl.store(running_variance + offset, (1.0 - momentum) * before + momentum * unbiased, mask=fine)


@triton.jit
def _affine_sums(
    grad, grad_stride, mask, z, z_stride, mean, inverse, part, scale, n, width, tiles,
    BM: tl.constexpr, BF: tl.constexpr,
):  # fmt: skip
    """Sums of the gradient and of gradient · normed z over some tiles: to beta and to gamma."""
    replica, program = tl.program_id(1).to(tl.int64), tl.program_id(0)
    f = tl.arange(0, BF)
    centre = tl.load(mean + replica * width + f, mask=f < width, other=0.0)[None, :]
    factor = tl.load(inverse + replica * width + f, mask=f < width, other=0.0)[None, :]
    one, two = tl.zeros([BF], tl.float32), tl.zeros([BF], tl.float32)
    for tile in range(program, tiles, tl.num_programs(0)):
        offset, ok = _place(n, width, BM, BF, tile)
        value = _masked_gradient(grad, grad_stride, mask, replica, n, width, offset, ok, scale)
        x = tl.load(z + replica * z_stride + offset, mask=ok, other=0.0)
        one += tl.sum(value, axis=0)
        two += tl.sum(value * (x - centre) * factor, axis=0)
    start = part + (program * tl.num_programs(1) + replica) * 2 * width + f
    tl.store(start, one, mask=f < width)
    tl.store(start + width, two, mask=f < width)


@dataclass(frozen=True, eq=False)
class Norm:
    """Statistics of a batch normalisation.

    Args:
        mean: Running mean of each channel; (R, F).
        variance: Running variance of each channel; (R, F).
        training: Normalise by the rows at hand, which move the running statistics.
    """

    mean: Tensor
    variance: Tensor
    training: bool


def _tiles(rows: int, width: int) -> tuple[int, int, int]:
    """Columns of a block, its rows, and how many blocks there are."""
    columns = block(width)
    height = max(1, _TILE // columns)
    return columns, height, triton.cdiv(rows, height)


def _programs(tiles: int) -> int:
    return max(1, min(tiles, _PROGRAMS))


def _statistics_of(z: Tensor, norm: Norm) -> tuple[Tensor, Tensor]:
    """Mean and 1 / sd of each channel; (R, F) each."""
    replicas, rows, width = z.shape
    columns, height, tiles = _tiles(rows, width)
    programs = _programs(tiles)
    parts = z.new_empty(replicas, programs, 2, width)
    _moments[(programs, replicas)](z, z.stride(0), parts, rows, width, tiles, BM=height, BF=columns)
    mean, inverse = z.new_empty(replicas, width), z.new_empty(replicas, width)
    assert norm.mean.stride(0) == norm.variance.stride(0)
    _statistics[(replicas, triton.cdiv(width, 16))](
        parts, programs, tiles, mean, inverse, norm.mean, norm.variance, norm.mean.stride(0),
        rows, width, EPSILON, MOMENTUM, BM=height, BP=256, BF=16,
    )  # fmt: skip
    return mean, inverse


def _draw_arguments(draw: Draw | None, other: Tensor) -> tuple[Tensor, Tensor, int, int, float]:
    """Seeds, step, site, threshold and the factor of what is kept."""
    if draw is None:
        return other, other, 0, 0, 1.0
    return draw.seeds, draw.step, draw.site, draw.threshold, 1 / (1 - draw.share)


class NormReluDropout(torch.autograd.Function):
    """dropout(relu(norm(z) + skip)); each of the four steps is optional."""

    @staticmethod
    def forward(
        ctx: Any,
        z: Tensor,
        skip: Tensor | None,
        weight: Tensor | None,
        bias: Tensor | None,
        norm: Norm | None,
        draw: Draw | None,
        relu: bool,
    ) -> Tensor:
        """(R, n, F) → (R, n, F)."""
        z, skip = z.contiguous(), None if skip is None else skip.contiguous()
        mean = inverse = None
        if norm is not None:
            assert weight is not None
            assert bias is not None
            assert weight.stride(0) == bias.stride(0)
            if norm.training:
                mean, inverse = _statistics_of(z, norm)
            else:
                mean, inverse = norm.mean.contiguous(), (norm.variance + EPSILON).rsqrt()
        out = torch.empty_like(z)
        masked = any(ctx.needs_input_grad[:4])
        mask = torch.empty_like(z, dtype=torch.uint8) if masked else None
        replicas, rows, width = z.shape
        columns, height, tiles = _tiles(rows, width)
        _forward[(tiles, replicas)](
            z, z.stride(0), z if skip is None else skip, 0 if skip is None else skip.stride(0),
            z if mean is None else mean, z if inverse is None else inverse,
            z if weight is None else weight, z if bias is None else bias,
            0 if weight is None else weight.stride(0), out, z if mask is None else mask,
            *_draw_arguments(draw, z), rows, width,
            BM=height, BF=columns, NORM=norm is not None, SKIP=skip is not None, RELU=relu,
            DROP=draw is not None, MASK=masked,
        )  # fmt: skip
        ctx.scale, ctx.skips = _draw_arguments(draw, z)[-1], skip is not None
        ctx.save_for_backward(mask, z if norm is not None else None, mean, inverse, weight)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """To z, skip and the parameters of the norm."""
        grad = grads[0].contiguous()
        mask, z, mean, inverse, weight = ctx.saved_tensors
        replicas, rows, width = grad.shape
        columns, height, tiles = _tiles(rows, width)
        sums = None
        if z is not None:
            programs = _programs(tiles)
            parts = grad.new_empty(programs, replicas, 2, width)
            _affine_sums[(programs, replicas)](
                grad, grad.stride(0), mask, z, z.stride(0), mean, inverse, parts, ctx.scale,
                rows, width, tiles, BM=height, BF=columns,
            )  # fmt: skip
            sums = summed(parts)
        to_z = torch.empty_like(grad)
        separate_skip = ctx.skips and sums is not None
        to_skip = torch.empty_like(grad) if separate_skip else (to_z if ctx.skips else None)
        _backward[(tiles, replicas)](
            grad, grad.stride(0), mask, grad if z is None else z,
            grad.stride(0), grad if mean is None else mean, grad if inverse is None else inverse,
            grad if weight is None else weight, 0 if weight is None else weight.stride(0),
            grad if sums is None else sums, to_z, grad if to_skip is None else to_skip,
            ctx.scale, rows, width,
            BM=height, BF=columns, NORM=z is not None, SKIP=separate_skip,
        )  # fmt: skip
        to_weight, to_bias = (None, None) if sums is None else (sums[:, 1], sums[:, 0])
        return to_z, to_skip, to_weight, to_bias, None, None, None
