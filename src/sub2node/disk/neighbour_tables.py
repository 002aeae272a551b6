"""All edges and nodes of a graph on disk, sorted, so that the rows of a few are found quickly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..base import progress
from ..base.errors import DataError
from ..base.files import read_card
from ..base.ragged import Array, ranges
from ..io.part_files import INDEX_CARD
from .large_files import parquet_files
from .source_tables import SourceTables

NEIGHBOURS, ALL_NODES = "neighbours.parquet", "all_nodes.parquet"


@dataclass(frozen=True)
class IndexCard:
    """How the tables of neighbours are to be read.

    Args:
        directed: Whether edges have a direction.
        repeated: What an edge that is given again means.
        hops: How far the border of subgraphs reaches.
        weighted: Whether edges have weights.
        edge_features: Names of the features of edges.
        node_features: How many features nodes have.
        nodes: Whether there is a table of nodes.
    """

    FILE: ClassVar[str] = INDEX_CARD
    _KIND: ClassVar[str] = "sub2node-neighbours"
    _VERSION: ClassVar[int] = 1

    directed: bool
    repeated: str
    hops: int
    weighted: bool
    edge_features: tuple[str, ...]
    node_features: int
    nodes: bool

    @classmethod
    def of(cls, source: SourceTables, directed: bool, repeated: str, hops: int) -> Self:
        """The card of some tables."""
        edges, nodes = source.edges, source.nodes
        weighted = "weight" in edges.columns
        return cls(
            directed,
            repeated,
            hops,
            weighted,
            edges.features,
            source.node_features,
            nodes is not None,
        )

    def to_json(self) -> dict[str, Any]:
        """As a file has it."""
        return {"format": self._KIND, "version": self._VERSION, **asdict(self)}

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The card of a folder."""
        card = read_card(folder / cls.FILE, cls._KIND, cls._VERSION)
        try:
            names = tuple(str(name) for name in card["edge_features"])
            return cls(
                directed=bool(card["directed"]),
                repeated=str(card["repeated"]),
                hops=int(card["hops"]),
                weighted=bool(card["weighted"]),
                edge_features=names,
                node_features=int(card["node_features"]),
                nodes=bool(card["nodes"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"the card is damaged ({error}).", path=folder / cls.FILE) from None


class EdgeCounts(NamedTuple):
    """Sizes of a graph on disk."""

    num_nodes: int
    num_edges: int


def count_edges(path: Path) -> EdgeCounts:
    """Nodes with an edge, and pairs of different nodes that are joined; in one pass, in blocks.

    Args:
        path: The table of neighbours.
    """
    nodes, edges, last = 0, 0, None
    for file in _in_order(parquet_files(path), "node"):
        with pq.ParquetFile(file) as table:
            groups = range(table.num_row_groups)
            for group in groups:
                progress.step("Counting edges", group, len(groups))
                rows = table.read_row_group(group, columns=["node", "other"])
                node, other = (column.combine_chunks() for column in rows.columns)
                before = node.slice(0, 1), other.slice(0, 1)
                first = last is None or last != (node[0].as_py(), other[0].as_py())
                new_node = last is None or last[0] != node[0].as_py()
                turns = pc.not_equal(node.slice(1), node.slice(0, len(node) - 1))
                changed = pc.or_(turns, pc.not_equal(other.slice(1), other.slice(0, len(node) - 1)))
                upward = pc.less(node, other)
                edges += int(pc.sum(pc.and_(changed, upward.slice(1))).as_py() or 0)
                edges += int(first and pc.less(*before)[0].as_py())
                nodes += int(pc.sum(turns).as_py() or 0) + int(new_node)
                last = node[-1].as_py(), other[-1].as_py()
            progress.step("Counting edges", len(groups), len(groups))
    return EdgeCounts(nodes, edges)


def _in_order(files: list[Path], key: str) -> list[Path]:
    """Files of a sorted table by their first and last key; those without rows are omitted."""
    ranges_of_keys = []
    for file in files:
        with pq.ParquetFile(file) as table:
            if table.metadata.num_rows:
                groups = (0, table.num_row_groups - 1)
                first, last = (table.read_row_group(n, columns=[key]).column(0) for n in groups)
                ranges_of_keys.append((first[0].as_py(), last[-1].as_py(), file))
    return [file for *_, file in sorted(ranges_of_keys, key=lambda row: row[:2])]


def cast_ids(ids: pa.Array, kind: pa.DataType) -> pa.Array:
    """Ids of the type of the tables; those that cannot be of it are in none of them."""
    if not pa.types.is_integer(kind):
        return ids.cast(pa.string())
    if pa.types.is_integer(ids.type):
        return ids.cast(pa.int64())
    plain = ids.filter(pc.match_substring_regex(ids, r"^(0|-?[1-9][0-9]{0,17})$"))
    return plain.cast(pa.int64())


def _rows_of(column: pa.ChunkedArray, keys: pa.Array) -> Array:
    """The rows of a sorted column that have one of these keys, which are sorted too."""
    if not pa.types.is_integer(column.type):
        return np.flatnonzero(pc.is_in(column, value_set=keys.cast(column.type)))
    values, wanted = np.asarray(column), np.asarray(keys)
    starts = np.searchsorted(values, wanted, side="left")
    return ranges(starts, np.searchsorted(values, wanted, side="right") - starts)


@dataclass(frozen=True, eq=False)
class SortedTable:
    """A Parquet table that is sorted by a column of ids.

    Args:
        path: A file, or a folder of files of which each has a range of ids.
        key: The column.
    """

    path: Path
    key: str

    @cached_property
    def _groups(self) -> tuple[list[tuple[pq.ParquetFile, int]], Array, Array]:
        """Groups of rows with the least and the largest id of each."""
        places, lows, highs = list[tuple[pq.ParquetFile, int]](), list[Any](), list[Any]()
        for file in _in_order(parquet_files(self.path), self.key):
            table = pq.ParquetFile(file)
            column = table.schema_arrow.names.index(self.key)
            for group in range(table.num_row_groups):
                facts = table.metadata.row_group(group).column(column).statistics
                if facts is None or not facts.has_min_max:
                    raise DataError("the table has no ranges of ids; make it anew.", path=self.path)
                places.append((table, group))
                lows.append(facts.min)
                highs.append(facts.max)
        numbers = not lows or isinstance(lows[0], int)
        dtype = np.int64 if numbers else object
        low, high = np.array(lows, dtype), np.array(highs, dtype)
        if (low[1:] < high[:-1]).any():
            raise DataError(
                f"the table is not sorted by '{self.key}'; make it anew.", path=self.path
            )
        return places, low, high

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns."""
        return pq.read_schema(parquet_files(self.path)[0])

    def as_keys(self, ids: pa.Array) -> pa.Array:
        """Ids as this table has them, distinct and sorted, without those it cannot have."""
        return cast_ids(ids, self.schema.field(self.key).type).unique().sort()

    def blocks(self, ids: pa.Array) -> Iterator[pa.Table]:
        """The rows of some ids, block by block.

        Args:
            ids: As :meth:`as_keys` gives them.
        """
        places, low, high = self._groups
        keys = ids.to_numpy(zero_copy_only=False)
        first = np.searchsorted(keys, low, side="left")
        last = np.searchsorted(keys, high, side="right")
        wanted = np.flatnonzero(last > first)
        for done, number in enumerate(wanted.tolist()):
            progress.step(f"Looking up {self.key}s", done, len(wanted))
            table, group = places[number]
            own = ids.slice(int(first[number]), int(last[number] - first[number]))
            rows = _rows_of(table.read_row_group(group, columns=[self.key]).column(0), own)
            if len(rows):
                yield table.read_row_group(group).take(pa.array(rows))
        progress.step(f"Looking up {self.key}s", len(wanted), len(wanted))

    def rows(self, ids: pa.Array) -> pa.Table:
        """All rows of some ids."""
        blocks = list(self.blocks(self.as_keys(ids)))
        return pa.concat_tables(blocks) if blocks else self.schema.empty_table()
