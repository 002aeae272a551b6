"""Whether a model can learn from a task: the one check, and what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..base.errors import DataError
from ..base.notes import Note, unused
from ..base.plural import plural
from .split import PARTS, SplitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .split import Part
    from .task import SubgraphTask


def require_learnable(task: SubgraphTask, parts: Sequence[Part] = ("train", "val", "test")) -> None:
    """Raise unless there is something to learn, and a subgraph in each of these parts.

    Args:
        task: The data to learn from.
        parts: The parts that must have a subgraph: train and val to learn and to choose by, test
            to be scored. Without parts, labels and a split may be missing, and only what no model
            can learn is refused: a class that occurs and has no training subgraph.
    """
    if parts:
        _require_parts(task, parts)
        _require_classes(task)
    if task.labels is None or task.split is None:
        return
    table = task.label_counts()
    unseen = np.flatnonzero((table.sum(axis=0) > 0) & (table[SplitCode.TRAIN] == 0))
    if len(unseen):
        counts = zip(PARTS, table[:, unseen[0]], strict=True)
        where = " and ".join(f"{count} in {part}" for part, count in counts if count)
        raise DataError(
            f"class {task.class_names[unseen[0]]!r} has {where} but no subgraph in train, so"
            " it cannot be learned; move some to train or draw another split."
        )


def _require_parts(task: SubgraphTask, parts: Sequence[Part]) -> None:
    if task.labels is None:
        raise DataError("the task has no labels to learn.")
    if task.split is None:
        raise DataError(
            "the task is not split; use task.with_split(Split.random(task.labels)), or give each"
            " subgraph train, val or test."
        )
    for part in parts:
        if not task.split.count(part):
            splits = ", or use repeated random splits (--splits 10)" if "test" in parts else ""
            raise DataError(
                f"there is no {part} subgraph; split anew with task.with_split(Split.random("
                f"task.labels)){splits}."
            )


def _require_classes(task: SubgraphTask) -> None:
    assert task.split is not None  # for mypy
    occurring = np.flatnonzero(task.label_counts().sum(axis=0))
    if not len(occurring):
        raise DataError("no subgraph has a label; nothing to learn.")
    if not task.graph.num_nodes:
        raise DataError("the graph has no nodes.")
    if task.multilabel:
        return
    if len(occurring) < 2:
        only = task.class_names[occurring[0]]
        raise DataError(f"all subgraphs have the class {only!r}; nothing to learn.")
    if task.split.count("train") < len(occurring):
        raise DataError(
            f"{plural(task.split.count('train'), 'training subgraph')}, fewer than the"
            f" {len(occurring)} classes; every class needs at least one."
        )


def excluded_for(
    name: str, task: SubgraphTask, *, reads: bool
) -> tuple[SubgraphTask, tuple[Note, ...]]:
    """The task as a model learns it: without excluded nodes where they are of no use to it.

    Args:
        name: Name of the model.
        task: The task.
        reads: Whether the model reads excluded nodes.

    Returns:
        The task, and what was left out.
    """
    excluded = task.excluded
    if excluded is None:
        return task, ()
    train = slice(None) if task.split is None else task.split.mask("train")
    if reads and excluded.sizes[train].any():
        return task, ()
    why = "no training subgraph has any" if reads else "it reads members only"
    text = f"{name}: {plural(len(excluded.nodes), 'excluded node')} not used, since {why}."
    return task.without_excluded(), (unused(text),)
