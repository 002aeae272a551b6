"""Gradient boosting reads mean node vectors and encodings."""

from __future__ import annotations

import numpy as np
import pytest

import sub2node as s2n
from quick_models import CLASSES, NODES, QUICK, odd_task
from sub2node.baselines import TrainingData
from sub2node.baselines.boosting import GBDT, KnownFeatures, node_vectors
from sub2node.baselines.one_vs_rest import lone_logit
from sub2node.baselines.tree_classifier import tree_rows


def test_vectors_are_pooled_by_their_mean() -> None:
    task = s2n.load_task("generate:density,subgraphs=20")
    features = np.random.default_rng(0).normal(size=(task.graph.num_nodes, 3)).astype(np.float32)
    data = TrainingData(task, {}, [1], "cpu", features)
    vectors, _ = node_vectors(data, KnownFeatures(kind="svd", width=5))
    rows = tree_rows(task, "vectors", vectors)
    assert rows.shape == (20, 8)
    nodes = task.subgraphs.nodes[: task.subgraphs.ptr[1]]
    np.testing.assert_allclose(rows[0, 5:], features[nodes].mean(0), rtol=1e-5)


def test_given_encodings_join_the_vectors_of_gbdt() -> None:
    task = odd_task()
    column = np.random.default_rng(0).normal(size=(NODES, 8)).astype(np.float32)
    data = TrainingData(task, {"train": CLASSES[:20], "val": CLASSES[20:28]}, [1], "cpu", column)
    rows = tree_rows(task, "vectors", node_vectors(data, KnownFeatures(width=8))[0])
    members = np.split(task.subgraphs.nodes, task.subgraphs.ptr[1:-1])
    mean = [column[nodes].mean(axis=0) for nodes in members]
    assert np.allclose(rows[:, 8:], mean, atol=1e-5)


@pytest.mark.slow
def test_encodings_of_any_width_join_the_vectors_of_gbdt() -> None:
    task = odd_task()
    encodings = np.random.default_rng(0).normal(size=(NODES, 3))
    plain, joined = (
        s2n.run(task, model="gbdt", seeds=1, settings=QUICK["gbdt"], encodings=vectors)
        for vectors in (None, encodings)
    )
    assert joined.outputs["test"].logits.shape == plain.outputs["test"].logits.shape
    assert not np.array_equal(joined.outputs["test"].logits, plain.outputs["test"].logits)


@pytest.mark.parametrize("multilabel", [False, True])
def test_train_with_one_side_only_is_answered_with_that_side(multilabel) -> None:
    labels = np.zeros(28, int) + 1
    truth = np.eye(3, dtype=bool)[labels] if multilabel else labels
    table = np.eye(3, dtype=bool)[CLASSES] if multilabel else CLASSES
    data = TrainingData(odd_task(table), {"train": truth[:20], "val": truth[20:]}, [1], "cpu")
    settings = GBDT.settings().with_settings({"inputs": "statistics", "trees": 2, "rate": 0.1})
    classifier = GBDT.fit(data, settings.with_settings({"leaves": 7})).classifier
    assert classifier.logits(data.task).shape == (1, 36, 3)
    lone = lone_logit(20)
    expected = [-lone, lone, -lone] if multilabel else [0, lone, 0]
    assert (classifier.logits(data.task) == expected).all()
    again = type(classifier).restore(classifier.facts, classifier.arrays)
    assert (again.logits(data.task) == classifier.logits(data.task)).all()
