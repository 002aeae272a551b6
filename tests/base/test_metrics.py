"""Scores against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, f1_score

from sub2node.base.metrics import best_threshold, class_f1, scores


@st.composite
def answers(draw, multilabel):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count, classes = draw(st.integers(1, 30)), draw(st.integers(2, 5))
    logits = rng.normal(size=(count, classes))
    if multilabel:
        return rng.random((count, classes)) < 0.4, logits.round(1)  # with ties
    return rng.integers(0, classes, count), logits


@given(answers(False))
def test_single_label_scores(case) -> None:
    labels, logits = case
    values, predicted = scores(labels, logits, multilabel=False), logits.argmax(1)
    present = sorted(set(labels))
    assert values["micro_f1"] == pytest.approx(f1_score(labels, predicted, average="micro"))
    assert values["accuracy"] == pytest.approx((labels == predicted).mean())
    expected = f1_score(labels, predicted, labels=present, average="macro", zero_division=0)
    assert values["macro_f1"] == pytest.approx(expected)
    each = f1_score(labels, predicted, labels=range(logits.shape[1]), average=None, zero_division=0)
    assert class_f1(labels, logits, multilabel=False) == pytest.approx(list(each))
    shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    areas = [average_precision_score(labels == c, shares[:, c]) for c in present]
    assert values["pr_auc"] == pytest.approx(np.mean(areas))


@given(answers(True), st.floats(-1, 1))
def test_multi_label_scores(case, threshold) -> None:
    labels, logits = case
    values = scores(labels, logits, multilabel=True, threshold=threshold)
    predicted = logits > threshold
    assert values["micro_f1"] == pytest.approx(
        f1_score(labels, predicted, average="micro", zero_division=0)
    )
    assert values["accuracy"] == pytest.approx((labels == predicted).all(1).mean())
    seen = labels.any(0)
    if seen.any():
        each = f1_score(labels, predicted, average=None, zero_division=0)
        assert values["macro_f1"] == pytest.approx(each[seen].mean())


@given(answers(True))
def test_the_best_threshold_is_the_best(case) -> None:
    labels, logits = case

    def micro(threshold: float) -> float:
        predicted = logits > threshold
        return 2 * (labels & predicted).sum() / max(1, labels.sum() + predicted.sum())

    best = micro(best_threshold(labels, logits))
    for value in np.unique(logits):
        assert best >= micro(value) - 1e-12
        assert best >= micro(np.nextafter(value, -np.inf)) - 1e-12


def test_a_diverged_replica_is_scored_as_it_is() -> None:
    values = scores(np.array([0, 1]), np.full((2, 2), np.nan), multilabel=False)
    assert all(np.isfinite(value) for value in values.values())
