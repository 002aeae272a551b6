"""Which model is best and whether others differ from it: one rule for tables, marks and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ..config.best_settings import NAME as ENSEMBLE
from .significance import (
    LEVEL,
    MIN_RUNS,
    TOO_FEW,
    SignificanceTest,
    Summary,
    compare_scores,
    mark,
)

MARKS = f"∗ significantly better, ∼ no significant difference, ? fewer than {MIN_RUNS} runs"


_TEST_NAMES: dict[SignificanceTest, str] = {
    "welch": "Welch's t-test",
    "corrected_resampled": "corrected resampled t-test",
}


@dataclass(frozen=True)
class ScoredOn:
    """What the values of a score are of: seeds on one split, or repeated random splits.

    Args:
        hash: Content hash of the data.
        splits: Number of random splits; 0: values belong to seeds on the split of the data.
        sizes: Number of subgraphs by part; of random splits, in each.
    """

    hash: str
    splits: int
    sizes: Mapping[str, int]


@dataclass(frozen=True)
class Verdict:
    """Whether two models differ.

    Args:
        test: The test that fits how both were assessed; None: there is none, since they were not
            assessed on the same splits.
        p: Its two-sided p-value; None without a test, and with too few runs.
        sign: The mark of the first model: ∗, ∼, ? or nothing.
    """

    test: SignificanceTest | None
    p: float | None
    sign: str


class Assessed(Protocol):
    """A model with its scores: a :class:`Result`, or what a run folder says of one."""

    @property
    def config(self) -> Mapping[str, object]:
        """All settings."""

    @property
    def val(self) -> Mapping[str, Summary]:
        """Validation scores by metric."""

    @property
    def test(self) -> Mapping[str, Summary]:
        """Test scores by metric."""

    @property
    def scored_on(self) -> ScoredOn:
        """What the values of each score are of."""


AssessedModel = TypeVar("AssessedModel", bound=Assessed)


def has_one_run(config: Mapping[str, object]) -> bool:
    """Whether these are the settings of a model of which one run is all there is.

    Of an ensemble it is not: its networks are random, and how many learn depends on the clock.
    """
    return "baseline" in config and "training" not in config and config["baseline"] != ENSEMBLE


def is_simple(config: Mapping[str, object]) -> bool:
    """Whether these are the settings of a model without a training loop; an ensemble has some."""
    return has_one_run(config)


def best_on_validation(models: Sequence[AssessedModel]) -> AssessedModel:
    """The model with the best mean micro-F1 on validation; of ties a simple one, then the first."""
    return max(models, key=lambda m: (m.val["micro_f1"].mean, is_simple(m.config)))


def choose_test(ours: ScoredOn, other: ScoredOn) -> SignificanceTest | None:
    """The test that fits how two models were assessed.

    Over seeds Welch's. Over random splits the corrected resampled t-test, which is paired: value k
    of both must be of the same split, as it is with the same data and the same sizes of parts.
    None where values are of different splits, or of seeds on one side only.
    """
    if not ours.splits and not other.splits:
        return "welch"
    same = (ours.hash, dict(ours.sizes)) == (other.hash, dict(other.sizes))
    if ours.splits and other.splits and same and {"train", "test"} <= ours.sizes.keys():
        return "corrected_resampled"
    return None


def compare_models(ours: Assessed, other: Assessed) -> Verdict:
    """Whether two models differ on test (micro-F1), by the test that fits; the mark of the first.

    Without five runs there is no p, and the mark is ``?``; one seed of a network and one run of
    an ensemble are too few, one value of a simple model may be all that it has.

    Args:
        ours: The model that gets the mark.
        other: The model that it is compared with.
    """
    scores, others = ours.test["micro_f1"], other.test["micro_f1"]
    test = choose_test(ours.scored_on, other.scored_on)
    lone_seed = any(
        model.test["micro_f1"].n == 1 and not has_one_run(model.config) for model in (ours, other)
    )
    if test is None or lone_seed:
        return Verdict(test, None, TOO_FEW)
    if test == "welch":
        p = compare_scores(scores, others, None)
        return Verdict(test, p, mark(scores, others, p))
    common = min(scores.n, others.n)  # an interrupted model has fewer: the first ones
    scores, others = (Summary(score.values[:common]) for score in (scores, others))
    p = compare_scores(scores, others, ours.scored_on.sizes)
    return Verdict(test, p, mark(scores, others, p))


def describe_test(test: SignificanceTest | None) -> str:
    """The test behind the marks, in words."""
    if test is None:
        return "no test fits models on different splits"
    return f"{_TEST_NAMES[test]} on test micro-F1, level {LEVEL:g}"
