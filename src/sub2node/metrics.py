"""Scores of predictions against labels."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .ragged import Array

METRICS = ("micro_f1", "macro_f1", "accuracy", "pr_auc")


def answers(logits: Array, *, multilabel: bool, threshold: float = 0.0) -> Array:
    """What logits (m, C) say: classes (m,), or booleans (m, C) where they exceed the threshold."""
    if not multilabel:
        return np.asarray(logits.argmax(axis=-1))
    return np.asarray(logits.astype(np.float64) > threshold)


def scores(
    labels: Array, logits: Array, *, multilabel: bool, threshold: float = 0.0
) -> dict[str, float]:
    """Micro- and macro-F1, accuracy (multi-label: of whole rows) and PR-AUC, each in 0…1.

    Classes that the labels do not have count neither in macro-F1 nor in PR-AUC.

    Args:
        labels: (m,) classes or (m, C) booleans.
        logits: (m, C).
        multilabel: Which of the two.
        threshold: Of multi-label answers.
    """
    from sklearn.metrics import accuracy_score, average_precision_score

    logits = np.nan_to_num(logits, nan=-1e30)
    said = answers(logits, multilabel=multilabel, threshold=threshold)
    truth, claim = _one_hot(labels, logits.shape[1]), _one_hot(said, logits.shape[1])
    seen = np.flatnonzero(truth.any(axis=0))
    shares = logits if multilabel else softmax(logits)
    return {
        "micro_f1": _f1(truth.ravel(), claim.ravel()),
        "macro_f1": _mean(_f1(truth[:, c], claim[:, c]) for c in seen),
        "accuracy": float(accuracy_score(labels, said)),
        "pr_auc": _mean(average_precision_score(truth[:, c], shares[:, c]) for c in seen),
    }


def class_f1(
    labels: Array, logits: Array, *, multilabel: bool, threshold: float = 0.0
) -> list[float]:
    """F1 of each class; 0 for one that is neither there nor claimed."""
    said = answers(np.nan_to_num(logits, nan=-1e30), multilabel=multilabel, threshold=threshold)
    truth, claim = _one_hot(labels, logits.shape[1]), _one_hot(said, logits.shape[1])
    return [_f1(truth[:, c], claim[:, c]) for c in range(logits.shape[1])]


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
    found = list(values)
    return float(np.mean(found)) if found else 0.0


def _f1(truth: Array, claim: Array) -> float:
    total = int(truth.sum()) + int(claim.sum())
    return 2 * int((truth & claim).sum()) / total if total else 0.0


def _one_hot(values: Array, classes: int) -> Array:
    return np.asarray(values if values.ndim == 2 else values[:, None] == np.arange(classes), bool)


def softmax(logits: Array) -> Array:
    """Over the last axis."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))
