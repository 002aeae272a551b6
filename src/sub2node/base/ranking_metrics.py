"""Scores of rankings: how high true classes, and the subgraphs of a class, stand.

Everything takes the truth as booleans (m, C), one column per class, so that single-label and
multi-label data are scored alike. Equal scores are ranked pessimistically where a rank is asked for
(what is false comes first), so that a model that does not decide gains nothing; the two areas treat
them as their definitions do.
"""

from __future__ import annotations

import numpy as np

from .ragged import Array

TOP = (3, 5)  # how many of the likeliest classes a top-k accuracy looks at


def true_ranks(truth: Array, scores: Array) -> Array:
    """The rank of each row's true class, from 1, or of the best-ranked of several; (m,).

    Of equal scores, classes that are not true come first. NaN for a row without a true class.

    Args:
        truth: Booleans (m, C).
        scores: Numbers (m, C), higher for likelier classes.
    """
    best = np.where(truth, scores, -np.inf).max(axis=1, keepdims=True)
    ranks = 1 + (~truth & (scores >= best)).sum(axis=1)
    return np.where(truth.any(axis=1), ranks, np.nan)


def top_k_accuracy(truth: Array, scores: Array, *, k: int) -> float:
    """Share of rows with a true class among the k likeliest; rows without one do not count.

    Args:
        truth: Booleans (m, C).
        scores: Numbers (m, C).
        k: How many classes are looked at.
    """
    return mean_defined((_defined(true_ranks(truth, scores)) <= k).astype(float))


def mean_reciprocal_rank(truth: Array, scores: Array) -> float:
    """Mean of 1 / rank of the true class (of the best-ranked one); NaN where no row has one.

    Args:
        truth: Booleans (m, C).
        scores: Numbers (m, C).
    """
    return mean_defined(1 / true_ranks(truth, scores))


def class_ranks(truth: Array, scores: Array, *, k: int) -> tuple[Array, Array]:
    """Of the rows of each class: the share with the class among the k likeliest, and mean 1 / rank.

    A rank is counted among the classes that the row does not have, which come first where scores
    are equal; (C,) each, NaN for a class that no row has.

    Args:
        truth: Booleans (m, C).
        scores: Numbers (m, C), comparable within a row.
        k: How many classes are looked at.
    """
    top, reciprocal = np.full((2, truth.shape[1]), np.nan)
    for c, has_class in enumerate(truth.T):
        if has_class.any():
            above = scores[has_class] >= scores[has_class, c][:, None]
            ranks = 1 + (~truth[has_class] & above).sum(axis=1)
            top[c], reciprocal[c] = (ranks <= k).mean(), (1 / ranks).mean()
    return top, reciprocal


def precision_at_positives(truth: Array, scores: Array) -> Array:
    """Precision at k of each class, where k is the number of rows that have it; (C,).

    NaN for a class that all rows have, or none.

    Args:
        truth: Booleans (m, C).
        scores: Numbers (m, C), comparable within a column.
    """
    counts = truth.sum(axis=0)
    return np.array(
        [
            precision_at_k(has_class, column, k=count) if 0 < count < len(truth) else np.nan
            for has_class, column, count in zip(truth.T, scores.T, counts.tolist(), strict=True)
        ]
    )


def class_areas(truth: Array, scores: Array) -> tuple[Array, Array]:
    """ROC-AUC and PR-AUC (average precision) of each class against all others; (C,) each.

    ROC-AUC is the share of pairs of a subgraph with the class and one without it in which the
    former has the higher score, equal scores counting half. Average precision is the mean, over
    the subgraphs with the class, of the precision among all that score at least as high. Both are
    NaN for a class that all rows have, or none.

    Args:
        truth: Booleans (m, C).
        scores: Numbers (m, C), comparable within a column.
    """
    hits, precision, false_above = _rank_columns(truth, scores)
    positives = truth.sum(axis=0)
    pairs = positives * (len(truth) - positives)
    with np.errstate(invalid="ignore", divide="ignore"):
        roc = 1 - np.where(hits, false_above, 0.0).sum(axis=0) / pairs
        pr = np.where(hits, precision, 0.0).sum(axis=0) / positives
    return np.where(pairs, roc, np.nan), np.where(pairs, pr, np.nan)


def precision_by_recall(positive: Array, scores: Array) -> Array:
    """Precision at recall 1/P, 2/P, …, 1, where P rows are positive; (P,).

    Between two of these the precision of the higher recall holds, so that the mean of the values,
    the area under this staircase, is the average precision.

    Args:
        positive: Booleans (m,).
        scores: Numbers (m,).
    """
    hits, precision, _ = _rank_columns(positive[:, None], scores[:, None])
    return np.asarray(precision[hits])


def precision_at_k(positive: Array, scores: Array, *, k: int) -> float:
    """Share of positive rows among the k with the highest scores.

    Of equal scores, rows that are not positive come first.

    Args:
        positive: Booleans (m,).
        scores: Numbers (m,).
        k: How many rows are looked at, 1 to m.
    """
    return float(positive[np.lexsort((positive, -scores))[:k]].mean())


def mean_defined(values: Array) -> float:
    """The mean of the values that are not NaN; NaN where there is none."""
    defined = _defined(values)
    return float(defined.mean()) if len(defined) else float("nan")


def _defined(values: Array) -> Array:
    return np.asarray(values[~np.isnan(values)])


def _rank_columns(truth: Array, scores: Array) -> tuple[Array, Array, Array]:
    """Each column in descending order of its scores.

    Returns:
        Whether a row is true, the precision among rows of at least its score, and the number of
        false rows above it, those of equal score counting half; (m, C) each.
    """
    order = np.argsort(-scores, axis=0, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=0)
    hits = np.take_along_axis(truth, order, axis=0)
    found = np.cumsum(hits, axis=0)
    places = np.arange(len(truth))[:, None]
    ends = np.ones(truth.shape, bool)
    ends[:-1] = ranked[1:] != ranked[:-1]
    starts = np.ones(truth.shape, bool)
    starts[1:] = ends[:-1]
    last = np.minimum.accumulate(np.where(ends, places, len(truth))[::-1], axis=0)[::-1]
    first = np.maximum.accumulate(np.where(starts, places, 0), axis=0)
    found_by_last = np.take_along_axis(found, last, axis=0)
    found_before = np.take_along_axis(found - hits, first, axis=0)
    false_above = (first - found_before + last + 1 - found_by_last) / 2
    return hits, found_by_last / (last + 1), false_above
