"""Statistics of results against SciPy and their formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sub2node.base.errors import ConfigError
from sub2node.evaluate import Summary, corrected_resampled_t_test, mark, welch
from sub2node.evaluate.significance import (
    MIN_RUNS,
    compare_scores,
    corrected_resampled_interval,
    interval_text,
)

values = st.lists(st.floats(0, 1), min_size=2, max_size=12)


@given(values)
def test_a_summary(found) -> None:
    summary = Summary(tuple(found))
    assert summary.mean == pytest.approx(np.mean(found))
    assert summary.sd == pytest.approx(np.std(found, ddof=1))
    assert summary.se == pytest.approx(stats.sem(found))
    if len(found) >= 5:
        low, high = summary.interval
        assert min(found) - 1e-12 <= low <= high <= max(found) + 1e-12
    else:
        assert summary.interval is None
    assert Summary.from_dict(summary.to_dict()) == summary
    assert set(summary.to_dict()) >= {"mean", "sd", "n", "values"}


def test_the_interval_is_that_of_the_bootstrap() -> None:
    found = np.random.default_rng(0).normal(size=10)
    low, high = Summary(tuple(found)).interval
    theirs = stats.bootstrap((found,), np.mean, method="percentile", n_resamples=20_000)
    assert low == pytest.approx(theirs.confidence_interval.low, abs=0.03)
    assert high == pytest.approx(theirs.confidence_interval.high, abs=0.03)


def test_one_run_has_no_spread() -> None:
    summary = Summary((0.5,))
    assert (summary.sd, summary.se, summary.interval) == (None, None, None)
    assert (summary.percent_text(), summary.interval_text()) == ("50.0", "-")
    assert summary.to_dict() == {
        "mean": 0.5, "sd": None, "n": 1, "se": None, "interval": None, "values": [0.5]
    }  # fmt: skip


def test_scores_are_written_in_percent() -> None:
    summary = Summary((0.5, 0.6, 0.7, 0.8, 0.9))
    assert summary.percent_text() == "70.0 ± 15.8"
    assert summary.percent_text(2) == "70.00 ± 15.81"
    low, high = summary.interval
    assert summary.interval_text() == f"{100 * low:.1f} … {100 * high:.1f}"


@pytest.mark.parametrize("split", [None, {"train": 80, "test": 10}])
def test_below_five_runs_there_is_no_verdict(split) -> None:
    """However far apart they are: two seeds 37 points apart are no evidence of anything."""
    high, low = [0.9, 0.91, 0.92, 0.93, 0.94], [0.5, 0.53, 0.55, 0.51, 0.52]
    for n in (1, 2, 4):
        few, many = Summary(tuple(high[:n])), Summary(tuple(low))
        assert compare_scores(few, Summary(tuple(low[:n])), split) is None
        if n > 1 or split:
            assert compare_scores(few, many, split) is None
            assert compare_scores(many, few, split) is None
    assert compare_scores(Summary(tuple(high)), Summary(tuple(low)), split) < 0.01
    if split is None:  # one value of a model without randomness
        assert compare_scores(Summary((0.9,)), many, None) == welch([0.9], low)


@given(values, values)
def test_welch_is_scipys(a, b) -> None:
    if np.ptp(a) > 1e-3 and np.ptp(b) > 1e-3:
        assert welch(a, b) == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)


def test_runs_without_spread_are_equal_or_not() -> None:
    assert welch([1.0, 1.0], [1.0, 1.0]) == 1.0
    assert welch([1.0, 1.0], [0.5, 0.5]) == 0.0
    with pytest.raises(ConfigError, match="two runs"):
        welch([1.0], [0.5])


def test_a_model_without_randomness_is_one_value() -> None:
    many = [0.5, 0.6, 0.7]
    expected = stats.ttest_1samp(many, 0.9).pvalue
    assert welch(many, [0.9]) == welch([0.9], many) == pytest.approx(expected)


@given(st.integers(0, 2**32), st.integers(2, 12), st.integers(10, 100), st.integers(1, 50))
def test_the_corrected_test_is_its_formula(seed, splits, train, test) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, splits))
    difference = a - b
    value = difference.mean() / math.sqrt((1 / splits + test / train) * difference.var(ddof=1))
    expected = 2 * stats.t(splits - 1).sf(abs(value))
    found = corrected_resampled_t_test(a, b, train=train, test=test)
    assert found == pytest.approx(expected)
    assert found >= stats.ttest_rel(a, b).pvalue - 1e-12  # it claims less than the plain test
    plain = corrected_resampled_t_test(a, b, train=train, test=0)  # the factor is 1/J then
    assert plain == pytest.approx(stats.ttest_rel(a, b).pvalue)


def test_differences_without_spread_are_none_or_certain() -> None:
    assert corrected_resampled_t_test([1, 2], [1, 2], train=8, test=2) == 1.0
    assert corrected_resampled_t_test([2, 3], [1, 2], train=8, test=2) == 0.0
    rounded = [0.1 + 0.2, 0.3, 0.3]  # the first is 0.30000000000000004
    assert corrected_resampled_t_test(rounded, [0.3, 0.3, 0.3], train=8, test=2) == 1.0
    shifted = [value + 0.1 for value in rounded]
    assert corrected_resampled_t_test(shifted, rounded, train=8, test=2) == 0.0
    with pytest.raises(ConfigError, match="same splits"):
        corrected_resampled_t_test([1, 2], [1, 2, 3], train=8, test=2)


def test_over_overlapping_splits_the_corrected_test_is_rarely_wrong() -> None:
    """Two equally good classifiers, nearest class mean on one column each, over random splits.

    The plain paired test takes splits of the same subgraphs for new evidence, and finds a
    difference far too often.
    """
    rng = np.random.default_rng(0)
    tasks, size, train, splits = 400, 60, 48, 10
    labels = np.tile([0, 1], size // 2)
    columns = rng.normal(size=(2, tasks, size)) + 0.8 * labels
    order = rng.permuted(np.tile(np.arange(size), (splits, 1)), axis=1)
    learns = order < train  # (J, m)
    means = [
        np.einsum("jm,ctm->ctj", learns & (labels == k), columns)
        / (learns & (labels == k)).sum(axis=1)
        for k in (0, 1)
    ]
    middle, ascending = (means[0] + means[1]) / 2, means[1] > means[0]
    answers = (columns[:, :, None] > middle[..., None]) == ascending[..., None]  # (2, t, J, m)
    right = (answers == (labels == 1)) & ~learns
    scores = right.sum(axis=3) / (size - train)
    sizes = {"train": train, "test": size - train}
    p = [corrected_resampled_t_test(a, b, **sizes) for a, b in zip(*scores, strict=True)]
    plain = stats.ttest_rel(scores[0], scores[1], axis=1).pvalue
    for level in (0.05, 0.01):
        chance = stats.binom.ppf(0.999, tasks, level) / tasks
        assert np.mean(np.array(p) < level) <= chance
        assert np.mean(plain < level) > 3 * level


@given(st.integers(0, 2**32), st.integers(MIN_RUNS, 12), st.integers(10, 100), st.integers(1, 50))
def test_the_corrected_interval_belongs_to_the_test(seed, splits, train, test) -> None:
    """A constant at its end is just rejected at level 0.05."""
    values = np.random.default_rng(seed).uniform(0.45, 0.55, splits)
    low, high = corrected_resampled_interval(values, train=train, test=test)
    for end in {low, high} - {0.0, 1.0}:
        p = corrected_resampled_t_test(values, [end] * splits, train=train, test=test)
        assert p == pytest.approx(0.05)
    assert (low + high) / 2 == pytest.approx(values.mean()) or {low, high} & {0.0, 1.0}


def test_a_corrected_interval_needs_runs_and_spread() -> None:
    assert corrected_resampled_interval([0.1, 0.2, 0.3, 0.4], train=8, test=2) is None
    assert corrected_resampled_interval([0.5] * 6, train=8, test=2) is None
    low, high = corrected_resampled_interval([0.9, 1.0, 1.0, 1.0, 0.6], train=8, test=2)
    assert 0 <= low < high == 1.0
    assert (interval_text((0.1, 0.25)), interval_text(None)) == ("10.0 … 25.0", "-")


def test_marks() -> None:
    good, bad = Summary((0.9, 0.91)), Summary((0.1, 0.12))
    assert mark(good, bad, 0.001) == "∗"
    assert mark(bad, good, 0.001) == ""
    assert mark(bad, good, 0.01) == "∼"
    assert mark(good, bad, None) == "?"
