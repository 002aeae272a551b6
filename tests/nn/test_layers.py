"""Dense layers, batch norm and dropout against PyTorch's."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn.functional import linear

from sub2node.nn.layers import BatchNorm, Dropout, ReplicaLinear
from sub2node.nn.streams import Init, Streams

SEEDS = (7, 8)


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 4), st.booleans())
def test_linear_is_torchs_for_each_replica(width: int, out: int, size: int, bias: bool) -> None:
    layer, x = ReplicaLinear(width, out, Init(SEEDS), bias=bias), drawn(2, size, width)
    result = layer(x)
    for r in range(2):
        own = None if layer.bias is None else layer.bias[r, 0]
        torch.testing.assert_close(result[r], linear(x[r], layer.weight[r].T, own))
    assert (layer.bias is None) != bias


@pytest.mark.parametrize("glorot", [False, True])
def test_linear_starts_uniform_within_its_bound(glorot: bool) -> None:
    layer = ReplicaLinear(100, 44, Init(SEEDS), glorot=glorot)
    bound = math.sqrt(6 / 144) if glorot else 1 / math.sqrt(100)
    for values, limit in ((layer.weight, bound), (layer.bias, 0.1)):
        assert values is not None
        assert values.abs().max() <= limit
        assert values.abs().max() > 0.95 * limit
        assert abs(values.mean()) < 0.1 * limit
    assert layer.weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.03)


@given(st.integers(2, 6), st.integers(1, 4), st.integers(1, 3))
def test_batch_norm_is_torchs_for_each_replica(size: int, width: int, steps: int) -> None:
    ours, theirs = BatchNorm(width, Init(SEEDS)), [nn.BatchNorm1d(width) for _ in SEEDS]
    with torch.no_grad():
        ours.weight.copy_(drawn(2, width, seed=1))
        ours.bias.copy_(drawn(2, width, seed=2))
        for r, norm in enumerate(theirs):
            norm.weight.copy_(ours.weight[r])
            norm.bias.copy_(ours.bias[r])
    for step in range(steps):
        x, above = drawn(2, size, width, seed=step) * 3 + 1, drawn(2, size, width, seed=99)
        x.requires_grad_()
        result = ours(x)
        inputs = (x, ours.weight, ours.bias)
        grads = torch.autograd.grad(result, inputs, above)
        for r, norm in enumerate(theirs):
            expected = norm(x[r])
            torch.testing.assert_close(result[r], expected)
            wanted = torch.autograd.grad(expected, (x, norm.weight, norm.bias), above[r])
            torch.testing.assert_close(grads[0][r], wanted[0][r], atol=1e-4, rtol=1e-4)
            torch.testing.assert_close((grads[1][r], grads[2][r]), wanted[1:])
            torch.testing.assert_close(ours.mean[r], norm.running_mean)
            torch.testing.assert_close(ours.variance[r], norm.running_var)
    ours.eval()
    x = drawn(2, 1, width, seed=50)
    for r, norm in enumerate(theirs):
        torch.testing.assert_close(ours(x)[r], norm.eval()(x[r]))


def test_batch_norm_of_one_row_uses_and_keeps_the_running_statistics() -> None:
    norm = BatchNorm(3, Init(SEEDS))
    norm(drawn(2, 5, 3))
    before, x = (norm.mean.clone(), norm.variance.clone()), drawn(2, 1, 3, seed=4)
    training = norm(x)
    assert torch.equal(norm.mean, before[0])
    assert torch.equal(norm.variance, before[1])
    assert torch.equal(training, norm.eval()(x))
    expected = (x - before[0][:, None]) / (before[1][:, None] + 1e-5).sqrt()
    torch.testing.assert_close(training, expected)


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.99])
def test_dropout_drops_its_share_and_scales_the_rest(share: float) -> None:
    out = Dropout(share, Streams(SEEDS))(torch.full((2, 500, 80), 3.0))
    for part in out:
        zeros = (part == 0).float().mean().item()
        spread = math.sqrt(share * (1 - share) / part.numel())
        assert abs(zeros - share) < 5 * spread + 2**-16
    torch.testing.assert_close(out[out != 0], torch.full_like(out[out != 0], 3 / (1 - share)))


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_dropout_is_nothing_without_training_or_share(share: float) -> None:
    streams = Streams(SEEDS)
    layer, x = Dropout(share, streams).train(share == 0), drawn(2, 4, 3)
    before = streams.state()
    assert torch.equal(layer(x), x)
    assert torch.equal(layer.after_relu(x.clone()), x.relu())
    assert torch.equal(streams.state(), before)


@given(st.sampled_from([0.0, 0.2, 0.7]), st.booleans(), st.integers(0, 9))
def test_relu_and_dropout_in_one_are_relu_then_dropout(
    share: float, training: bool, seed: int
) -> None:
    layers = [Dropout(share, Streams(SEEDS)).train(training) for _ in range(2)]
    x, above = drawn(2, 6, 5, seed=seed).requires_grad_(), drawn(2, 6, 5, seed=seed + 50)
    result, expected = layers[0].after_relu(x * 1), layers[1](torch.relu(x * 1))
    torch.testing.assert_close(result, expected)
    grads, wanted = (torch.autograd.grad(out, x, above) for out in (result, expected))
    torch.testing.assert_close(grads, wanted)
