"""Where edges come from, as the user names it: which edges of the graph each source gave."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from ..base.errors import DataError
from ..base.ragged import Array, SparseMatrix
from ..task import Graph, SubgraphTask
from ..task.frames import Frame, TableLike

COLUMNS = ("source", "target", "origin")


@dataclass(frozen=True, eq=False)
class EdgeOrigin:
    """The edges of a graph that come from one origin.

    Args:
        name: What the user calls it.
        chosen: Which of the graph's edges they are, in the order of ``graph.edges()``; bool (E,).
        graph: The graph.
    """

    name: str
    chosen: Array
    graph: Graph

    @cached_property
    def adjacency(self) -> SparseMatrix:
        """These edges alone, without weights; (N, N)."""
        low, high, _ = self.graph.edges()
        ends = low[self.chosen], high[self.chosen]
        one_way = sp.coo_array((np.ones(len(ends[0])), ends), shape=(self.graph.num_nodes,) * 2)
        return (one_way + one_way.T).tocsr()

    def without(self, task: SubgraphTask) -> SubgraphTask:
        """The task with all edges but these."""
        low, high, weights = self.graph.edges()
        kept = ~self.chosen
        graph = Graph.from_edges(
            low[kept],
            high[kept],
            weights=None if weights is None else weights[kept],
            num_nodes=self.graph.num_nodes,
            names=self.graph.names,
        )
        return replace(task, graph=graph)


def edge_origins(task: SubgraphTask, table: TableLike) -> tuple[EdgeOrigin, ...]:
    """The origins of a table, in the order in which they first appear.

    Args:
        task: The data.
        table: A data frame ``source, target, origin`` with ids of nodes; an edge may have several
            origins, and edges that are not in it have none.
    """
    frame = Frame.of(table, "edge origins", {})
    missing = [name for name in COLUMNS if name not in frame.table.column_names]
    if missing:
        raise DataError(
            f"edge origins are a table source, target, origin; it has no column {missing[0]!r}."
        )
    columns = [frame.table[name].combine_chunks() for name in COLUMNS]
    ends = [_positions(task.graph, column) for column in columns[:2]]
    edges = _edge_numbers(task.graph, *ends)
    words = columns[2].cast(pa.large_string()).fill_null("")
    codes = words.dictionary_encode()
    found = []
    for number, name in enumerate(codes.dictionary.to_pylist()):
        own = np.asarray(codes.indices) == number
        if name == "" or not own.any():
            continue
        chosen = np.zeros(task.graph.num_edges, bool)
        chosen[edges[own]] = True
        found.append(EdgeOrigin(name, chosen, task.graph))
    if not found:
        raise DataError("edge origins name no origin: the column 'origin' is empty.")
    return tuple(found)


def _positions(graph: Graph, column: pa.Array) -> Array:
    values = column.cast(pa.large_string())
    positions = pa.compute.index_in(values, value_set=graph.ids())
    if positions.null_count:
        row = int(np.flatnonzero(np.asarray(positions.is_null()))[0])
        raise DataError(
            f"edge origins, row {row + 1}: the node {str(values[row])!r} is not in the graph."
        )
    return np.asarray(positions).astype(np.int64)


def _edge_numbers(graph: Graph, source: Array, target: Array) -> Array:
    """Which of ``graph.edges()`` each pair of ends is; an error where it is none."""
    low, high, _ = graph.edges()
    keys = low.astype(np.int64) * graph.num_nodes + high
    order = np.argsort(keys)
    asked = np.minimum(source, target) * graph.num_nodes + np.maximum(source, target)
    place = np.minimum(np.searchsorted(keys[order], asked), max(len(keys) - 1, 0))
    known = keys[order][place] == asked if len(keys) else np.zeros(len(asked), bool)
    if not known.all():
        row = int(np.flatnonzero(~known)[0])
        ids = graph.ids()
        raise DataError(
            f"edge origins, row {row + 1}: the graph has no edge between"
            f" {str(ids[int(source[row])])!r} and {str(ids[int(target[row])])!r}; keep its rows"
            " only."
        )
    return order[place]
