"""Which nodes a subgraph has, and which it reaches, as sparse rows for linear models."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy.sparse as sp

from ..base.ragged import Array, SparseMatrix, blocks, owners
from ..task import Graph, Subgraphs, SubgraphTask
from ..task.whole_graph import require_loaded

_ENTRIES = 1 << 26  # of a product that are computed together
_KEPT = 256  # nodes per subgraph and step, the heaviest


@dataclass(frozen=True, eq=False)
class NodeBag:
    """Membership and, beside it, each step of a diffusion from it; every step of length 1.

    Row i is [u(t) | u(t P) | u(t P²) …] with t the members of subgraph i, each times the weight of
    its node, and u(x) = x / |x|. Of a step that reaches very many nodes the heaviest count. With
    ``excluded`` the same of its excluded nodes follows: [… | u(e) | u(e P) …], zeros where there
    are none.

    Args:
        hops: Number of steps of the diffusion.
        node_weights: Weight of each node in the bag, (N,); None: 1.
        symmetric: P = D^-½ A D^-½ instead of the random walk D^-1 A.
        excluded: Whether excluded nodes have columns of their own.
        excluded_weights: Weight of each node among excluded ones, (N,); None: 1.
    """

    hops: int = 0
    node_weights: Array | None = None
    symmetric: bool = False
    excluded: bool = False
    excluded_weights: Array | None = None

    def width(self, task: SubgraphTask) -> int:
        """Number of columns of :meth:`rows`."""
        return task.graph.num_nodes * (self.hops + 1) * (2 if self.excluded else 1)

    def rows(self, task: SubgraphTask) -> SparseMatrix:
        """Features of the subgraphs of a task; CSR (M, (hops + 1) N), twice that with excluded."""
        parts = self._parts(task)
        return sp.hstack([unit_rows(step) for part in parts for step in part.steps()], format="csr")

    def member_rows(self, task: SubgraphTask) -> SparseMatrix:
        """What each member, then each excluded node, adds to the row of its subgraph.

        CSR, the columns those of :meth:`rows`. These rows of a subgraph add up to its row: all is
        linear once the lengths, and the nodes that count, are known.
        """
        return sp.block_diag([part.member_rows() for part in self._parts(task)], format="csr")

    def _parts(self, task: SubgraphTask) -> list[_Part]:
        """The sets of members and, where they count, those of excluded nodes."""
        parts = [_Part(self, task.graph, task.subgraphs, self.node_weights)]
        if self.excluded:
            none = Subgraphs(np.zeros(len(task) + 1, np.int64), np.zeros(0, np.int64))
            parts.append(_Part(self, task.graph, task.excluded or none, self.excluded_weights))
        return parts


@dataclass(frozen=True, eq=False)
class _Part:
    """Sets of one sign and the weights of nodes in them."""

    bag: NodeBag
    graph: Graph
    sets: Subgraphs
    node_weights: Array | None

    def steps(self) -> list[SparseMatrix]:
        steps = [self._weighted(self.sets)]
        for _ in range(self.bag.hops):
            steps.append(spread(steps[-1], transitions(self.graph, self.bag.symmetric)))
        return steps

    def _weighted(self, sets: Subgraphs) -> SparseMatrix:
        bag = sets.membership(self.graph.num_nodes, dtype=np.float64)
        if self.node_weights is not None:
            bag = sp.csr_array(bag @ sp.diags_array(self.node_weights.astype(np.float64)))
        return bag

    def member_rows(self) -> SparseMatrix:
        """What each node of the sets adds to the row of its set; CSR (nodes, (hops + 1) N)."""
        sets, graph = self.sets, self.graph
        single = Subgraphs(np.arange(len(sets.nodes) + 1), sets.nodes, sets.weights)
        owner = owners(sets.ptr)
        parts, step = [], self._weighted(single)
        for number, whole in enumerate(self.steps()):
            if number:
                step = step @ transitions(graph, self.bag.symmetric)
            shares = sp.csr_array(step.multiply((whole != 0)[owner]))
            parts.append(sp.diags_array(1 / row_lengths(whole)[owner]) @ shares)
        return sp.hstack(parts).tocsr()


def weighted_bag(known: Subgraphs, size: int, hops: int) -> NodeBag:
    """The bag whose nodes weigh more the rarer they are, members and excluded ones apart.

    Args:
        known: The training subgraphs.
        size: Number of nodes of the graph.
        hops: Number of steps of the diffusion.
    """
    absent = None if known.excluded is None else inverse_frequencies(known.excluded, size)
    return NodeBag(
        hops,
        inverse_frequencies(known, size),
        symmetric=True,
        excluded=absent is not None,
        excluded_weights=absent,
    )


def inverse_frequencies(subgraphs: Subgraphs, size: int) -> Array:
    """ln((1 + n) / (1 + n_v)) + 1 for n subgraphs, n_v of which have node v; (N,)."""
    counts = np.bincount(subgraphs.nodes, minlength=size)
    return np.asarray(np.log((1 + len(subgraphs)) / (1 + counts)) + 1)


@lru_cache(maxsize=4)
def transitions(graph: Graph, symmetric: bool) -> SparseMatrix:
    """D^-½ A D^-½, or D^-1 A; self-loops count, an isolated node leads nowhere; CSR (N, N)."""
    require_loaded(graph, "a diffusion from the nodes of a subgraph")
    adjacency = graph.adjacency(loops=True, dtype=np.float64)
    degrees = np.asarray(adjacency.sum(axis=1))
    inverse = np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > 0)
    if not symmetric:
        return sp.csr_array(sp.diags_array(inverse) @ adjacency)
    scale = sp.diags_array(np.sqrt(inverse))
    return sp.csr_array(scale @ adjacency @ scale)


def spread(rows: SparseMatrix, matrix: SparseMatrix, *, kept: int = _KEPT) -> SparseMatrix:
    """The product of sparse rows with a matrix, the heaviest entries of each row; CSR.

    Block by block, so that a step that reaches most of the graph is never held for all rows.

    Args:
        rows: The rows, CSR (M, N).
        matrix: The matrix, CSR (N, N).
        kept: The most entries per row; of equal ones at the limit the first nodes.
    """
    costs = rows.astype(bool).astype(np.int64) @ np.diff(matrix.indptr)
    parts = [
        heaviest(sp.csr_array(rows[first:last] @ matrix), kept)
        for first, last in blocks(np.minimum(costs, matrix.shape[1]) + 1, _ENTRIES)
    ]
    return sp.vstack(parts, format="csr") if parts else sp.csr_array((0, matrix.shape[1]))


def heaviest(matrix: SparseMatrix, kept: int) -> SparseMatrix:
    """The largest entries of each row, at most ``kept`` of them; CSR."""
    matrix.sort_indices()
    sizes = np.diff(matrix.indptr)
    if not len(sizes) or sizes.max() <= kept:
        return matrix
    row = owners(matrix.indptr)
    # One number to sort by, and a stable sort: several keys would take many times as long.
    share = matrix.data / (2 * max(float(matrix.data.max()), 1e-300))
    order = np.argsort(row - share, kind="stable")
    rank = np.arange(len(row)) - np.repeat(matrix.indptr[:-1], sizes)
    chosen = np.sort(order[rank < kept])
    indptr = np.concatenate([[0], np.cumsum(np.minimum(sizes, kept))])
    return sp.csr_array((matrix.data[chosen], matrix.indices[chosen], indptr), shape=matrix.shape)


def row_lengths(matrix: SparseMatrix) -> Array:
    """Euclidean lengths of rows, 1 for a row of zeros; (M,)."""
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)))
    return np.where(lengths > 0, lengths, 1.0)


def unit_rows(matrix: SparseMatrix) -> SparseMatrix:
    """Rows of length 1; a row of zeros stays."""
    return sp.csr_array(sp.diags_array(1 / row_lengths(matrix)) @ matrix)
