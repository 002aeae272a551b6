"""The parts of a task that advice may read: without test subgraphs, or made for timing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..base.errors import DataError
from ..coarsen import without_virtual
from ..task import Split, SubgraphTask

_LEAST = 4  # subgraphs below which no comparison means anything


def without_test_part(task: SubgraphTask) -> SubgraphTask:
    """Remove the test subgraphs, so that nothing can read them.

    Args:
        task: The data, with a split.
    """
    assert task.split is not None
    return task.subset(~task.split.mask("test"))


def check_size(task: SubgraphTask) -> None:
    """Raise where there are too few subgraphs to say anything."""
    count = len(task) - task.num_virtual
    if count < _LEAST:
        raise DataError(
            f"advice compares structures on subgraphs, and at least {_LEAST} are needed; the data"
            f" has {count}."
        )


def why_not_probed(task: SubgraphTask) -> str | None:
    """Why nothing can be trained on this data, in one sentence; None where something can.

    Args:
        task: The data; its test labels are not read.
    """
    if task.labels is None:
        return "the data has no labels, so nothing was trained."
    if task.split is None:
        return "the data is not split, so nothing was trained."
    train, val = task.split.count("train"), task.split.count("val")
    if not train or not val:
        return f"there are {train} train and {val} val subgraphs; probes need both."
    train_val = without_test_part(task)
    counts = train_val.label_counts()
    unseen = np.flatnonzero((counts[2] > 0) & (counts[0] == 0))
    if len(unseen):
        name = train_val.class_names[unseen[0]]
        return f"class {name!r} is in val but not in train; draw another split for probes."
    if not task.multilabel and np.count_nonzero(counts[0]) < 2:
        return "all training subgraphs have the same class, so there is nothing to learn."
    return None


def timing_part(task: SubgraphTask) -> SubgraphTask:
    """Make a task of the same shape that training can be timed on, with or without labels.

    Where the data has labels, train and val, it is :func:`without_test_part`; otherwise classes 0
    and 1 alternate and the last fifth is val: the time of an epoch does not depend on the labels.
    """
    if why_not_probed(task) is None:
        return without_test_part(task)
    bare = without_virtual(replace(task, labels=None, class_names=()))
    if bare.split is not None and bare.split.count("train") and bare.split.count("val"):
        bare = without_test_part(bare)
        split = bare.split
    else:
        val = max(1, len(bare) // 5)
        split = Split.sizes(train=len(bare) - val, val=val)
    return replace(bare, labels=np.arange(len(bare)) % 2, class_names=("0", "1"), split=split)
