"""T_e: how strongly two subgraphs are joined, for blocks of subgraphs at a time.

Edge weights turn membership rows of some subgraphs and of some others into weights. The linear
ones are W = M B Mᵀ with a symmetric sparse operator B over nodes: A + I (the default, edges between
two subgraphs plus the nodes they share), A (equation 2 of the paper), I (shared nodes), or any that
the user brings. Shortest paths are the one choice that is not linear. Where edges are directed,
A may count those of one direction only; B and W are then not symmetric.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

from ..base.errors import ConfigError, DataError, suggest
from ..base.ragged import Array, SparseMatrix
from ..task.whole_graph import require_loaded

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..task import Graph

TE = ("edges", "shared_nodes", "shortest_path")
Direction = Literal["both", "out", "in"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
Operator: TypeAlias = "SparseMatrix | Callable[[Graph], SparseMatrix]"  # (N, N)
Block: TypeAlias = "SparseMatrix | Array"  # some rows of W

_DENSE_FILL = 1 / 16  # a fuller block is multiplied densely: about where both cost the same
_ENTRY = 12  # bytes of a sparse entry with its share of scratch


@dataclass(frozen=True)
class Side:
    """The subgraphs on one side of a product: membership rows, and the transpose once it is needed.

    Args:
        rows: CSR (R, N).
    """

    rows: SparseMatrix

    @cached_property
    def columns(self) -> SparseMatrix:
        """The transpose, CSR (N, R)."""
        return self.rows.T.tocsr()


class EdgeWeights(Protocol):
    """How weights between subgraphs are computed."""

    def block(self, left: SparseMatrix, right: Side, first: int = 0) -> Block:
        """Weights of the subgraphs ``left`` (b, N) with ``right``, from column ``first`` on.

        CSR or dense, (b, R - first).
        """
        ...

    def own(self, left: SparseMatrix) -> Array:
        """Weight of each subgraph with itself, (b,)."""
        ...

    def bytes_per_row(self, left: SparseMatrix, right: Side, *, rough: bool) -> Array:
        """Scratch memory that each row of ``left`` takes; ``rough``: a quick upper bound."""
        ...


@dataclass(frozen=True)
class LinearEdgeWeights:
    """W = M B Mᵀ with B = operator + diag(diagonal).

    Args:
        operator: CSR (N, N), symmetric unless it counts directed edges of one direction.
        diagonal: (N,), or None for none; apart, so that A + I needs no second copy of A.
    """

    operator: SparseMatrix
    diagonal: Array | None = None

    def block(self, left: SparseMatrix, right: Side, first: int = 0) -> Block:
        """What the left subgraphs reach, times the right rows, sparse or dense by how full it is.

        Nothing here costs as much as a pass over all nodes or all subgraphs, so that many small
        blocks cost no more than a few large ones.
        """
        reach = self._reach(left)
        if reach.nnz <= _DENSE_FILL * reach.shape[0] * reach.shape[1]:
            weights = reach @ right.columns
            return weights[:, first:] if first else weights
        # Rows of `right` are short: adding a few dense vectors each beats a sparse product, if
        # what is added lies together in memory.
        columns = np.ascontiguousarray(reach.toarray().T)
        return ((right.rows[first:] if first else right.rows) @ columns).T

    def own(self, left: SparseMatrix) -> Array:
        """What each subgraph reaches of itself."""
        reach = self._reach(left)
        reach.sum_duplicates()
        return np.asarray(reach.multiply(left).sum(axis=1)).ravel()

    def _reach(self, left: SparseMatrix) -> SparseMatrix:
        """Left rows times B: the neighbours of all members one after the other, not yet added up.

        CSR with repeated columns, which products and ``toarray`` add up.
        """
        around = self.operator[left.indices]
        counts = np.diff(around.indptr)
        data = around.data * np.repeat(left.data, counts)
        indices, ptr = around.indices, around.indptr[left.indptr]
        if self.diagonal is not None:
            own = left.data * self.diagonal[left.indices]
            place = around.indptr[1:]  # behind the neighbours of each member
            data, indices = np.insert(data, place, own), np.insert(indices, place, left.indices)
            ptr = ptr + left.indptr
        return sp.csr_array((data, indices, ptr), shape=left.shape)

    def totals(self, members: SparseMatrix, groups: Array) -> Array:
        """Σ w between groups of subgraphs, up to rounding, without making W.

        Args:
            members: Membership (M, N).
            groups: Where each group of rows starts, ascending from 0, (G,).

        Returns:
            (G, G).
        """
        of_group = np.repeat(np.arange(len(groups)), np.diff([*groups, members.shape[0]]))
        ones = np.ones(len(of_group), members.dtype)
        gather = sp.csr_array((ones, (of_group, np.arange(len(of_group)))))
        times = np.ascontiguousarray((gather @ members).toarray().T)
        reach = self.operator @ times
        if self.diagonal is not None:
            reach += self.diagonal[:, None] * times
        return np.asarray(times.T.astype(np.float64) @ reach)

    def bytes_per_row(self, left: SparseMatrix, right: Side, *, rough: bool) -> Array:
        """The reach of a row and its weights, as sparse entries."""
        row_count = float(right.rows.shape[0])
        members = _pattern(left)
        reach = members @ (np.diff(self.operator.indptr) + 1.0)
        if rough:
            return np.asarray(_ENTRY * (reach + row_count))
        times = np.bincount(right.rows.indices, minlength=left.shape[1]).astype(np.float32)
        bounded = self.operator.data.min(initial=1) >= 1  # then its products bound the counts
        around = self.operator if bounded else _pattern(self.operator)
        pairs = members @ (around @ times + times).astype(np.float64)
        return np.asarray(_ENTRY * (reach + np.minimum(pairs, row_count)))


@dataclass(frozen=True)
class ShortestPathEdgeWeights:
    """W_ij = 1 / (1 + d), d the hops between the closest nodes of i and j, if at most ``limit``.

    Args:
        adjacency: A as CSR (N, N).
        limit: The largest d that counts.
    """

    adjacency: SparseMatrix
    limit: int

    def block(self, left: SparseMatrix, right: Side, first: int = 0) -> Block:
        """Widens the left sets hop by hop and looks which right sets they touch."""
        reach, other = _pattern(left), _pattern(right.columns)
        near = _pattern(reach @ other)
        weights = near
        for hops in range(1, self.limit + 1):
            reach = _pattern(reach + reach @ self.adjacency)
            nearer, near = near, _pattern(reach @ other)
            weights = weights + (near - nearer) / (1 + hops)
        weights = sp.csr_array(weights)[:, first:]
        weights.eliminate_zeros()
        return weights

    def own(self, left: SparseMatrix) -> Array:
        """A subgraph is no hop from itself."""
        return np.ones(left.shape[0])

    def bytes_per_row(self, left: SparseMatrix, right: Side, *, rough: bool) -> Array:
        """In the worst case all nodes and all subgraphs are near."""
        return np.full(left.shape[0], 2 * _ENTRY * float(sum(right.rows.shape)))


def signed(edge_weights: EdgeWeights) -> EdgeWeights:
    """The same for [M | M⁻]: members meet members, and excluded nodes excluded ones."""
    if isinstance(edge_weights, ShortestPathEdgeWeights):
        both = _twice(edge_weights.adjacency)
        return ShortestPathEdgeWeights(both, edge_weights.limit)
    assert isinstance(edge_weights, LinearEdgeWeights)
    diagonal = edge_weights.diagonal
    return LinearEdgeWeights(
        _twice(edge_weights.operator), None if diagonal is None else np.tile(diagonal, 2)
    )


def _twice(matrix: SparseMatrix) -> SparseMatrix:
    return sp.block_diag([matrix, matrix], format="csr")


def _pattern(matrix: SparseMatrix) -> SparseMatrix:
    """The same entries, all 1."""
    ones = np.ones(matrix.nnz, dtype=np.float64)
    return sp.csr_array((ones, matrix.indices, matrix.indptr), shape=matrix.shape)


def make_edge_weights(
    graph: Graph,
    te: str | Operator,
    *,
    self_loops: bool,
    max_distance: int,
    direction: Direction = "both",
    dtype: DTypeLike,
) -> EdgeWeights:
    """The edge weights of this name, or of this operator.

    Args:
        graph: The global graph.
        te: ``edges``, ``shared_nodes``, ``shortest_path``, a sparse matrix (N, N), or a function
            from a graph to one.
        self_loops: For ``edges``: A + I rather than A. A self-loop that the graph has counts once.
        max_distance: For ``shortest_path``: the most hops that count.
        direction: For ``edges``: of directed ones, which count for W_ij: those from i to j
            (``out``), from j to i (``in``), or both.
        dtype: Type of the operator's values.
    """
    if not isinstance(te, str):
        require_loaded(graph, "a T_e of your own")
        operator = te(graph) if callable(te) else te
        return LinearEdgeWeights(_check_operator(operator, graph.num_nodes, dtype))
    if te == "shortest_path":
        require_loaded(graph, "T_e by shortest paths")
        if max_distance < 0:
            raise ConfigError(f"max_distance must be 0 or more, found {max_distance}.")
        return ShortestPathEdgeWeights(_pattern(graph.adjacency(dtype=np.float64)), max_distance)
    if te == "shared_nodes":
        empty = sp.csr_array((graph.num_nodes, graph.num_nodes), dtype=dtype)
        return LinearEdgeWeights(empty, np.ones(graph.num_nodes, dtype))
    if te == "edges":
        operator = graph.adjacency(dtype=dtype)
        if direction != "both":
            operator = directed_adjacency(graph, direction, dtype)
        return LinearEdgeWeights(operator, loop_weights(graph, self_loops, dtype))
    raise ConfigError(f"there is no T_e called {te!r}.{suggest(te, TE)}")


def directed_adjacency(graph: Graph, direction: Direction, dtype: DTypeLike) -> SparseMatrix:
    """A of the directed edges from row to column (``out``), or from column to row (``in``).

    CSR (N, N), without self-loops; edges between the same two nodes add up.
    """
    arcs = graph.arcs
    if arcs is None:
        raise ConfigError(
            f"direction {direction!r} is for directed edges, and this graph has none; read the data"
            " with directed=True (--directed), or omit the direction."
        )
    proper = np.flatnonzero(arcs.source != arcs.target)
    ends = arcs.source[proper], arcs.target[proper]
    data = np.ones(len(proper)) if arcs.weights is None else arcs.weights[proper]
    entries = (data.astype(np.float64), ends if direction == "out" else ends[::-1])
    matrix = sp.coo_array(entries, shape=(graph.num_nodes, graph.num_nodes)).tocsr()
    matrix.sort_indices()
    return matrix.astype(dtype, copy=False)


def loop_weights(graph: Graph, self_loops: bool, dtype: DTypeLike) -> Array | None:
    """The diagonal of A + I, self-loops that are missing counted with weight 1; or that of A."""
    if not self_loops and not graph.num_loops:
        return None
    diagonal = np.full(graph.num_nodes, 1 if self_loops else 0, dtype=dtype)
    diagonal[graph.loops] = 1 if graph.loop_weights is None else graph.loop_weights
    return diagonal


def _check_operator(operator: SparseMatrix, size: int, dtype: DTypeLike) -> SparseMatrix:
    if not sp.issparse(operator):
        kind = type(operator).__name__
        raise ConfigError(f"T_e must be a name, a sparse matrix or a function, found {kind}.")
    if operator.shape != (size, size):
        raise DataError(f"the operator has shape {operator.shape}, expected ({size}, {size}).")
    matrix = sp.csr_array(operator, dtype=dtype)
    matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all() or (matrix.data < 0).any():
        raise DataError("the operator has a negative or non-finite entry; weights are positive.")
    if abs(matrix - matrix.T).max() > 1e-6 * max(abs(matrix).max(), 1):
        raise DataError("the operator must be symmetric, as the S2N graph is undirected.")
    return matrix
