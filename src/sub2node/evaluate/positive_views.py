"""Scores of a positive class as rows of text, the same on the terminal and in model cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .positive_class import AS_POSITIVES
from .significance import Summary

_NAMES = {
    "roc_auc": "ROC-AUC",
    "pr_auc": "PR-AUC",
    "precision": "Precision at threshold",
    "recall": "Recall at threshold",
    "f1": "F1 at threshold",
}


def positive_rows(parts: Mapping[str, Mapping[str, object]]) -> list[tuple[str, ...]]:
    """A name and a text for each part, row by row; in percent, ``-`` for what is not defined.

    Args:
        parts: What :func:`~sub2node.evaluate.positive_class.measure_positive` gives, or the same
            with a :class:`Summary` in place of each number, by part.
    """
    tables = list(parts.values())
    rows = [("Prevalence", *map(_prevalence_text, tables))]
    rows += [
        (_NAMES[key], *(_text(table[key]) for table in tables)) for key in ("roc_auc", "pr_auc")
    ]
    at: list[Mapping[str, object]] = [dict(table["precision_at"]) for table in tables]  # type: ignore[call-overload]
    for name in dict.fromkeys(name for table in at for name in table):
        title = "Precision at k = positives" if name == AS_POSITIVES else f"Precision at {name}"
        rows.append((title, *(_text(table.get(name)) for table in at)))
    return rows + [
        (_NAMES[key], *(_text(table[key]) for table in tables))
        for key in ("precision", "recall", "f1")
    ]


def threshold_text(
    thresholds: Sequence[float], *, positives: object, seen: str = "validation"
) -> str:
    """The thresholds of runs in words.

    Args:
        thresholds: One per run.
        positives: Number of positives in validation; without any, nothing was chosen.
        seen: What the thresholds were chosen on: ``validation``, or ``out of fold``.
    """
    if not positives:
        known = "what was learned" if seen == "out of fold" else seen
        return f"one half, since {known} has no subgraph of the class"
    mean = f"a probability of {np.mean(thresholds):.3f}"
    if len(thresholds) > 1:
        mean += f" (mean of {min(thresholds):.3f} … {max(thresholds):.3f})"
    return f"{mean}, with the best F1 of the class {'' if seen == 'out of fold' else 'on '}{seen}"


def _prevalence_text(table: Mapping[str, object]) -> str:
    share, count, total = (table[key] for key in ("prevalence", "positives", "subgraphs"))
    return f"{_text(share)} ({count:,} of {total:,})"


def _text(value: object) -> str:
    if isinstance(value, Summary):
        return value.percent_text()
    return f"{100 * value:.1f}" if isinstance(value, int | float) else "-"
