"""Contraction of whole node sets: neighbourhoods and cliques, by local variation."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from ..ragged import Array, blocks, distinct, owners, pointers, ranges
from ..task.inside import edges_inside
from .costs import Level

_MEMBERS = 10_000_000  # of all maximal cliques together; a graph with more has them without end

_MATRICES = 1 << 22  # entries of the sets' K × K matrices that are held together
_CHEAPEST = 8  # sets of a node that are candidates where there are more sets than that a node


@dataclass(frozen=True, eq=False)
class Candidates:
    """Node sets that may be contracted.

    Args:
        ptr: Pointers, (M+1,).
        nodes: Members, ascending within a set.
        centre: A node that each set cannot do without, since it holds the set together; None where
            any part of a set holds together.
    """

    ptr: Array
    nodes: Array
    centre: Array | None = None


@dataclass(frozen=True, eq=False)
class Chosen:
    """Disjoint sets in the order in which greedy contraction takes them.

    Args:
        ptr: Pointers, (m+1,).
        nodes: Members.
    """

    ptr: Array
    nodes: Array


def neighborhoods(level: Level) -> Candidates:
    """Each node and its neighbours."""
    size = level.weights.shape[0]
    pattern = sp.csr_array(
        (np.ones(level.weights.nnz, np.int8), level.weights.indices, level.weights.indptr),
        shape=level.weights.shape,
    )
    closed = (pattern + sp.eye_array(size, dtype=np.int8)).tocsr()
    closed.sort_indices()
    return Candidates(closed.indptr.astype(np.int64), closed.indices, np.arange(size))


def cliques(level: Level) -> Candidates | None:
    """All maximal cliques; None where there are too many to list."""
    import networkx as nx

    low, high, _ = level.edges()
    graph = nx.Graph()
    graph.add_edges_from(zip(low.tolist(), high.tolist(), strict=True))
    members, sizes = array("q"), array("q")
    for clique in nx.find_cliques(graph):
        members.extend(sorted(clique))
        sizes.append(len(clique))
        if len(members) > _MEMBERS:
            return None
    return Candidates(pointers(np.array(sizes, np.int64)), np.array(members, np.int64))


def set_costs(level: Level, ptr: Array, nodes: Array) -> Array:
    """Local variation of each set: ‖Bᵀ L_S B‖_F / (|S| - 1), B the centred rows of the basis.

    With L_S = diag(2d - W_S 1) - W_S this is
    Σ_i 2 (d_i - r_i) b_i b_iᵀ + Σ_{i<j} w_ij (b_i - b_j)(b_i - b_j)ᵀ, r_i being the weight from i
    to the rest of the set.
    """
    width = level.basis.shape[1]
    cost = np.empty(len(ptr) - 1)
    for start, stop in blocks(np.full(len(cost), max(width * width, 1)), _MATRICES):
        members = nodes[ptr[start] : ptr[stop]]
        cost[start:stop] = _costs(level, ptr[start : stop + 1] - ptr[start], members)
    return cost


def _costs(level: Level, ptr: Array, nodes: Array) -> Array:
    sizes = np.diff(ptr)
    owner = owners(ptr)
    basis = level.basis[nodes]
    width = basis.shape[1]
    centred = basis - _sums(basis, owner, len(sizes))[owner] / sizes[owner][:, None]
    rows, columns, weight = level.uphill
    rest = 2 * level.degrees[nodes]
    total = np.zeros((len(sizes), width * width))
    for here, there, edge in edges_inside(ptr, nodes, owner, (rows, columns), len(level.basis)):
        w = weight[edge]
        np.subtract.at(rest, here, 2 * w)
        np.subtract.at(rest, there, 2 * w)
        total += _outer(basis[here] - basis[there], w, owner[here], len(sizes))
    total += _outer(centred, rest, owner, len(sizes))
    return np.asarray(np.linalg.norm(total, axis=1) / np.maximum(sizes - 1, 1))


def _sums(values: Array, owner: Array, count: int) -> Array:
    """Column sums by owner; (count, K)."""
    columns = [np.bincount(owner, column, count) for column in values.T]
    return np.stack(columns, axis=1) if columns else np.zeros((count, 0))


def _outer(x: Array, weight: Array, owner: Array, count: int) -> Array:
    """Σ weight · x xᵀ by owner; (count, K·K)."""
    width = x.shape[1]
    total = np.empty((count, width, width))
    for i in range(width):
        left = weight * x[:, i]
        for j in range(i, width):
            total[:, i, j] = total[:, j, i] = np.bincount(owner, left * x[:, j], count)
    return total.reshape(count, width * width)


@dataclass(eq=False)
class _Rounds:
    """Greedy choice: the cheapest set; if some of it is taken, the rest is put back at its cost.

    A set that is cheaper than all it shares a free node with is what greedy choice would come to
    before any of those, so all such sets are dealt with at once.
    """

    level: Level
    sets: Candidates
    cost: Array
    order: Array = field(init=False)  # of the pops: the largest cost a set had so far
    alive: Array = field(init=False)
    whole: Array = field(init=False)  # no member was taken since the cost was computed
    free: Array = field(init=False)
    chosen: list[Array] = field(default_factory=list)
    members: list[tuple[Array, Array]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.owner, self.node = owners(self.sets.ptr), self.sets.nodes
        self.order = self.cost.copy()
        self.alive = np.diff(self.sets.ptr) > 1
        self.whole = np.ones(len(self.cost), dtype=bool)
        self.free = np.ones(self.level.weights.shape[0], dtype=bool)

    def run(self) -> Chosen:
        while True:
            keep = self.alive[self.owner] & self.free[self.node]
            self.owner, self.node = self.owner[keep], self.node[keep]
            if not len(self.owner):
                break
            first = self._dominant()
            self._contract(first & self.whole)
            self._renew(np.flatnonzero(first & ~self.whole))
        return self._in_order()

    def _dominant(self) -> Array:
        """Sets that are cheapest at each of their free nodes."""
        live = np.flatnonzero(self.alive)
        rank = np.empty(len(self.cost), np.int64)
        rank[live[np.argsort(self.cost[live], kind="stable")]] = np.arange(len(live))
        mine = rank[self.owner]
        best = np.full(len(self.free), len(live))
        np.minimum.at(best, self.node, mine)
        first = self.alive.copy()
        first[self.owner[mine != best[self.node]]] = False
        return first

    def _contract(self, which: Array) -> None:
        here = which[self.owner]
        self.members.append((self.owner[here], self.node[here]))
        self.free[self.node[here]] = False
        self.alive[which] = False
        if self.sets.centre is not None:
            self.alive &= self.free[self.sets.centre]
        self.whole[self.owner[~self.free[self.node]]] = False

    def _renew(self, which: Array) -> None:
        """Costs of what is left of these sets."""
        asked = np.zeros(len(self.cost), dtype=bool)
        asked[which] = True
        here = asked[self.owner] & self.free[self.node]
        counts = np.bincount(self.owner[here], minlength=len(self.cost))
        self.alive[asked & (counts < 2)] = False
        which = which[self.alive[which]]
        here &= self.alive[self.owner]
        if len(which):
            cost = set_costs(self.level, pointers(counts[which]), self.node[here])
            self.cost[which] = cost
            self.order[which] = np.maximum(self.order[which], cost)
        self.whole[which] = True

    def _in_order(self) -> Chosen:
        if not self.members:
            return Chosen(np.zeros(1, np.int64), np.empty(0, np.int64))
        owner = np.concatenate([pair[0] for pair in self.members])
        node = np.concatenate([pair[1] for pair in self.members])
        counts = np.bincount(owner, minlength=len(self.cost))
        taken = np.flatnonzero(counts)
        taken = taken[np.argsort(self.order[taken], kind="stable")]
        by_owner = node[np.argsort(owner, kind="stable")]
        starts = pointers(counts)[:-1]
        return Chosen(pointers(counts[taken]), by_owner[ranges(starts[taken], counts[taken])])


def greedy_sets(level: Level, sets: Candidates) -> Chosen:
    """Disjoint sets by ascending local variation, until nothing can be contracted any more.

    Where there are many more sets than nodes, those that are among the cheapest of no node are left
    aside: they are hardly ever chosen, and weighing them is most of the work.
    """
    cost = set_costs(level, sets.ptr, sets.nodes)
    if len(cost) > _CHEAPEST * len(level.basis):
        sets, cost = _cheapest(sets, cost)
    return _Rounds(level, sets, cost).run()


def _cheapest(sets: Candidates, cost: Array) -> tuple[Candidates, Array]:
    """Sets that are among the cheapest of one of their nodes, and their costs."""
    owner = owners(sets.ptr)
    order = np.lexsort((cost[owner], sets.nodes))
    node = sets.nodes[order]
    first = np.r_[True, node[1:] != node[:-1]]
    place = np.arange(len(node))
    place -= np.maximum.accumulate(np.where(first, place, 0))
    kept = distinct(owner[order[place < _CHEAPEST]])
    sizes = np.diff(sets.ptr)[kept]
    centre = None if sets.centre is None else sets.centre[kept]
    nodes = sets.nodes[ranges(sets.ptr[kept], sizes)]
    return Candidates(pointers(sizes), nodes, centre), cost[kept]
