"""Dense layers over a replica axis: each replica has its own weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import batch_norm

from ..ops import triton as kernels
from .streams import Init, Streams


def matmul(x: Tensor, weight: Tensor, plus: Tensor | None = None) -> Tensor:
    """x W + b of each replica; (R, n, in), (R, in, out), (R, 1 or n, out) → (R, n, out).

    On the CPU replicas are multiplied one by one, which costs no more than a batch and makes each
    result independent, to the last bit, of how many others there are.
    """
    if x.is_cuda:
        return torch.bmm(x, weight) if plus is None else torch.baddbmm(plus, x, weight)
    return _MatMul.apply(x, weight, plus)  # type: ignore[no-any-return,no-untyped-call]


class _MatMul(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, plus: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.broadcast = plus is not None and plus.shape[1] == 1 and x.shape[1] != 1
        out = x.new_empty(len(x), x.shape[1], weight.shape[2])
        for r, part in enumerate(out):
            if plus is None:
                torch.mm(x[r], weight[r], out=part)
            else:
                torch.addmm(plus[r], x[r], weight[r], out=part)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (grad,), (x, weight) = grads, ctx.saved_tensors
        to_x = to_weight = to_plus = None
        if ctx.needs_input_grad[0]:
            to_x = torch.empty(x.shape, dtype=x.dtype)
            for g, w, part in zip(grad, weight, to_x, strict=True):
                torch.mm(g, w.T, out=part)
        if ctx.needs_input_grad[1]:
            to_weight = torch.empty_like(weight)
            for g, rows, part in zip(grad, x, to_weight, strict=True):
                torch.mm(rows.T, g, out=part)
        if ctx.needs_input_grad[2]:
            to_plus = grad
            if ctx.broadcast:
                to_plus = torch.stack([g.sum(0, keepdim=True) for g in grad])
        return to_x, to_weight, to_plus


class Mapped(NamedTuple):
    """times · (own · x + share · x W); (R, n, in), (R, in, out)."""

    x: Tensor
    weight: Tensor
    own: float = 0.0
    share: float = 1.0
    times: float = 1.0

    @property
    def kernel_arguments(self) -> tuple[Tensor, Tensor, float, float]:
        """Inputs, weights and the two factors, as kernels take them."""
        return self.x, self.weight, self.times * self.own, self.times * self.share


def combine(first: Mapped, second: Mapped | None = None, bias: Tensor | None = None) -> Tensor:
    """Sum of one or two linear maps, and a bias (R, 1, out); (R, n, out)."""
    x, weight = first[:2]
    widths = (*weight.shape[1:], 0 if second is None else second.weight.shape[1])
    fast = kernels.use_triton(x) and x.shape[1] > 0
    if fast and second is not None and max(widths) > kernels.WIDEST // 2:
        return combine(first, bias=bias) + combine(second)  # two matrices would not fit
    if fast and max(widths) <= kernels.WIDEST:
        other = (None, None, 0.0, 1.0) if second is None else second.kernel_arguments
        from ..ops.triton.dense import LinearSum

        return LinearSum.apply(*first.kernel_arguments, *other, bias)  # type: ignore[no-any-return,no-untyped-call]
    plus = bias if second is None else matmul(second.x, _mixed(second), bias)
    return matmul(x, _mixed(first), plus)


def _mixed(part: Mapped) -> Tensor:
    """times · (own · I + share · W): the vectors themselves are mixed in where it costs nothing."""
    _, weight, own, share, times = part
    mixed = weight if share == 1 else share * weight
    if own:
        mixed = mixed + torch.eye(weight.shape[-1], device=weight.device) * own
    return mixed if times == 1 else times * mixed


class ReplicaLinear(nn.Module):
    """x W + b with W (R, in, out); initialised as ``torch.nn.Linear``, or W by Glorot."""

    def __init__(
        self, width_in: int, width_out: int, init: Init, *, glorot: bool = False, bias: bool = True
    ) -> None:
        super().__init__()
        bound = 1 / math.sqrt(width_in)
        self.weight = (
            init.glorot(width_in, width_out)
            if glorot
            else init.uniform(width_in, width_out, bound=bound)
        )
        self.bias = init.uniform(1, width_out, bound=bound) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        """(R, n, in) → (R, n, out)."""
        return combine(Mapped(x, self.weight), bias=self.bias)


class BatchNorm(nn.Module):
    """Batch normalisation of each replica and channel over the nodes."""

    mean: Tensor
    variance: Tensor

    def __init__(self, width: int, init: Init) -> None:
        super().__init__()
        self.weight, self.bias = init.ones(width), init.zeros(width)
        self.register_buffer("mean", torch.zeros(len(init), width))
        self.register_buffer("variance", torch.ones(len(init), width))

    def forward(self, x: Tensor) -> Tensor:
        """(R, n, F) → (R, n, F)."""
        training = self.training and x.shape[1] > 1  # one node has no spread to divide by
        replicas = zip(x, self.mean, self.variance, self.weight, self.bias, strict=True)
        return torch.stack(
            [batch_norm(part, m, v, w, b, training=training) for part, m, v, w, b in replicas]
        )


class Dropout(nn.Module):
    """Channels dropped at random, by the replicas' own streams; the rest scaled up."""

    def __init__(self, share: float, streams: Streams) -> None:
        super().__init__()
        self.share, self.streams = share, streams

    def forward(self, x: Tensor) -> Tensor:
        """(R, n, F) → (R, n, F)."""
        if not self.training or not self.share:
            return x
        if kernels.use_triton(x) and x.numel():
            from ..ops.triton.norm_relu_dropout import NormReluDropout

            draw = self.streams.draw(self.share)
            flat = x.reshape(len(x), -1, x.shape[-1])
            dropped = NormReluDropout.apply(  # type: ignore[no-untyped-call]
                flat, None, None, None, None, draw, False
            )
            return dropped.view(x.shape)  # type: ignore[no-any-return]
        return x * self._mask(x)

    def after_relu(self, x: Tensor) -> Tensor:
        """ReLU and then dropout, in one, in place; (R, n, F) → (R, n, F)."""
        if not self.training or not self.share:
            return torch.relu_(x)
        return _ReluDropout.apply(  # type: ignore[no-any-return,no-untyped-call]
            x, self._mask(x), 1 / (1 - self.share)
        )

    def _mask(self, x: Tensor) -> Tensor:
        return self.streams.keep(self.share, *x.shape[1:]).mul_(1 / (1 - self.share))


