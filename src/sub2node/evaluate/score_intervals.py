"""The two intervals of a test score: over runs alone, and over test subgraphs too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .bootstrap import bootstrap_intervals
from .significance import MIN_RUNS, Interval, corrected_resampled_interval
from .verdicts import has_one_run

if TYPE_CHECKING:
    from .result import Result


def find_intervals(result: Result) -> dict[str, Interval]:
    """95 % intervals of test scores that allow for other test subgraphs, by metric.

    Over seeds on one split a bootstrap over seeds and test subgraphs, over random splits that of
    the corrected resampled t-test. A network needs five runs; of a model without randomness, one
    run is all there is, and its test subgraphs are drawn again.
    """
    if result.scored_on.splits:
        return _over_splits(result, result.scored_on.sizes)
    labels, outputs = result.labels.get("test"), result.outputs.get("test")
    if labels is None or outputs is None:
        return {}
    runs = len(outputs.logits)
    if runs < MIN_RUNS and not (runs == 1 and has_one_run(result.config)):
        return {}
    return bootstrap_intervals(labels, outputs.logits, result.thresholds)


def _over_splits(result: Result, sizes: Mapping[str, int]) -> dict[str, Interval]:
    if not {"train", "test"} <= sizes.keys():
        return {}
    intervals = {
        name: corrected_resampled_interval(score.values, train=sizes["train"], test=sizes["test"])
        for name, score in result.test.items()
    }
    return {name: interval for name, interval in intervals.items() if interval is not None}


def interval_titles(*, splits: bool) -> tuple[str, str]:
    """What the narrow and the wide interval are over, for the head of a table.

    Args:
        splits: Whether values belong to random splits; otherwise to seeds.
    """
    if splits:
        return "over splits", "over splits, corrected"
    return "over seeds", "over seeds and test subgraphs"


def explain_intervals(*, splits: bool) -> str:
    """How the two intervals differ, in one sentence.

    Args:
        splits: Whether values belong to random splits; otherwise to seeds.
    """
    if splits:
        return (
            "the interval over splits takes them as independent; the corrected one allows for the"
            " subgraphs that they share, and is the one to quote."
        )
    return (
        "over seeds, where the mean of other seeds would lie on these same test subgraphs; over"
        " seeds and test subgraphs, also on other test subgraphs, and that is the one to quote."
    )
