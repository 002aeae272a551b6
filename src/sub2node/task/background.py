"""A background: the nodes that subgraphs could have been made of, the universe of a study."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ..base.errors import DataError
from ..base.notes import Note, changed, dropped
from ..base.plural import examples, plural
from ..base.ragged import Array
from .graph import Graph
from .names import Names
from .node_names import NodeNames


def within_background(graph: Graph, background: pa.Array) -> tuple[Graph, Note]:
    """The graph without the nodes outside of a background, and what was omitted.

    Members outside of it are then unknown, in training and in prediction alike, and sets that are
    drawn at random are drawn from it.

    Args:
        graph: The graph.
        background: Nodes by id or another name, text; what the graph does not have is counted.
    """
    names = graph.names or Names(map(str, range(graph.num_nodes)))
    background = background.cast(pa.large_string()).unique()
    found = NodeNames(graph).match(background).positions
    keep = np.zeros(graph.num_nodes, bool)
    keep[found[found >= 0]] = True
    if not keep.any():
        shown = examples((repr(one) for one in background.slice(0, 3).to_pylist()), len(background))
        raise DataError(f"no node of the graph is in the background ({shown}).")
    foreign = background.filter(pa.array(found < 0))
    text = f"Background: {plural(int(keep.sum()), 'node')} of the graph kept"
    if omitted := int((~keep).sum()):
        text += f", {omitted:,} outside of it omitted with their edges"
    if len(foreign):
        shown = examples((repr(one) for one in foreign.slice(0, 3).to_pylist()), len(foreign))
        text += f"; the graph does not have {len(foreign):,} of its ids: {shown}"
    note = dropped if omitted else changed
    return (induced_graph(graph, keep, names) if omitted else graph), note(f"{text}.")


def induced_graph(graph: Graph, keep: Array, names: Names) -> Graph:
    """The graph of some nodes and the edges between them.

    Args:
        graph: The graph.
        keep: Which nodes stay; bool (N,).
        names: What its nodes are called, also where they are called by their numbers.
    """
    rows = np.flatnonzero(keep)
    place = np.cumsum(keep) - 1
    adjacency = graph.adjacency()[rows][:, rows].tocsr()
    adjacency.sort_indices()
    loops = keep[graph.loops]
    weights, loop_weights = graph.weights, graph.loop_weights
    inside = Graph(
        adjacency.indptr,
        adjacency.indices,
        weights=None if weights is None else adjacency.data,
        loops=place[graph.loops[loops]],
        loop_weights=None if loop_weights is None else loop_weights[loops],
        features=None if graph.features is None else graph.features[rows],
        names=names.take(rows),
        titles=None if graph.titles is None else graph.titles.take(rows),
        arcs=None if graph.arcs is None else graph.arcs.within(keep),
        imputed=graph.imputed,
    )
    others = graph.other_names
    return inside if others is None else inside.with_other_names(others.to_table(names.arrow))