def finish(
    z: Tensor, skip: Callable[[], Tensor] | None, norm: BatchNorm | None, dropout: Dropout
) -> Tensor:
    """What ends a layer: dropout(relu(norm(z) + skip())); ``z`` may be overwritten."""
    plain_norm = norm is not None and (torch.is_grad_enabled() != norm.training or z.shape[1] == 1)
    if kernels.use_triton(z) and z.numel() and not plain_norm:
        from ..ops.triton.norm_relu_dropout import Norm, NormReluDropout

        dropping = dropout.training and dropout.share
        draw = dropout.streams.draw(dropout.share) if dropping else None
        weight = bias = statistics = None
        if norm is not None:
            weight, bias = norm.weight, norm.bias
            statistics = Norm(norm.mean, norm.variance, training=norm.training)
        return NormReluDropout.apply(  # type: ignore[no-any-return,no-untyped-call]
            z, None if skip is None else skip(), weight, bias, statistics, draw, True
        )
    if norm is not None:
        z = norm(z)
    return dropout.after_relu(z if skip is None else z + skip())


class _ReluDropout(torch.autograd.Function):
    """max(x, 0) · mask; the result is positive exactly where the gradient passes."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, mask: Tensor, scale: float) -> Tensor:
        out = x.relu_().mul_(mask)
        ctx.mark_dirty(out)
        ctx.scale = scale
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (out,) = ctx.saved_tensors
        return torch.ops.aten.threshold_backward(grads[0], out, 0).mul_(ctx.scale), None, None
