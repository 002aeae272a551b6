"""What must hold of a task: lengths, members, labels and the order of the input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..base.errors import DataError
from ..base.ragged import Array, frozen, integers, sealed
from .names import Names, check_names
from .split import Split

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


def read_split_words(task: SubgraphTask, words: Sequence[str] | Mapping[str, str]) -> Split:
    """A split of the rows of a task from one word per subgraph, by id or in the input's order."""
    if isinstance(words, Mapping):
        by_id = {str(name): word for name, word in words.items()}
        missing = next((name for name in task.subgraph_ids if name not in by_id), None)
        if missing is not None:
            raise DataError(f"subgraph {missing!r} has no split word.")
        return Split.given(by_id[name] for name in task.subgraph_ids)
    codes = Split.given(words).codes
    if len(codes) != len(task):
        raise DataError(f"{len(codes):,} split words for {len(task):,} subgraphs.")
    by_row = np.empty(len(task), np.int8)
    by_row[task.input_order] = codes
    return Split(by_row)


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
    for sets, verb in ((subgraphs, "has"), (subgraphs.excluded, "excludes")):
        outside = np.flatnonzero([] if sets is None else sets.nodes >= graph.num_nodes)
        if sets is not None and len(outside):
            who = subgraphs.name_of(int(sets.owner[outside[0]]))
            raise DataError(
                f"subgraph {who} {verb} node {sets.nodes[outside[0]]}, but the graph has the nodes"
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
