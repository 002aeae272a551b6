"""Random vectors of nodes: against the definition, and as random numbers should be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sub2node.nn.random_vectors import random_vectors
from traced_memory import peak_of

_MASK = 2**64 - 1


def _mixed(state: int) -> int:
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB & _MASK
    return state ^ (state >> 31)


def _reference(seed: int, node: int, width: int) -> list[float]:
    """One vector, number by number."""
    step = 0x9E3779B97F4A7C15
    key = int(np.random.SeedSequence([seed, 3]).generate_state(1, np.uint64)[0])
    start = _mixed((node * step + key) & _MASK)
    values: list[float] = []
    for pair in range((width + 1) // 2):
        bits = _mixed((start + (pair + 1) * step) & _MASK)
        radius = math.sqrt(-2 * math.log(((bits >> 32) + 0.5) / 2**32))
        angle = 2 * math.pi * (bits & (2**32 - 1)) / 2**32
        values += [radius * math.cos(angle), radius * math.sin(angle)]
    return values[:width]


def test_splitmix_is_the_published_one() -> None:
    """The first outputs of the reference implementation from state 1234567."""
    states = [1234567 + (i + 1) * 0x9E3779B97F4A7C15 & _MASK for i in range(3)]
    outputs = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [_mixed(state) for state in states] == outputs


@given(
    st.lists(st.integers(0, 2**31), min_size=1, max_size=3, unique=True),
    st.lists(st.integers(0, 2**31), max_size=9),
    st.integers(1, 9),
    st.sampled_from([1.0, 0.1]),
)
def test_definition(seeds: list[int], nodes: list[int], width: int, scale: float) -> None:
    vectors = random_vectors(seeds, np.array(nodes, np.int64), width, scale=scale)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(seeds), len(nodes), width)
    for seed, table in zip(seeds, vectors, strict=True):
        for node, row in zip(nodes, table, strict=True):
            expected = np.array(_reference(seed, node, width)) * scale
            # The logarithm of a number near 1 has fewer digits.
            np.testing.assert_allclose(row, expected, rtol=1e-4, atol=5e-4 * scale)


@given(st.integers(0, 2**31), st.integers(1, 70), st.randoms(use_true_random=False))
def test_rows_do_not_depend_on_the_others(seed: int, width: int, rng) -> None:
    whole = random_vectors([seed, seed + 1], np.arange(3000), width)
    rows = np.array(sorted(rng.sample(range(3000), rng.randrange(1, 200))))
    assert np.array_equal(random_vectors([seed, seed + 1], rows, width), whole[:, rows])
    assert np.array_equal(random_vectors([seed + 1], rows, width)[0], whole[1, rows])
    narrow = random_vectors([seed], rows, max(width // 2, 1))
    assert np.array_equal(narrow, whole[:1, rows, : max(width // 2, 1)])
    assert np.array_equal(random_vectors([seed], rows.astype(np.int32), width), whole[:1, rows])


@pytest.mark.slow
def test_numbers_are_normal_and_independent() -> None:
    count, width = 20_000, 16
    first, second = random_vectors([10, 11], np.arange(count), width).astype(np.float64)
    bound = 4.5 / math.sqrt(count * width)
    for table in (first, second):
        assert abs(table.mean()) < bound
        assert abs((table**2).mean() - 1) < bound * math.sqrt(2)
        assert abs((table**4).mean() - 3) < bound * math.sqrt(96)
        assert stats.kstest(table.ravel(), "norm").pvalue > 1e-4
        assert min(stats.kstest(column, "norm").pvalue for column in table.T) > 1e-5
        assert abs((table[1:] * table[:-1]).mean()) < bound  # neighbouring nodes
        assert abs((table[:, 1:] * table[:, :-1]).mean()) < bound  # neighbouring columns
        squares = table**2 - 1
        assert abs((squares[:, 1:] * squares[:, :-1]).mean()) < 2 * bound
        assert abs((squares[1:] * squares[:-1]).mean()) < 2 * bound
        between = np.corrcoef(table.T) - np.eye(width)
        assert np.abs(between).max() < 5 / math.sqrt(count)
    assert abs((first * second).mean()) < bound  # seeds
    assert abs((first[1:] * second[:-1]).mean()) < bound
    assert abs(((first**2 - 1) * (second**2 - 1)).mean()) < 2 * bound


@pytest.mark.process
def test_only_rows_that_are_read_are_made() -> None:
    nodes = np.arange(0, 5_000_000, 5000)
    result = 5 * len(nodes) * 64 * 4
    assert result < peak_of(random_vectors, range(5), nodes, 64) < result + 8e6
