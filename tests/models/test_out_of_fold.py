"""Folds: a partition, no group across a border, and answers in the rows that they are for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ring_tasks import ring_task
from sub2node.base.errors import DataError
from sub2node.models.interface import Labels, Outputs
from sub2node.models.out_of_fold import FoldTask, fold_tasks, predict_folds
from sub2node.task import Graph, Part, Subgraphs, SubgraphTask


def numbered_task(labels: Any) -> SubgraphTask:
    """Subgraph i consists of node i alone, so that a row says which subgraph it is."""
    count = len(labels)
    graph = Graph.from_edges(np.arange(count - 1), np.arange(1, count), num_nodes=count)
    return SubgraphTask(graph, Subgraphs.from_lists([[i] for i in range(count)]), np.array(labels))


def numbers(task: SubgraphTask, part: Part) -> list[int]:
    """Which subgraphs of :func:`numbered_task` are in a part, in its order."""
    assert task.split is not None
    return task.subgraphs.nodes[task.split.mask(part)].tolist()


@dataclass
class Oracle:
    """Knows the labels of all subgraphs by their one node, and remembers what it was given."""

    truth: np.ndarray
    name: str = "oracle"
    given: list[tuple[SubgraphTask, Labels, list[int]]] = field(default_factory=list)

    def fit(self, task: SubgraphTask, labels: Labels, seeds: Sequence[int]) -> Oracle:
        self.given.append((task, labels, list(seeds)))
        return replace(self, given=[(task, labels, list(seeds))])

    @property
    def facts(self) -> dict[str, Any]:
        return {}

    def outputs(self, part: Part) -> Outputs:
        table = self.truth if self.truth.ndim == 2 else np.eye(3)[self.truth]
        return Outputs(20 * table[numbers(self.given[0][0], part)][None] - 10)


CASES = {
    "labels": st.lists(st.integers(0, 2), min_size=12, max_size=60),
    "count": st.integers(2, 6),
    "seed": st.integers(0, 5),
}


@given(**CASES)
def test_folds_are_a_stratified_partition(labels, count, seed) -> None:
    task = numbered_task(labels)
    folds = fold_tasks(task, count, seed=seed)
    assert len(folds) == count
    assert sorted(row for fold in folds for row in fold.rows) == list(range(len(labels)))
    sizes = [len(fold.rows) for fold in folds]
    assert max(sizes) - min(sizes) <= 1
    by_class = np.stack([np.bincount(task.labels[fold.rows], minlength=3) for fold in folds])
    assert abs(by_class - by_class.sum(axis=0) / count).max() <= 3
    for fold in folds:
        parts = {part: numbers(fold.task, part) for part in ("train", "val", "test")}
        assert sorted(i for rows in parts.values() for i in rows) == list(range(len(labels)))
        assert parts["test"] == fold.rows.tolist()
        assert not parts["val"]  # a member learns as it later does from all labels


@given(**CASES, groups=st.integers(3, 12))
def test_no_group_is_on_both_sides_of_a_border(labels, count, seed, groups) -> None:
    group = np.random.default_rng(seed).integers(0, groups, len(labels))
    group[:3] = [0, 1, 2]
    folds = fold_tasks(numbered_task(labels), count, groups=group.tolist(), seed=seed)
    assert sorted(row for fold in folds for row in fold.rows) == list(range(len(labels)))
    for fold in folds:
        assert len(fold.rows) > 0  # fewer folds rather than empty ones
        train, test = (
            {group[row] for row in numbers(fold.task, part)} for part in ("train", "test")
        )
        assert train
        assert not train & test
        assert fold.groups.tolist() == [group[row] for row in numbers(fold.task, "train")]


def test_all_in_one_group_cannot_be_held_out() -> None:
    with pytest.raises(DataError, match="all labelled subgraphs are in one group"):
        fold_tasks(numbered_task([0, 1, 0, 1]), 2, groups=["a"] * 4)


def test_a_class_of_one_can_be_held_out() -> None:
    folds = fold_tasks(numbered_task([0] * 8 + [1]), 3)
    assert sum(8 in fold.rows for fold in folds) == 1
    assert [fold.task.num_classes for fold in folds] == [2] * 3


@pytest.mark.parametrize("multilabel", [False, True])
def test_answers_are_in_the_rows_that_they_are_for(multilabel) -> None:
    rng = np.random.default_rng(2)
    truth = rng.random((30, 3)) < 0.5 if multilabel else rng.integers(0, 3, 30)
    oracle = Oracle(truth)
    folds = fold_tasks(numbered_task(truth), 4)
    logits = np.zeros((1, 30, 3))
    for outputs in predict_folds(lambda _: oracle, folds, [7, 8]):
        logits[:, outputs.rows] = outputs.logits
        assert outputs.seconds >= 0
        assert outputs.answer_seconds >= 0
    right = logits[0] > 0 if multilabel else logits[0].argmax(axis=1)
    assert np.array_equal(right, truth)
    assert [seeds for _, _, seeds in oracle.given] == [[7, 8]] * 4


@pytest.mark.parametrize("multilabel", [False, True])
def test_labels_of_a_fold_are_not_among_those_to_learn_from(multilabel) -> None:
    task = ring_task(multilabel)
    for fold in fold_tasks(task, 3):
        marked = np.array(fold.task.labels)
        here = fold.task.split.mask("test")
        marked[here] = 1 - marked[here]  # other labels of the fold
        other = FoldTask(replace(fold.task, labels=marked), fold.rows)
        own = fold.task.labels[~here]
        assert np.array_equal(fold.labels["train"], own)
        assert np.array_equal(other.labels["train"], own)
        assert fold.labels["val"].shape == (0, *own.shape[1:])
        assert len(own) + len(fold.rows) == len(task)


def test_a_model_is_made_anew_for_each_fold() -> None:
    made = []

    def model(_: FoldTask) -> Oracle:
        made.append(Oracle(np.arange(12) % 3))
        return made[-1]

    folds = predict_folds(model, fold_tasks(numbered_task(np.arange(12) % 3), 3), [1])
    next(folds)
    assert len(made) == 1  # none before it is asked for
    assert len(list(folds)) == 2
    assert len(made) == 3
