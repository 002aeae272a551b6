"""The normalisation of all nodes against its formula, gradients included."""

from __future__ import annotations

import sys

import pytest
import torch
from torch import Tensor

from sub2node.encode.graph_norm import NodeNorm

MODULE = sys.modules["sub2node.encode.graph_norm"]


def written(x: Tensor, norm: NodeNorm) -> Tensor:
    """The formula, by PyTorch's own gradients."""
    x = x - norm.share * x.mean(0)
    return norm.scale * x * torch.rsqrt(x.square().mean(0) + 1e-5) + norm.shift


@pytest.mark.parametrize("chunk", [3, 4096])
@pytest.mark.parametrize("rows", [1, 7, 20])
def test_values_and_gradients_are_those_of_the_formula(
    monkeypatch: pytest.MonkeyPatch, rows: int, chunk: int
) -> None:
    monkeypatch.setattr(MODULE, "_CHUNK", chunk)
    stream = torch.Generator().manual_seed(rows)

    def drawn(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=stream, dtype=torch.float64)

    norm = NodeNorm(4).double()
    with torch.no_grad():
        for part in norm.parameters():
            part.copy_(drawn(4))
    x, weights = (5 + drawn(rows, 4)).requires_grad_(), drawn(rows, 4)
    result, expected = norm(x), written(x, norm)
    torch.testing.assert_close(result, expected)
    inputs = [x, *norm.parameters()]
    for one, other in zip(
        torch.autograd.grad((result * weights).sum(), inputs),
        torch.autograd.grad((expected * weights).sum(), inputs),
        strict=True,
    ):
        torch.testing.assert_close(one, other)


def test_equal_rows_are_finite() -> None:
    norm = NodeNorm(2)
    x = torch.full((9, 2), 3.0, requires_grad=True)
    (grad,) = torch.autograd.grad(norm(x).sum(), [x])
    assert norm(x).tolist() == [[0.0, 0.0]] * 9
    assert grad.isfinite().all()
