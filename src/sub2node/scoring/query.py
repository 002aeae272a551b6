"""Subgraphs that are asked about: from the ids people use to positions in the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import ConfigError, DataError
from ..ragged import Array, pointers, ranges
from ..task import Graph, Subgraphs
from ..task.names import Names

Unknown = Literal["error", "drop"]
_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Query:
    """Subgraphs to answer for.

    Args:
        names: What each is called in answers.
        subgraphs: Their nodes that the graph has.
        known: Share of the nodes asked about that the graph has; (K,).
        unknown: The others, by subgraph.
    """

    names: tuple[str, ...]
    subgraphs: Subgraphs
    known: Array
    unknown: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.names)

    def take(self, positions: Sequence[int] | Array) -> Query:
        """Some of them, in this order."""
        chosen = np.asarray(positions, np.int64)
        return Query(
            tuple(self.names[i] for i in chosen),
            _joined([self.subgraphs], chosen),
            self.known[chosen],
            tuple(self.unknown[i] for i in chosen),
        )

    @classmethod
    def of(cls, subgraphs: Subgraphs, names: Sequence[str] | None = None) -> Query:
        """Subgraphs of the graph itself, all of whose nodes are known."""
        count = len(subgraphs)
        given = names or [subgraphs.name_of(i) for i in range(count)]
        return cls(tuple(given), subgraphs, np.ones(count), ((),) * count)

    @classmethod
    def join(cls, queries: Sequence[Query]) -> Query:
        """Several, one after the other."""
        return cls(
            tuple(name for query in queries for name in query.names),
            _joined([query.subgraphs for query in queries]),
            np.concatenate([query.known for query in queries]),
            tuple(found for query in queries for found in query.unknown),
        )


def _joined(parts: Sequence[Subgraphs], chosen: Array | None = None) -> Subgraphs:
    """Subgraphs one after the other, without names; ``chosen``: some of them, even repeatedly."""
    own = {part.edges is not None for part in parts}
    if len(own) > 1:
        raise DataError("some subgraphs have edges of their own and some have none.")
    sizes, nodes = (np.concatenate([getattr(p, n) for p in parts]) for n in ("sizes", "nodes"))
    weights = None
    if any(part.weights is not None for part in parts):
        weights = np.concatenate([_weights(part) for part in parts])
    edges: Array | None = None
    edge_sizes: Array | None = None
    if own == {True}:
        edges = np.concatenate([np.asarray(part.edges) for part in parts])
        edge_sizes = np.concatenate([np.diff(np.asarray(part.edge_ptr)) for part in parts])
    if chosen is not None:
        flat = ranges(pointers(sizes)[chosen], sizes[chosen])
        nodes, sizes = nodes[flat], sizes[chosen]
        weights = None if weights is None else weights[flat]
        if edges is not None and edge_sizes is not None:
            edges = edges[ranges(pointers(edge_sizes)[chosen], edge_sizes[chosen])]
            edge_sizes = edge_sizes[chosen]
    edge_ptr = None if edge_sizes is None else pointers(edge_sizes)
    return Subgraphs(pointers(sizes), nodes, weights, edge_ptr, edges)


def _weights(subgraphs: Subgraphs) -> Array:
    given = subgraphs.weights
    return np.ones(len(subgraphs.nodes), np.float32) if given is None else given


class Node(NamedTuple):
    """A node as a search shows it."""

    id: str
    title: str
    degree: int


@dataclass(frozen=True, eq=False)
class Index:
    """The nodes of a graph by id, and by words in their ids and titles.

    Args:
        graph: The graph.
    """

    graph: Graph

    @cached_property
    def _positions(self) -> dict[str, int]:
        names = self.graph.names
        return {} if names is None else {name: i for i, name in enumerate(names)}

    def find(self, node: Any) -> int:
        """The position of a node, -1 for none of ours."""
        if isinstance(node, bool | np.bool_) or not isinstance(node, str | int | np.integer):
            kind = type(node).__name__
            raise DataError(f"a node is known by text or a whole number, found {node!r} ({kind}).")
        if self.graph.names is not None:
            return self._positions.get(str(node), -1)
        if isinstance(node, str):
            plain = node.isascii() and node.isdigit() and (node == "0" or node[0] != "0")
            node = int(node) if plain and len(node) < 19 else -1
        return int(node) if 0 <= node < self.graph.num_nodes else -1

    def name(self, position: int) -> str:
        """The id of a node."""
        names = self.graph.names
        return str(position) if names is None else names[position]

    def title(self, position: int) -> str:
        """What people call it, or nothing."""
        titles = self.graph.titles
        return "" if titles is None else titles[position]

    @cached_property
    def _words(self) -> list[Any]:
        """Ids and titles in small letters."""
        ids = self.graph.names or Names(map(str, range(self.graph.num_nodes)))
        given = [ids] if self.graph.titles is None else [ids, self.graph.titles]
        return [pc.utf8_lower(names.arrow) for names in given]

    @cached_property
    def _degrees(self) -> Array:
        return self.graph.degrees

    def search(self, text: str, count: int) -> list[Node]:
        """Nodes whose id or title has this text, those first that begin with it."""
        wanted = text.strip()
        if not wanted or count < 1:
            return []
        ranked = np.full(self.graph.num_nodes, 3, np.int8)
        low = wanted.lower()
        for column in self._words:
            for rank, found in (
                (2, pc.match_substring(column, low)),
                (1, pc.starts_with(column, low)),
                (0, pc.equal(column, low)),
            ):
                ranked[np.asarray(found) & (ranked > rank)] = rank
        hits = np.flatnonzero(ranked < 3)
        order = np.lexsort((hits, -self._degrees[hits], ranked[hits]))[:count]
        return [Node(self.name(i), self.title(i), int(self._degrees[i])) for i in hits[order]]


def ask(
    index: Index, sets: Sequence[Sequence[Any]], names: Sequence[str] | None, unknown: str
) -> Query:
    """A query from lists of node ids.

    Args:
        index: Of the graph.
        sets: Ids, text or whole numbers; one that is given twice counts once.
        names: Of the subgraphs; by default their numbers.
        unknown: Of nodes that the graph does not have: ``error``, or ``drop`` them.
    """
    if unknown not in ("error", "drop"):
        raise ConfigError(f"unknown_nodes is error or drop here, not {unknown!r}.")
    given = [str(i) for i in range(len(sets))] if names is None else list(map(str, names))
    if len(given) != len(sets):
        raise DataError(f"{len(sets):,} subgraphs but {len(given):,} names.")
    flat: list[int] = []
    counts, shares, lost = [], [], []
    for name, nodes in zip(given, sets, strict=True):
        if isinstance(nodes, str | bytes) or not hasattr(nodes, "__iter__"):
            raise DataError(f"subgraph {name!r} is {nodes!r}, expected a list of node ids.")
        found = {str(node): index.find(node) for node in nodes}
        here = sorted({position for position in found.values() if position >= 0})
        missing = tuple(node for node, position in found.items() if position < 0)
        _check(name, found, missing, unknown, known=bool(here))
        flat += here
        counts.append(len(here))
        shares.append(1 - len(missing) / len(found))
        lost.append(missing)
    subgraphs = Subgraphs(pointers(np.array(counts, np.int64)), np.array(flat, np.int64))
    return Query(tuple(given), subgraphs, np.array(shares, np.float64), tuple(lost))


def _check(
    name: str, found: dict[str, int], missing: tuple[str, ...], unknown: str, *, known: bool
) -> None:
    if not found:
        raise DataError(f"subgraph {name!r} is empty; it needs a node.")
    words = ", ".join(repr(node[:60]) for node in missing[:_SHOWN])
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    if missing and unknown == "error":
        raise DataError(
            f"subgraph {name!r} has nodes that are not in the graph: {words}{more};"
            " unknown_nodes='drop' (--unknown-nodes drop) goes on without them."
        )
    if not known:
        raise DataError(f"no node of subgraph {name!r} is in the graph: {words}{more}.")


def id_lists(data: Any) -> tuple[list[Any], list[str] | None]:
    """Lists of ids, and names where there are some: from lists, a dict of them, or a frame."""
    from ..task.frames import Frame

    if isinstance(data, dict) and not {"subgraph_id", "node_id"} <= data.keys():
        return list(data.values()), list(map(str, data))
    if isinstance(data, dict | pa.Table) or hasattr(data, "columns"):
        frame = Frame.of(data, "members", {})
        who, what = frame.ids("subgraph_id"), frame.ids("node_id")
        spaces = who.dictionary_encode()
        order = np.argsort(np.asarray(spaces.indices), kind="stable")
        counts = np.bincount(np.asarray(spaces.indices), minlength=len(spaces.dictionary))
        nodes = what.take(pa.array(order)).to_pylist()
        lists = [nodes[a:b] for a, b in pairwise(pointers(counts))]
        return lists, [str(name) for name in spaces.dictionary.to_pylist()]
    if isinstance(data, str | bytes) or not hasattr(data, "__len__"):
        raise DataError(
            f"subgraphs are lists of node ids, or a frame of members; found {type(data).__name__}."
        )
    return list(data), None
