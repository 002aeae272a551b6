"""Tasks that are written and read back."""

from __future__ import annotations

from sub2node import SubgraphTask


def same_labels(one: SubgraphTask, two: SubgraphTask) -> bool:
    """Same class names for each subgraph, and the same parts; a class nobody has may be lost."""
    if (one.labels is None) != (two.labels is None) or one.multilabel != two.multilabel:
        several = two.multilabel and two.labels is not None and two.labels.sum(axis=1).max() == 1
        if not several:  # one label each, in rows of a text table: single-label when read back
            return False
    if (one.split is None) != (two.split is None):
        return False
    if one.split is not None and two.split is not None and one.split.words() != two.split.words():
        return False
    if one.labels is None:
        return True
    rows = [[sorted(row) for row in task.label_lists().to_pylist()] for task in (one, two)]
    return rows[0] == rows[1]
