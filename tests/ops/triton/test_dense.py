"""Linear maps by kernels against matrix products."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("triton", reason="Triton is not installed")

from fast_path import both, close, few_examples, normal
from sub2node.nn.layers import Mapped, combine
from sub2node.ops.triton import dense
from sub2node.ops.triton.dense import LinearSum
from sub2node.ops.triton.reduce import summed

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.slow
@few_examples
@given(
    rows=st.integers(1, 150), width_in=st.sampled_from([3, 16, 40, 64]),
    width=st.sampled_from([2, 6, 64]), second=st.sampled_from([0, 5, 64]), bias=st.booleans(),
    replicas=st.integers(1, 3), shared=st.booleans(),
)  # fmt: skip
def test_linear_is_the_sum_of_its_terms(
    rows, width_in, width, second, bias, replicas, shared
) -> None:
    x = normal(1 if shared else replicas, rows, width_in, grad=True)
    weight = normal(replicas, width_in, width, seed=1, grad=True)
    first = (0.3 if width_in == width else 0.0, 0.7)
    y = normal(replicas, rows, second, seed=2, grad=True) if second else None
    other = normal(replicas, second, width, seed=3, grad=True) if second else None
    last = (0.2 if second == width else 0.0, 0.5)
    b = normal(replicas, 1, width, seed=4, grad=True) if bias else None
    seen = x.expand(replicas, -1, -1)
    expected = first[1] * seen @ weight + (first[0] * seen if first[0] else 0.0)
    if y is not None and other is not None:
        expected = expected + last[1] * y @ other + (last[0] * y if last[0] else 0.0)
    if b is not None:
        expected = expected + b
    result = LinearSum.apply(seen, weight, *first, y, other, *last, b)
    close(result, expected, 5e-5)
    direction = normal(*result.shape, seed=5)
    inputs = [t for t in (x, weight, y, other, b) if t is not None]
    for one, right in zip(
        torch.autograd.grad(result, inputs, direction),
        torch.autograd.grad(expected, inputs, direction),
        strict=True,
    ):
        close(one, right, 5e-5)


def test_gradients_are_asked_for_one_by_one() -> None:
    x, weight = normal(2, 70, 16), normal(2, 16, 16, seed=1, grad=True)
    result = LinearSum.apply(x, weight, 0.0, 1.0, None, None, 0.0, 1.0, None)
    expected = torch.autograd.grad((x @ weight).sum(), weight)[0]
    close(torch.autograd.grad(result.sum(), weight)[0], expected)


@pytest.mark.parametrize("wanted", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_only_what_a_kernel_wrote_is_summed(wanted, monkeypatch) -> None:
    buffers: list[torch.Tensor] = []
    monkeypatch.setattr(dense, "summed", lambda parts: buffers.append(parts) or summed(parts))
    empty = torch.Tensor.new_empty
    monkeypatch.setattr(
        torch.Tensor,
        "new_empty",
        lambda self, *shape, **options: empty(self, *shape, **options).fill_(torch.nan),
    )
    parameters = [normal(2, 16, 8, seed=1), normal(2, 5, 8, seed=3), normal(2, 1, 8, seed=4)]
    for number in wanted:
        parameters[number].requires_grad_()
    weight, second, bias = parameters
    x, y = normal(2, 70, 16), normal(2, 70, 5, seed=2)
    result = LinearSum.apply(x, weight, 0.0, 1.0, y, second, 0.0, 1.0, bias)
    expected = x @ weight + y @ second + bias
    inputs = [parameters[number] for number in wanted]
    for one, right in zip(
        torch.autograd.grad(result.sum(), inputs),
        torch.autograd.grad(expected.sum(), inputs),
        strict=True,
    ):
        close(one, right, 5e-5)
    assert buffers
    assert not any(parts.isnan().any() for parts in buffers)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 70, 128, 129, 300])
@pytest.mark.parametrize("rows", [1, 9])
def test_maps_of_any_width(width, rows) -> None:
    x, weight = normal(2, rows, width, grad=True), normal(2, width, width, seed=1, grad=True)
    bias = normal(2, 1, width, seed=2, grad=True)
    both(lambda: combine(Mapped(x, weight, 0.3, 0.7), None, bias), [x, weight, bias], 1e-3)
    y, other = normal(2, rows, 5, seed=3, grad=True), normal(2, 5, width, seed=4, grad=True)
    call = lambda: combine(Mapped(x, weight), Mapped(y, other, 0.0, 0.5), bias)  # noqa: E731
    both(call, [x, weight, y, other, bias], 1e-3)


@pytest.mark.slow
def test_two_maps_of_the_widest() -> None:
    """On a GPU: two matrices of 128 × 128 and their tiles fit its shared memory."""
    x, y = (normal(1, 130, 128, seed=s, grad=True) for s in (1, 2))
    one, two = (normal(1, 128, 128, seed=s, grad=True) for s in (3, 4))
    call = lambda: combine(Mapped(x, one, 0.1, 0.9), Mapped(y, two, 0.2, 0.8))  # noqa: E731
    both(call, [x, one, y, two], 1e-3)


def test_maps_of_no_rows_and_to_one_class() -> None:
    for rows in (0, 3):
        x, weight = normal(2, rows, 6, grad=True), normal(2, 6, 1, seed=1, grad=True)
        bias = normal(2, 1, 1, seed=2, grad=True)
        both(lambda: combine(Mapped(x, weight), bias=bias), [x, weight, bias])  # noqa: B023


def test_gradients_of_the_bias_or_the_second_map_alone() -> None:
    x, weight, bias = normal(2, 7, 5), normal(2, 5, 6), normal(2, 1, 6, grad=True)
    both(lambda: combine(Mapped(x, weight), bias=bias), [bias])
    y, other = normal(2, 7, 5), normal(2, 5, 6, grad=True)
    both(lambda: combine(Mapped(x, weight), Mapped(y, other)), [other])
