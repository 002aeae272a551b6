"""Linear models on bags: strength, contributions of members, and what a folder keeps of them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from ring_tasks import ring_task
from sub2node.base.calibration import best_temperature
from sub2node.base.errors import DataError
from sub2node.baselines.linear_classifier import (
    LinearClassifier,
    choose_strength,
    fit_linear,
    linear_rows,
    score_strength,
)
from sub2node.baselines.node_bags import NodeBag
from sub2node.encode import SubgraphScale


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


def bordered() -> tuple[LinearClassifier, object]:
    task = ring_task(False)
    bag, border = NodeBag(1), SubgraphScale.plain(task, "border")
    rows = linear_rows(bag, task, border)
    options = {"classes": 2, "strengths": (1.0,), "border": border}
    return fit_linear(bag, rows, task.labels, **options)[0], task


def test_border_columns_stand_behind_the_nodes_with_length_1_in_the_mean() -> None:
    model, task = bordered()
    rows = linear_rows(model.bag, task, model.border).toarray()
    inputs = model.border.inputs(task)
    np.testing.assert_allclose(rows[:, 80:], inputs / np.sqrt(inputs.shape[1]), atol=1e-12)
    np.testing.assert_allclose(rows[:, :80], model.bag.rows(task).toarray())
    varied = (inputs != 0).any(axis=0).mean()
    train = rows[task.split.mask("train"), 80:]
    assert (train**2).sum(axis=1).mean() == pytest.approx(varied, abs=1e-5)


def test_members_border_and_the_empty_subgraph_add_up_exactly() -> None:
    model, task = bordered()
    sums = np.add.reduceat(model.member_logits(task), task.subgraphs.ptr[:-1])
    around = model.border_logits(task)
    assert np.abs(around).max() > 1e-3
    np.testing.assert_allclose(sums + around + model.empty_logits, model.logits(task)[0])
    assert fitted()[0].border_logits(task) is None


def test_a_restored_model_reads_the_same_border() -> None:
    model, task = bordered()
    again = LinearClassifier.restore(model.facts, model.arrays)
    assert np.array_equal(again.logits(task), model.logits(task))
    assert (again.reads_border, fitted()[0].reads_border) == (True, False)
    lengths = np.sqrt((model.vectors(task).toarray() ** 2).sum(axis=1))
    np.testing.assert_allclose(lengths, 1)


@pytest.mark.parametrize("facts", [{"border": "wl"}, {"border": 3}])
def test_a_border_that_makes_no_sense_is_refused(facts) -> None:
    model, _ = bordered()
    with pytest.raises(DataError, match="border of a linear model make no sense"):
        LinearClassifier.restore({**model.facts, **facts}, model.arrays)
    with pytest.raises(DataError, match="border of a linear model make no sense"):
        LinearClassifier.restore(model.facts, {**model.arrays, "border.sd": np.zeros(2)})


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
    assert choose_strength(x, table, task.labels, (10.0, 100.0)) == (10.0, 1.0)
    assert choose_strength(x, table, task.labels, (1e-9, 10.0)) == (10.0, 1.0)


def test_a_strength_is_judged_on_groups_that_it_has_not_seen() -> None:
    """Copies of a subgraph on both sides let no regularisation look best; groups end that."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 60)
    x = sp.csr_array(np.kron(np.eye(60), np.ones((5, 1))))  # each set five times, with its own node
    many, table = np.repeat(labels, 5), np.eye(2, dtype=bool)[np.repeat(labels, 5)]
    groups = np.repeat(np.arange(60), 5)
    known, _ = score_strength(x, table, many, 100.0)
    unknown, _ = score_strength(x, table, many, 100.0, groups=groups)
    assert known > 0.9
    assert unknown < 0.7
    one = np.zeros(300, np.int64)
    assert score_strength(x, table, many, 100.0, groups=one) == (0.0, 1.0)  # nothing to judge on


def test_by_log_loss_the_strength_of_the_best_probabilities_is_chosen() -> None:
    """Micro-F1 is the same for all of them."""
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 200)
    x = sp.csr_array(np.column_stack([2.0 * labels - 1, rng.normal(size=(200, 30))]))
    table, strengths = np.eye(2, dtype=bool)[labels], (0.1, 1.0, 100.0)
    scores = {c: score_strength(x, table, labels, c, criterion="log_loss")[0] for c in strengths}
    best = max(scores, key=lambda c: scores[c])
    assert best != strengths[0]
    assert max(scores.values()) < 0
    assert choose_strength(x, table, labels, strengths, criterion="log_loss")[0] == best
    assert choose_strength(x, table, labels, strengths) == (strengths[0], 1.0)


def test_by_log_loss_the_logits_are_calibrated_whatever_the_strength() -> None:
    """Models of several folds are joined under one temperature, so a logit must mean the same."""
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 1000)
    x = sp.csr_array((2 * labels - 1)[:, None] * 0.2 + rng.normal(size=(1000, 20)))
    learned, held_out = np.arange(600), np.arange(600, 1000)
    fitting = []
    for strength in (1e-3, 1.0):  # with a lone strength nothing is chosen, nor calibrated
        for strengths in ((strength,), (strength, 1.001 * strength)):
            classifier, _ = fit_linear(
                NodeBag(),
                x[learned],
                labels[learned],
                classes=2,
                strengths=strengths,
                criterion="log_loss",
            )
            logits = np.asarray(x[held_out] @ classifier.weights) + classifier.biases
            fitting.append(best_temperature(logits[None], labels[held_out]))
    weak, weak_calibrated, strong, strong_calibrated = fitting
    assert strong > 3 * weak
    assert weak_calibrated == pytest.approx(1.0, abs=0.25)
    assert strong_calibrated == pytest.approx(1.0, abs=0.25)
