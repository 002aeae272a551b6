"""What advice may look at: the task without its test part, or one to time training on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...coarsen import without_virtual
from ...errors import DataError
from ...task import Split, SubgraphTask

_LEAST = 4  # subgraphs below which no comparison means anything


def known_part(task: SubgraphTask) -> SubgraphTask:
    """The task without its test subgraphs: nothing that is given this can see them.

    Args:
        task: With a split.
    """
    assert task.split is not None
    return task.subset(~task.split.mask("test"))


def check_size(task: SubgraphTask) -> None:
    """Raise where there are too few subgraphs to say anything."""
    count = len(task) - task.num_virtual
    if count < _LEAST:
        raise DataError(
            f"advice compares structures on subgraphs, and {_LEAST} are needed at least; the data"
            f" has {count}."
        )


def why_not_probed(task: SubgraphTask) -> str | None:
    """Why nothing can be trained on this data, in one sentence; None where something can.

    Args:
        task: Its test labels are not read.
    """
    if task.labels is None:
        return "the data has no labels, so nothing was trained."
    if task.split is None:
        return "the data is not split, so nothing was trained."
    train, val = task.split.count("train"), task.split.count("val")
    if not train or not val:
        return f"there are {train} train and {val} val subgraphs; probes need both."
    known = known_part(task)
    table = known.label_counts()
    unseen = np.flatnonzero((table[2] > 0) & (table[0] == 0))
    if len(unseen):
        name = known.class_names[unseen[0]]
        return f"class {name!r} is in val but not in train; draw another split for probes."
    if not task.multilabel and np.count_nonzero(table[0]) < 2:
        return "all training subgraphs have the same class, so there is nothing to learn."
    return None


def timing_part(task: SubgraphTask) -> SubgraphTask:
    """A task of the same shape that training can be timed on, whatever labels there are.

    Where the data has labels, train and val, it is :func:`known_part`; else classes 0 and 1 in
    turn, and the last fifth as val: how long an epoch takes does not depend on what is learned.
    """
    if why_not_probed(task) is None:
        return known_part(task)
    bare = without_virtual(replace(task, labels=None, class_names=()))
    if bare.split is not None and bare.split.count("train") and bare.split.count("val"):
        bare = known_part(bare)
        split = bare.split
    else:
        val = max(1, len(bare) // 5)
        split = Split.sizes(train=len(bare) - val, val=val)
    return replace(bare, labels=np.arange(len(bare)) % 2, class_names=("0", "1"), split=split)
