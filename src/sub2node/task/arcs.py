"""The rows of an edge table as they came: directed, repeated, with features of their own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from ..base.errors import DataError
from ..base.plural import plural
from ..base.ragged import Array, frozen, index_dtype, integers, sealed
from .content_hash import digest
from .edges import Edges, check_weights, undirected

# What columns of an edge table are called that are no features.
_RESERVED = ("source", "target", "weight")


@dataclass(frozen=True, eq=False)
class Arcs:
    """K directed edges, in the order of their table, the same pair as often as it was given.

    Args:
        source: The node that each arc leaves, (K,).
        target: The node that it enters, (K,).
        weights: Weights, float32 (K,), finite and above 0; None: 1 everywhere.
        features: Features of the arcs, float32 (K, F), finite; None: none.
        feature_names: What their columns are called, (F,).
    """

    source: Array
    target: Array
    weights: Array | None = None
    features: Array | None = None
    feature_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        ends = [_positions(getattr(self, name), name) for name in ("source", "target")]
        if ends[0].ndim != 1 or ends[0].shape != ends[1].shape:
            raise DataError(f"arcs have sources {ends[0].shape} but targets {ends[1].shape}.")
        if len(ends[0]) and min(end.min() for end in ends) < 0:
            raise DataError("an arc ends at a negative position.")
        dtype = index_dtype(len(ends[0]), *(int(end.max(initial=0)) for end in ends))
        put(self, "source", frozen(ends[0], dtype))
        put(self, "target", frozen(ends[1], dtype))
        if self.weights is not None:
            put(self, "weights", frozen(check_weights(self.weights, len(self))))
        put(self, "feature_names", tuple(self.feature_names))
        if self.features is not None:
            put(self, "features", _as_table(self.features))
        _check_features(self)

    def __len__(self) -> int:
        return len(self.source)

    def take(self, rows: Array) -> Self:
        """The arcs of some rows, in this order."""
        return type(self)(
            self.source[rows],
            self.target[rows],
            None if self.weights is None else self.weights[rows],
            None if self.features is None else self.features[rows],
            self.feature_names,
        )

    def within(self, keep: Array) -> Self:
        """The arcs between some nodes, which are counted anew.

        Args:
            keep: Which nodes stay; bool (N,).
        """
        place, inside = np.cumsum(keep) - 1, keep[self.source] & keep[self.target]
        arcs = self.take(np.flatnonzero(inside))
        return type(self)(
            place[arcs.source],
            place[arcs.target],
            arcs.weights,
            arcs.features,
            self.feature_names,
        )

    def undirected(self) -> Edges:
        """Each pair of nodes once, with the sum of the weights of its arcs in either direction.

        Arcs without weights count 1 each.
        """
        weights: ArrayLike = (
            np.ones(len(self), np.float32) if self.weights is None else self.weights
        )
        return undirected(self.source, self.target, weights=weights, repeated="sum")

    def check(self, num_nodes: int, *, edges: Edges) -> None:
        """Raise unless these are the arcs of a graph.

        Args:
            num_nodes: Its nodes.
            edges: Its edges, with weights.
        """
        if len(self) and max(self.source.max(), self.target.max()) >= num_nodes:
            raise DataError(f"an arc ends outside of the {plural(num_nodes, 'node')} of the graph.")
        own = self.undirected()
        pairs = (own.low, edges.low), (own.high, edges.high), (own.loops, edges.loops)
        if not all(np.array_equal(one, other) for one, other in pairs):
            raise DataError("the arcs and the edges of the graph join different pairs of nodes.")
        weights = (own.weights, edges.weights), (own.loop_weights, edges.loop_weights)
        for one, other in weights:
            if one is None or other is None or not np.allclose(one, other, rtol=1e-4, atol=0):
                raise DataError(
                    "the weight of an edge is the sum of the weights of its arcs; make the graph"
                    " with Graph.from_arcs."
                )

    @cached_property
    def _by_source(self) -> tuple[Array, Array]:
        return _grouped(self.source)

    @cached_property
    def _by_target(self) -> tuple[Array, Array]:
        return _grouped(self.target)

    def leaving(self, num_nodes: int) -> tuple[Array, Array]:
        """Rows by the node that they leave: ``ptr`` (N+1,) and row numbers (K,), ascending."""
        return _widened(*self._by_source, num_nodes)

    def entering(self, num_nodes: int) -> tuple[Array, Array]:
        """Rows by the node that they enter; as :meth:`leaving`."""
        return _widened(*self._by_target, num_nodes)

    @cached_property
    def hash(self) -> str:
        """Content hash."""
        return digest(
            "arcs", self.source, self.target, self.weights, self.features, self.feature_names
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Arcs) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    def __deepcopy__(self, memo: object) -> Self:
        return self  # nothing in it can change


def _positions(values: ArrayLike, name: str) -> Array:
    """Positions of nodes, without a copy where they are whole numbers already."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "i":
        return values
    return integers(values, f"arcs.{name}")


def _grouped(nodes: Array) -> tuple[Array, Array]:
    """Rows by node: ``ptr`` and row numbers, by counting, in one pass."""
    count, dtype = len(nodes), index_dtype(len(nodes), int(nodes.max(initial=0)) + 1)
    ones, ptr = np.ones(count, np.int8), np.arange(count + 1, dtype=dtype)
    width = int(nodes.max(initial=-1)) + 1
    table = sp.csr_array((ones, nodes.astype(dtype, copy=False), ptr), shape=(count, width)).tocsc()
    return sealed(table.indptr), sealed(table.indices)


def _widened(ptr: Array, rows: Array, num_nodes: int) -> tuple[Array, Array]:
    """Pointers for all nodes, of which the last may have no row."""
    return np.pad(ptr, (0, num_nodes + 1 - len(ptr)), mode="edge"), rows


def _as_table(values: ArrayLike) -> Array:
    try:
        return frozen(values, np.float32)
    except (TypeError, ValueError):
        raise DataError("features of arcs must be numbers, as many for each arc.") from None


def _check_features(arcs: Arcs) -> None:
    names, features = arcs.feature_names, arcs.features
    if features is None and not names:
        return
    shape = None if features is None else features.shape
    if shape != (len(arcs), len(names)) or not names:
        raise DataError(
            f"features of arcs have the shape {shape}; expected one row for each of the"
            f" {plural(len(arcs), 'arc')} and one column for each of {plural(len(names), 'name')}."
        )
    if not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
        raise DataError("names of arc features must be text, each of them once.")
    if taken := [name for name in names if name in _RESERVED]:
        raise DataError(f"a feature of arcs cannot be called {taken[0]!r}; rename the column.")
    assert features is not None
    bad = ~np.isfinite(features)
    if bad.any():
        row, column = (int(i[0]) for i in np.nonzero(bad))
        raise DataError(f"the feature {names[column]!r} of arc {row} is {features[row, column]}.")
