"""Scores of rankings against scikit-learn, and against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score, top_k_accuracy_score

from sub2node.base.ranking_metrics import (
    class_areas,
    class_ranks,
    mean_reciprocal_rank,
    precision_at_k,
    precision_at_positives,
    precision_by_recall,
    top_k_accuracy,
    true_ranks,
)


@st.composite
def rankings(draw, *, ties: bool, multilabel: bool = True):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count, classes = draw(st.integers(1, 30)), draw(st.integers(2, 7))
    scores = rng.normal(size=(count, classes))
    if multilabel:
        truth = rng.random((count, classes)) < draw(st.sampled_from([0.1, 0.5, 0.9]))
    else:
        truth = rng.integers(0, classes, count)[:, None] == range(classes)
    return truth, scores.round(draw(st.integers(0, 1))) if ties else scores


@given(rankings(ties=True))
def test_ranks_by_their_definition(case) -> None:
    truth, scores = case
    for row, (true, values) in enumerate(zip(truth, scores, strict=True)):
        # false ones first among equals: sort by score, then by truth
        order = sorted(range(len(true)), key=lambda c: (-values[c], true[c]))
        expected = [place for place, c in enumerate(order, 1) if true[c]][:1] or [np.nan]
        assert true_ranks(truth, scores)[row] == pytest.approx(expected[0], nan_ok=True)


@given(rankings(ties=False, multilabel=False), st.integers(1, 6))
def test_top_k_accuracy_is_that_of_scikit_learn(case, k) -> None:
    truth, scores = case
    labels, classes = truth.argmax(axis=1), np.arange(truth.shape[1])
    if k >= len(classes) or len(classes) == 2:  # where scikit-learn has other rules
        assert top_k_accuracy(truth, scores, k=len(classes)) == 1
        return
    expected = top_k_accuracy_score(labels, scores, k=k, labels=classes)
    assert top_k_accuracy(truth, scores, k=k) == pytest.approx(expected)


def test_ties_gain_nothing() -> None:
    truth = np.eye(4, dtype=bool)
    level = np.zeros((4, 4))
    assert top_k_accuracy(truth, level, k=3) == 0
    assert mean_reciprocal_rank(truth, level) == 1 / 4
    positive = np.array([True, False, False])
    assert precision_at_k(positive, np.zeros(3), k=2) == 0
    assert precision_at_k(positive, np.zeros(3), k=3) == pytest.approx(1 / 3)


def test_the_best_ranked_of_several_labels_counts() -> None:
    truth = np.array([[True, False, True], [False, False, False], [False, True, False]])
    scores = np.array([[0.1, 0.2, 0.9], [0.1, 0.2, 0.3], [0.9, 0.5, 0.1]])
    assert mean_reciprocal_rank(truth, scores) == pytest.approx((1 + 1 / 2) / 2)
    assert top_k_accuracy(truth, scores, k=1) == 0.5
    assert np.isnan(mean_reciprocal_rank(np.zeros((2, 3), bool), scores[:2]))
    assert np.isnan(top_k_accuracy(np.zeros((2, 3), bool), scores[:2], k=2))


@given(rankings(ties=True))
def test_areas_are_those_of_scikit_learn(case) -> None:
    truth, scores = case
    roc, pr = class_areas(truth, scores)
    for c, (true, values) in enumerate(zip(truth.T, scores.T, strict=True)):
        if true.all() or not true.any():
            assert np.isnan([roc[c], pr[c]]).all()
            continue
        assert roc[c] == pytest.approx(roc_auc_score(true, values))
        assert pr[c] == pytest.approx(average_precision_score(true, values))
        steps = precision_by_recall(true, values)
        assert len(steps) == true.sum()
        assert steps.mean() == pytest.approx(pr[c])


@given(rankings(ties=True))
def test_a_step_is_the_precision_where_its_recall_is_reached(case) -> None:
    truth, scores = case
    true, values = truth[:, 0], scores[:, 0]
    for number, precision in enumerate(precision_by_recall(true, values), 1):
        cuts = [cut for cut in values if (true & (values >= cut)).sum() >= number]
        assert precision == pytest.approx(true[values >= max(cuts)].mean())


@given(rankings(ties=False), st.data())
def test_precision_at_k_by_its_definition(case, data) -> None:
    truth, scores = case
    k = data.draw(st.integers(1, len(truth)))
    first = sorted(range(len(truth)), key=lambda row: -scores[row, 0])[:k]
    expected = sum(truth[row, 0] for row in first) / k
    assert precision_at_k(truth[:, 0], scores[:, 0], k=k) == pytest.approx(expected)


@given(rankings(ties=True), st.integers(1, 4))
def test_ranks_and_precision_of_classes_by_their_definitions(case, k) -> None:
    truth, scores = case
    top, reciprocal = class_ranks(truth, scores, k=k)
    precision = precision_at_positives(truth, scores)
    for c in range(truth.shape[1]):
        rows = np.flatnonzero(truth[:, c])
        ranks = [
            1 + sum(scores[r, d] >= scores[r, c] and not truth[r, d] for d in range(len(truth.T)))
            for r in rows
        ]
        if not ranks:
            assert np.isnan([top[c], reciprocal[c], precision[c]]).all()
            continue
        assert top[c] == pytest.approx(np.mean(np.array(ranks) <= k))
        assert reciprocal[c] == pytest.approx(np.mean(1 / np.array(ranks)))
        if len(rows) == len(truth):
            assert np.isnan(precision[c])
            continue
        best = sorted(range(len(truth)), key=lambda r: (-scores[r, c], truth[r, c]))[: len(rows)]
        assert precision[c] == pytest.approx(truth[best, c].mean())
