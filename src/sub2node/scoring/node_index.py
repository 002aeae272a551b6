"""The nodes of a graph by id, by other names, and by text in any of their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.ragged import Array
from ..task import Graph
from ..task.node_names import NameMatches, NodeNames

_NOT_FOUND = 4  # rank of a node that no name of which matches


class Node(NamedTuple):
    """A node as a search returns it: id, title, degree, and the other name that was searched."""

    id: str
    title: str
    degree: int
    alias: str = ""


@dataclass(frozen=True, eq=False)
class NodeIndex:
    """The nodes of a graph by id, and by text in their names.

    Args:
        graph: The graph whose nodes are looked up.
    """

    graph: Graph

    @cached_property
    def names(self) -> NodeNames:
        """All names of the nodes."""
        return NodeNames(self.graph)

    @cached_property
    def _positions(self) -> dict[str, int]:
        names = self.graph.names
        return {} if names is None else {name: i for i, name in enumerate(names)}

    def find(self, ids: Sequence[str]) -> Array:
        """Positions of nodes by their ids, -1 where the graph has no such node; (n,)."""
        if self.graph.names is None:
            return self.names.positions(_as_text(ids))
        return np.fromiter(map(self._positions.get, ids, repeat(-1)), np.int64, len(ids))

    def match(self, texts: Sequence[str]) -> NameMatches:
        """What different texts mean: ids, or other names of nodes; see :class:`NodeNames`."""
        return self.names.match_foreign(_as_text(texts), self.find(texts))

    def name(self, position: int) -> str:
        """The id of a node."""
        return self.names.id(position)

    def title(self, position: int) -> str:
        """The title of a node, "" for none."""
        titles = self.graph.titles
        return "" if titles is None else titles[position]

    @cached_property
    def _columns(self) -> list[tuple[pa.Array, Array | None]]:
        """Names in lower case, each with its node (None: the name of a place is its node's).

        A hyphen is a space, as in :meth:`search`.
        """
        columns = [(_spaced(texts), nodes) for texts, nodes in self.names.lower_texts()]
        return columns if self.graph.names is not None else [(self.graph.ids(), None), *columns]

    @cached_property
    def _degrees(self) -> Array:
        return self.graph.full_degrees

    def search(self, text: str, count: int) -> list[Node]:
        """Nodes that have this text in a name, those first that have one which begins with it.

        Case does not matter, nor whether words are joined by a hyphen or a space. Nodes with all
        words of the text in one name, in another order, come last.
        """
        low = text.strip().lower().replace("-", " ")
        words = low.split()
        if not words or count < 1:
            return []
        ranked = np.full(self.graph.num_nodes, _NOT_FOUND, np.int8)
        alias_of: dict[int, int] = {}
        for column, nodes in self._columns:
            for rank, matches in (
                (3, _with_all(column, words)),
                (2, pc.match_substring(column, low)),
                (1, pc.starts_with(column, low)),
                (0, pc.equal(column, low)),
            ):
                hits = np.flatnonzero(np.asarray(matches))
                owners = hits if nodes is None else nodes[hits]
                better = ranked[owners] > rank
                ranked[owners[better]] = rank
                if nodes is not None:
                    alias_of |= dict(
                        zip(owners[better].tolist(), hits[better].tolist(), strict=True)
                    )
        hits = np.flatnonzero(ranked < _NOT_FOUND)
        order = np.lexsort((hits, -self._degrees[hits], ranked[hits]))[:count]
        return [self._node(i, alias_of.get(i)) for i in hits[order].tolist()]

    def _node(self, position: int, alias: int | None) -> Node:
        others = self.graph.other_names
        text = "" if others is None or alias is None else others.names[alias]
        return Node(self.name(position), self.title(position), int(self._degrees[position]), text)


def _spaced(texts: pa.Array) -> pa.Array:
    """Texts with a space for each hyphen."""
    return pc.replace_substring(texts, "-", " ")


def _with_all(texts: pa.Array, words: Sequence[str]) -> Array:
    """Which texts have all the words, in any order."""
    found = [np.asarray(pc.match_substring(texts, word), bool) for word in words]
    return np.asarray(np.all(found, axis=0))


def _as_text(texts: Sequence[str]) -> pa.Array:
    """Arrow text; what is no proper text (half a surrogate pair) is replaced."""
    try:
        return pa.array(texts, pa.large_string())
    except UnicodeEncodeError:
        proper = [text.encode("utf-8", "replace").decode() for text in texts]
        return pa.array(proper, pa.large_string())
