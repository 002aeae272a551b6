"""Training parts with a few subgraphs of each class."""

from __future__ import annotations

import random
from collections import deque
from typing import Literal, get_args

import numpy as np

from ..base.errors import DataError
from ..base.ragged import Array
from ..task import Split, SplitCode, SubgraphTask

Subsets = Literal["fresh", "published"]
SUBSETS: tuple[Subsets, ...] = get_args(Subsets)
_TAIL = 80


def subset(task: SubgraphTask, n: int, *, seed: int, subsets: Subsets = "fresh") -> SubgraphTask:
    """The task with ``n`` training subgraphs of each class; val and test stay."""
    if task.split is None or task.labels is None:
        raise DataError("n per class needs labels and a split into train, val and test.")
    if task.multilabel:
        raise DataError("n per class is defined for single-label data only.")
    if subsets == "published":
        return task.with_split(published_subset(task.split, task.labels, n))
    return task.with_split(task.split.per_class(task.labels, n, seed=seed))


def published_subset(split: Split, labels: Array, n: int) -> Split:
    """The one subset that the paper's authors drew for each size.

    The training list is shuffled (Python's generator, 42) and read from its end; a subgraph is
    taken if its class follows that of the one before, else it goes to the front. For n of each
    class the last ones taken count. They took 80 of each class; here, where a class has fewer, as
    many as the smallest has.
    """
    split.per_class(labels, n)  # raises where classes are too small
    if n > _TAIL:
        raise DataError(
            f"the authors drew {_TAIL} of each class at most, so n = {n} is not possible."
        )
    train = np.flatnonzero(split.mask("train"))
    classes = np.unique(labels[train])
    class_index = {int(name): index for index, name in enumerate(classes)}
    smallest = int(np.bincount(np.searchsorted(classes, labels[train])).min())
    order = train.tolist()
    random.Random(42).shuffle(order)
    waiting = deque(order)
    taken = [waiting.pop()]
    size = min(_TAIL, smallest) * len(classes)
    turns = 0
    while len(taken) < size and turns <= len(waiting):
        candidate = waiting.pop()
        own, last = class_index[int(labels[candidate])], class_index[int(labels[taken[-1]])]
        if own == (last + 1) % len(classes):
            taken.append(candidate)
            turns = 0
        else:
            waiting.appendleft(candidate)
            turns += 1
    chosen = taken[-n * len(classes) :]
    codes = split.codes.copy()
    codes[np.setdiff1d(train, chosen)] = SplitCode.LEFT_OUT
    return Split(codes)
