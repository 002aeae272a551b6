"""What follows from predictions: scores by class, confusion, calibration, the worst mistakes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base.ragged import Array
from ...runs.run_tables import RunPredictions

BINS = 10
WORST = 15


def class_table(predictions: RunPredictions) -> dict[str, Array]:
    """Precision, recall and F1 of each replica and class (R, C), and the support (C,).

    A ratio with denominator 0 counts as 0.
    """
    hits = (predictions.predicted & predictions.truth).sum(axis=1)
    claimed, support = predictions.predicted.sum(axis=1), predictions.truth.sum(axis=0)
    return {
        "precision": hits / np.maximum(claimed, 1),
        "recall": hits / np.maximum(support, 1),
        "f1": 2 * hits / np.maximum(claimed + support, 1),
        "support": support,
    }


def confusion(predictions: RunPredictions) -> Array:
    """Subgraphs by true class (row) and predicted class (column): (C, C), mean of seeds."""
    truth, predicted = predictions.truth.argmax(axis=1), predictions.predicted.argmax(axis=2)
    classes = predictions.truth.shape[1]
    key = (truth * classes + predicted).ravel()
    table = np.bincount(key, minlength=classes * classes).reshape(classes, classes)
    return np.asarray(table / predictions.replicas)


@dataclass(frozen=True, eq=False)
class Calibration:
    """Whether what is predicted with probability p is true in a share p of cases.

    Args:
        count: Cases in each bin of probability, (BINS,).
        confidence: Mean probability in it; NaN in an empty one.
        frequency: Share of true ones.
    """

    count: Array
    confidence: Array
    frequency: Array

    @property
    def error(self) -> float:
        """Expected calibration error: the mean gap, weighted by cases."""
        gaps = np.abs(self.frequency - self.confidence)
        return float(np.nansum(gaps * self.count) / max(self.count.sum(), 1))


def calibration(probabilities: Array, truth: Array, *, multilabel: bool) -> Calibration:
    """Compute calibration in bins of equal width.

    Args:
        probabilities: The probabilities of the classes, (m, C).
        truth: The true labels as booleans, (m, C).
        multilabel: Every label of every subgraph is a case; else the likeliest class is.
    """
    if multilabel:
        shares, right = probabilities.ravel(), truth.ravel()
    else:
        top = probabilities.argmax(axis=1)
        rows = np.arange(len(top))
        shares, right = probabilities[rows, top], truth[rows, top]
    place = np.minimum((shares * BINS).astype(np.int64), BINS - 1)
    count = np.bincount(place, minlength=BINS)
    with np.errstate(invalid="ignore"):
        return Calibration(
            count,
            np.bincount(place, shares, minlength=BINS) / count,
            np.bincount(place, right, minlength=BINS) / count,
        )


@dataclass(frozen=True)
class Mistake:
    """A wrong answer.

    Args:
        row: The row of the test subgraph.
        label: The predicted class; in multi-label data the label that was predicted or missed.
        missed: Multi-label only: the label is true and was not predicted.
        wrong: How many replicas made it; single-label: were wrong about the subgraph.
        probability: The probability of the wrong answer, mean of the replicas.
    """

    row: int
    label: int
    missed: bool
    wrong: int
    probability: float


def worst(predictions: RunPredictions, most: int = WORST) -> list[list[Mistake]]:
    """Mistakes by subgraph: those of most replicas first, then those of the highest probability.

    Of single-label data a subgraph has one, the class that was predicted most often.
    """
    mean = predictions.probabilities.mean(axis=0)
    wrong = (predictions.predicted & ~predictions.truth).sum(axis=0)
    missed = predictions.truth & predictions.multilabel
    if predictions.multilabel:
        often = (predictions.predicted != predictions.truth).sum(axis=0)
        rows, labels = np.nonzero(often)
    else:
        often = np.broadcast_to(wrong.sum(axis=1, keepdims=True), wrong.shape)
        rows = np.flatnonzero(wrong.any(axis=1))
        labels = np.lexsort((mean[rows], wrong[rows]), axis=1)[:, -1]  # ties by probability
    sure = np.where(missed, 1 - mean, mean)
    by_row: dict[int, list[Mistake]] = {}
    for place in np.lexsort((rows, -sure[rows, labels], -often[rows, labels])):
        r, c = int(rows[place]), int(labels[place])
        if r in by_row or len(by_row) < most:
            mistake = Mistake(r, c, bool(missed[r, c]), int(often[r, c]), float(sure[r, c]))
            by_row.setdefault(r, []).append(mistake)
    return list(by_row.values())
