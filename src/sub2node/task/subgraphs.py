"""Many node sets of one graph, as ragged arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

from ..base.errors import DataError
from ..base.ragged import (
    Array,
    SparseMatrix,
    frozen,
    index_dtype,
    integers,
    owners,
    pointers,
    ranges,
    sealed,
)
from .border import Border
from .content_hash import digest
from .graph import Graph
from .induced_edges import edges_inside
from .names import Names, check_names, is_positions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, eq=False, repr=False)
class Subgraphs:
    """M node sets; set i is ``nodes[ptr[i]:ptr[i + 1]]``, ascending and without duplicates.

    Most callers use :meth:`from_lists` or :meth:`from_pairs`, which sort and merge.

    Args:
        ptr: Pointers, (M+1,).
        nodes: Members of all sets, flat.
        weights: Member weights, flat, above 0; None means 1 everywhere.
        edge_ptr: Pointers into ``edges``, (M+1,); None: a subgraph has the edges induced by G.
        edges: Explicit edges as pairs of nodes, each once with ``low < high``, sorted, (K, 2).
        names: One unique string per subgraph; None: a subgraph is called by its position.
        titles: One text per subgraph for people to read.
        excluded: Nodes that were looked for and are absent: one set per subgraph, which may be
            empty; None: there are none. They are no members.
        border: Summaries of what lies around them, made from a graph that is not loaded; None:
            they are made from the graph of the task where they are asked for.
    """

    ptr: Array
    nodes: Array
    weights: Array | None = None
    edge_ptr: Array | None = None
    edges: Array | None = None
    names: Names | None = None
    titles: Names | None = None
    excluded: Subgraphs | None = None
    border: Border | None = None
    _induced: list[tuple[Graph, Array, Array]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "names", None if is_positions(self.names) else self.names)
        put(self, "ptr", frozen(integers(self.ptr, "subgraphs.ptr"), np.int64))
        nodes = integers(self.nodes, "node ids")
        dtype = index_dtype(int(nodes.max(initial=0)))
        put(self, "nodes", frozen(self.nodes if _has_dtype(self.nodes, dtype) else nodes, dtype))
        _check_pointers(self.ptr, len(self.nodes), "ptr")
        _check_members(self)
        if self.weights is not None:
            put(self, "weights", frozen(self.weights, np.float32))
            usable = np.isfinite(self.weights) & (self.weights > 0)
            if self.weights.shape != self.nodes.shape or not usable.all():
                raise DataError("member weights must be one number above 0 for each member.")
        if self.edges is not None:
            if self.edge_ptr is None or len(self.edge_ptr) != len(self.ptr):
                raise DataError("subgraphs.edge_ptr and subgraphs.ptr differ in length.")
            put(self, "edge_ptr", frozen(self.edge_ptr, np.int64))
            put(self, "edges", frozen(np.reshape(self.edges, (-1, 2)), np.int64))
            _check_pointers(self.edge_ptr, len(self.edges), "edge_ptr")
            _ = self._edge_positions  # raises where they are no edges of the sets
        check_names(self.names, len(self), "subgraphs.names", unique=True)
        check_names(self.titles, len(self), "subgraphs.titles", unique=False)
        put(self, "excluded", _check_excluded(self))
        if self.border is not None and len(self.border) != len(self):
            raise DataError(f"{len(self):,} subgraphs but border of {len(self.border):,}.")

    @classmethod
    def from_lists(
        cls, lists: Iterable[Sequence[int] | Array], *, names: Names | None = None
    ) -> Subgraphs:
        """Make subgraphs from lists of node numbers; a node that is given twice counts once."""
        arrays = [integers(nodes, "node ids").ravel() for nodes in lists]
        counts = np.fromiter((len(a) for a in arrays), np.int64, len(arrays))
        flat = np.concatenate(arrays) if arrays else np.empty(0, np.int64)
        return cls.from_pairs(owners(pointers(counts)), flat, len(arrays), names=names)

    @classmethod
    def from_pairs(
        cls,
        subgraph: Array,
        node: Array,
        num_subgraphs: int,
        *,
        weights: Array | None = None,
        names: Names | None = None,
        titles: Names | None = None,
    ) -> Subgraphs:
        """Make subgraphs from (subgraph, node) pairs in any order, repeated pairs merged."""
        subgraph, node = integers(subgraph, "subgraph numbers"), integers(node, "node ids")
        order = np.lexsort((node, subgraph))
        subgraph, node = subgraph[order], node[order]
        first = np.ones(len(node), dtype=bool)
        first[1:] = (subgraph[1:] != subgraph[:-1]) | (node[1:] != node[:-1])
        if weights is not None:
            weights = np.asarray(weights, np.float32)[order]
            clash = np.flatnonzero(~first[1:] & (weights[1:] != weights[:-1]))
            if len(clash):
                who, what = subgraph[clash[0]], node[clash[0]]
                raise DataError(f"subgraph {who} has node {what} twice, with different weights.")
            weights = weights[first]
        counts = np.bincount(subgraph[first], minlength=num_subgraphs)
        return cls(
            sealed(pointers(counts)), node[first], weights=weights, names=names, titles=titles
        )

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @property
    def sizes(self) -> Array:
        """Members of each subgraph: int64 (M,)."""
        return np.diff(self.ptr)

    @cached_property
    def owner(self) -> Array:
        """The subgraph of each entry of ``nodes``: int64, same length."""
        return sealed(owners(self.ptr))

    def membership(self, num_nodes: int, dtype: DTypeLike = np.float32) -> SparseMatrix:
        """M, the sparse matrix subgraphs × nodes: 1, or the member's weight, where a node is in."""
        data = np.ones(len(self.nodes), dtype) if self.weights is None else self.weights
        kind = index_dtype(num_nodes, len(self.nodes))
        nodes, ptr = self.nodes.astype(kind, copy=False), self.ptr.astype(kind)
        return sp.csr_array(
            (data.astype(dtype, copy=False), nodes, ptr), shape=(len(self), num_nodes)
        )

    def signed_membership(self, num_nodes: int, dtype: DTypeLike = np.float32) -> SparseMatrix:
        """[M | M⁻] with M⁻ the membership of excluded nodes; CSR (M, 2N)."""
        absent = sp.csr_array((len(self), num_nodes), dtype=dtype)
        if self.excluded is not None:
            absent = self.excluded.membership(num_nodes, dtype)
        return sp.hstack([self.membership(num_nodes, dtype), absent], format="csr")

    def take(self, positions: Array) -> Subgraphs:
        """The subgraphs at these positions, in this order; unnamed ones keep their old number."""
        positions = np.asarray(positions, dtype=np.int64)
        flat = ranges(self.ptr[positions], self.sizes[positions])
        edges = edge_ptr = None
        if self.edges is not None and self.edge_ptr is not None:
            counts = np.diff(self.edge_ptr)[positions]
            edges = self.edges[ranges(self.edge_ptr[positions], counts)]
            edge_ptr = pointers(counts)
        return Subgraphs(
            ptr=pointers(self.sizes[positions]),
            nodes=self.nodes[flat],
            weights=None if self.weights is None else self.weights[flat],
            edge_ptr=edge_ptr,
            edges=edges,
            names=self._names_at(positions),
            titles=None if self.titles is None else self.titles.take(positions),
            excluded=None if self.excluded is None else self.excluded.take(positions),
            border=None if self.border is None else self.border.take(positions),
        )

    def _names_at(self, positions: Array) -> Names | None:
        if self.names is not None:
            return self.names.take(positions)
        if np.array_equal(positions, np.arange(len(positions))):
            return None
        return Names(positions.astype(str).tolist())

    def name_of(self, position: int) -> str:
        """The name of a subgraph, or its position where it has none."""
        return str(position) if self.names is None else self.names[position]

    def pairs(self) -> tuple[Array, Array, Array]:
        """All pairs of members of a subgraph: lower node, higher node, subgraph; int64."""
        flat = np.arange(len(self.nodes))
        after = self.ptr[1:][self.owner] - flat - 1
        first, second = owners(pointers(after)), ranges(flat + 1, after)
        nodes = self.nodes.astype(np.int64)
        return nodes[first], nodes[second], self.owner[first]

    def induced_edges(self, graph: Graph) -> tuple[Array, Array]:
        """Edges of G inside each subgraph, all subgraphs at once; kept for the last G asked for.

        Returns:
            ``ptr`` (M+1,) and ``edges`` (2, K): positions in ``nodes``, each edge once, self-loops
            of G not among them, sorted within a subgraph.
        """
        if not self._induced or self._induced[0][0] is not graph:
            self._induced[:] = [(graph, *self._find_induced_edges(graph))]
        return self._induced[0][1:]

    def _find_induced_edges(self, graph: Graph) -> tuple[Array, Array]:
        blocks = edges_inside(
            self.ptr,
            self.nodes,
            owner=self.owner,
            uphill=graph.uphill,
            num_nodes=graph.num_nodes,
        )
        ends = [np.stack([first, second]) for first, second, _ in blocks]
        pairs = np.concatenate(ends, axis=1) if ends else np.empty((2, 0), np.int64)
        pairs.sort(axis=0)
        pairs = pairs[:, np.lexsort((pairs[1], pairs[0]))]
        ptr = pointers(np.bincount(self.owner[pairs[0]], minlength=len(self)))
        return sealed(ptr), sealed(pairs)

    def internal_edges(self, graph: Graph) -> tuple[Array, Array]:
        """The explicit edges where they were given, else the induced ones; as there."""
        if self.edges is None or self.edge_ptr is None:
            return self.induced_edges(graph)
        return self.edge_ptr, self._edge_positions

    @cached_property
    def _edge_positions(self) -> Array:
        """Explicit edges as positions in ``nodes`` (2, K); raises if an end is not a member."""
        if self.edges is None or self.edge_ptr is None:
            return np.empty((2, 0), np.int64)
        owner = owners(self.edge_ptr)
        stride = int(max(self.nodes.max(initial=0), self.edges.max(initial=0))) + 1
        keys = self.owner * stride + self.nodes
        targets = owner * stride + self.edges.T
        positions = np.searchsorted(keys, targets)
        missing = (
            keys[np.minimum(positions, len(keys) - 1)] != targets if len(keys) else targets >= 0
        )
        if missing.any() or (self.edges < 0).any():
            row = int(np.argmax(missing.any(axis=0)))
            a, b = self.edges[row]
            raise DataError(
                f"subgraph {self.name_of(int(owner[row]))} has an edge {a}-{b} whose ends are not"
                " both members."
            )
        flat = owner * stride * stride + self.edges[:, 0] * stride + self.edges[:, 1]
        if (self.edges[:, 0] >= self.edges[:, 1]).any() or (np.diff(flat) < 1).any():
            raise DataError("subgraphs.edges must be sorted, each once with its lower end first.")
        return sealed(positions)

    @cached_property
    def hash(self) -> str:
        """Content hash of members, weights, edges, names, what is excluded and what is around."""
        others = [part.hash for part in (self.excluded, self.border) if part is not None]
        return digest(
            "subgraphs",
            self.ptr,
            self.nodes,
            self.weights,
            self.edge_ptr,
            self.edges,
            self.names,
            self.titles,
            *others,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Subgraphs) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    def __deepcopy__(self, memo: object) -> Self:
        return self  # nothing in it can change

    def __repr__(self) -> str:
        return f"Subgraphs({len(self):,} sets, {len(self.nodes):,} members)"


