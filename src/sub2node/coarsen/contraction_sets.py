"""Contraction of whole node sets: neighbourhoods and cliques, by local variation."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from ..base.errors import MissingExtraError
from ..base.ragged import Array, blocks, distinct, owners, pointers, ranges
from ..task.induced_edges import edges_inside
from .costs import Level

_MEMBERS = 10_000_000  # of all maximal cliques together; a graph with more has too many to list
_MATRICES = 1 << 22  # entries of the sets' K × K matrices that are held together
_CHEAPEST = 8  # sets per node that are candidates where there are more than that per node


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
    try:
        import networkx as nx
    except ImportError:
        raise MissingExtraError("networkx", "baselines", "a coarsening of cliques") from None
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
    inner_edges = edges_inside(
        ptr, nodes, owner=owner, uphill=(rows, columns), num_nodes=len(level.basis)
    )
    for low, high, edge in inner_edges:
        w = weight[edge]
        np.subtract.at(rest, low, 2 * w)
        np.subtract.at(rest, high, 2 * w)
        total += _outer(basis[low] - basis[high], w, owner[low], len(sizes))
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
class _GreedyChoice:
    """Greedy choice: the cheapest set; if some of it is taken, the rest is put back at its cost.

    A set that is cheaper than all it shares a free node with is what greedy choice would come to
    before any of those, so all such sets are dealt with at once.
    """

    level: Level
    sets: Candidates
    cost: Array
    order: Array = field(init=False)  # of the pops: the largest cost a set had so far
    alive: Array = field(init=False)
    intact: Array = field(init=False)  # no member was taken since the cost was computed
    free: Array = field(init=False)
    members: list[tuple[Array, Array]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.owner, self.node = owners(self.sets.ptr), self.sets.nodes
        self.order = self.cost.copy()
        self.alive = np.diff(self.sets.ptr) > 1
        self.intact = np.ones(len(self.cost), dtype=bool)
        self.free = np.ones(self.level.weights.shape[0], dtype=bool)

    def run(self) -> Chosen:
        while True:
            keep = self.alive[self.owner] & self.free[self.node]
            self.owner, self.node = self.owner[keep], self.node[keep]
            if not len(self.owner):
                break
            first = self._dominant()
            self._contract(first & self.intact)
            self._renew_costs(np.flatnonzero(first & ~self.intact))
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
        member = which[self.owner]
        self.members.append((self.owner[member], self.node[member]))
        self.free[self.node[member]] = False
        self.alive[which] = False
        if self.sets.centre is not None:
            self.alive &= self.free[self.sets.centre]
        self.intact[self.owner[~self.free[self.node]]] = False

    def _renew_costs(self, which: Array) -> None:
        """Costs of what is left of these sets."""
        renewed = np.zeros(len(self.cost), dtype=bool)
        renewed[which] = True
        member = renewed[self.owner] & self.free[self.node]
        counts = np.bincount(self.owner[member], minlength=len(self.cost))
        self.alive[renewed & (counts < 2)] = False
        which = which[self.alive[which]]
        member &= self.alive[self.owner]
        if len(which):
            cost = set_costs(self.level, pointers(counts[which]), self.node[member])
            self.cost[which] = cost
            self.order[which] = np.maximum(self.order[which], cost)
        self.intact[which] = True

    def _in_order(self) -> Chosen:
        if not self.members:
            return Chosen(np.zeros(1, np.int64), np.empty(0, np.int64))
        owner = np.concatenate([pair[0] for pair in self.members])
        node = np.concatenate([pair[1] for pair in self.members])
        counts = np.bincount(owner, minlength=len(self.cost))
        chosen = np.flatnonzero(counts)
        chosen = chosen[np.argsort(self.order[chosen], kind="stable")]
        by_owner = node[np.argsort(owner, kind="stable")]
        starts = pointers(counts)[:-1]
        return Chosen(pointers(counts[chosen]), by_owner[ranges(starts[chosen], counts[chosen])])


def greedy_sets(level: Level, sets: Candidates) -> Chosen:
    """Disjoint sets by ascending local variation, until nothing can be contracted any more.

    Where there are many more sets than nodes, those that are among the cheapest of no node are left
    aside: they are hardly ever chosen, and weighing them is most of the work.
    """
    cost = set_costs(level, sets.ptr, sets.nodes)
    if len(cost) > _CHEAPEST * len(level.basis):
        sets, cost = _cheapest(sets, cost)
    return _GreedyChoice(level, sets, cost).run()


def _cheapest(sets: Candidates, cost: Array) -> tuple[Candidates, Array]:
    """Sets that are among the cheapest of one of their nodes, and their costs."""
    owner = owners(sets.ptr)
    order = np.lexsort((cost[owner], sets.nodes))
    node = sets.nodes[order]
    first = np.r_[True, node[1:] != node[:-1]]
    place = np.arange(len(node))
    place -= np.maximum.accumulate(np.where(first, place, 0))
    candidates = distinct(owner[order[place < _CHEAPEST]])
    sizes = np.diff(sets.ptr)[candidates]
    centre = None if sets.centre is None else sets.centre[candidates]
    nodes = sets.nodes[ranges(sets.ptr[candidates], sizes)]
    return Candidates(pointers(sizes), nodes, centre), cost[candidates]
