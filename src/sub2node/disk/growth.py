"""New subgraphs of a graph on disk: their nodes join the part that is loaded, with their edges.

Only the rows of these nodes are read. A part that has grown is as if the nodes had been members
from the start; the nodes that it had keep their positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import DataError
from ..base.ragged import Array, blocks, distinct
from ..task import Arcs, Graph, Subgraphs, WholeGraph
from ..task.edges import Repeated, undirected
from ..task.names import Names
from .neighbour_tables import ALL_NODES, NEIGHBOURS, IndexCard, SortedTable

_INCIDENCES = 1 << 20  # neighbours that are looked up together


class Index(NamedTuple):
    """The tables beside a part in which the neighbours of all nodes are found."""

    card: IndexCard
    neighbours: SortedTable
    nodes: SortedTable | None


@lru_cache(maxsize=4)
def open_index(folder: Path) -> Index:
    """The tables of a folder."""
    if not (folder / IndexCard.FILE).is_file():
        raise DataError(
            "the graph of this model lies on disk, and its folder is not here; make it anew from"
            " the tables, put it back, or into the folder on-disk of the cache (S2N_CACHE).",
            path=folder,
        )
    card = IndexCard.read(folder)
    nodes = SortedTable(folder / ALL_NODES, "node_id") if card.nodes else None
    return Index(card, SortedTable(folder / NEIGHBOURS, "node"), nodes)


def grow(graph: Graph, ids: pa.Array) -> Graph:
    """The graph with further nodes, those of the ids that the whole graph has.

    Args:
        graph: A part of a graph on disk.
        ids: Ids of nodes, of which the part may have some.
    """
    own = graph.ids().cast(pa.large_string())
    fresh = ids.cast(pa.large_string()).unique()
    fresh = fresh.filter(pc.invert(pc.is_in(fresh, value_set=own)))
    if not len(fresh):
        return graph
    index = _index_of(graph)
    keys = index.neighbours.as_keys(fresh)
    rows = index.neighbours.rows(keys)
    if index.nodes is None:
        table = pa.table({"node_id": rows["node"].combine_chunks().unique()})
    else:
        table = index.nodes.rows(keys)
    if not len(table):
        return graph
    new = table["node_id"].combine_chunks().cast(pa.large_string())
    names = pa.concat_arrays([own, new])
    ends = {name: _places(rows[name], names) for name in ("node", "other")}
    grown = _joined(graph, rows, ends, index.card, names=names, table=table)
    whole = _grown_whole(graph, rows, ends, index.card, count=len(new))
    return replace(grown, whole=whole).renamed(graph.other_names)


def _index_of(graph: Graph) -> Index:
    if graph.whole is None or graph.whole.folder is None:
        raise DataError("this graph is no part of one on disk.")
    return open_index(graph.whole.folder)


def _places(column: pa.ChunkedArray, names: pa.Array) -> Array:
    """Positions of ids among names, -1 where they are not there."""
    text = column.cast(pa.large_string())
    return np.asarray(pc.index_in(text, value_set=names).combine_chunks().fill_null(-1), np.int64)


def _joined(
    graph: Graph,
    rows: pa.Table,
    ends: dict[str, Array],
    card: IndexCard,
    *,
    names: pa.Array,
    table: pa.Table,
) -> Graph:
    """The part with new nodes at its end, and the edges between them and with those it had."""
    start, (node, other) = graph.num_nodes, ends.values()
    common: dict[str, Any] = {
        "num_nodes": len(names),
        "features": _grown_features(graph, table, card),
        "names": Names(names),
        "titles": _grown_titles(graph, table, names),
    }
    if card.directed:
        assert graph.arcs is not None
        arcs = _arcs_of(rows, ends, card, known=(other >= 0) & (other < start))
        return Graph.from_arcs(_concatenate(graph.arcs, arcs), **common)
    # An edge between two new nodes stands at both, one with a known node at the new one only.
    kept = (other >= 0) & ((other < start) | (node <= other))
    low, high, weights = graph.edges()
    first = [np.concatenate([low, graph.loops, node[kept]])]
    first.append(np.concatenate([high, graph.loops, other[kept]]))
    merged_weights = None
    if card.weighted:
        ours = np.ones(len(low)) if weights is None else weights
        loops = np.ones(len(graph.loops)) if graph.loop_weights is None else graph.loop_weights
        merged_weights = np.concatenate([ours, loops, np.asarray(rows["weight"])[kept]])
    edges = undirected(*first, weights=merged_weights, repeated=_merging(card))
    return Graph.from_undirected(edges, **common)


def _arcs_of(rows: pa.Table, ends: dict[str, Array], card: IndexCard, *, known: Array) -> Arcs:
    """Rows of nodes as arcs: those that leave, and those that enter from nodes known before.

    An arc between two of the nodes stands at both, and counts where it leaves.
    """
    leaving = np.asarray(rows["leaving"].combine_chunks().cast(pa.int8())) == 1
    chosen = np.flatnonzero((ends["other"] >= 0) & (leaving | known))
    out, node, other = leaving[chosen], ends["node"][chosen], ends["other"][chosen]
    weights = np.asarray(rows["weight"])[chosen] if card.weighted else None
    features = None
    if card.edge_features:
        columns = [np.asarray(rows[f"f{n}"])[chosen] for n in range(len(card.edge_features))]
        features = np.stack(columns, axis=1)
    source, target = np.where(out, node, other), np.where(out, other, node)
    return Arcs(source, target, weights, features, card.edge_features)


def _concatenate(one: Arcs, two: Arcs) -> Arcs:
    def joined(first: Array | None, second: Array | None) -> Array | None:
        return None if first is None or second is None else np.concatenate([first, second])

    return Arcs(
        np.concatenate([one.source, two.source]),
        np.concatenate([one.target, two.target]),
        joined(one.weights, two.weights),
        joined(one.features, two.features),
        one.feature_names,
    )


def _features_of(table: pa.Table, width: int) -> Array:
    """The features of nodes, float32 (n, F)."""
    columns = [np.asarray(table[f"x{n}"], np.float32) for n in range(width)]
    return np.stack(columns, axis=1)


def _grown_features(graph: Graph, table: pa.Table, card: IndexCard) -> Array | None:
    if graph.features is None:
        return None
    new = _features_of(table, card.node_features)
    if new.shape[1] != graph.features.shape[1]:
        raise DataError(
            f"nodes of the model have {graph.features.shape[1]} features, those on disk"
            f" {new.shape[1]}."
        )
    return np.concatenate([graph.features, new])


def _grown_titles(graph: Graph, table: pa.Table, names: pa.Array) -> Names | None:
    if graph.titles is None:
        return None
    own = graph.titles.arrow
    if "title" in table.column_names:
        new = table["title"].combine_chunks().cast(pa.large_string()).fill_null("")
    else:
        new = names.slice(len(own))
    return Names(pa.concat_arrays([own, new]))


def _grown_whole(
    graph: Graph, rows: pa.Table, ends: dict[str, Array], card: IndexCard, *, count: int
) -> WholeGraph:
    """Degrees and strengths of the new nodes beside those of the others."""
    whole, start = graph.whole, graph.num_nodes
    assert whole is not None
    keys = rows["other"].combine_chunks().dictionary_encode()
    other = np.asarray(keys.indices, np.int64)
    node = ends["node"] - start
    proper = np.asarray(pc.not_equal(rows["node"], rows["other"]))
    weights = None
    if card.weighted or card.directed:
        weights = np.asarray(rows["weight"])[proper] if card.weighted else np.ones(proper.sum())
    pair = node[proper] * max(len(keys.dictionary), 1) + other[proper]
    order = np.argsort(pair, kind="stable")
    starts = np.flatnonzero(np.diff(pair[order], prepend=-1))
    owner = node[proper][order][starts]
    degrees = np.bincount(owner, minlength=count)
    strengths = None
    if weights is not None and whole.strengths is not None:
        added = card.directed or card.repeated == "sum"
        how = np.add if added else np.maximum
        sums = np.zeros(0) if not len(starts) else how.reduceat(weights[order], starts)
        new = np.bincount(owner, weights=sums, minlength=count)
        strengths = np.concatenate([whole.strengths, new])
    return replace(whole, degrees=np.concatenate([whole.degrees, degrees]), strengths=strengths)


def surroundings(
    graph: Graph, subgraphs: Subgraphs, *, hops: int
) -> Iterator[tuple[Graph, Subgraphs]]:
    """Subgraphs, some at a time, each time in a graph of their members and all neighbours of these.

    What lies around them is there as it is in the whole graph, as far as some hops reach.

    Args:
        graph: A part of a graph on disk that has all members.
        subgraphs: The subgraphs.
        hops: 1, or 2 for the neighbours of the neighbours too.
    """
    index = _index_of(graph)
    assert graph.whole is not None
    sums = np.concatenate([[0], np.cumsum(graph.whole.degrees[subgraphs.nodes])])
    counts = np.diff(sums[subgraphs.ptr])
    for first, last in blocks(counts, _INCIDENCES):
        some = subgraphs.take(np.arange(first, last))
        members = distinct(some.nodes)
        ids = graph.ids().take(pa.array(members)).cast(pa.large_string())
        around, names = _graph_around(ids, index, hops)
        place = np.zeros(graph.num_nodes, np.int64)
        place[members] = _places(pa.chunked_array([ids]), names)
        pairs = (some.owner, place[some.nodes])
        yield around, Subgraphs.from_pairs(*pairs, len(some))


def _graph_around(ids: pa.Array, index: Index, hops: int) -> tuple[Graph, pa.Array]:
    """The graph of some nodes and what is up to some hops away, and the ids of all of them."""
    card, table = index.card, index.neighbours
    rows = table.rows(ids)
    if hops == 2:
        others = rows["other"].combine_chunks().unique().cast(pa.large_string())
        behind = others.filter(pc.invert(pc.is_in(others, value_set=ids)))
        rows = pa.concat_tables([rows, table.rows(behind)])
        ids = pa.concat_arrays([ids, behind])
    seen = rows["other"].combine_chunks().unique().cast(pa.large_string())
    names = pa.concat_arrays([ids, seen]).unique()
    ends = {name: _places(rows[name], names) for name in ("node", "other")}
    features = None
    if index.nodes is not None and card.node_features:
        features = _known_features(names, index)
    common: dict[str, Any] = {"num_nodes": len(names), "features": features}
    outer = ends["other"] >= len(ids)  # whose own rows were not read
    if card.directed:
        return Graph.from_arcs(_arcs_of(rows, ends, card, known=outer), **common), names
    once = outer | (ends["node"] <= ends["other"])
    weights = np.asarray(rows["weight"])[once] if card.weighted else None
    pairs = (ends["node"][once], ends["other"][once])
    edges = undirected(*pairs, weights=weights, repeated=_merging(card))
    return Graph.from_undirected(edges, **common), names


def _known_features(names: pa.Array, index: Index) -> Array:
    """The features of nodes by their ids, all of which must be known."""
    assert index.nodes is not None
    table = index.nodes.rows(names)
    place = _places(table["node_id"], names)
    if len(table) < len(names):
        lost = np.setdiff1d(np.arange(len(names)), place)
        raise DataError(f"the node {names[int(lost[0])].as_py()!r} has no row among all nodes.")
    features = np.empty((len(names), index.card.node_features), np.float32)
    features[place] = _features_of(table, index.card.node_features)
    return features


def _merging(card: IndexCard) -> Repeated:
    """What an edge that is given again means, where no conflict is looked for."""
    return "sum" if card.repeated == "sum" else "max"
