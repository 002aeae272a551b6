"""Trees as arrays answer as the library that grew them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from ring_tasks import ring_task
from sub2node.base.errors import DataError
from sub2node.baselines.tree_classifier import (
    TreeClassifier,
    boosting_baseline,
    boosting_table,
    border_columns,
    forest_table,
    tree_rows,
)
from sub2node.encode import border_of

VECTORS = np.random.default_rng(0).normal(size=(40, 4)).astype(np.float32)
TASK = ring_task()
X = tree_rows(TASK, "both", VECTORS)
FEATURED = replace(TASK, graph=replace(TASK.graph, features=VECTORS))


def labels_of(kind: str) -> np.ndarray:
    rng = np.random.default_rng(1)
    return rng.random((60, 3)) < 0.4 if kind == "several" else rng.integers(0, int(kind), 60)


def forest(kind: str) -> tuple[TreeClassifier, Any]:
    labels = labels_of(kind)
    model = RandomForestClassifier(20, random_state=0).fit(X, labels)
    table = forest_table(model, classes=4, multilabel=labels.ndim == 2)
    classes = 3 if kind == "several" else 4
    options = {"boosted": False, "multilabel": labels.ndim == 2, "vectors_of_nodes": VECTORS}
    return TreeClassifier("both", (table,), baseline=np.zeros(classes), **options), model


@pytest.mark.parametrize("kind", ["2", "3", "several"])
def test_a_forest_gives_the_shares_of_scikit_learn(kind) -> None:
    ours, model = forest(kind)
    logits, predicted = ours.logits(TASK)[0], model.predict_proba(X)
    if kind == "several":
        expected = np.stack([table[:, 1] for table in predicted], axis=1)
        np.testing.assert_allclose(1 / (1 + np.exp(-logits)), expected, atol=1e-6)
    else:
        np.testing.assert_allclose(np.exp(logits)[:, : int(kind)], predicted, atol=1e-6)
        assert (logits[:, int(kind) :] < -20).all()  # classes that it has never seen


@pytest.mark.parametrize("kind", ["2", "3"])
def test_boosted_trees_give_the_margins_of_scikit_learn(kind) -> None:
    model = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5, random_state=0)
    model.fit(X, labels_of(kind))
    table = boosting_table([model], [list(model.classes_)])
    options = {"boosted": True, "multilabel": False, "vectors_of_nodes": VECTORS}
    ours = TreeClassifier("both", (table,), baseline=boosting_baseline(model, 4, len(X)), **options)
    logits, margins = ours.logits(TASK)[0], model.decision_function(X)
    if kind == "2":
        np.testing.assert_allclose(logits[:, 1] - logits[:, 0], margins, atol=1e-9)
        before = boosting_baseline(model, 4, len(X))  # a class never seen: half a subgraph
        odds = np.exp(before[2] - np.logaddexp(*before[:2]))
        assert odds == pytest.approx(0.5 / len(X))
        assert logits[0, 2] == before[2]
    else:
        np.testing.assert_allclose(logits[:, :3], margins, atol=1e-9)


def test_one_table_holds_the_trees_of_several_labels() -> None:
    labels = labels_of("several")
    models = [
        HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=5).fit(X, labels[:, c])
        for c in (0, 2)
    ]
    table = boosting_table(models, [[0], [2]])
    baseline = np.array([models[0]._baseline_prediction.item(), -7.0, 0.0])
    baseline[2] = models[1]._baseline_prediction.item()
    options = {"boosted": True, "multilabel": True, "vectors_of_nodes": VECTORS}
    logits = TreeClassifier("both", (table,), baseline=baseline, **options).logits(TASK)[0]
    for model, column in zip(models, (0, 2), strict=True):
        np.testing.assert_allclose(logits[:, column], model.decision_function(X), atol=1e-9)
    assert (logits[:, 1] == -7.0).all()


def test_a_restored_model_answers_the_same() -> None:
    ours, _ = forest("3")
    again = TreeClassifier.restore(ours.facts, ours.arrays)
    assert np.array_equal(again.logits(TASK), ours.logits(TASK))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("0.left", lambda a: a * 0),  # a walk that never ends
        ("0.right", lambda a: a + len(a)),
        ("0.features", lambda a: a + 99),
        ("0.values", lambda a: a * np.nan),
        ("0.columns", lambda a: a[1:]),
    ],
)
def test_trees_that_make_no_sense_are_refused(name, change) -> None:
    ours, _ = forest("2")
    with pytest.raises(DataError, match="trees of the model make no sense"):
        TreeClassifier.restore(ours.facts, {**ours.arrays, name: change(ours.arrays[name])})


def test_settings_that_make_no_sense_are_refused() -> None:
    ours, _ = forest("2")
    wrong = ({"inputs": "nothing"}, {"inputs": "border"}, {"forests": 0}, {"boosted": "yes"})
    for facts in (*wrong, {"border_columns": ["any.outside.count"]}, {"border_columns": [3]}):
        with pytest.raises(DataError, match="settings of a model of trees"):
            TreeClassifier.restore({**ours.facts, **facts}, ours.arrays)


def boosted_on(inputs: str) -> tuple[TreeClassifier, Any]:
    vectors = VECTORS if inputs == "all" else None
    x = tree_rows(FEATURED, inputs, vectors)
    model = HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=5, random_state=0)
    model.fit(x, labels_of("2"))
    table, options = boosting_table([model], [[0, 1]]), {"boosted": True, "multilabel": False}
    columns = border_columns(FEATURED, inputs)
    options |= {"vectors_of_nodes": vectors, "border_columns": columns}
    return TreeClassifier(
        inputs, (table,), baseline=boosting_baseline(model, 2, len(x)), **options
    ), x


@pytest.mark.parametrize("inputs", ["border", "border2", "all"])
def test_trees_read_the_raw_border(inputs) -> None:
    ours, x = boosted_on(inputs)
    border = border_of(FEATURED.graph, FEATURED.subgraphs, hops=2 if inputs == "border2" else 1)
    assert np.array_equal(x[:, -len(border.columns) :], border.values)
    assert x.shape[1] == len(border.columns) + (15 if inputs == "all" else 0)
    assert ours.reads_border
    again = TreeClassifier.restore(ours.facts, ours.arrays)
    assert np.array_equal(again.logits(FEATURED), ours.logits(FEATURED))
    assert again.border_logits(FEATURED) is None


def test_a_border_with_other_columns_is_refused() -> None:
    ours, _ = boosted_on("border")
    with pytest.raises(DataError, match="other columns of the border"):
        ours.logits(TASK)
