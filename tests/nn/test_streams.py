"""Random streams of replicas: by count, by place, and where they were."""

from __future__ import annotations

import torch

from fast_path import DEVICE
from sub2node.nn import Streams


def test_rows_of_replicas_with_other_counts_draw_the_same() -> None:
    def kept(seeds: list[int], counts: list[int]) -> torch.Tensor:
        streams = Streams(seeds, DEVICE, counted=True)
        streams.begin()
        return streams.keep_rows(0.5, counts, 3)

    assert torch.equal(kept([1, 2], [4, 9])[4:], kept([2], [9]))
    assert torch.equal(kept([1, 2], [4, 9])[:4], kept([1], [4]))


def test_a_stream_goes_on_where_it_was() -> None:
    one, other = (Streams([1, 2], DEVICE, counted=True) for _ in range(2))
    one.begin()
    one.keep(0.5, 3)
    other.restore(one.state())
    assert torch.equal(one.keep(0.5, 50), other.keep(0.5, 50))
    one.begin(), other.begin()
    assert torch.equal(one.keep(0.5, 50), other.keep(0.5, 50))
    assert one.integers() == other.integers()