def _has_dtype(values: object, dtype: DTypeLike) -> bool:
    return isinstance(values, np.ndarray) and values.dtype == dtype


def _check_excluded(subgraphs: Subgraphs) -> Subgraphs | None:
    """Excluded sets as plain sets without names or edges; None where no subgraph has one."""
    excluded = subgraphs.excluded
    if excluded is None:
        return None
    if len(excluded) != len(subgraphs):
        raise DataError(f"{len(subgraphs):,} subgraphs but excluded nodes for {len(excluded):,}.")
    if not len(excluded.nodes):
        return None
    plain = (excluded.names, excluded.titles, excluded.edges, excluded.excluded)
    if all(part is None for part in plain):
        return excluded
    return Subgraphs(excluded.ptr, excluded.nodes, excluded.weights)


def _check_pointers(ptr: Array, length: int, field_name: str) -> None:
    if not len(ptr) or ptr[0] != 0 or ptr[-1] != length or (np.diff(ptr) < 0).any():
        raise DataError(f"subgraphs.{field_name} must start at 0, rise, and end at {length:,}.")


def _check_members(subgraphs: Subgraphs) -> None:
    nodes, owner = subgraphs.nodes, subgraphs.owner
    if len(nodes) and nodes.min() < 0:
        bad = int(np.argmax(nodes < 0))
        raise DataError(f"subgraph {owner[bad]} has the negative node id {nodes[bad]}.")
    unsorted = np.flatnonzero((nodes[1:] <= nodes[:-1]) & (owner[1:] == owner[:-1]))
    if len(unsorted):
        raise DataError(
            f"the nodes of subgraph {owner[unsorted[0]]} must ascend without duplicates;"
            " Subgraphs.from_lists sorts and merges."
        )
