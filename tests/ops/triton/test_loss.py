"""Losses by a kernel against PyTorch's."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("triton", reason="Triton is not installed")

from fast_path import DEVICE, INF, NAN, both, close, few_examples, near, normal
from sub2node.ops import triton as kernels
from sub2node.ops.triton.loss import Losses
from sub2node.train.scores import losses

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@few_examples
@given(
    rows=st.integers(1, 150), classes=st.integers(2, 12), replicas=st.integers(1, 3),
    binary=st.booleans(), own=st.booleans(), wide=st.sampled_from([1.0, 80.0]),
)  # fmt: skip
def test_losses_are_pytorchs(rows, classes, replicas, binary, own, wide) -> None:
    from sub2node.train.scores import losses

    shape = (replicas, rows) if own else (rows,)
    generator = torch.Generator().manual_seed(1)
    if binary:
        labels = torch.randint(2, (*shape, classes), generator=generator).float()
    else:
        labels = torch.randint(classes, shape, generator=generator)
    labels = labels.to(DEVICE)
    logits = (wide * normal(replicas, rows, classes)).requires_grad_()
    with kernels.compile_mode("off"):
        expected = losses(logits, labels, own=own)
    result = Losses.apply(logits, labels, own)
    close(result, expected)
    direction = torch.arange(1.0, replicas + 1, device=DEVICE)
    close(
        torch.autograd.grad(result, logits, direction)[0],
        torch.autograd.grad(expected, logits, direction)[0],
    )


@pytest.mark.parametrize("classes", [1, 2, 40])
@pytest.mark.parametrize("rows", [1, 65])
@pytest.mark.parametrize("binary", [False, True])
def test_losses_of_any_number_of_classes(classes, rows, binary) -> None:
    wide = normal(2, rows, classes + 2, grad=True)
    generator = torch.Generator().manual_seed(1)
    labels = torch.randint(2 if binary else classes, (rows, classes) if binary else (rows,),
                           generator=generator).to(DEVICE)  # fmt: skip
    labels = labels.float() if binary else labels
    both(lambda: losses(wide[:, :, 1:-1], labels), [wide])


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
@pytest.mark.parametrize("binary", [False, True])
def test_losses_of_logits_that_are_not_finite(bad, binary) -> None:
    logits = normal(5, 4, 3)
    for r, row in enumerate(((0, 0), (1, 1), (2, 0))):
        logits[r + 1, row[0], row[1]] = bad
    labels = torch.tensor([0, 1, 2, 0], device=DEVICE)
    if binary:
        labels = torch.nn.functional.one_hot(labels, 3).float()
    with kernels.compile_mode("off"):
        expected = losses(logits, labels)
    result = Losses.apply(logits, labels, False)
    assert torch.equal(result.isfinite(), expected.isfinite())
    near(result[[0, 4]], expected[[0, 4]])


def test_a_small_loss_of_large_logits_is_exact() -> None:
    logits = torch.tensor([[[800.0, 791.0]], [[80.0, 70.0]]], device=DEVICE)
    labels = torch.tensor([0], device=DEVICE)
    with kernels.compile_mode("off"):
        expected = losses(logits, labels)
    near(Losses.apply(logits, labels, False) / expected, torch.ones(2, device=DEVICE), 1e-3)
