"""Chance against all orders of labels, and errors against drawn parts."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sub2node.audit.chance import (
    Chance,
    binomial_error,
    chance_of,
    micro_f1_of_tables,
    standard_error,
)


@st.composite
def two_tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    shape = (draw(st.integers(1, 5)), draw(st.integers(1, 3)))
    return draw(arrays(bool, shape)), draw(arrays(bool, shape))


@given(two_tables())
def test_chance_is_mean_and_spread_over_all_orders_of_the_labels(tables) -> None:
    truth, predicted = tables
    orders = [list(order) for order in permutations(range(len(truth)))]
    scores = [micro_f1_of_tables(truth[order], predicted) for order in orders]
    chance = chance_of(truth, predicted)
    assert chance.mean == pytest.approx(np.mean(scores), abs=1e-12)
    assert chance.sd == pytest.approx(np.std(scores), abs=1e-7)


def test_micro_f1_is_the_share_of_right_rows_of_single_labels() -> None:
    truth, predicted = np.eye(3, dtype=bool)[[0, 1, 2, 0]], np.eye(3, dtype=bool)[[0, 1, 1, 1]]
    assert micro_f1_of_tables(truth, predicted) == 0.5
    assert micro_f1_of_tables(truth & False, predicted & False) == 0.0


def test_constant_answers_are_at_chance() -> None:
    truth = np.eye(2, dtype=bool)[[0, 0, 1]]
    chance = chance_of(truth, np.tile([True, False], (3, 1)))
    assert chance.mean == pytest.approx(2 / 3)
    assert chance.z_score(2 / 3) == 0.0
    assert Chance(0.2, 0.1).z_score(0.5) == pytest.approx(3)


@pytest.mark.parametrize("several", [False, True])
def test_the_standard_error_is_the_spread_over_other_parts(several: bool) -> None:
    rng = np.random.default_rng(0)

    def draw() -> tuple[np.ndarray, np.ndarray]:
        truth = rng.integers(0, 3, 150)
        answer = np.where(rng.random(150) < 0.6, truth, (truth + 1) % 3)
        tables = [np.eye(3, dtype=bool)[values] for values in (truth, answer)]
        if several:
            tables[0][:, 0] |= rng.random(150) < 0.3
        return tables[0], tables[1]

    spread = np.std([micro_f1_of_tables(*draw()) for _ in range(400)])
    errors = [standard_error(*draw()) for _ in range(20)]
    assert np.mean(errors) == pytest.approx(spread, rel=0.12)


def test_an_error_is_never_zero() -> None:
    right = np.eye(2, dtype=bool)[[0, 1, 0]]
    assert standard_error(right, right) == binomial_error(1.0, 3) > 0.1
    assert standard_error(~right & False, ~right & False) > 0.1
