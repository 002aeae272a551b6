"""Scores against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from sub2node.base.metrics import (
    AREAS,
    CLASS_LABELS,
    METRIC_LABELS,
    best_threshold,
    class_f1,
    rankings_by_class,
    scores,
)
from sub2node.base.ranking_metrics import mean_reciprocal_rank, top_k_accuracy


@st.composite
def answers(draw, multilabel):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count, classes = draw(st.integers(1, 30)), draw(st.integers(2, 7))
    logits = rng.normal(size=(count, classes))
    if multilabel:
        return rng.random((count, classes)) < 0.4, logits.round(1)  # with ties
    return rng.integers(0, classes, count), logits


@pytest.mark.slow
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
    check_rankings(values, labels[:, None] == range(logits.shape[1]), shares)


def check_rankings(values: dict[str, float], truth: np.ndarray, shares: np.ndarray) -> None:
    """The scores of rankings that are defined, and no others."""
    both = [c for c in range(truth.shape[1]) if 0 < truth[:, c].sum() < len(truth)]
    for name, score in (("pr_auc", average_precision_score), ("roc_auc", roc_auc_score)):
        assert (name in values) == bool(both)
        if both:
            expected = np.mean([score(truth[:, c], shares[:, c]) for c in both])
            assert values[name] == pytest.approx(expected)
    for k in (3, 5):
        assert (f"top_{k}" in values) == (k < truth.shape[1] and truth.any())
        if f"top_{k}" in values:
            assert values[f"top_{k}"] == top_k_accuracy(truth, shares, k=k)
    assert ("mrr" in values) == truth.any()
    assert values.get("mrr", 1) == pytest.approx(
        mean_reciprocal_rank(truth, shares) if truth.any() else 1
    )


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
    check_rankings(values, labels, logits)


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


def test_areas_of_classes_are_behind_the_means() -> None:
    rng = np.random.default_rng(0)
    labels, logits = np.array([0, 1, 1, 3, 0, 3]), rng.normal(size=(6, 4))
    areas, values = rankings_by_class(labels, logits, multilabel=False), scores(
        labels, logits, multilabel=False
    )  # fmt: skip
    assert list(areas) == list(CLASS_LABELS)
    for by_class in areas.values():
        assert np.isnan(by_class).tolist() == [False, False, True, False]
    for name in AREAS:
        assert values[name] == pytest.approx(np.nanmean(areas[name]))
    for name in ("top_3", "mrr"):  # each class as often as there are subgraphs of it
        assert values[name] == pytest.approx(areas[name][labels].mean())
    few = rankings_by_class(np.array([0, 1, 2]), logits[:3, :3], multilabel=False)
    assert list(few) == [*AREAS, "precision_at_k"]
    assert list(values) == [name for name in METRIC_LABELS if name in values]


def test_a_class_is_ranked_by_its_probability_not_by_its_logit() -> None:
    logits = np.array([[5.0, 9.0], [1.0, 0.0]])  # the higher logit is the lower probability
    areas = rankings_by_class(np.array([1, 0]), logits, multilabel=False)
    assert areas["roc_auc"].tolist() == [1, 1]
