"""A new split of a task: at random, by the values of an attribute, or by time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..base.errors import ConfigError, DataError
from ..base.notes import changed
from .split import PARTS, Split
from .task import SubgraphTask


def split_anew(
    task: SubgraphTask,
    *,
    by: str | None = None,
    time: str | None = None,
    fractions: Sequence[float] = (0.8, 0.1, 0.1),
    seed: int = 0,
) -> SubgraphTask:
    """The task with another split, and a note that says which.

    Args:
        task: The task; virtual subgraphs stay what they are.
        by: An attribute whose values are each in one part, the split being random otherwise.
        time: An attribute with dates or numbers: the earliest are train, the latest test.
        fractions: Shares of train, val and test.
        seed: Seed of a random split.
    """
    if by is not None and time is not None:
        raise ConfigError("a split goes by groups or by time, not by both; omit one.")
    if task.labels is None:
        raise DataError("the task has no labels, so there is nothing to split for.")
    if task.num_virtual:
        raise DataError("a task with virtual subgraphs keeps its split; split it before.")
    if time is not None:
        split = Split.by_time(
            task.attributes.times(time, ids=task.subgraph_ids), fractions=fractions
        )
        how = f"by '{time}', the earliest in train and the latest in test"
    else:
        rows = task.input_order  # the draw does not depend on a split that was there before
        groups = None if by is None else task.attributes.groups(by)[rows]
        drawn = Split.random(task.labels[rows], fractions=fractions, groups=groups, seed=seed)
        codes = np.empty(len(task), np.int8)
        codes[rows] = drawn.codes
        split, how = Split(codes), f"at random (seed {seed})"
        if by is not None:
            how += f", no value of '{by}' in two parts"
    sizes = ", ".join(f"{split.count(part)} {part}" for part in PARTS if part != "virtual")
    note = changed(f"Split anew {how}: {sizes}.")
    return replace(task.with_split(split), notes=(*task.notes, note))


def kept_attributes(task: SubgraphTask) -> list[str]:
    """Attributes that repeat and of which no value is in two parts: the split may go by them."""
    if task.split is None:
        return []
    kept = []
    for name in task.attributes:
        groups = task.attributes.groups(name)
        values = len(np.unique(groups))
        in_parts = len(np.unique(np.stack([groups, task.split.codes]), axis=1).T)
        if values == in_parts < len(groups):
            kept.append(name)
    return kept
