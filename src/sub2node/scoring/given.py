"""What people give to fit and predict: tasks, graphs, sets of ids, frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ConfigError, DataError
from ..io.graphs import as_graph
from ..ragged import Array
from ..task import Graph, Names, Subgraphs, SubgraphTask
from .labels import encode_labels, ordered_labels
from .query import Index, Query, ask, id_lists


def task_of(X: Any, y: Any, labels: Any, *, graph: Any, unknown: str) -> tuple[SubgraphTask, Array]:
    """The arguments of ``fit`` as a task, and its classes as they were given.

    Args:
        X: A task; or subgraphs, with labels ``y``; or a graph, with subgraphs ``y`` and ``labels``.
        y: See ``X``.
        labels: See ``X``.
        graph: The global graph, where ``X`` is none.
        unknown: What to do with nodes that it does not have.
    """
    if isinstance(X, SubgraphTask):
        return _labelled(X, y)
    if labels is not None or isinstance(X, Graph):
        graph, X, y = X, y, labels
    if graph is None:
        raise ConfigError(
            "the global graph is missing: fit(graph, subgraphs, y), or"
            " SubgraphClassifier(graph=…).fit(subgraphs, y)."
        )
    graph = as_graph(graph)
    query = query_of(Index(graph), X, unknown)
    values, classes = encode_labels(in_order(y, query.names), len(query))
    subgraphs = replace(query.subgraphs, names=Names(query.names))
    return SubgraphTask(graph, subgraphs, values, tuple(map(str, classes))), classes


def _labelled(task: SubgraphTask, y: Any) -> tuple[SubgraphTask, Array]:
    if y is not None:
        names = [task.subgraphs.name_of(number) for number in range(len(task))]
        values, classes = encode_labels(in_order(y, names), len(task))
        return replace(task, labels=values, class_names=tuple(map(str, classes))), classes
    if task.labels is None:
        raise DataError("the task has no labels to learn.")
    return task, np.array(task.class_names)


def query_of(index: Index, sets: Any, unknown: str) -> Query:
    """Subgraphs to ask about: lists, a dict of them, a frame, :class:`Subgraphs` or a task."""
    if isinstance(sets, Query):
        return sets
    if isinstance(sets, SubgraphTask):
        if sets.graph != index.graph:
            raise DataError("the task has another graph than the model was trained on.")
        sets = sets.subgraphs
    if isinstance(sets, Subgraphs):
        if len(sets.nodes) and sets.nodes.max() >= index.graph.num_nodes:
            raise DataError(f"node {sets.nodes.max()} is not in the graph.")
        if (sets.sizes == 0).any():
            who = sets.name_of(int(np.argmin(sets.sizes)))
            raise DataError(f"subgraph {who!r} is empty; it needs a node.")
        return Query.of(sets)
    lists, names = id_lists(sets)
    return ask(index, lists, names, unknown)


def in_order(y: Any, names: Sequence[str]) -> Any:
    """Labels in the order of the subgraphs, where they come as a frame with ids."""
    columns = y.keys() if isinstance(y, dict) else getattr(y, "columns", None)
    columns = getattr(y, "column_names", columns)
    if columns is not None and "subgraph_id" in list(columns):
        return ordered_labels(y, names)
    return y


def task_labels(task: SubgraphTask) -> list[Any]:
    """Names of the classes of a task's subgraphs."""
    if task.labels is None:
        raise DataError("the task has no labels to compare with.")
    if task.num_virtual:
        raise DataError("the task has virtual subgraphs, which have no labels; leave them away.")
    if task.multilabel:
        return [[task.class_names[c] for c in np.flatnonzero(row)] for row in task.labels]
    return [task.class_names[number] for number in task.labels]
