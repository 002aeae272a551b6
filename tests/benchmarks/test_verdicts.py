"""The rule of verdicts: what is not shown is not confirmed."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node.evaluate import corrected_resampled_t_test
from sub2node.evaluate.significance import welch

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from pages.verdicts import (
    Difference,
    listed,
    paired_difference,
    verdict,
    welch_difference,
)

SCORES = st.lists(st.integers(0, 100), min_size=5, max_size=5)


def gap(points: float, error: float = 0.5, where: str = "A") -> Difference:
    return Difference(where, points, error, 9)


@pytest.mark.parametrize(
    ("differences", "above", "not_below"),
    [
        ([gap(5), gap(4)], "**confirmed**", "**confirmed**"),
        ([gap(5), gap(0.3)], "**not confirmed**: shown in 1 of 2", "**confirmed**"),
        ([gap(5), gap(-2, 1.5)], "**not confirmed**: shown in 1 of 2",
         "**not confirmed**: shown in 1 of 2"),
        ([gap(0.3), gap(-5, where="B")], "**contradicted** on B", "**contradicted** on B"),
        ([gap(-1.9, 0.1)], "**contradicted** on A", "**contradicted** on A"),
        ([], "**not confirmed**: shown in 0 of 0", "**not confirmed**: shown in 0 of 0"),
    ],
)  # fmt: skip
def test_a_verdict_needs_every_difference(
    differences: list[Difference], above: str, not_below: str
) -> None:
    assert verdict(differences) == above
    assert verdict(differences, "not below") == not_below


def test_no_difference_shown_confirms_nothing() -> None:
    noise = gap(-2.0, 1.4)  # p = 0.19
    assert 0.1 < noise.p < 0.3
    assert verdict([noise], "not below").startswith("**not confirmed**")
    assert verdict([noise.reversed()]).startswith("**not confirmed**")
    assert listed([noise], "not below") == "A -2.0 (p = 0.19; margin p = 0.50)"
    assert listed([]) == "-"


@given(SCORES, SCORES)
def test_tests_are_those_of_the_package(first: list[int], second: list[int]) -> None:
    seeds = welch_difference("A", first, second)
    assert seeds.p == pytest.approx(welch(first, second), abs=1e-9)
    splits = paired_difference("A", first, second, overlap=25 / 200)
    other = corrected_resampled_t_test(first, second, train=200, test=25)
    assert splits.p == pytest.approx(other, abs=1e-9)
    assert splits.reversed().p == splits.p


def test_the_margin_is_tested_on_one_side() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(60, 1, 10)
    from scipy.stats import ttest_1samp

    gaps = rng.normal(-1, 1, 10)
    found = paired_difference("A", list(values + gaps), list(values))
    expected = ttest_1samp(gaps, -2.0, alternative="greater").pvalue
    assert found.p_not_below == pytest.approx(expected)
