"""Sums of partial results against PyTorch's."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("triton", reason="Triton is not installed")

from fast_path import near, normal
from sub2node.ops.triton.reduce import summed


@pytest.mark.parametrize("shape", [(1, 2, 3), (5, 1, 1), (130, 2, 40), (3, 2, 5, 7)])
def test_partial_results_are_summed(shape: tuple[int, ...]) -> None:
    parts = normal(*shape)
    near(summed(parts), parts.sum(0), 1e-4)


def test_the_order_is_fixed() -> None:
    parts = normal(200, 2, 30) * 1e6
    assert torch.equal(summed(parts), summed(parts.clone()))
