"""What follows from answers: scores by class, confusion, calibration, the worst mistakes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...ragged import Array
from .tables import Answers

BINS = 10
WORST = 15


def class_table(found: Answers) -> dict[str, Array]:
    """Precision, recall and F1 of each replica and class (R, C), and the support (C,).

    Where nothing was said or nothing was there, the share is 0.
    """
    hits = (found.said & found.truth).sum(axis=1)
    claimed, there = found.said.sum(axis=1), found.truth.sum(axis=0)
    return {
        "precision": hits / np.maximum(claimed, 1),
        "recall": hits / np.maximum(there, 1),
        "f1": 2 * hits / np.maximum(claimed + there, 1),
        "support": there,
    }


def confusion(found: Answers) -> Array:
    """Subgraphs of each class (row) that were called each class (column): (C, C), mean of seeds."""
    truth, said = found.truth.argmax(axis=1), found.said.argmax(axis=2)
    classes = found.truth.shape[1]
    key = (truth * classes + said).ravel()
    table = np.bincount(key, minlength=classes * classes).reshape(classes, classes)
    return np.asarray(table / found.replicas)


@dataclass(frozen=True, eq=False)
class Calibration:
    """Whether what is said with probability p is true in a share p of cases.

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
    """In bins of equal width.

    Args:
        probabilities: (m, C).
        truth: Booleans (m, C).
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
        row: Of the test subgraph.
        label: The class that was said; of multi-label data the label that was said or missed.
        missed: Multi-label: it is there, and was not said.
        wrong: Replicas that made it; single-label: that were wrong about the subgraph.
        probability: What was given to the wrong answer, mean of the replicas.
    """

    row: int
    label: int
    missed: bool
    wrong: int
    probability: float


def worst(found: Answers, most: int = WORST) -> list[list[Mistake]]:
    """Mistakes by subgraph: those of most replicas first, then those of the highest probability.

    Of single-label data a subgraph has one, the class that was said most often.
    """
    mean = found.probabilities.mean(axis=0)
    wrong = (found.said & ~found.truth).sum(axis=0)
    missed = found.truth & found.multilabel
    if found.multilabel:
        often = (found.said != found.truth).sum(axis=0)
        rows, labels = np.nonzero(often)
    else:
        often = np.broadcast_to(wrong.sum(axis=1, keepdims=True), wrong.shape)
        rows = np.flatnonzero(wrong.any(axis=1))
        labels = np.lexsort((mean[rows], wrong[rows]), axis=1)[:, -1]  # ties by probability
    sure = np.where(missed, 1 - mean, mean)
    found_by_row: dict[int, list[Mistake]] = {}
    for place in np.lexsort((rows, -sure[rows, labels], -often[rows, labels])):
        r, c = int(rows[place]), int(labels[place])
        if r in found_by_row or len(found_by_row) < most:
            mistake = Mistake(r, c, bool(missed[r, c]), int(often[r, c]), float(sure[r, c]))
            found_by_row.setdefault(r, []).append(mistake)
    return list(found_by_row.values())
