"""Tables of the shape of Elliptic2 at any size, whose classes only the border of subgraphs tells.

Elliptic2 (https://arxiv.org/abs/2404.19109) has clusters of Bitcoin addresses as nodes, payments as
directed edges and small connected groups of clusters as subgraphs, 2.3 % of them suspicious. Here
all numbers are drawn. Members, their features, the edges between them and the number of their
neighbours say nothing about the class. What does: of a suspicious subgraph most *senders* are of
one rare kind of node and most *receivers* of another; twice as many licit ones have the two kinds
the other way round, so that direction matters. A kind shows in one feature of the neighbour.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..base.errors import ConfigError
from ..base.files import new_folder, written
from ..base.progress import step
from ..base.ragged import Array, owners, pointers

NODES, EDGES, SUBGRAPHS = 49_299_864, 196_215_606, 121_810  # of Elliptic2
FEATURES = 43
PLANTED = {1: 6, 2: 22}  # by kind of node, the column of features that its numbers stand out in
_OURS = r"(nodes|edges|members|labels)\.parquet"
_CLASSES = ("licit", "suspicious")
_SUSPICIOUS, _REVERSED = 0.0227, 0.05  # shares of subgraphs; reversed: licit, with kinds swapped
_LEAST, _MOST = 0.001, 50  # scales; products of two node numbers have 63 bits
_ROWS = 1 << 18  # that are drawn and written together
_STEP = 20  # every so-many-th node of the background is of kind 1, the next one of kind 2
_LINKED = 0.05  # share of the neighbours that are members of other subgraphs
_RARE, _FREQUENT = 0.03, 0.9  # shares of neighbours of a kind
_MOST_COLUMNS = 1000
_LEVEL, _SPREAD, _SHIFT = 20, 4, 16  # of features, which are whole numbers


@dataclass(frozen=True)
class EllipticShape:
    """How large the tables are.

    Args:
        nodes: Nodes of the graph.
        edges: Directed edges, those inside subgraphs among them.
        subgraphs: Subgraphs, 2.27 % of them suspicious.
        edge_features: Columns of numbers that edges have, 2 or more: an amount, an hour, and
            further ones that say nothing.
    """

    nodes: int = NODES
    edges: int = EDGES
    subgraphs: int = SUBGRAPHS
    edge_features: int = 2

    def __post_init__(self) -> None:
        if not 2 <= self.edge_features <= _MOST_COLUMNS:
            raise ConfigError(
                f"edges have 2 to {_MOST_COLUMNS} features, found {self.edge_features}."
            )

    @classmethod
    def of_scale(cls, scale: float, *, edge_features: int = 2) -> EllipticShape:
        """A share, or a multiple, of the published numbers."""
        if not _LEAST <= scale <= _MOST:
            raise ConfigError(f"a scale is between {_LEAST} and {_MOST}, found {scale:g}.")
        nodes, edges, subgraphs = (round(size * scale) for size in (NODES, EDGES, SUBGRAPHS))
        return cls(nodes, edges, subgraphs, edge_features)


def make_elliptic_like(
    out: str | Path,
    *,
    shape: EllipticShape | None = None,
    seed: int = 0,
    overwrite: bool = False,
) -> EllipticShape:
    """Write a folder of Parquet tables: nodes, directed edges, members and labels.

    What is in memory grows with the subgraphs, not with the graph.

    Args:
        out: The folder to write.
        shape: How large the tables are; None: as Elliptic2.
        seed: Seed of all that is drawn.
        overwrite: Whether such a folder may be replaced.
    """
    drawn = _Draw(shape or EllipticShape(), seed)
    drawn.check()
    with new_folder(Path(out), overwrite=overwrite, ours=_OURS) as folder, written(out):
        _write(folder / "members.parquet", [drawn.members()])
        _write(folder / "labels.parquet", [drawn.labels()])
        _write(folder / "edges.parquet", drawn.edge_blocks())
        _write(folder / "nodes.parquet", drawn.node_blocks())
    return drawn.shape


@dataclass(frozen=True)
class _Draw:
    """All that is drawn; nodes are counted from the members, and have other ids in the tables."""

    shape: EllipticShape
    seed: int

    def check(self) -> None:
        """Raise unless the nodes and edges are enough for the subgraphs."""
        if self.seed < 0:
            raise ConfigError(f"a seed is 0 or more, found {self.seed}.")
        nodes, edges = len(self.owner) + 100 * _STEP, len(self._near_edges["source"])
        if self.shape.nodes < nodes or self.shape.edges < edges:
            raise ConfigError(
                f"{self.shape.subgraphs:,} subgraphs need {nodes:,} nodes and {edges:,} edges at"
                f" least; found {self.shape.nodes:,} and {self.shape.edges:,}."
            )

    def _random(self, *purpose: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence([self.seed, *purpose]))

    @cached_property
    def sizes(self) -> Array:
        """Members of each subgraph: 2 or more, 3 in the median."""
        return 1 + self._random(0).geometric(0.377, self.shape.subgraphs)

    @cached_property
    def owner(self) -> Array:
        """The subgraph of each member; member i is node i."""
        return owners(pointers(self.sizes))

    @cached_property
    def suspicious(self) -> Array:
        """The class of each subgraph, 0 or 1, as many suspicious ones for every seed."""
        count = self.shape.subgraphs
        place = self._random(1).permutation(count)
        return (place < max(round(_SUSPICIOUS * count), 3)).astype(np.int64)

    def ids(self, nodes: Array) -> Array:
        """Ids of nodes: a permutation that scatters those that stand side by side."""
        return np.asarray((nodes * self._factor + 1) % self.shape.nodes)

    @cached_property
    def _factor(self) -> int:
        size = self.shape.nodes
        factor = round(0.618 * size)
        while gcd(factor, size) > 1:
            factor += 1
        return factor

    def members(self) -> pa.Table:
        """The table of members."""
        nodes = self.ids(np.arange(len(self.owner)))
        return pa.table({"subgraph_id": self.owner, "node_id": nodes})

    def labels(self) -> pa.Table:
        """The table of labels, with a split of 80, 10 and 10 % of each class."""
        place, part = self._random(2).permutation(len(self.suspicious)), self.suspicious.copy()
        for one in (0, 1):
            rows = place[self.suspicious[place] == one]
            part[rows] = np.searchsorted([0.8, 0.9], np.arange(len(rows)) / len(rows), "right")
        words = (np.array(["train", "val", "test"]), np.array(_CLASSES))
        columns = {"label": words[1][self.suspicious], "split": words[0][part]}
        return pa.table({"subgraph_id": np.arange(len(place)), **columns})

    @cached_property
    def _near_edges(self) -> dict[str, Array]:
        """Edges inside subgraphs, which are trees, and those at their borders, in random order."""
        rng, member = self._random(3), np.arange(len(self.owner))
        first = pointers(self.sizes)[:-1][self.owner]
        later = member[member > first]
        parent = first[later] + (rng.random(len(later)) * (later - first[later])).astype(np.int64)
        turned = rng.random(len(later)) < 0.5
        ends = [(np.where(turned, later, parent), np.where(turned, parent, later))]
        reverse = (self.suspicious == 0) & (rng.random(self.shape.subgraphs) < _REVERSED)
        for usual in (1, 2):  # senders, then receivers
            kind = np.select([self.suspicious == 1, reverse], [usual, 3 - usual], 0)
            owner = np.repeat(np.arange(len(kind)), 2 + rng.poisson(2, len(kind)))
            within = (rng.random(len(owner)) * self.sizes[owner]).astype(np.int64)
            inside = pointers(self.sizes)[owner] + within
            outside = self._neighbours(kind[owner], inside, rng)
            ends.append((outside, inside) if usual == 1 else (inside, outside))
        order = rng.permutation(sum(len(source) for source, _ in ends))
        source, target = (np.concatenate(sides)[order] for sides in zip(*ends, strict=True))
        return {"source": source, "target": target}

    def _neighbours(self, kind: Array, inside: Array, rng: np.random.Generator) -> Array:
        """A node for each border edge of a member, mostly of a kind; kind 0: of any."""
        share = np.where(kind > 0, _FREQUENT, 0.0)
        chance = rng.random(len(kind))
        rare = rng.integers(1, 3, len(kind))
        own = np.select([chance < share, chance > 1 - _RARE], [kind, rare], 0)
        rows = (self.shape.nodes - len(self.owner)) // _STEP
        places = _STEP * rng.integers(0, rows, len(kind))
        places += np.where(own > 0, own - 1, rng.integers(2, _STEP, len(kind)))
        linked = rng.random(len(kind)) < _LINKED
        members = len(self.owner)
        others = (inside + rng.integers(1, members, len(kind))) % members
        return np.where(linked, others, members + places)

    def edge_blocks(self) -> Iterator[pa.Table]:
        """The table of edges: those near subgraphs are spread evenly among all others."""
        total, near = self.shape.edges, self._near_edges
        members, count = len(self.owner), len(near["source"])
        for number, start in enumerate(range(0, total, _ROWS)):
            step("Drawing edges", start, total)
            stop, rng = min(start + _ROWS, total), self._random(4, number)
            part = slice(start * count // total, stop * count // total)
            rest, size = (2, stop - start - (part.stop - part.start)), self.shape.nodes - members
            # A few nodes have very many edges, as exchanges have.
            ends = (size * rng.random(rest) ** 2).astype(np.int64)
            ends[1] = (ends[1] + (ends[0] == ends[1])) % size + members  # no self-loops
            ends[0] += members
            order = rng.permutation(stop - start)
            columns = {
                name: self.ids(np.concatenate([near[name][part], row])[order])
                for name, row in zip(near, ends, strict=True)
            }
            amount = np.exp(rng.normal(5, 1.5, stop - start)).astype(np.int32) + 1
            hour = rng.integers(0, 24 * 365, stop - start, dtype=np.int32)
            more = self._further_columns(stop - start, self._random(6, number))
            yield pa.table({**columns, "amount": amount, "hour": hour, **more})
        step("Drawing edges", total, total)

    def _further_columns(self, rows: int, rng: np.random.Generator) -> dict[str, Array]:
        """Features of edges that say nothing, whole numbers."""
        numbers = range(3, self.shape.edge_features + 1)
        return {f"edge_{number:02d}": rng.integers(0, 128, rows, np.int8) for number in numbers}

    def node_blocks(self) -> Iterator[pa.Table]:
        """The table of nodes with their features, whole numbers."""
        total, back = self.shape.nodes, pow(self._factor, -1, self.shape.nodes)
        for number, start in enumerate(range(0, total, _ROWS)):
            step("Drawing nodes", start, total)
            ids, rng = np.arange(start, min(start + _ROWS, total)), self._random(5, number)
            values = rng.standard_normal((FEATURES, len(ids)), np.float32) * _SPREAD + _LEVEL
            place = (ids - 1) * back % total - len(self.owner)  # below 0: a member
            for kind, column in PLANTED.items():
                values[column] += _SHIFT * ((place >= 0) & (place % _STEP == kind - 1))
            whole = np.clip(np.rint(values, out=values), 0, 127, out=values).astype(np.int8)
            names = [f"feature_{column + 1:02d}" for column in range(FEATURES)]
            yield pa.table({"node_id": ids, **dict(zip(names, whole, strict=True))})
        step("Drawing nodes", total, total)


def _write(path: Path, tables: Iterator[pa.Table] | list[pa.Table]) -> None:
    """Tables of one schema as the row groups of a file."""
    parts = iter(tables)
    first = next(parts)
    with pq.ParquetWriter(path, first.schema, compression="zstd", compression_level=1) as writer:
        writer.write_table(first)
        for table in parts:
            writer.write_table(table)
