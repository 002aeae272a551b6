"""Names of nodes beside ids and titles: former ids, symbols, synonyms, aliases of the user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import DataError
from ..base.ragged import Array, frozen
from .frames import Frame
from .names import Names, check_names

# What a name is, from what counts first to what counts last; kinds of the user's count as aliases.
KINDS = ("id", "case", "former id", "symbol", "title", "synonym", "alias")
ID, ALIAS = KINDS[0], KINDS[-1]
COLUMNS = (ALIAS, "node_id", "kind")
_TEXT = pa.large_string()


@dataclass(frozen=True, eq=False)
class OtherNames:
    """Names beside ids and titles, each with the node that it stands for.

    Args:
        nodes: Position of the node of each name, int32 (n,).
        names: The names.
        kinds: What each name is, by its number in ``words``, int16 (n,).
        words: What a name may be: ``former id``, ``symbol``, ``synonym``, ``alias``, …
    """

    nodes: Array
    names: Names
    kinds: Array
    words: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", frozen(self.nodes, np.int32))
        object.__setattr__(self, "kinds", frozen(self.kinds, np.int16))
        check_names(self.names, len(self.nodes), "graph.other_names", unique=False)
        if len(self.kinds) != len(self.nodes):
            raise DataError("graph.other_names needs one kind for each name.")
        if len(self) and not 0 <= self.kinds.min() <= self.kinds.max() < len(self.words):
            raise DataError("graph.other_names has a kind that no word is given for.")

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def ranks(self) -> Array:
        """The rank of the kind of each name; of several nodes the one of the lowest is meant."""
        return np.array([rank_of(word) for word in self.words], np.int64)[self.kinds]

    def rows(self) -> pa.Table:
        """The names as a table ``name, node, kind`` with positions of nodes."""
        kinds = pa.array(self.words, pa.string()).take(pa.array(self.kinds))
        columns = (self.names.arrow, pa.array(self.nodes, pa.int32()), kinds)
        return pa.table(dict(zip(("name", "node", "kind"), columns, strict=True)))

    def to_table(self, ids: pa.Array) -> pa.Table:
        """The names as a table of aliases; ``ids`` are those of all nodes."""
        names, nodes, kinds = self.rows().columns
        columns = (names, ids.take(nodes.combine_chunks()), kinds)
        return pa.table(dict(zip(COLUMNS, columns, strict=True)))


def rank_of(kind: str) -> int:
    """The place of a kind among :data:`KINDS`; a word of the user's counts as an alias."""
    return KINDS.index(kind) if kind in KINDS else KINDS.index(ALIAS)


def alias_table(pairs: Mapping[str, Iterable[tuple[str, str]]]) -> pa.Table:
    """Lists of node id and name, by kind, as a table of aliases."""
    rows = [(name, node, kind) for kind, some in pairs.items() for node, name in some]
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    return pa.table(
        {name: pa.array(c, pa.string()) for name, c in zip(COLUMNS, columns, strict=True)}
    )


def read_other_names(
    frame: Frame, ids: pa.Array, known: OtherNames | None = None
) -> OtherNames | None:
    """The names of a table ``alias, node_id[, kind]``; those of other nodes are left out.

    Args:
        frame: The table; without ``kind`` all are aliases.
        ids: The ids of the graph's nodes, text.
        known: Names to go on from.
    """
    aliases, nodes = frame.need(ALIAS), frame.ids("node_id").cast(_TEXT)
    try:
        names = aliases.combine_chunks().cast(_TEXT).fill_null("")
    except pa.ArrowException:
        raise frame.error(f"the column 'alias' must be text, found {aliases.type}.") from None
    kinds = frame.text("kind")
    if kinds is None:
        kinds = pa.nulls(len(names), _TEXT).fill_null(ALIAS)
    kinds = pc.if_else(pc.equal(kinds, ""), ALIAS, kinds)
    kinds = kinds.cast(pa.string())
    position = pc.index_in(nodes, value_set=ids)
    table = pa.table({"name": pc.utf8_trim_whitespace(names), "node": position, "kind": kinds})
    useful = pc.and_(pc.is_valid(position), pc.not_equal(table["name"], ""))
    table = table.filter(pc.and_(useful, pc.not_equal(names, nodes)))
    if known is not None:
        table = pa.concat_tables([known.rows(), table])
    table = table.group_by(["name", "node", "kind"], use_threads=False).aggregate([])
    if not len(table):
        return None
    encoded = table["kind"].combine_chunks().dictionary_encode()
    return OtherNames(
        np.asarray(table["node"]),
        Names(table["name"]),
        np.asarray(encoded.indices),
        tuple(encoded.dictionary.to_pylist()),
    )
