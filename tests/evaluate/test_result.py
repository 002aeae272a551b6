"""What a result holds: scores of parts and of classes, and ties as published."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

import sub2node as s2n
from sub2node.base.metrics import scores
from sub2node.evaluate.protocol import labels_of
from sub2node.evaluate.result import (
    best_of_ties,
    class_areas,
    class_scores,
    data_facts,
    part_scores,
)
from sub2node.task import SubgraphTask


def test_best_of_ties_by_hand() -> None:
    labels = np.array([0, 1, 1])
    right, half = np.eye(2)[labels], np.eye(2)[[0, 0, 1]]
    assert best_of_ties(labels, [[half, right, half], [half]], (0, 0)).values == pytest.approx(
        (1, 2 / 3)
    )
    assert best_of_ties(labels, (), (0,)) is None
    assert scores(labels, half, multilabel=False)["micro_f1"] == pytest.approx(2 / 3)


QUICK = {"epochs": 4, "features.kind": "random"}


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=40,seed=3")


def test_a_result_holds_what_it_says(task) -> None:
    result = s2n.run(task, seeds=[3, 5], preset="fast", settings=QUICK)
    assert result.seeds == (3, 5)
    assert result.preset == "fast"
    assert set(result.test) == {"micro_f1", "macro_f1", "accuracy", "mrr", "roc_auc", "pr_auc"}
    logits = result.outputs["test"].logits
    right = (logits.argmax(-1) == task.labels[task.split.mask("test")]).mean(axis=1)
    assert result.test["micro_f1"].values == pytest.approx(tuple(right))
    assert result.outputs["train"].vectors.shape == (2, task.split.count("train"), 128)
    assert set(result.class_scores["test"]) == set(task.class_names)
    assert result.config["training"]["epochs"] == 4
    assert "0." in repr(result)
    areas = result.to_dict()["areas_per_class"]["test"]
    assert set(areas) == {"roc_auc", "pr_auc", "precision_at_k"}
    assert set(areas["roc_auc"]) <= set(task.class_names)
    assert "positive" not in result.to_dict()


def test_scores_are_of_each_replica_and_class(task) -> None:
    labels = labels_of(task, "test")
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(2, len(labels), 3))
    table = part_scores(labels, logits, (0.0, 0.0))
    classes = class_scores(task, labels, logits, (0.0, 0.0))
    for r, replica in enumerate(logits):
        predicted = replica.argmax(1)
        assert table["accuracy"].values[r] == pytest.approx((predicted == labels).mean())
        each = f1_score(labels, predicted, labels=range(3), average=None, zero_division=0)
        for number, name in enumerate(task.class_names):
            assert classes[name].values[r] == pytest.approx(each[number])


def test_areas_are_of_each_replica_and_of_classes_with_both_sides(task) -> None:
    labels = np.array([0, 1, 1, 0, 1])  # the third class does not occur
    logits = np.random.default_rng(0).normal(size=(2, 5, 3))
    areas = class_areas(task, labels, logits)
    assert all(list(table) == list(task.class_names[:2]) for table in areas.values())
    shares = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    for c, name in enumerate(task.class_names[:2]):
        for metric, score in (("roc_auc", roc_auc_score), ("pr_auc", average_precision_score)):
            expected = [score(labels == c, replica[:, c]) for replica in shares]
            assert areas[metric][name].values == pytest.approx(expected)


def test_facts_of_the_data_are_those_of_the_task(task) -> None:
    facts = data_facts(task)
    assert (facts["nodes"], facts["subgraphs"]) == (task.graph.num_nodes, len(task))
    assert sum(facts["split"].values()) == len(task)
    assert "virtual" not in facts["split"]
    assert facts["hash"] == task.hash
