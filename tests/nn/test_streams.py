"""Random streams of replicas: by count, by place, and where they were."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from fast_path import DEVICE
from sub2node.nn import Streams
from sub2node.nn.streams import Init


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


SEEDS = (7, 8)


def test_first_values_depend_on_the_seed_alone() -> None:
    together, alone, again = Init([1, 2, 3]), Init([2]), Init([2])
    for _ in range(2):
        first = together.glorot(3, 4)
        assert torch.equal(first[1:2], alone.glorot(3, 4))
        assert not torch.equal(first[0], first[1])
    fresh = [again.glorot(3, 4) for _ in range(2)]
    assert not torch.equal(*fresh)
    assert Init([2]).integers() == [Init([1, 2]).integers()[1]]


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=4))
def test_what_a_replica_drops_does_not_depend_on_who_is_beside(
    shapes: list[tuple[int, int]],
) -> None:
    together, alone = Streams([1, 2, 3]), Streams([2])
    for shape in shapes:
        keep = together.keep(0.5, *shape)
        assert keep.shape == (3, *shape)
        assert keep.dtype == torch.float32
        assert torch.equal(keep[1:2], alone.keep(0.5, *shape))
        assert together.integers()[1:2] == alone.integers()


def test_replicas_and_calls_drop_differently() -> None:
    streams = Streams([1, 2])
    first, second = streams.keep(0.5, 100), streams.keep(0.5, 100)
    for a, b in ((first[0], first[1]), (first[0], second[0])):
        assert 20 < (a != b).sum() < 80
    assert set(first.flatten().tolist()) == {0.0, 1.0}


@given(st.lists(st.integers(1, 9), max_size=4), st.integers(1, 40))
def test_streams_go_on_from_a_restored_state(before: list[int], size: int) -> None:
    streams = Streams(SEEDS)
    for each in before:
        streams.keep(0.3, each)
    state = streams.state()
    expected = [streams.keep(0.3, size) for _ in range(2)], streams.integers()
    other = Streams([70, 80])
    for target in (streams, other):
        target.restore(state)
        assert torch.equal(target.state(), state)
        result = [target.keep(0.3, size) for _ in range(2)], target.integers()
        assert all(map(torch.equal, result[0], expected[0]))
        assert result[1] == expected[1]
