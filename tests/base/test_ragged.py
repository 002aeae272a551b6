"""Ragged arrays against lists of lists."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node.base.errors import ConfigError, DataError
from sub2node.base.ragged import (
    among,
    blocks,
    distinct,
    frozen,
    generator,
    index_dtype,
    integers,
    lengths,
    owners,
    pointers,
    ranges,
    repeated_entries,
    sealed,
)

COUNTS = st.lists(st.integers(0, 5), max_size=8).map(lambda counts: np.array(counts, dtype=int))


@given(COUNTS)
def test_pointers_lengths_and_owners(counts) -> None:
    ptr = pointers(counts)
    assert (ptr[0], ptr[-1], ptr.dtype) == (0, counts.sum(), np.int64)
    rows = np.arange(len(counts))[::-1]
    assert lengths(ptr, rows).tolist() == counts[::-1].tolist()
    assert owners(ptr).tolist() == [row for row, count in enumerate(counts) for _ in range(count)]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5)), max_size=8))
def test_ranges_are_python_ranges(pairs) -> None:
    starts, counts = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    expected = [value for start, count in pairs for value in range(start, start + count)]
    assert ranges(starts, counts).tolist() == expected


@given(COUNTS, st.integers(1, 8))
def test_blocks_are_full_but_not_more(counts, limit) -> None:
    pieces = list(blocks(counts, limit))
    assert [row for piece in pieces for row in range(*piece)] == list(range(len(counts)))
    for start, stop in pieces:
        assert counts[start:stop].sum() <= limit or stop == start + 1
        if stop < len(counts):
            assert counts[start : stop + 1].sum() > limit


@given(st.lists(st.integers(-5, 5)), st.lists(st.integers(-5, 5)))
def test_distinct_and_among_are_sets(keys, values) -> None:
    ascending = distinct(np.array(values, dtype=np.int64))
    assert ascending.tolist() == sorted(set(values))
    inside = among(np.array(keys, dtype=np.int64), ascending)
    assert inside.tolist() == [key in values for key in keys]


def test_an_index_is_as_wide_as_its_largest_bound() -> None:
    assert index_dtype() is index_dtype(3, 2**31 - 1) is np.int32
    assert index_dtype(2**31, 3) is np.int64


def test_a_frozen_array_changes_with_nothing() -> None:
    base = np.arange(4)
    view = base[1:]
    view.flags.writeable = False  # its base can still be written
    copy = frozen(view)
    base[:] = 7
    assert copy.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        copy[0] = 1
    assert frozen(copy) is copy
    assert frozen(copy[1:]).base is copy
    assert frozen(copy, np.float32).dtype == np.float32
    own = np.arange(2)
    assert sealed(own) is own
    assert not own.flags.writeable


@pytest.mark.parametrize(
    "values", [[1, 2], [1.0, 2.0], np.array([1, 2], np.uint8), np.array([1, 2], np.float16)]
)
def test_whole_numbers_are_taken(values) -> None:
    array = integers(values, "ids")
    assert (array.tolist(), array.dtype) == ([1, 2], np.int64)
    assert integers([], "ids").dtype == np.int64


@pytest.mark.parametrize(
    ("values", "first"),
    [
        ([1.0, 1.5], "1.5"),
        ([np.nan], "nan"),
        (["1"], "1"),
        ([True], "True"),
        ([2.0**60], "1.152921504606847e+18"),
        (np.array([2**63], np.uint64), "9223372036854775808"),
        ([[1], [1, 2]], "None"),
    ],
)
def test_other_values_are_refused(values, first) -> None:
    with pytest.raises(DataError) as caught:
        integers(values, "ids")
    assert str(caught.value) == f"ids must be whole numbers, found {first!r}."


def test_a_generator_depends_on_its_seed_alone() -> None:
    np.random.seed(1)  # noqa: NPY002 - what it must not depend on
    assert generator(3).integers(100, size=5).tolist() == (
        np.random.default_rng(3).integers(100, size=5).tolist()
    )
    with pytest.raises(ConfigError, match="a seed is 0 or more, found -1"):
        generator(-1)


PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=20)


@given(PAIRS)
def test_entries_that_occurred_before(pairs: list[tuple[int, int]]) -> None:
    table = np.array(pairs, np.int64).reshape(-1, 2)
    again = repeated_entries(table[:, 0], table[:, 1]).tolist()
    assert sorted(pairs[position] for position in again) == sorted(
        (Counter(pairs) - Counter(set(pairs))).elements()
    )
    assert all(pairs.index(pairs[position]) < position for position in again)
