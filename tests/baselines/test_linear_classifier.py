"""Linear models on bags: strength, contributions of members, and what a folder keeps of them."""

from __future__ import annotations

import numpy as np
import pytest

from ring_tasks import ring_task
from sub2node.base.errors import DataError
from sub2node.baselines.linear_classifier import LinearClassifier, choose_strength, fit_linear
from sub2node.baselines.node_bags import NodeBag


def fitted(hops: int = 2, *, multilabel: bool = False) -> tuple[LinearClassifier, object]:
    task = ring_task(multilabel)
    bag = NodeBag(hops, np.linspace(1, 2, 40), symmetric=True)
    options = {"classes": 2, "strengths": (1.0, 10.0)}
    return fit_linear(bag, bag.rows(task), task.labels, **options)[0], task


@pytest.mark.parametrize("multilabel", [False, True])
def test_logits_are_those_of_dense_matrices(multilabel) -> None:
    model, task = fitted(multilabel=multilabel)
    dense = np.zeros((3 * 40, 2))
    dense[model.columns] = model.weights
    expected = model.bag.rows(task).toarray() @ dense + model.biases
    np.testing.assert_allclose(model.logits(task)[0], expected, atol=1e-12)
    truth = task.labels if multilabel else np.eye(2, dtype=bool)[task.labels]
    assert ((expected > 0) == truth).all()


def test_contributions_of_members_and_the_empty_subgraph_add_up_exactly() -> None:
    model, task = fitted()
    sums = np.add.reduceat(model.member_logits(task), task.subgraphs.ptr[:-1])
    np.testing.assert_allclose(sums + model.empty_logits, model.logits(task)[0], atol=1e-12)


def test_two_classes_share_one_regression() -> None:
    model, task = fitted()
    logits = model.logits(task)[0]
    np.testing.assert_allclose(logits[:, 0], -logits[:, 1])


def test_a_restored_model_answers_the_same() -> None:
    model, task = fitted()
    again = LinearClassifier.restore(model.facts, model.arrays)
    assert np.array_equal(again.logits(task), model.logits(task))


@pytest.mark.parametrize(
    ("facts", "arrays"),
    [
        ({"hops": -1}, {}),
        ({"hops": 2.0}, {}),
        ({"symmetric": 1}, {}),
        ({}, {"columns": np.array([3, 3])}),
        ({}, {"biases": np.zeros(3)}),
    ],
)
def test_what_makes_no_sense_is_refused(facts, arrays) -> None:
    model, _ = fitted()
    with pytest.raises(DataError, match="of a linear model"):
        LinearClassifier.restore({**model.facts, **facts}, {**model.arrays, **arrays})


def test_weights_of_nodes_that_the_graph_does_not_have_are_refused() -> None:
    model, task = fitted(0)
    wrong = LinearClassifier(model.bag, model.columns + 10, model.weights, model.biases)
    with pytest.raises(DataError, match="nodes that the graph does not have"):
        wrong.logits(task)


def test_of_strengths_that_do_as_well_the_weakest_is_chosen() -> None:
    task = ring_task()
    few = np.sort(
        np.concatenate([np.flatnonzero(task.labels == 0), np.flatnonzero(task.labels)[:9]])
    )
    task = task.subset(few)  # a weak model answers with the frequent class
    x, table = NodeBag().rows(task), np.eye(2, dtype=bool)[task.labels]
    assert choose_strength(x, table, task.labels, (10.0, 100.0)) == 10.0
    assert choose_strength(x, table, task.labels, (1e-9, 10.0)) == 10.0
