"""Scores of the class that matters: ranking, threshold of validation, and what is not defined."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from report_runs import small_task
from sub2node.base.errors import ConfigError
from sub2node.base.records import from_json
from sub2node.baselines import SIMPLE
from sub2node.evaluate import assess
from sub2node.evaluate.positive_class import (
    PositiveClass,
    PositivePart,
    PositiveScores,
    choose_threshold,
    join_positive,
    measure_positive,
)
from sub2node.models.baseline import Simple

CLASSES = ("clean", "fraud", "unclear")


@st.composite
def rankings(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(1, 60))
    return rng.random(count) < draw(st.sampled_from([0.0, 0.1, 0.5])), rng.random(count).round(2)


def test_a_wrong_name_gets_the_nearest_one() -> None:
    assert PositiveClass.find("fraud", CLASSES, multilabel=False) == PositiveClass("fraud", 1)
    with pytest.raises(ConfigError, match=r"no class 'Fraud'\. Did you mean 'fraud'\?$"):
        PositiveClass.find("Fraud", CLASSES, multilabel=False)
    with pytest.raises(ConfigError, match="one label per subgraph"):
        PositiveClass.find("fraud", CLASSES, multilabel=True)


@given(rankings())
def test_measures_by_their_definitions(case) -> None:
    truth, probabilities = case
    found = measure_positive(truth, probabilities, 0.5)
    assert found["prevalence"] == pytest.approx(truth.mean())
    if 0 < truth.sum() < len(truth):
        assert found["roc_auc"] == pytest.approx(roc_auc_score(truth, probabilities))
        assert found["pr_auc"] == pytest.approx(average_precision_score(truth, probabilities))
    else:
        assert (found["roc_auc"], found["pr_auc"]) == (None, None)
    sizes = [str(k) for k in (10, 50, 100) if k <= len(truth)]
    assert list(found["precision_at"]) == sizes + ["positives"] * bool(truth.any())
    alerts = probabilities > 0.5
    assert found["f1"] == pytest.approx(f1_score(truth, alerts, zero_division=0))
    assert found["precision"] * alerts.sum() == pytest.approx((truth & alerts).sum())
    assert found["recall"] * truth.sum() == pytest.approx((truth & alerts).sum())


@given(rankings())
def test_no_other_threshold_is_better(case) -> None:
    truth, probabilities = case
    best = choose_threshold(truth, probabilities)
    if not truth.any():
        assert best == 0.5
        return
    score = measure_positive(truth, probabilities, best)["f1"]
    for cut in (-1.0, *probabilities):
        assert measure_positive(truth, probabilities, cut)["f1"] <= score + 1e-12


def made_scores(seed: int = 0, count: int = 40) -> PositiveScores:
    rng, parts = np.random.default_rng(seed), ("val", "test")
    labels = {part: rng.integers(0, 3, count) for part in parts}
    logits = {part: rng.normal(size=(2, count, 3)) for part in parts}
    target = PositiveClass("fraud", 1)
    return target.score(labels, logits, target.choose_thresholds(labels["val"], logits["val"]))


def test_scores_are_of_each_replica_with_its_own_threshold() -> None:
    rng, target = np.random.default_rng(0), PositiveClass("fraud", 1)
    labels = {part: rng.integers(0, 3, 40) for part in ("val", "test")}
    logits = {part: rng.normal(size=(2, 40, 3)) for part in ("val", "test")}
    thresholds = target.choose_thresholds(labels["val"], logits["val"])
    assert len(set(thresholds)) == 2
    found = target.score(labels, logits, thresholds)
    shares = np.exp(logits["test"]) / np.exp(logits["test"]).sum(-1, keepdims=True)
    for r, threshold in enumerate(thresholds):
        expected = measure_positive(labels["test"] == 1, shares[r, :, 1], threshold)
        assert found.test.recall.values[r] == pytest.approx(expected["recall"])
        assert found.test.pr_auc.values[r] == pytest.approx(expected["pr_auc"])
        assert found.test.precision_at["10"].values[r] == expected["precision_at"]["10"]
    assert found.test.positives == (labels["test"] == 1).sum()


def test_scores_survive_json() -> None:
    scores = made_scores()
    assert from_json(PositiveScores, scores.to_dict()) == scores
    assert scores.to_dict()["val"]["prevalence"] == scores.val.prevalence


def test_a_split_without_positives_takes_the_areas_away() -> None:
    whole, other = made_scores(1), made_scores(2)
    lacking = replace(other, test=replace(other.test, roc_auc=None, pr_auc=None, precision_at={}))
    joined = join_positive([whole, lacking])
    assert joined.val.pr_auc.values == (whole.val.pr_auc.mean, other.val.pr_auc.mean)
    assert (joined.test.pr_auc, joined.test.precision_at) == (None, {})
    assert joined.test.f1.n == 2
    assert joined.thresholds == tuple(float(np.mean(one.thresholds)) for one in (whole, other))
    assert join_positive([None, None]) is None


def test_parts_of_one_run_keep_their_numbers() -> None:
    measures = measure_positive(np.array([True, False, True]), np.array([0.9, 0.8, 0.1]), 0.5)
    assert PositivePart.of([measures]).means() == measures


@pytest.mark.slow
def test_a_threshold_does_not_look_at_test_labels() -> None:
    task = small_task()
    labels, here = np.array(task.labels), task.split.mask("test")
    labels[here] = (labels[here] + 1) % 3
    model = Simple(SIMPLE["bag"])
    one, other = (
        assess(t, model, seeds=[1], positive="class 1").positive
        for t in (task, replace(task, labels=labels))
    )
    assert (one.thresholds, one.val) == (other.thresholds, other.val)
    assert one.test != other.test


def test_validation_without_positives_is_said() -> None:
    task = small_task()
    labels = np.array(task.labels)
    labels[task.split.mask("val") & (labels == 1)] = 0
    model = Simple(SIMPLE["majority"])
    result = assess(replace(task, labels=labels), model, seeds=[1], positive="class 1")
    assert result.positive.thresholds == (0.5,)
    assert "no subgraph of the class 'class 1'" in result.notes[-1]
