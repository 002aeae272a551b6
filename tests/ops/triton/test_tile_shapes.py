"""Shapes of tiles: powers of two, and numbers of a replica side by side."""

from __future__ import annotations

import pytest
import torch

from sub2node.ops.triton.tile_shapes import block, by_replica


@pytest.mark.parametrize("width", range(1, 140))
def test_a_block_is_the_smallest_power_of_two_that_holds_its_columns(width: int) -> None:
    size = block(width)
    assert size >= max(width, 16)
    assert size & (size - 1) == 0
    assert size == 16 or size < 2 * width


def test_numbers_of_a_replica_lie_side_by_side() -> None:
    x = torch.arange(24.0).view(2, 3, 4)
    assert by_replica(x) is x
    shared = x[:1].expand(5, -1, -1)
    assert by_replica(shared).stride(0) == 0  # replicas may share their numbers
    turned = x.transpose(1, 2)
    assert by_replica(turned)[0].is_contiguous()
    assert torch.equal(by_replica(turned), turned)
