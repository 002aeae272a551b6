"""Which model is best and whether others differ from it: one rule for tables, marks and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from .significance import LEVEL, MIN_RUNS, Summary, compare_scores, mark

MARKS = f"∗ significantly better, ∼ no significant difference, ? fewer than {MIN_RUNS} runs"


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


AssessedModel = TypeVar("AssessedModel", bound=Assessed)


def is_simple(config: Mapping[str, object]) -> bool:
    """Whether these are the settings of a model without a training loop."""
    return "baseline" in config and "training" not in config


def best_on_validation(models: Sequence[AssessedModel]) -> AssessedModel:
    """The model with the best mean micro-F1 on validation; of ties a simple one, then the first."""
    return max(models, key=lambda m: (m.val["micro_f1"].mean, is_simple(m.config)))


def compare_models(
    ours: Assessed, other: Assessed, split: dict[str, int] | None
) -> tuple[float | None, str]:
    """Two-sided p that both are equally good on test (micro-F1), and the mark of the first.

    Without five runs there is no p, and the mark is ``?``; one seed of a network is one run, one
    value of a simple model may be all that it has.

    Args:
        ours: The model that gets the mark.
        other: The model that it is compared with.
        split: Part sizes where values belong to random splits; None: they belong to seeds.
    """
    scores, others = ours.test["micro_f1"], other.test["micro_f1"]
    lone_seed = any(
        model.test["micro_f1"].n == 1 and not is_simple(model.config) for model in (ours, other)
    )
    p = None if lone_seed else compare_scores(scores, others, split)
    return p, mark(scores, others, p)


def describe_test(*, paired: bool) -> str:
    """The test behind the marks, in words.

    Args:
        paired: Whether values belong to random splits; otherwise to seeds.
    """
    test = "corrected resampled t-test" if paired else "Welch's t-test"
    return f"{test} on test micro-F1, level {LEVEL:g}"
