"""What must hold of a task: lengths, members, labels and the order of the input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..base.errors import DataError
from ..base.ragged import Array, frozen, integers, sealed
from .names import Names, check_names

if TYPE_CHECKING:
    from .task import SubgraphTask


def check_order(order: ArrayLike | None, count: int) -> Array:
    """The input order as a read-only array; raise unless it is a permutation of the rows."""
    if order is None:
        return sealed(np.arange(count, dtype=np.int64))
    rows = frozen(integers(order, "input_order"), np.int64)
    if rows.ndim != 1 or not np.array_equal(np.sort(rows), np.arange(count)):
        raise DataError(f"input_order must have each of the rows 0…{count - 1} once.")
    return rows


def renumber_order(order: Array, rows: Array) -> Array:
    """An input order after these rows were taken, in this order, and the others dropped."""
    new_row = np.full(len(order), -1, np.int64)
    new_row[rows] = np.arange(len(rows))
    renumbered = new_row[order]
    return np.asarray(renumbered[renumbered >= 0])


def check_lengths(task: SubgraphTask) -> None:
    """Raise unless there is one label, one part and one value of each attribute per subgraph."""
    for what, value in (("labels", task.labels), ("the split", task.split)):
        if value is not None and len(value) != len(task.subgraphs):
            raise DataError(f"{len(task.subgraphs):,} subgraphs but {what} for {len(value):,}.")
    task.attributes.check_length(len(task.subgraphs))


def check_members(task: SubgraphTask) -> None:
    """Raise unless subgraphs are sets of nodes of the graph, with edges that it has."""
    subgraphs, graph = task.subgraphs, task.graph
    empty = np.flatnonzero(subgraphs.sizes == 0)
    if len(empty):
        raise DataError(
            f"subgraph {subgraphs.name_of(int(empty[0]))} is empty"
            f" ({len(empty):,} such); a subgraph needs at least one node."
        )
    outside = np.flatnonzero(subgraphs.nodes >= graph.num_nodes)
    if len(outside):
        who = subgraphs.name_of(int(subgraphs.owner[outside[0]]))
        raise DataError(
            f"subgraph {who} has node {subgraphs.nodes[outside[0]]}, but the graph has the nodes"
            f" 0…{graph.num_nodes - 1}."
        )
    if subgraphs.edges is not None and len(subgraphs.edges):
        present = graph.has_edges(subgraphs.edges[:, 0], subgraphs.edges[:, 1])
        if not present.all():
            a, b = subgraphs.edges[int(np.argmin(present))]
            raise DataError(f"a subgraph has the edge {a}-{b}, which the graph does not have.")


def check_labels(task: SubgraphTask) -> tuple[str, ...]:
    """The names of the classes; raise unless every subgraph that is not virtual has a label."""
    labels, names = task.labels, tuple(str(name) for name in task.class_names)
    if names:
        check_names(Names(names), len(names), "class_names", unique=True)
    if labels is None:
        if names:
            raise DataError("class names were given, but no labels.")
        return ()
    if labels.ndim == 2:
        if names and labels.shape[1] != len(names):
            raise DataError(f"{labels.shape[1]} label columns but {len(names)} class names.")
        return names or tuple(str(i) for i in range(labels.shape[1]))
    if labels.ndim != 1:
        raise DataError(f"labels must be (M,) or (M, C), found shape {labels.shape}.")
    virtual = np.zeros(len(labels), bool) if task.split is None else task.split.mask("virtual")
    if len(labels):
        if (labels[~virtual] < 0).any():
            who = int(np.flatnonzero(~virtual & (labels < 0))[0])
            raise DataError(f"subgraph {task.subgraphs.name_of(who)} has no label.")
        if names and labels.max() >= len(names):
            raise DataError(f"label {labels.max()} with only {len(names)} class names.")
    return names or tuple(str(i) for i in range(int(labels.max(initial=-1)) + 1))
