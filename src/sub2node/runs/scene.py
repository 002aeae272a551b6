"""The subgraphs as a report shows them: names, sizes, and a piece of the S2N graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from ..base.ragged import Array, owners
from ..task import PARTS, Split, SplitCode, SubgraphTask

if TYPE_CHECKING:
    import pyarrow as pa

    from ..translation import S2NGraph

MAX_SUBGRAPHS, MAX_LINKS = 400, 3000  # that a picture shows
_MAX_OF_PART = {"test": 160, "val": 60}  # subgraphs of these parts in a picture


@dataclass(frozen=True, eq=False)
class Scene:
    """Subgraphs and links for a report.

    Args:
        subgraphs: Arrow table: ``subgraph_id, title, part, label, size, shown, train_links``; the
            last counts links of val and test subgraphs to training subgraphs of each class. In the
            order of the rows of the task, because ``links`` counts by them.
        links: Arrow table: ``source, target, weight``, positions in the other table; None without
            an S2N graph.
        facts: How the S2N graph was made, and how much of it is shown.
    """

    subgraphs: pa.Table
    links: pa.Table | None
    facts: Mapping[str, object]


def make_scene(task: SubgraphTask, graph: S2NGraph | None = None) -> Scene:
    """Collect what a report shows of a task and of its normalised S2N graph.

    For large data the picture has some test and val subgraphs, evenly spread, and those that are
    linked to them most strongly; each subgraph keeps its strongest links first.

    Args:
        task: The task as the model saw it, with its virtual subgraphs.
        graph: Its S2N graph; None where the model has none.
    """
    if graph is None:
        rows = np.flatnonzero(~_virtual_mask(task))
        return Scene(_subgraph_table(task, rows, np.zeros(len(rows), bool), None), None, {})
    weights = without_diagonal(graph)
    shown = choose_shown(task.split, weights)
    mask = np.zeros(len(task), bool)
    mask[shown] = True
    rows = np.flatnonzero(mask | ~_virtual_mask(task))
    source, target, weight = strongest_links(weights[shown][:, shown].tocsr())
    place = np.searchsorted(rows, shown)
    settings = graph.settings
    facts = {
        "a": settings.a,
        "delta": settings.delta,
        "self_loops": settings.self_loops,
        "subgraphs": len(task),
        "links": graph.num_edges,
        "shown_subgraphs": len(shown),
        "shown_links": len(weight),
    }
    links = _make_table(
        source=place[source].astype(np.int32),
        target=place[target].astype(np.int32),
        weight=weight.astype(np.float32),
    )
    return Scene(_subgraph_table(task, rows, mask[rows], weights), links, facts)


def without_diagonal(graph: S2NGraph) -> sp.csr_array:
    """Weights of pairs of different subgraphs."""
    weights = sp.csr_array(graph.weights - sp.diags_array(graph.weights.diagonal())).tocsr()
    weights.eliminate_zeros()
    return weights


def _virtual_mask(task: SubgraphTask) -> Array:
    return np.zeros(len(task), bool) if task.split is None else task.split.mask("virtual")


def choose_shown(split: Split | None, weights: sp.csr_array) -> Array:
    """Choose the subgraphs in the picture; their rows, ascending.

    Args:
        split: The part of each subgraph; None: all are alike.
        weights: The weights of the S2N graph, without the diagonal.
    """
    count = weights.shape[0]
    if count <= MAX_SUBGRAPHS or split is None:
        return _spread_evenly(np.arange(count), MAX_SUBGRAPHS)
    evaluated = np.concatenate(
        [_spread_evenly(np.flatnonzero(split.mask(part)), _MAX_OF_PART[part]) for part in PARTS[2:]]
    )
    neighbours = weights[evaluated].tocsr()
    order = np.lexsort((neighbours.indices, -neighbours.data, _rank_in_row(neighbours)))
    rest = np.r_[neighbours.indices[order], np.arange(count)]  # those without a link come last
    _, first = np.unique(rest, return_index=True)
    rest = rest[np.sort(first)]
    train, virtual = (rest[split.mask(part)[rest]] for part in PARTS[:2])
    room = MAX_SUBGRAPHS - len(evaluated)
    virtual = virtual[: max(room // 3, room - len(train))]
    return np.sort(np.r_[evaluated, train[: room - len(virtual)], virtual])


def _spread_evenly(positions: Array, limit: int) -> Array:
    """Choose some positions, evenly spread; all where they are few."""
    if len(positions) <= limit:
        return positions
    return positions[np.linspace(0, len(positions) - 1, limit).astype(np.int64)]


def _rank_in_row(weights: sp.csr_array) -> Array:
    """Rank each entry of a CSR matrix within its row by weight, from 0 for the largest."""
    row = owners(weights.indptr.astype(np.int64))
    order = np.lexsort((weights.indices, -weights.data, row))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - weights.indptr[:-1][row[order]]
    return rank


def strongest_links(weights: sp.csr_array) -> tuple[Array, Array, Array]:
    """Find the strongest links of a symmetric matrix: each row's first, then each row's second …"""
    weights.sort_indices()
    row, column = owners(weights.indptr.astype(np.int64)), weights.indices
    order = np.lexsort((column, row, -weights.data, _rank_in_row(weights)))
    low, high = np.minimum(row, column)[order], np.maximum(row, column)[order]
    key = low.astype(np.int64) * weights.shape[0] + high
    _, first = np.unique(key, return_index=True)  # each link is stored from both ends
    first = np.sort(first)[:MAX_LINKS]
    return low[first], high[first], weights.data[order][first]


def _subgraph_table(
    task: SubgraphTask, rows: Array, shown: Array, weights: sp.csr_array | None
) -> pa.Table:
    import pyarrow as pa

    part_names = PARTS if task.split is not None else ("train",)
    codes = np.zeros(len(task), np.int8) if task.split is None else task.split.codes
    labels = None if task.labels is None else task.label_lists().take(pa.array(rows))
    subgraphs = task.subgraphs
    return _make_table(
        subgraph_id=[subgraphs.name_of(int(number)) for number in rows],
        title=None if subgraphs.titles is None else subgraphs.titles.take(rows).arrow,
        part=pa.DictionaryArray.from_arrays(pa.array(codes[rows]), pa.array(part_names)),
        label=labels,
        size=subgraphs.sizes[rows].astype(np.int32),
        shown=shown,
        train_links=None if weights is None else _count_train_links(task, rows, weights),
    )


def _count_train_links(
    task: SubgraphTask, rows: Array, weights: sp.csr_array
) -> pa.ListArray | None:
    """Count links of val and test subgraphs to training ones of each class; none for the others."""
    import pyarrow as pa

    if task.labels is None or task.split is None:
        return None
    train = task.split.mask("train")
    classes = task.num_classes
    one_hot = task.labels if task.multilabel else task.labels[:, None] == np.arange(classes)
    evaluated = task.split.codes[rows] > SplitCode.VIRTUAL
    linked = weights[rows[evaluated]][:, np.flatnonzero(train)].astype(bool).astype(np.int64)
    counts = linked @ one_hot[train].astype(np.int64)
    ptr = np.r_[0, np.cumsum(evaluated * classes)].astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(ptr), pa.array(counts.astype(np.int32).ravel()))


def _make_table(**columns: object) -> pa.Table:
    """Make a table of the columns that are not None."""
    import pyarrow as pa

    return pa.table({name: column for name, column in columns.items() if column is not None})
