"""The positive class in a report: its scores, and its curve of precision by recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...base.ragged import Array
from ...base.ranking_metrics import precision_by_recall
from ...evaluate.positive_views import positive_rows, threshold_text
from ...runs import Run
from ...runs.run_tables import RunPredictions
from ..drawing import PALETTE, house_style, new_figure, plain_text, set_tip
from .report_wording import Numbers, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH = 420
_MOST_POINTS = 300
_LONG = 40  # letters of the name of a class


def positive_numbers(run: Run, predictions: RunPredictions | None) -> Numbers | None:
    """What a report shows of the positive class; None where a run has none.

    Args:
        run: The run that the report details.
        predictions: Its predictions on test, for the curve; None: there is no curve.
    """
    positive = run.result.positive
    if positive is None:
        return None
    parts = {"Validation": positive.val.content(), "Test": positive.test.content()}
    return {
        **positive.to_dict(),
        "rows": [list(row) for row in positive_rows(parts)],
        "threshold_text": threshold_text(positive.thresholds, positives=positive.val.positives),
        "curve": None if predictions is None else _curve_numbers(run, predictions, positive.label),
    }


def _curve_numbers(run: Run, predictions: RunPredictions, label: str) -> Numbers | None:
    """Precision at each recall of test, by seed; None where no test subgraph is positive."""
    index = run.classes.index(label)
    truth = predictions.truth[:, index]
    if not truth.any():
        return None
    curves = [precision_by_recall(truth, seed[:, index]) for seed in predictions.probabilities]
    recall = np.arange(1, int(truth.sum()) + 1) / truth.sum()
    return {"recall": recall.tolist(), "precision_by_seed": [curve.tolist() for curve in curves]}


@house_style()
def draw_precision_recall(positive: Numbers) -> Figure:
    """Precision by recall on test: the mean of seeds, each seed, prevalence and threshold.

    The area under the thick line is the PR-AUC, the mean over seeds. The dot is precision and
    recall at the threshold that was chosen on validation.

    Args:
        positive: What :func:`positive_numbers` gives, with a curve.
    """
    figure, [axes] = new_figure(_WIDTH, 380)
    curve, test = positive["curve"], positive["test"]
    recall, by_seed = np.array(curve["recall"]), np.array(curve["precision_by_seed"])
    prevalence = 100 * test["prevalence"]
    axes.axhline(prevalence, ls="--", color=PALETTE["soft"], lw=1)
    above = prevalence < 90
    axes.annotate(
        f"prevalence {prevalence:.1f} %",
        (0, prevalence),
        (2, 4 if above else -4),
        textcoords="offset points",
        va="bottom" if above else "top",
        color=PALETTE["soft"],
        size=11.5,
    )
    for values in by_seed if len(by_seed) > 1 else ():
        _draw_steps(axes, recall, values, color=PALETTE["k10"], lw=1, alpha=0.45)
    _draw_steps(axes, recall, by_seed.mean(axis=0), color=PALETTE["accent"], lw=2.2, alpha=1.0)
    _draw_threshold(axes, positive)
    axes.set(xlim=(-2, 102), ylim=(-2, 104))
    axes.set_title("Precision, %")
    axes.set_xlabel(f"Recall of {_short(positive['label'])}, %", weight="bold")
    return figure


def describe_curve(positive: Numbers) -> str:
    """What can be seen in the figure."""
    test = positive["test"]
    area = (
        ""
        if test["pr_auc"] is None
        else f" The area under it is {percent(test['pr_auc']['mean'])}."
    )
    return (
        f"At the threshold, precision is {percent(test['precision']['mean'])} and recall"
        f" {percent(test['recall']['mean'])} percent; the prevalence is"
        f" {percent(test['prevalence'])} percent.{area}"
    )


def _draw_steps(axes: Axes, recall: Array, precision: Array, **style: object) -> None:
    """A staircase: up to each recall, the precision that is had there."""
    shown = np.unique(np.linspace(0, len(recall) - 1, _MOST_POINTS).astype(int))
    x = np.r_[0.0, recall[shown]]
    y = np.r_[precision[shown[0]], precision[shown]]
    axes.step(100 * x, 100 * y, where="pre", **style)  # type: ignore[arg-type]


def _draw_threshold(axes: Axes, positive: Numbers) -> None:
    test = positive["test"]
    recall, precision = 100 * test["recall"]["mean"], 100 * test["precision"]["mean"]
    (dot,) = axes.plot(
        [recall],
        [precision],
        "o",
        ms=11,
        color=PALETTE["k1"],
        mec=PALETTE["paper"],
        mew=1.5,
        zorder=4,
    )
    mean = float(np.mean(positive["thresholds"]))
    set_tip(dot, f"threshold {mean:.3f}: precision {precision:.1f} %, recall {recall:.1f} %")
    left, low = recall > 50, precision > 50
    axes.annotate(
        f"threshold {mean:.2f}",
        (recall, precision),
        (-10 if left else 10, -10 if low else 10),
        textcoords="offset points",
        ha="right" if left else "left",
        va="top" if low else "bottom",
        weight="bold",
        color=PALETTE["k1"],
    )


def _short(name: str) -> str:
    text = plain_text(name)
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"
