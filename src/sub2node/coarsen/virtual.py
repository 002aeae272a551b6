"""Virtual subgraphs in a task."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..base.errors import DataError
from ..base.ragged import pointers
from ..task import Names, Split, SplitCode, Subgraphs, SubgraphTask
from ..task.border import join_borders


def with_virtual(task: SubgraphTask, virtual: Subgraphs) -> SubgraphTask:
    """The task with virtual subgraphs between train and val.

    They take part in message passing and in the statistics of the train stage, and have no label:
    -1, or a row of False. In the order of the input they come last.

    Args:
        task: A task with a split, and without virtual subgraphs so far.
        virtual: Node sets of its graph, as :attr:`Coarsening.subgraphs`; their members count.
    """
    if task.split is None:
        raise DataError("virtual subgraphs go between train and val; split the task first.")
    if task.num_virtual:
        raise DataError("the task has virtual subgraphs already.")
    labels = task.labels
    if labels is not None:
        none = np.zeros((len(virtual), *labels.shape[1:]), labels.dtype)
        labels = np.concatenate([labels, none if task.multilabel else none - 1])
    return replace(
        task,
        subgraphs=_joined(task, virtual),
        labels=labels,
        split=Split(np.r_[task.split.codes, np.full(len(virtual), SplitCode.VIRTUAL, np.int8)]),
        input_order=np.r_[task.input_order, len(task) + np.arange(len(virtual))],
        attributes=task.attributes.padded(len(virtual)),
    )


def without_virtual(task: SubgraphTask) -> SubgraphTask:
    """The task without its virtual subgraphs."""
    if task.split is None or not task.num_virtual:
        return task
    return task.subset(~task.split.mask("virtual"), keep_input_order=True)


def _joined(task: SubgraphTask, virtual: Subgraphs) -> Subgraphs:
    own = task.subgraphs
    count = len(own) + len(virtual)
    weights = edges = edge_ptr = titles = None
    if own.weights is not None:
        weights = np.r_[own.weights, np.ones(len(virtual.nodes), np.float32)]
    if own.edges is not None and own.edge_ptr is not None:
        ptr, ends = virtual.induced_edges(task.graph)
        edges = np.concatenate([own.edges, virtual.nodes[ends].T])
        edge_ptr = pointers(np.r_[np.diff(own.edge_ptr), np.diff(ptr)])
    if own.titles is not None:
        titles = Names([*own.titles, *[""] * len(virtual)])
    excluded = own.excluded
    if excluded is not None:
        ends = np.full(len(virtual), excluded.ptr[-1])
        excluded = replace(excluded, ptr=np.r_[excluded.ptr, ends])
    return Subgraphs(
        ptr=pointers(np.r_[own.sizes, virtual.sizes]),
        nodes=np.r_[own.nodes.astype(np.int64), virtual.nodes],
        weights=weights,
        edges=edges,
        edge_ptr=edge_ptr,
        names=_names(own, count),
        titles=titles,
        excluded=excluded,
        border=join_borders([own.border, virtual.border]),
    )


def _names(own: Subgraphs, count: int) -> Names:
    """Theirs, and ``virtual 0`` … for the others, with as many quotes as make them unique."""
    names = list(own.names) if own.names is not None else [str(i) for i in range(len(own))]
    taken, mark = set(names), ""
    while any(f"virtual{mark} {i}" in taken for i in range(count - len(own))):
        mark += "'"
    return Names([*names, *(f"virtual{mark} {i}" for i in range(count - len(own)))])
