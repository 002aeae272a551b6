"""The global graph: undirected, each edge once per direction, self-loops kept apart."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from numpy.typing import ArrayLike, DTypeLike

from ..base.errors import DataError
from ..base.ragged import Array, SparseMatrix, frozen, index_dtype, integers, sealed
from .arcs import Arcs
from .content_hash import digest
from .edges import Edges, Repeated, check_weights, undirected
from .frames import Frame, TableLike
from .induced_edges import uphill_entries, uphill_rows
from .names import Names, check_names, is_positions
from .other_names import OtherNames, read_other_names
from .whole_graph import WholeGraph

_NO_NODES = sealed(np.empty(0, dtype=np.int64))


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected global graph of N nodes as a symmetric CSR adjacency A without diagonal.

    Most callers use :meth:`from_edges`. Arrays are read-only; writable ones are copied.

    Args:
        indptr: Row pointers, (N+1,).
        indices: Neighbours, (2E,), strictly ascending within a row, both directions, no diagonal.
        weights: Edge weights, (2E,), positive and symmetric; None means 1 everywhere.
        loops: Nodes with a self-loop, ascending.
        loop_weights: Their weights; None means 1 everywhere.
        features: Node features X, (N, F), finite, kept as float32.
        names: One unique string per node.
        titles: One text per node for people to read; need not be unique.
        other_names: Names beside ids and titles, by which nodes are found too. Not part of the
            content hash.
        whole: The larger graph on disk of which this one is the part that a task needs; None: this
            is all there is.
        arcs: The rows of the edge table as they came, where they were read as directed; the weight
            of an edge is then the sum of the weights of its arcs.
        imputed: By the name of a column of the node table whose missing numbers were set to its
            median: the feature, and the feature that is 1 where it was missing. Not part of the
            content hash.
    """

    indptr: Array
    indices: Array
    weights: Array | None = None
    loops: Array = field(default_factory=lambda: _NO_NODES)
    loop_weights: Array | None = None
    features: Array | None = None
    names: Names | None = None
    titles: Names | None = None
    other_names: OtherNames | None = None
    whole: WholeGraph | None = None
    arcs: Arcs | None = None
    imputed: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        dtype = index_dtype(len(self.indptr) - 1, len(self.indices))
        put = object.__setattr__
        for name in ("indptr", "indices"):
            values = getattr(self, name)
            if getattr(values, "dtype", None) != dtype:
                values = integers(values, name)
            if len(values) and values.max() > np.iinfo(dtype).max:
                raise DataError(f"graph.{name} has {values.max()}, which is no position.")
            put(self, name, frozen(values, dtype))
        put(self, "loops", frozen(self.loops, np.int64))
        if self.weights is not None and self.loop_weights is None:
            put(self, "loop_weights", np.ones(len(self.loops)))
        for name in ("weights", "loop_weights", "features"):
            if getattr(self, name) is not None:
                put(self, name, _as_float32(getattr(self, name), name))
        for name in ("names", "titles"):
            if getattr(self, name) is not None and not isinstance(getattr(self, name), Names):
                put(self, name, Names(getattr(self, name)))
        put(self, "names", None if is_positions(self.names) else self.names)
        _check_adjacency(self)
        _check_loops(self)
        _check_features(self)
        check_names(self.names, self.num_nodes, "graph.names", unique=True)
        check_names(self.titles, self.num_nodes, "graph.titles", unique=False)
        _check_other_names(self)
        if self.whole is not None:
            self.whole.check(self.degrees)
        if self.arcs is not None:
            own = Edges(*self.edges(), self.loops, self.loop_weights, 0)
            self.arcs.check(self.num_nodes, edges=own)

    @classmethod
    def from_edges(
        cls,
        source: ArrayLike,
        target: ArrayLike,
        *,
        num_nodes: int | None = None,
        weights: ArrayLike | None = None,
        repeated: Repeated = "same",
        features: ArrayLike | None = None,
        names: Names | None = None,
        titles: Names | None = None,
    ) -> Graph:
        """Make a graph from a list of edges, each given once or in both directions.

        Args:
            source: One end of each edge, integers from 0.
            target: The other end.
            num_nodes: N; by default the largest id plus one.
            weights: Positive edge weights.
            repeated: What to do with an edge that is given again: ``same`` (it must have the same
                weight), ``sum`` or ``max`` of the weights.
            features: Node features (N, F).
            names: One unique string per node.
            titles: One readable text per node.
        """
        edges = undirected(source, target, weights=weights, repeated=repeated)
        return cls.from_undirected(
            edges, num_nodes=num_nodes, features=features, names=names, titles=titles
        )

    @classmethod
    def from_arcs(
        cls,
        arcs: Arcs,
        *,
        num_nodes: int | None = None,
        features: ArrayLike | None = None,
        names: Names | None = None,
        titles: Names | None = None,
        imputed: Mapping[str, tuple[int, int]] | None = None,
    ) -> Graph:
        """Make a graph from directed edges, which it keeps; arguments as of :meth:`from_edges`.

        A pair of nodes is an edge whose weight is the sum of the weights of its arcs in either
        direction, their number where they have no weights.
        """
        graph = cls.from_undirected(
            arcs.undirected(),
            num_nodes=num_nodes,
            features=features,
            names=names,
            titles=titles,
            imputed=imputed,
        )
        object.__setattr__(graph, "arcs", arcs)  # of which its edges were made
        return graph

    @classmethod
    def from_undirected(
        cls,
        edges: Edges,
        *,
        num_nodes: int | None = None,
        features: ArrayLike | None = None,
        names: Names | None = None,
        titles: Names | None = None,
        imputed: Mapping[str, tuple[int, int]] | None = None,
    ) -> Graph:
        """Make a graph from edges that :func:`undirected` has put in order."""
        largest = max(
            (int(ends.max()) for ends in (edges.high, edges.loops) if len(ends)), default=-1
        )
        size = largest + 1 if num_nodes is None else int(num_nodes)
        if largest >= size:
            raise DataError(f"an edge ends at node {largest}, but the graph has {size:,} nodes.")
        dtype = index_dtype(size, 2 * len(edges.low))
        # Entries below the diagonal first, then those above it: each row comes out ascending.
        rows = np.concatenate([edges.high, edges.low]).astype(dtype)
        columns = np.concatenate([edges.low, edges.high]).astype(dtype)
        data = np.ones(len(rows), dtype=np.int8)
        if edges.weights is not None:
            data = np.concatenate([edges.weights, edges.weights])
        csr = sp.coo_array((data, (rows, columns)), shape=(size, size)).tocsr()
        return cls(
            indptr=sealed(csr.indptr.astype(dtype, copy=False)),
            indices=sealed(csr.indices.astype(dtype, copy=False)),
            weights=None if edges.weights is None else sealed(csr.data),
            loops=sealed(edges.loops),
            loop_weights=edges.loop_weights,
            features=None if features is None else _as_float32(features, "features"),
            names=names,
            titles=titles,
            imputed=imputed or {},
        )

    def ids(self) -> pa.Array:
        """The ids of all nodes as text: their names, or their positions."""
        numbers = pa.array(np.arange(self.num_nodes))
        return numbers.cast(pa.large_string()) if self.names is None else self.names.arrow

    def with_other_names(self, aliases: TableLike | None) -> Self:
        """The graph with more names, those of a table ``alias, node_id[, kind]``.

        Args:
            aliases: A data frame or a dict of columns; rows of nodes that the graph does not have
                are left out. None: no change.
        """
        if aliases is None:
            return self
        frame = Frame.of(aliases, "aliases", {})
        return self.renamed(read_other_names(frame, self.ids(), self.other_names))

    def renamed(self, other_names: OtherNames | None) -> Self:
        """The graph with these names in place of its other names; nothing else is checked anew."""
        graph = copy(self)
        object.__setattr__(graph, "other_names", other_names)
        _check_other_names(graph)
        return graph

    def with_features(self, features: Array) -> Self:
        """The graph with these node features (N, F); nothing else is checked anew."""
        graph = copy(self)
        graph.__dict__.pop("hash", None)  # of the features before
        object.__setattr__(graph, "features", _as_float32(features, "features"))
        _check_features(graph)
        return graph

    @property
    def num_nodes(self) -> int:
        """N."""
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """Undirected edges, self-loops not counted."""
        return len(self.indices) // 2

    @property
    def num_loops(self) -> int:
        """Nodes with a self-loop."""
        return len(self.loops)

    @property
    def degrees(self) -> Array:
        """Neighbours of each node, self-loops not counted: int64 (N,)."""
        return np.diff(self.indptr).astype(np.int64)

    @property
    def full_degrees(self) -> Array:
        """Neighbours of each node, also those of the whole graph on disk: int64 (N,)."""
        return self.degrees if self.whole is None else self.whole.degrees

    @property
    def full_size(self) -> int:
        """Nodes, also those of the whole graph on disk."""
        return self.num_nodes if self.whole is None else self.whole.num_nodes

    @property
    def full_edges(self) -> int:
        """Undirected edges, also those of the whole graph on disk, self-loops not counted."""
        return self.num_edges if self.whole is None else self.whole.num_edges

    def adjacency(self, *, loops: bool = False, dtype: DTypeLike = np.float32) -> SparseMatrix:
        """A as a symmetric SciPy CSR array (N, N); ``loops`` puts self-loops on the diagonal."""
        data = np.ones(len(self.indices), dtype) if self.weights is None else self.weights
        shape = (self.num_nodes, self.num_nodes)
        data = data.astype(dtype, copy=False)
        matrix = sp.csr_array((data, self.indices, self.indptr), shape=shape)
        if not loops or not self.num_loops:
            return matrix
        values = np.ones(self.num_loops) if self.loop_weights is None else self.loop_weights
        diagonal = sp.coo_array((values.astype(dtype), (self.loops, self.loops)), shape=shape)
        return (matrix + diagonal.tocsr()).tocsr()

    def loop_column(self) -> Array:
        """Weight of each node's self-loop, 0 where it has none: float32 (N,)."""
        column = np.zeros(self.num_nodes, dtype=np.float32)
        column[self.loops] = 1 if self.loop_weights is None else self.loop_weights
        return column

    def edges(self) -> tuple[Array, Array, Array | None]:
        """Each edge once: ``low < high`` and its weight (or None), sorted by ``low``, ``high``."""
        rows = np.repeat(np.arange(self.num_nodes, dtype=self.indices.dtype), np.diff(self.indptr))
        once = rows < self.indices
        weights = None if self.weights is None else self.weights[once]
        return rows[once], self.indices[once], weights

    def has_edges(self, source: Array, target: Array) -> Array:
        """Whether each pair is joined by an edge (self-loops aside): bool, shape of the input."""
        if not len(source):
            return np.zeros(0, dtype=bool)
        ones, shape = np.ones(len(self.indices), np.int8), (self.num_nodes, self.num_nodes)
        entries = sp.csr_array((ones, self.indices, self.indptr), shape=shape)[source, target]
        return np.asarray(np.asarray(entries).ravel() != 0)

    def edge_weights(self, source: Array, target: Array) -> Array:
        """Weight of the edge between each pair, 0 where there is none: float32, shape of input."""
        if not len(source):
            return np.zeros(0, dtype=np.float32)
        return np.asarray(self.adjacency()[source, target]).ravel()

    @cached_property
    def uphill(self) -> tuple[Array, Array]:
        """Each edge once, from its end of lower degree to the other: CSR ``(indptr, indices)``.

        See :func:`uphill_entries`.
        """
        up = uphill_entries(self.indptr, self.indices)
        return sealed(uphill_rows(self.indptr, up)), sealed(self.indices[up])

    @cached_property
    def hash(self) -> str:
        """Content hash: equal for equal nodes, edges, weights, features and names."""
        return digest(
            "graph",
            self.indptr,
            self.indices,
            self.weights,
            self.loops,
            self.loop_weights,
            self.features,
            self.names,
            self.titles,
            *(() if self.whole is None else (self.whole.hash,)),
            *(() if self.arcs is None else (self.arcs.hash,)),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    def __deepcopy__(self, memo: object) -> Self:
        return self  # nothing in it can change

    def __repr__(self) -> str:
        return (
            f"Graph({self.num_nodes:,} nodes, {self.num_edges:,} edges"
            + (f", {len(self.arcs):,} arcs" if self.arcs is not None else "")
            + (f", {self.num_loops:,} self-loops" if self.num_loops else "")
            + (", weighted" if self.weights is not None else "")
            + (f", {self.features.shape[1]} features" if self.features is not None else "")
            + (", named" if self.names is not None else "")
            + ")"
        )


def _as_float32(values: ArrayLike, what: str) -> Array:
    try:
        return frozen(values, np.float32)
    except (TypeError, ValueError):
        raise DataError(f"{what} must be numbers, as many in each row.") from None


def _check_adjacency(graph: Graph) -> None:
    indptr, indices, size = graph.indptr, graph.indices, graph.num_nodes
    if size < 0 or indptr[0] != 0 or indptr[-1] != len(indices) or (np.diff(indptr) < 0).any():
        raise DataError("graph.indptr does not start at 0, rise, and end at len(graph.indices).")
    if not len(indices):
        return
    if indices.min() < 0 or indices.max() >= size:
        raise DataError(f"graph.indices must lie in 0…{size - 1}, found {indices.max()}.")
    rows = np.repeat(np.arange(size, dtype=indices.dtype), np.diff(indptr))
    if (rows == indices).any():
        raise DataError("graph.indices has self-loops; give those in graph.loops.")
    if ((indices[1:] <= indices[:-1]) & (rows[1:] == rows[:-1])).any():
        raise DataError("graph.indices must ascend within a row, without duplicates.")
    if graph.weights is not None:
        check_weights(graph.weights, len(indices))
    data = np.ones(len(indices), np.int8) if graph.weights is None else graph.weights
    mirror = sp.csr_array((data, indices, indptr), shape=(size, size)).tocsc()
    if not (np.array_equal(mirror.indptr, indptr) and np.array_equal(mirror.indices, indices)):
        raise DataError("the adjacency must hold both directions of every edge.")
    if not np.array_equal(mirror.data, data):
        raise DataError("the two directions of an edge must have the same weight.")


def _check_loops(graph: Graph) -> None:
    loops = graph.loops
    if len(loops) and (loops[0] < 0 or loops[-1] >= graph.num_nodes or (np.diff(loops) < 1).any()):
        raise DataError(f"graph.loops must ascend within 0…{graph.num_nodes - 1}.")
    if graph.loop_weights is not None:
        check_weights(graph.loop_weights, len(loops))


def _check_other_names(graph: Graph) -> None:
    if graph.other_names is None:
        return
    nodes = graph.other_names.nodes
    if len(nodes) and not 0 <= nodes.min() <= nodes.max() < graph.num_nodes:
        raise DataError(f"graph.other_names is of nodes in 0…{graph.num_nodes - 1}.")


def _check_features(graph: Graph) -> None:
    if graph.features is None:
        return
    if graph.features.ndim == 2 and graph.features.shape[1] == 0:
        raise DataError("features need at least one column.")
    if graph.features.ndim != 2 or len(graph.features) != graph.num_nodes:
        raise DataError(
            f"features have shape {graph.features.shape}, but the graph has {graph.num_nodes:,}"
            " nodes; expected one row per node."
        )
    bad = ~np.isfinite(graph.features)
    if bad.any():
        row, column = (int(i[0]) for i in np.nonzero(bad))
        raise DataError(f"feature {column} of node {row} is {graph.features[row, column]}.")
