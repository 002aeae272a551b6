"""Batch norm, skip, ReLU and dropout in one kernel against PyTorch's."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import batch_norm

pytest.importorskip("triton", reason="Triton is not installed")

from fast_path import (
    CUDA,
    DEVICE,
    FAST,
    INF,
    NAN,
    both,
    close,
    drawn,
    few_examples,
    near,
    normal,
    once,
)
from sub2node.nn import Streams
from sub2node.nn.layers import BatchNorm, Dropout, finish
from sub2node.nn.streams import Init
from sub2node.ops import triton as kernels
from sub2node.ops.triton.norm_relu_dropout import Norm, NormReluDropout

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.slow
@few_examples
@given(
    rows=st.integers(2, 150), width=st.sampled_from([1, 6, 64]), replicas=st.integers(1, 3),
    norm=st.booleans(), skip=st.booleans(), relu=st.booleans(), share=st.sampled_from([0.0, 0.4]),
    shift=st.sampled_from([0.0, 100.0]),
)  # fmt: skip
def test_finish_is_norm_skip_relu_dropout(
    rows, width, replicas, norm, skip, relu, share, shift
) -> None:
    relu = relu or norm  # a norm always has a ReLU behind it
    z = (normal(replicas, rows, width) * 2 + shift).requires_grad_()
    added = normal(replicas, rows, width, seed=1, grad=True) if skip else None
    gamma, beta = (normal(replicas, width, seed=s, grad=True) for s in (2, 3))
    means = [torch.zeros(replicas, width, device=DEVICE) for _ in range(2)]
    variances = [torch.ones(replicas, width, device=DEVICE) for _ in range(2)]
    draw = drawn(share, replicas) if share else None
    expected: torch.Tensor = z
    if norm:
        each = zip(z, means[0], variances[0], gamma, beta, strict=True)
        expected = torch.stack(
            [torch.nn.functional.batch_norm(*part, training=True) for part in each]
        )
    if added is not None:
        expected = expected + added
    if relu:
        expected = expected.relu()
    if draw is not None:
        expected = expected * draw.keep(rows, width) / (1 - share)
    made = Norm(means[1], variances[1], training=True) if norm else None
    result = NormReluDropout.apply(
        z, added, gamma if norm else None, beta if norm else None, made, draw, relu
    )
    near = 1e-3 if shift else 5e-5  # float32 at 100 ± 2
    close(result, expected, near)
    close(means[1], means[0], 1e-5)
    close(variances[1], variances[0], 1e-4)
    if shift or rows < 4:  # two rows are ±1 after the norm: gradients are what rounding leaves
        return
    direction = normal(*result.shape, seed=5)
    inputs = [t for t in (z, added, *((gamma, beta) if norm else ())) if t is not None]
    for one, right in zip(
        torch.autograd.grad(result, inputs, direction),
        torch.autograd.grad(expected, inputs, direction),
        strict=True,
    ):
        close(one, right, 1e-3)


def test_finish_in_evaluation_reads_the_running_statistics() -> None:
    z, gamma, beta = normal(2, 9, 6), normal(2, 6, seed=1), normal(2, 6, seed=2)
    mean, variance = normal(2, 6, seed=3), normal(2, 6, seed=4).abs() + 0.1
    norm = Norm(mean.clone(), variance.clone(), training=False)
    result = NormReluDropout.apply(z, None, gamma, beta, norm, None, True)
    spread = (variance[:, None] + 1e-5).sqrt()
    close(result, ((z - mean[:, None]) / spread * gamma[:, None] + beta[:, None]).relu())
    assert torch.equal(norm.mean, mean)


def ended(rows: int, width: int, *, training: bool, share: float = 0.4) -> tuple[Any, ...]:
    norm = BatchNorm(width, Init([1, 2])).train(training).to(DEVICE)
    dropout = Dropout(share, Streams([1, 2], DEVICE, counted=True)).train(training)
    return normal(2, rows, width, grad=True), normal(2, rows, width, seed=1), norm, dropout


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 70, 300])
@pytest.mark.parametrize("rows", [1, 40])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("normed", [True, False])
def test_the_end_of_a_layer_of_any_shape(width, rows, training, normed) -> None:
    z, skip, norm, dropout = ended(rows, width, training=training)
    start = {name: t.clone() for name, t in norm.state_dict().items()}
    left = []

    def call() -> torch.Tensor:
        norm.load_state_dict(start)
        dropout.streams.restore(torch.tensor([4, 0]))
        result = finish(z * 1, once(skip), norm if normed else None, dropout)
        left.append((norm.mean.clone(), norm.variance.clone()))
        return result

    both(call, [z, norm.weight, norm.bias] if normed else [z], 2e-3)
    for one, other in zip(*left, strict=True):
        near(one, other, 1e-4)


@pytest.mark.parametrize("training", [True, False])
def test_the_end_of_a_layer_without_gradients(training) -> None:
    z, skip, norm, dropout = ended(5, 6, training=training)
    with torch.no_grad():
        result = []
        for mode in (FAST, "off"):
            with kernels.compile_mode(mode):
                dropout.streams.restore(torch.tensor([4, 0]))
                result.append(finish(z * 1, once(skip), norm, dropout))
    near(*result)


def test_no_rows_end_and_drop_too() -> None:
    z, skip, _, dropout = ended(0, 6, training=True)
    both(lambda: finish(z * 1, once(skip), None, dropout), [z])
    both(lambda: dropout(z * 1), [z])


def test_what_is_normed_may_be_what_is_skipped() -> None:
    z, _, norm, dropout = ended(9, 6, training=True, share=0.0)
    both(lambda: finish(z * 1, once(z * 1), norm, dropout), [z], 1e-3)
    both(lambda: finish((w := z * 1), once(w), None, dropout), [z])


@pytest.mark.parametrize("large", [INF, 1e30])
def test_a_norm_of_numbers_too_large_is_batch_norms(large) -> None:
    z = normal(1, 9, 2)
    z[0, 4, 0] = large
    one, zero = torch.ones(1, 2, device=DEVICE), torch.zeros(1, 2, device=DEVICE)
    means, variances = (zero.clone(), zero.clone()), (one.clone(), one.clone())
    result = NormReluDropout.apply(
        z, None, one, zero, Norm(means[0], variances[0], True), None, True
    )
    expected = batch_norm(z[0], means[1][0], variances[1][0], one[0], zero[0], training=True)
    near(result[0], expected.relu())
    near(variances[0], variances[1])


@pytest.mark.slow
def test_a_norm_whose_first_row_is_far_from_the_rest() -> None:
    rows = 2**16 if CUDA else 2**13
    z = normal(1, rows, 1)
    z[0, 0] = 1e4
    mean, variance = torch.zeros(1, 1, device=DEVICE), torch.ones(1, 1, device=DEVICE)
    one, zero = torch.ones(1, 1, device=DEVICE), torch.zeros(1, 1, device=DEVICE)
    NormReluDropout.apply(z, None, one, zero, Norm(mean, variance, True), None, True)
    result = (float(variance) - 0.9) / 0.1
    # From the first row on, squares that are 10⁸ lose all but rows · 6e-8 of the variance.
    assert result == pytest.approx(float(z.double().var()), rel=rows * 1e-8)


@pytest.mark.parametrize("bad", [NAN, INF])
def test_what_is_not_finite_is_so_after_dropout_too(bad) -> None:
    z = torch.full((1, 4, 2), bad, device=DEVICE)
    dropout = Dropout(0.5, Streams([1], DEVICE, counted=True)).train()
    result = []
    for mode in (FAST, "off"):
        with kernels.compile_mode(mode):
            dropout.streams.restore(torch.tensor([4, 0]))
            result.append(finish(z.clone(), None, None, dropout))
    assert torch.equal(result[0].isfinite(), result[1].isfinite())


def test_gradients_of_the_scale_alone() -> None:
    z, skip, norm, dropout = ended(9, 6, training=True, share=0.0)
    norm.bias.requires_grad_(False)
    both(lambda: finish(z.detach() * 1, once(skip), norm, dropout), [norm.weight], 1e-3)
