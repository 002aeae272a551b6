"""Uncertainty of a mean score, and tests whether two results differ."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..base.errors import ConfigError
from ..base.ragged import Array

Interval = tuple[float, float]
SignificanceTest = Literal["welch", "corrected_resampled"]

LEVEL = 0.01
MIN_RUNS = 5  # with fewer runs a mean has no interval, and two models no verdict
TOO_FEW = "?"  # the mark of a model that there is no verdict on
_DRAWS = 10_000
_ROUNDING = 1e-12  # differences of scores below this are none


@dataclass(frozen=True)
class Summary:
    """A score over runs.

    Args:
        values: One score per run.
    """

    values: tuple[float, ...]

    @property
    def n(self) -> int:
        """Number of runs."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """Mean."""
        return float(np.mean(self.values))

    @property
    def sd(self) -> float | None:
        """Standard deviation, of a sample (n-1); None: a single run has no spread."""
        return float(np.std(self.values, ddof=1)) if self.n > 1 else None

    @property
    def se(self) -> float | None:
        """Standard error of the mean; None for a single run."""
        return None if self.sd is None else self.sd / math.sqrt(self.n)

    @property
    def interval(self) -> Interval | None:
        """95 % bootstrap interval of the mean (percentiles of 10,000 draws, always the same).

        It is over runs alone: of seeds on one split, it says nothing of other test subgraphs.
        None below :data:`MIN_RUNS` runs: draws from two or three values are no interval.
        """
        if self.n < MIN_RUNS:
            return None
        values = np.asarray(self.values)
        drawn = np.random.default_rng(0).choice(values, (_DRAWS, self.n)).mean(axis=1)
        return percentile_interval(drawn)

    def percent_text(self, digits: int = 1) -> str:
        """Mean and standard deviation in percent, as ``93.6 ± 6.1``; of a single run the mean."""
        spread = "" if self.sd is None else f" ± {100 * self.sd:.{digits}f}"
        return f"{100 * self.mean:.{digits}f}{spread}"

    def interval_text(self, digits: int = 1) -> str:
        """The interval in percent, as ``88.8 … 98.4``; ``-`` where there is none."""
        return interval_text(self.interval, digits)

    def to_dict(self) -> dict[str, object]:
        """Values and their statistics, for JSON."""
        return {
            "mean": self.mean,
            "sd": self.sd,
            "n": self.n,
            "se": self.se,
            "interval": None if self.interval is None else list(self.interval),
            "values": list(self.values),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Summary:
        """The reverse of :meth:`to_dict`."""
        return cls(tuple(float(value) for value in record["values"]))


def percentile_interval(drawn: Array) -> Interval:
    """The middle 95 % of drawn values."""
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def interval_text(interval: Sequence[float] | None, digits: int = 1) -> str:
    """An interval in percent, as ``88.8 … 98.4``; ``-`` where there is none."""
    if interval is None:
        return "-"
    low, high = (f"{100 * end:.{digits}f}" for end in interval)
    return f"{low} … {high}"


def welch(a: Sequence[float], b: Sequence[float]) -> float:
    """Two-sided p of Welch's t-test that two sets of runs have the same mean.

    A single value stands for a model without randomness: the other side's mean is tested against
    it.
    """
    from scipy.stats import ttest_1samp, ttest_ind

    if max(len(a), len(b)) < 2:
        raise ConfigError("a t-test needs at least two runs on one side.")
    if np.ptp(a) == 0 and np.ptp(b) == 0:  # no spread: equal, or certainly not
        return 1.0 if a[0] == b[0] else 0.0
    if min(len(a), len(b)) == 1:
        sample, mean = (a, b[0]) if len(b) == 1 else (b, a[0])
        return float(ttest_1samp(sample, mean).pvalue)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # nearly equal values: p is 1 then
        return float(ttest_ind(a, b, equal_var=False).pvalue)


def corrected_resampled_t_test(
    a: Sequence[float], b: Sequence[float], *, train: int, test: int
) -> float:
    """Two-sided p that two models are equally good over the same repeated random splits.

    The t-test on paired differences with the variance raised for overlapping training sets:
    1/J + test/train instead of 1/J, with J - 1 degrees of freedom (Nadeau and Bengio, Machine
    Learning 52, 2003, https://doi.org/10.1023/A:1024068626366). Differences that are all the same
    have no spread: p is 1 where they are 0, else 0, as in the limit.

    Args:
        a: Score of one model on each of J splits.
        b: Score of the other model on the same splits.
        train: Number of training subgraphs per split.
        test: Number of test subgraphs per split.
    """
    from scipy.stats import t

    if len(a) != len(b) or len(a) < 2:
        raise ConfigError("a paired test needs the same splits on both sides, and at least two.")
    difference = np.subtract(a, b)
    if np.ptp(difference) < _ROUNDING:
        return 1.0 if abs(difference[0]) < _ROUNDING else 0.0
    statistic = difference.mean() / _corrected_error(difference, train, test)
    return float(2 * t.sf(abs(statistic), len(difference) - 1))


def corrected_resampled_interval(
    values: Sequence[float], *, train: int, test: int
) -> Interval | None:
    """95 % interval of a mean score over repeated random splits, within 0…1.

    Mean ± t · s · √(1/J + test/train): the interval that belongs to
    :func:`corrected_resampled_t_test`. None below :data:`MIN_RUNS` splits, and where all values are
    the same.

    Args:
        values: Score on each of J splits.
        train: Number of training subgraphs per split.
        test: Number of test subgraphs per split.
    """
    from scipy.stats import t

    scores = np.asarray(values)
    if len(scores) < MIN_RUNS or np.ptp(scores) < _ROUNDING:
        return None
    half = t.ppf(0.975, len(scores) - 1) * _corrected_error(scores, train, test)
    mean = scores.mean()
    return max(0.0, float(mean - half)), min(1.0, float(mean + half))


def _corrected_error(values: Array, train: int, test: int) -> float:
    """The standard error of a mean over J splits whose training sets overlap."""
    return float(values.std(ddof=1)) * math.sqrt(1 / len(values) + test / train)


def compare_scores(ours: Summary, other: Summary, split: Mapping[str, int] | None) -> float | None:
    """Two-sided p that two models are equally good; None with too few runs for a verdict.

    A verdict needs :data:`MIN_RUNS` runs on both sides. Over seeds, a single value may stand for a
    model without randomness, whose other runs would be the same.

    Args:
        ours: Test scores of one model.
        other: Test scores of the other model.
        split: Part sizes, where value k of each model belongs to random split k (the splits that
            both have are compared); None: values belong to seeds.
    """
    if split is not None:
        common = min(ours.n, other.n)
        if common < MIN_RUNS:
            return None
        pair = (ours.values[:common], other.values[:common])
        return corrected_resampled_t_test(*pair, train=split["train"], test=split["test"])
    counts = {ours.n, other.n}
    if max(counts) < MIN_RUNS or min(counts - {1}) < MIN_RUNS:
        return None
    return welch(ours.values, other.values)


def mark(ours: Summary, other: Summary, p: float | None) -> str:
    """The mark of a model: ∗ significantly better, ∼ no significant difference, none: worse.

    The paper's marks at level 0.01, and ? where too few runs give no verdict.
    """
    if p is None:
        return TOO_FEW
    if math.isnan(p):
        return ""
    if p >= LEVEL:
        return "∼"
    return "∗" if ours.mean > other.mean else ""
