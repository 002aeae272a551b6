"""Predictions for subgraphs that a model has not learned from, for all labelled ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..base.errors import DataError
from ..base.ragged import Array
from ..task import Split, SplitCode, SubgraphTask, stratified_folds
from .interface import Labels, Model, Trained


@dataclass(frozen=True, eq=False)
class FoldTask:
    """A task whose test part is one fold of the labelled subgraphs, and whose others are train.

    There is no validation part: a member learns here as it later does from all labels.

    Args:
        task: The labelled subgraphs, split into train and the fold.
        rows: Rows of the fold among the labelled subgraphs, in the order of the test part.
        groups: One value per training subgraph; equal ones belong together.
    """

    task: SubgraphTask
    rows: Array
    groups: Array | None = None

    @property
    def labels(self) -> Labels:
        """Labels of train; there are none of val."""
        assert self.task.labels is not None
        assert self.task.split is not None
        known = np.array(self.task.labels[self.task.split.mask("train")])
        return {"train": known, "val": known[:0]}


@dataclass(frozen=True, eq=False)
class FoldOutputs:
    """What a model gave for one fold.

    Args:
        rows: Rows of the fold among the labelled subgraphs.
        logits: Logits of the replicas, (R, m, C).
        trained: The model that learned from the other folds.
        seconds: Seconds that it took to learn.
        answer_seconds: Seconds that it took to answer for the fold.
    """

    rows: Array
    logits: Array
    trained: Trained
    seconds: float
    answer_seconds: float


def fold_tasks(
    labelled: SubgraphTask,
    count: int,
    *,
    groups: Sequence[Any] | Array | None = None,
    seed: int = 0,
) -> list[FoldTask]:
    """One task for each fold of the labelled subgraphs; fewer where there are few groups.

    Args:
        labelled: A task with labels; its split is not read.
        count: The number of folds.
        groups: One value per subgraph; equal ones are never on both sides of a border.
        seed: Seed of the draw.
    """
    assert labelled.labels is not None
    labels, groups = labelled.labels, None if groups is None else np.asarray(groups)
    fold = stratified_folds(labels, count, groups=groups, seed=seed)
    numbers = np.unique(fold)
    if len(numbers) < 2:
        raise DataError(
            "all labelled subgraphs are in one group, so none can be held out; give finer groups."
        )
    tasks = []
    for number in numbers.tolist():
        held_out = fold == number
        codes = np.where(held_out, SplitCode.TEST, SplitCode.TRAIN).astype(np.int8)
        task = replace(labelled, split=Split(codes))  # a rare class may be held out altogether
        own = None if groups is None else groups[~held_out]
        tasks.append(FoldTask(task, np.flatnonzero(held_out), own))
    return tasks


def groups_by_row(task: SubgraphTask, groups: Any) -> Array:
    """Groups of the subgraphs, in the order of the rows.

    Args:
        task: The task.
        groups: One value per subgraph in the order of the input, or the name of an attribute.
    """
    if isinstance(groups, str):
        return task.attributes.groups(groups)
    values = np.asarray(groups)
    if values.shape != (len(task),):
        raise DataError(f"groups have the shape {values.shape}; there are {len(task):,} subgraphs.")
    by_row = np.empty(len(task), values.dtype)
    by_row[task.input_order] = values
    return by_row


def predict_folds(
    model: Callable[[FoldTask], Model], folds: Sequence[FoldTask], seeds: Sequence[int]
) -> Iterator[FoldOutputs]:
    """Let a model learn and answer fold by fold.

    Args:
        model: Makes the model for a fold.
        folds: The tasks.
        seeds: One seed per replica.
    """
    for fold in folds:
        start = time.perf_counter()
        trained = model(fold).fit(fold.task, fold.labels, seeds)
        learned = time.perf_counter()
        logits = trained.outputs("test").logits
        end = time.perf_counter()
        yield FoldOutputs(fold.rows, logits, trained, learned - start, end - learned)
