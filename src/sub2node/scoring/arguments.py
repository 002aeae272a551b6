"""The arguments of fit and predict: tasks, graphs, sets of ids, frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..base.errors import ConfigError, DataError
from ..base.ragged import Array
from ..io.graphs import as_graph, direction_notes
from ..task import Graph, Names, Subgraphs, SubgraphTask
from ..task.impute_features import is_same_graph
from .label_encoding import encode_labels, ordered_labels
from .node_index import NodeIndex
from .query import Query, ask, read_id_lists
from .query_changes import QueryChanges
from .scorer import Scorer


def build_task(
    X: object, y: Any, labels: Any, *, graph: object, unknown: str
) -> tuple[SubgraphTask, Array]:
    """A task from the arguments of ``fit``, and its classes as the user wrote them.

    Args:
        X: A task; or subgraphs, with labels ``y``; or a graph, with subgraphs ``y`` and ``labels``.
        y: Labels; after a graph, the subgraphs; None to use the labels of a task.
        labels: After a graph and subgraphs, the labels.
        graph: The global graph, where ``X`` is not one.
        unknown: Whether nodes that the graph does not have are an ``error``, or ``drop``-ped.
    """
    if isinstance(X, SubgraphTask):
        return _with_labels(X, y)
    if labels is not None or isinstance(X, Graph):
        graph, X, y = X, y, labels
    if graph is None:
        raise ConfigError(
            "the global graph is missing: fit(graph, subgraphs, y), or"
            " SubgraphClassifier(graph=…).fit(subgraphs, y)."
        )
    graph, notes = as_graph(graph), direction_notes(graph)
    query = build_query(NodeIndex(graph), X, unknown)
    values, classes = encode_labels(order_labels(y, query.names), len(query))
    subgraphs = replace(query.subgraphs, names=Names(query.names))
    changes = QueryChanges()
    changes.add(query)
    notes = (*notes, *changes.notes())
    return SubgraphTask(graph, subgraphs, values, tuple(map(str, classes)), notes=notes), classes


def _with_labels(task: SubgraphTask, y: Any) -> tuple[SubgraphTask, Array]:
    if y is not None:
        names = task.in_input_order(task.subgraph_ids).tolist()
        values, classes = encode_labels(order_labels(y, names), len(task))
        by_row = np.empty_like(values)
        by_row[task.input_order] = values
        return replace(task, labels=by_row, class_names=tuple(map(str, classes))), classes
    if task.labels is None:
        raise DataError("the task has no labels to learn.")
    return task, np.array(task.class_names)


def build_query(index: NodeIndex, sets: object, unknown: str) -> Query:
    """A query from lists of ids, a dict of them, a frame, :class:`Subgraphs` or a task.

    Its subgraphs are in the order in which they are given; those of a task, in the order of its
    input.
    """
    if isinstance(sets, Query):
        return sets
    if isinstance(sets, SubgraphTask):
        if not is_same_graph(sets.graph, index.graph):
            raise DataError("the task has another graph than the model was trained on.")
        sets = sets.input_subgraphs
    if isinstance(sets, Subgraphs):
        if len(sets.nodes) and sets.nodes.max() >= index.graph.num_nodes:
            raise DataError(f"node {sets.nodes.max()} is not in the graph.")
        if (sets.sizes == 0).any():
            name = sets.name_of(int(np.argmin(sets.sizes)))
            raise DataError(f"subgraph {name!r} is empty; it needs a node.")
        return Query.of(sets)
    return ask(index, read_id_lists(sets), unknown)


def query_of(scorer: Scorer, sets: object, unknown: str) -> Query:
    """A query for a model, as :func:`build_query` makes it."""
    if isinstance(sets, Query | SubgraphTask | Subgraphs):
        return build_query(NodeIndex(scorer.trained_graph), sets, unknown)
    lists = read_id_lists(sets)
    scorer.reach(lists.ids)
    return ask(scorer.index, lists, unknown)


def order_labels(y: Any, names: Sequence[str]) -> Any:
    """Put labels in the order of the subgraphs, where they come as a frame with ids."""
    columns = y.keys() if isinstance(y, dict) else getattr(y, "columns", None)
    columns = getattr(y, "column_names", columns)
    if columns is not None and "subgraph_id" in list(columns):
        return ordered_labels(y, names)
    return y


def task_labels(task: SubgraphTask) -> list[Any]:
    """Names of the classes of a task's subgraphs, in the order of its input."""
    labels = task.input_labels
    if task.num_virtual:
        raise DataError("the task has virtual subgraphs, which have no labels; omit them.")
    if task.multilabel:
        return [[task.class_names[c] for c in np.flatnonzero(row)] for row in labels]
    return list(labels.tolist())
