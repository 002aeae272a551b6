"""Border summaries: what the neighbours and the edges of subgraphs are like, in exact numbers.

An incidence is a member of a subgraph, an edge of it and the neighbour at its other end; a
self-loop is none. By direction (``out``: the arc leaves the member; ``in``: it enters it; ``any``:
where edges have no direction) and by side (``inside``: the neighbour is a member too; ``outside``),
the features of neighbours and edges are summed up. :func:`sub2node.task.finish_border` makes the
columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import scipy.sparse as sp

from ..base.errors import ConfigError
from ..base.progress import step
from ..base.ragged import Array, among, owners, pointers, ranges
from ..task import Border, BorderSums, Graph, Subgraphs, SubgraphTask, finish_border
from ..task.border import join_borders

SIDES = ("outside", "inside")
BORDER_HOPS = {"border": 1, "border2": 2}  # by the name of subgraph inputs
_SCRATCH = 64 << 20  # bytes for the incidences that are looked at together
Direction = Literal["any", "out", "in"]


def border_inputs(task: SubgraphTask, *, hops: int = 1) -> Border:
    """The border of each subgraph of a task: as it was made before, or from the graph.

    Args:
        task: The task.
        hops: As in :func:`border_sums`.
    """
    stored, featured = task.subgraphs.border, task.graph.features is not None
    if stored is None:
        return border_of(task.graph, task.subgraphs, hops=hops)
    if hops == 1:
        return _of_one_hop(stored)
    if featured and not any(map(_lies_behind, stored.columns)):
        raise ConfigError(
            "the border summaries of these data are of one hop; make them anew with two"
            " (border_hops=2, --border-hops 2), or ask for 'border'."
        )
    return stored


def _lies_behind(column: str) -> bool:
    """Whether a column sums up what lies behind the neighbours, as ``any.outside.next.x0.sum``."""
    return column.split(".")[2] == "next"


@lru_cache(maxsize=2)  # a model asks for its columns, its scale and its rows
def _of_one_hop(border: Border) -> Border:
    """The columns of a border that one hop has."""
    kept = [number for number, name in enumerate(border.columns) if not _lies_behind(name)]
    if len(kept) == len(border.columns):
        return border
    return Border(tuple(border.columns[number] for number in kept), border.values[:, kept])


@lru_cache(maxsize=4)
def border_of(graph: Graph, subgraphs: Subgraphs, *, hops: int = 1) -> Border:
    """The border of subgraphs, one row each; arguments as of :func:`border_sums`.

    Of a part of a graph on disk, the neighbours are looked up there. The last few are kept: a model
    asks for the same again, for its columns, its scale and its rows.
    """
    if graph.whole is not None:
        return _border_on_disk(graph, subgraphs, hops)
    return finish_border(border_sums(graph, subgraphs, hops=hops))


@lru_cache(maxsize=2)  # several models, or an answer and its reasons, ask for the same
def _border_on_disk(graph: Graph, subgraphs: Subgraphs, hops: int) -> Border:
    from ..disk import surroundings

    if not len(subgraphs):
        return border_of(replace(graph, whole=None), subgraphs, hops=hops)
    borders = [
        border_of(around, some, hops=hops)
        for around, some in surroundings(graph, subgraphs, hops=hops)
    ]
    joined = join_borders(borders)
    assert joined is not None  # for mypy: there is a subgraph
    return joined


def border_sums(graph: Graph, subgraphs: Subgraphs, *, hops: int = 1) -> BorderSums:
    """Counts, sums, sums of squares and extremes over the incidences of each subgraph.

    Values of an incidence are the features of its neighbour (``x0``, ``x1``, …), the means of the
    features of the neighbour's own neighbours in the same direction (``next.x0``, with two hops),
    the features of its arc (``edge.amount``) and its weight (``edge.weight``).

    Args:
        graph: The graph.
        subgraphs: The subgraphs.
        hops: 1, or 2 for what lies behind the neighbours too, which takes a table of that over all
            nodes.
    """
    if hops not in (1, 2):
        raise ConfigError(f"a border has 1 or 2 hops, not {hops!r}.")
    directions = [_Incidences.of(graph, direction, hops) for direction in directions_of(graph)]
    groups = tuple(f"{one.direction}.{side}" for one in directions for side in SIDES)
    width = len(directions[0].names)
    counts = np.zeros((len(subgraphs), len(groups)), np.int64)
    sums, squares = np.zeros((2, len(subgraphs), len(groups), width))
    lows, highs = np.full_like(sums, np.inf), np.full_like(sums, -np.inf)
    member_keys = subgraphs.owner * graph.num_nodes + subgraphs.nodes
    for number, one in enumerate(directions):
        for owner, neighbours, values in one.blocks(subgraphs):
            inside = among(owner * graph.num_nodes + neighbours, member_keys)
            for side in (0, 1):
                chosen = np.flatnonzero(inside == bool(side))
                if not len(chosen):
                    continue
                who, x, group = owner[chosen], values[chosen], 2 * number + side
                starts = np.flatnonzero(np.diff(who, prepend=-1))
                place = who[starts], group
                counts[place] += np.diff(np.append(starts, len(who)))
                sums[place] += np.add.reduceat(x, starts)
                lows[place] = np.minimum(lows[place], np.minimum.reduceat(x, starts))
                highs[place] = np.maximum(highs[place], np.maximum.reduceat(x, starts))
                squares[place] += np.add.reduceat(np.square(x, out=x), starts)
    empty = counts == 0
    lows[empty] = highs[empty] = 0
    return BorderSums(groups, directions[0].names, counts, sums, squares, lows, highs)


def directions_of(graph: Graph) -> tuple[Direction, ...]:
    """The directions in which a subgraph has neighbours."""
    return ("any",) if graph.arcs is None else ("out", "in")


@dataclass(frozen=True, eq=False)
class _Incidences:
    """The edges of each node in one direction, and the values that go with them.

    Args:
        direction: The direction.
        ptr: Edges of node v are ``ptr[v]…ptr[v + 1]``; (N+1,).
        rows: Rows of the edges in ``ends``, ``features`` and ``weights``; None: as they stand.
        ends: The other end of each row.
        node_features: Values of the node at the other end, (N, F) each.
        edge_features: Values of the rows, (K, F) each.
        names: What the values are called.
    """

    direction: Direction
    ptr: Array
    rows: Array | None
    ends: Array
    node_features: tuple[Array, ...]
    edge_features: tuple[Array, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, graph: Graph, direction: Direction, hops: int) -> _Incidences:
        """The incidences of a graph in one direction."""
        arcs = graph.arcs
        weights = graph.weights if arcs is None else arcs.weights
        names, node_features = list[str](), list[Array]()
        ptr, rows, ends = graph.indptr, None, graph.indices
        if arcs is not None and direction == "out":
            (ptr, rows), ends = arcs.leaving(graph.num_nodes), arcs.target
        elif arcs is not None:
            (ptr, rows), ends = arcs.entering(graph.num_nodes), arcs.source
        if graph.features is not None:
            own = [f"x{column}" for column in range(graph.features.shape[1])]
            names, node_features = own, [graph.features]
            if hops == 2:
                around = _means_around(ptr, ends if rows is None else ends[rows], graph.features)
                names = [*own, *(f"next.{name}" for name in own)]
                node_features.append(around)
        edge_features = list[Array]()
        if arcs is not None and arcs.features is not None:
            names = [*names, *(f"edge.{name}" for name in arcs.feature_names)]
            edge_features.append(arcs.features)
        if weights is not None:
            names = [*names, "edge.weight"]
            edge_features.append(weights[:, None])
        return cls(
            direction, ptr, rows, ends, tuple(node_features), tuple(edge_features), tuple(names)
        )

    def blocks(self, subgraphs: Subgraphs) -> Iterator[tuple[Array, Array, Array]]:
        """Subgraph (n,), neighbour (n,) and values (n, X) of incidences, by subgraph ascending."""
        nodes = subgraphs.nodes.astype(np.int64)
        counts = (self.ptr[nodes + 1] - self.ptr[nodes]).astype(np.int64)
        starts = pointers(counts)
        total, limit = int(starts[-1]), _SCRATCH // (64 + 24 * len(self.names))
        for first in range(0, total, limit):
            step("Looking around subgraphs", first, total, f"direction {self.direction}")
            last = min(first + limit, total)
            low = int(np.searchsorted(starts, first, side="right")) - 1
            high = int(np.searchsorted(starts, last, side="left"))
            # The first and the last member of a block may have some of their edges elsewhere.
            begins = np.maximum(starts[low:high], first)
            sizes = np.minimum(starts[low + 1 : high + 1], last) - begins
            flat = ranges(self.ptr[nodes[low:high]] + (begins - starts[low:high]), sizes)
            rows = flat if self.rows is None else self.rows[flat]
            member = np.repeat(np.arange(low, high), sizes)
            neighbours = self.ends[rows]
            proper = np.flatnonzero(neighbours != nodes[member])
            rows, member, neighbours = rows[proper], member[proper], neighbours[proper]
            parts = [table[neighbours] for table in self.node_features]
            parts += [table[rows] for table in self.edge_features]
            values = np.empty((len(rows), len(self.names)))
            if parts:
                np.concatenate(parts, axis=1, out=values)
            yield subgraphs.owner[member], neighbours.astype(np.int64), values
        step("Looking around subgraphs", total, total)


def _means_around(ptr: Array, ends: Array, features: Array) -> Array:
    """Mean features of the neighbours of each node, self-loops aside, 0 where it has none; (N, F).

    Args:
        ptr: Neighbours of node v are ``ends[ptr[v]]…``; (N+1,).
        ends: The neighbours, as often as there are edges to them.
        features: Features of all nodes, (N, F).
    """
    size = len(ptr) - 1
    proper = (ends != owners(ptr)).astype(np.float64)
    matrix = sp.csr_array((proper, ends, ptr), shape=(size, size))
    counts = np.asarray(matrix.sum(axis=1))[:, None]
    sums = matrix @ features.astype(np.float64)
    means: Array = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
    return means
