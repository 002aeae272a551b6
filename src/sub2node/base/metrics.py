"""Scores of predictions against labels."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from .ragged import Array
from .ranking_metrics import (
    TOP,
    class_areas,
    class_ranks,
    mean_defined,
    mean_reciprocal_rank,
    precision_at_positives,
    top_k_accuracy,
)

METRIC_LABELS = {
    "micro_f1": "Micro-F1",
    "macro_f1": "Macro-F1",
    "accuracy": "Accuracy",
    "top_3": "Top-3 accuracy",
    "top_5": "Top-5 accuracy",
    "mrr": "Mean reciprocal rank",
    "roc_auc": "ROC-AUC",
    "pr_auc": "PR-AUC",
}
AREAS = ("roc_auc", "pr_auc")
METRICS = tuple(METRIC_LABELS)
CLASS_LABELS = {  # rankings of single classes
    **{name: METRIC_LABELS[name] for name in AREAS},
    "precision_at_k": "Precision at k",
    f"top_{TOP[0]}": f"Top-{TOP[0]}",
    "mrr": "MRR",
}


def answers(logits: Array, *, multilabel: bool, threshold: float = 0.0) -> Array:
    """Classes (m,) that logits (m, C) predict, or booleans (m, C) where they pass the threshold."""
    if not multilabel:
        return np.asarray(logits.argmax(axis=-1))
    return np.asarray(logits.astype(np.float64) > threshold)


def scores(
    labels: Array, logits: Array, *, multilabel: bool, threshold: float = 0.0
) -> dict[str, float]:
    """Scores by name, each in 0…1; the names of :data:`METRIC_LABELS`.

    Micro- and macro-F1, accuracy (multi-label: of whole rows), accuracy of the 3 and 5 likeliest
    classes (where there are more), mean reciprocal rank of the true class, and the means of ROC-AUC
    and PR-AUC over classes. Classes that the labels do not have do not count in macro-F1, and those
    that all or no rows have not in the areas. A score that is not defined is missing.

    Args:
        labels: Classes (m,), or booleans (m, C) if multi-label.
        logits: Numbers (m, C).
        multilabel: Whether a row may have several labels.
        threshold: Multi-label answers are the classes whose logit exceeds it.
    """
    logits = np.nan_to_num(logits, nan=-1e30)
    predicted = answers(logits, multilabel=multilabel, threshold=threshold)
    truth, prediction = _one_hot(labels, logits.shape[1]), _one_hot(predicted, logits.shape[1])
    occurring = np.flatnonzero(truth.any(axis=0))
    tops = {f"top_{k}": top_k_accuracy(truth, logits, k=k) for k in TOP if k < logits.shape[1]}
    areas = zip(AREAS, class_areas(truth, comparable(logits, multilabel=multilabel)), strict=True)
    values = {
        "micro_f1": micro_f1(labels, logits, multilabel=multilabel, threshold=threshold),
        "macro_f1": _mean(_f1(truth[:, c], prediction[:, c]) for c in occurring),
        "accuracy": float((truth == prediction).all(axis=1).mean()),
        **tops,
        "mrr": mean_reciprocal_rank(truth, logits),
        **{name: mean_defined(by_class) for name, by_class in areas},
    }
    return {name: value for name, value in values.items() if not math.isnan(value)}


def rankings_by_class(labels: Array, logits: Array, *, multilabel: bool) -> dict[str, Array]:
    """How well each class is ranked, by names of :data:`CLASS_LABELS`; (C,) each.

    ROC-AUC, PR-AUC and precision at k = the number of its rows rank the rows by the class; NaN for
    one that all or no rows have. Where there are more than three classes, the share of its rows in
    which the class is among the three likeliest, and its mean reciprocal rank there, follow.

    Args:
        labels: Classes (m,), or booleans (m, C) if multi-label.
        logits: Numbers (m, C).
        multilabel: Whether a row may have several labels.
    """
    logits = np.nan_to_num(logits, nan=-1e30)
    truth = _one_hot(labels, logits.shape[1])
    columns = comparable(logits, multilabel=multilabel)
    values = dict(zip(AREAS, class_areas(truth, columns), strict=True))
    values["precision_at_k"] = precision_at_positives(truth, columns)
    if logits.shape[1] > TOP[0]:
        ranks = class_ranks(truth, logits, k=TOP[0])
        values |= zip((f"top_{TOP[0]}", "mrr"), ranks, strict=True)
    return values


def comparable(logits: Array, *, multilabel: bool) -> Array:
    """What ranks rows by a class: its probability; of multi-label data its logit."""
    exact = logits.astype(np.float64)
    return exact if multilabel else softmax(exact)


def micro_f1(labels: Array, logits: Array, *, multilabel: bool, threshold: float = 0.0) -> float:
    """Micro-F1 alone, as ``scores`` has it, for choosing among many candidates."""
    logits = np.nan_to_num(logits, nan=-1e30)
    predicted = answers(logits, multilabel=multilabel, threshold=threshold)
    return _f1(_one_hot(labels, logits.shape[1]), _one_hot(predicted, logits.shape[1]))


def class_f1(
    labels: Array, logits: Array, *, multilabel: bool, threshold: float = 0.0
) -> list[float]:
    """F1 of each class; 0 for one that is neither present nor predicted."""
    predicted = answers(
        np.nan_to_num(logits, nan=-1e30), multilabel=multilabel, threshold=threshold
    )
    truth, prediction = _one_hot(labels, logits.shape[1]), _one_hot(predicted, logits.shape[1])
    return [_f1(truth[:, c], prediction[:, c]) for c in range(logits.shape[1])]


def best_threshold(labels: Array, logits: Array) -> float:
    """The threshold of multi-label answers with the highest micro-F1 on these labels."""
    logits = np.nan_to_num(logits, nan=-1e30).astype(np.float64)
    order = np.argsort(-logits, axis=None, kind="stable")
    ranked, right = logits.ravel()[order], np.cumsum(labels.ravel()[order])
    f1 = 2 * right / (np.arange(1, len(order) + 1) + labels.sum())
    last = np.r_[ranked[1:] != ranked[:-1], True]  # equal logits fall on the same side
    top = int(np.argmax(np.where(last, f1, -1.0)))
    if top + 1 == len(ranked):
        return float(np.nextafter(ranked[top], -np.inf))
    return float((ranked[top] + ranked[top + 1]) / 2)


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return float(np.mean(numbers)) if numbers else 0.0


def _f1(truth: Array, prediction: Array) -> float:
    total = int(truth.sum()) + int(prediction.sum())
    return 2 * int((truth & prediction).sum()) / total if total else 0.0


def _one_hot(values: Array, classes: int) -> Array:
    return np.asarray(values if values.ndim == 2 else values[:, None] == np.arange(classes), bool)


def softmax(logits: Array) -> Array:
    """Probabilities over the last axis."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))
