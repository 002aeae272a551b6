"""Triangular random walks, many at once: patches of a graph, and walks inside and around them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base.errors import DataError
from ...base.progress import step
from ...base.ragged import Array, among, blocks, distinct, owners, pointers, ranges
from ...task import Graph, Subgraphs
from ...task.subgraph_measures import measure
from .sequences import Side, inner_degrees

BETA = 0.65  # probability that a step closes a triangle, where it can
_TRIES = 8  # guesses at the next node before all neighbours are looked at
_BLOCK = 1 << 20  # neighbours looked at together


@dataclass(frozen=True, eq=False)
class WalkRestriction:
    """Restricts each walk to one side of a node set.

    Args:
        ptr: Pointers of the sets, (L+1,).
        nodes: Members of the sets, ascending within a set.
        which: The set of each walk, (W,).
        side: ``internal``: only members; ``border``: only nodes that are no members, and members
            with a neighbour outside of the set.
    """

    ptr: Array
    nodes: Array
    which: Array
    side: Side


def triangular_walks(
    graph: Graph,
    starts: Array,
    length: int,
    *,
    rng: np.random.Generator,
    beta: float = BETA,
    allowed: WalkRestriction | None = None,
) -> Array:
    """Random walks that like to close triangles.

    The first step goes to any neighbour. After it, with probability ``beta`` a walk goes to a
    neighbour that is also one of the node before, if there is such; otherwise to one that is not
    (the node before may be it), if there is such. All choices are uniform.

    Args:
        graph: The global graph.
        starts: First node of each walk, (W,); -1: no walk at all.
        length: Number of nodes of a walk, its start among them, 1 or more.
        rng: Random numbers; how many are used does not depend on where the walks go.
        beta: Probability that a step closes a triangle, as above.
        allowed: Nodes that each walk may visit; its start must be one.

    Returns:
        int64 (W, length); -1 after the start of a walk that cannot move.
    """
    starts = np.asarray(starts, dtype=np.int64)
    if allowed is None:
        return _Walker(graph.indptr, graph.indices).walk(starts, length, beta, rng)
    if allowed.side == "internal":
        return _walk_inside(graph, starts, length=length, beta=beta, rng=rng, sets=allowed)
    border = border_members(graph, allowed.ptr, allowed.nodes)
    ptr, nodes = _filter_lists(allowed.ptr, allowed.nodes, ~border)
    banned = _Banned(ptr, nodes, allowed.which)
    _check_starts(starts, ~banned.holds(starts, np.arange(len(starts)), graph.num_nodes))
    return _Walker(graph.indptr, graph.indices, banned).walk(starts, length, beta, rng)


def patches(
    graph: Graph, count: int, length: int, *, rng: np.random.Generator, beta: float = BETA
) -> tuple[Array, Array]:
    """The nodes that each of ``count`` triangular walks from uniform starts meets.

    Returns:
        Pointers (count+1,) and nodes, ascending within a patch.
    """
    starts = _uniform_positions(np.full(count, graph.num_nodes), rng)
    walks = triangular_walks(graph, starts, length, rng=rng, beta=beta)
    rows, columns = np.nonzero(walks >= 0)
    stride = max(graph.num_nodes, 1)
    keys = distinct(rows * stride + walks[rows, columns])
    return pointers(np.bincount(keys // stride, minlength=count)), keys % stride


def patch_walks(
    graph: Graph,
    ptr: Array,
    nodes: Array,
    *,
    walks: int,
    length: int,
    side: Side,
    rng: np.random.Generator,
    beta: float = BETA,
) -> Array:
    """Triangular walks inside each patch, or on and around its border.

    Args:
        graph: The global graph.
        ptr: Pointers of the patches, (L+1,).
        nodes: Members of the patches, ascending within a patch.
        walks: Number of walks per patch.
        length: Number of nodes of a walk.
        side: Where walks go, see :class:`WalkRestriction`; they start at a uniform member there.
        rng: Random numbers for starts and steps.
        beta: Probability of closing a triangle, see :func:`triangular_walks`.

    Returns:
        int64 (L, walks, length), -1 after a walk that cannot move, and for a patch that has no
        node to start at.
    """
    which = np.repeat(np.arange(len(ptr) - 1), walks)
    first, members = np.asarray(ptr), np.asarray(nodes, dtype=np.int64)
    if side == "border":
        first, members = _filter_lists(ptr, members, border_members(graph, ptr, nodes))
    place = _uniform_positions(np.diff(first)[which], rng)
    starts = np.full(len(which), -1)
    some = place >= 0
    starts[some] = members[first[which[some]] + place[some]]
    allowed = WalkRestriction(ptr, nodes, which, side)
    visited = triangular_walks(graph, starts, length, rng=rng, beta=beta, allowed=allowed)
    return visited.reshape(len(ptr) - 1, walks, length)


def border_members(graph: Graph, ptr: Array, nodes: Array) -> Array:
    """Which members of node sets have a neighbour outside of their set: bool, flat."""
    return np.asarray(graph.degrees[nodes] > inner_degrees(graph, ptr, nodes))


def _filter_lists(ptr: Array, nodes: Array, keep: Array) -> tuple[Array, Array]:
    """The same ragged lists with some of their members only."""
    return pointers(keep)[ptr], np.asarray(nodes[keep], dtype=np.int64)


def _uniform_positions(sizes: Array, rng: np.random.Generator) -> Array:
    """A position in each list of these sizes, -1 in an empty one: int64."""
    place = (rng.random(len(sizes)) * sizes).astype(np.int64)
    return np.where(sizes > 0, place, -1)


def _check_starts(starts: Array, allowed: Array) -> None:
    refused = (starts >= 0) & ~allowed
    if refused.any():
        raise DataError(f"a walk starts at node {starts[refused][0]}, where it is not allowed.")


def _walk_inside(
    graph: Graph,
    starts: Array,
    *,
    length: int,
    beta: float,
    rng: np.random.Generator,
    sets: WalkRestriction,
) -> Array:
    """Walks inside node sets: walks in the disjoint union of the graphs that these induce."""
    stride = max(graph.num_nodes, 1)
    keys = owners(sets.ptr) * stride + sets.nodes
    wanted = sets.which * stride + starts
    _check_starts(starts, among(wanted, keys))
    places = np.where(starts >= 0, np.searchsorted(keys, wanted), -1)
    if not len(keys):
        return np.full((len(starts), length), -1)
    inner = measure(graph, Subgraphs(sets.ptr, sets.nodes)).inner_graph
    inner.sort_indices()
    visited = _Walker(inner.indptr, inner.indices).walk(places, length, beta, rng)
    return np.where(visited >= 0, sets.nodes[visited], -1)


@dataclass(frozen=True, eq=False)
class _Banned:
    """Nodes that walks may not go to; fields as in :class:`WalkRestriction`."""

    ptr: Array
    nodes: Array
    which: Array

    def holds(self, nodes: Array, walks: Array, num_nodes: int) -> Array:
        """Whether each of these walks may not go to the node beside it: bool."""
        keys = owners(self.ptr) * num_nodes + self.nodes
        return among(self.which[walks] * num_nodes + nodes, keys)

    def sizes(self, walks: Array) -> Array:
        """How many nodes there are for each of these walks."""
        return np.diff(self.ptr)[self.which[walks]]

    def pairs(self, walks: Array) -> tuple[Array, Array]:
        """Each of these walks (its position among them) with each of its nodes."""
        sizes = self.sizes(walks)
        return owners(pointers(sizes)), self.nodes[ranges(self.ptr[self.which[walks]], sizes)]


class _Walker:
    """Takes steps of many walks on a graph of n nodes.

    Args:
        indptr: Row pointers of a symmetric adjacency, (n+1,).
        indices: Neighbours, ascending within a row.
        banned: Nodes that walks may not go to.
    """

    def __init__(self, indptr: Array, indices: Array, banned: _Banned | None = None) -> None:
        self._indptr, self._indices = indptr.astype(np.int64), indices
        self._degrees = np.diff(self._indptr)
        self._edges = owners(self._indptr) * len(self._degrees) + indices  # ascending
        self._banned = banned

    def walk(self, starts: Array, length: int, beta: float, rng: np.random.Generator) -> Array:
        """See :func:`triangular_walks`."""
        walks = np.full((length + 1, len(starts)), -1, dtype=np.int64)
        walks[1] = starts  # the row above it: there is no node before the first
        for number in range(2, length + 1):
            step("Drawing random walks", number, length + 1)
            random = rng.random((2 + _TRIES, len(starts)))
            before, current = walks[number - 2 : number]
            walks[number] = self._guess(current, before, beta, random)
            left = np.flatnonzero((current >= 0) & (walks[number] < 0))
            for start, stop in blocks(self._work(left, current, before), _BLOCK):
                some = left[start:stop]
                walks[number, some] = self._step(
                    some,
                    current[some],
                    before=before[some],
                    beta=beta,
                    random=random[:2, some],
                )
        step("Drawing random walks", 1, 1)
        return np.ascontiguousarray(walks[1:].T)

    def _guess(self, current: Array, before: Array, beta: float, random: Array) -> Array:
        """The next node of the walks for which a few guesses succeed, else -1.

        A uniform neighbour that happens to be of the kind wanted is uniform among that kind; so
        most steps need not look at all neighbours, and the others lose nothing by having tried.
        """
        result = np.full(len(current), -1)
        wants_triangle = (random[0] < beta) & (before >= 0)
        left = np.flatnonzero(current >= 0)
        left = left[self._degrees[current[left]] > 0]
        for guess in random[2:]:
            node_from, last = current[left], before[left]
            place = (guess[left] * self._degrees[node_from]).astype(np.int64)
            node = self._indices[self._indptr[node_from] + place].astype(np.int64)
            closes = self._find_edges(node, last)[1] & (last >= 0)
            accepted = closes == wants_triangle[left]
            if self._banned is not None:
                accepted &= ~self._banned.holds(node, left, len(self._degrees))
            result[left[accepted]] = node[accepted]
            left = left[~accepted]
        return result

    def _work(self, walks: Array, current: Array, before: Array) -> Array:
        """How many neighbours the step of each walk looks at."""
        current, before = current[walks], before[walks]
        around = np.minimum(self._degrees[current], self._degrees[before])
        banned = 0 if self._banned is None else self._banned.sizes(walks)
        return np.asarray(np.where(before >= 0, around, 0) + banned + 1)

    def _step(
        self, walks: Array, current: Array, *, before: Array, beta: float, random: Array
    ) -> Array:
        """The next node of each walk, -1 where it cannot move."""
        result = np.full(len(walks), -1)
        if not (total := len(self._indices)):
            return result
        # An edge out of ``current[w]`` has the key w · total + its position; keys ascend.
        closing = self._closing(current, before)
        avoided = closing
        if self._banned is not None:
            walk, node = self._banned.pairs(walks)
            place, exists = self._find_edges(current[walk], node)
            banned = (walk * total + place)[exists]
            closing = closing[~among(closing, banned)]
            avoided = np.sort(np.concatenate([closing, banned]))
        closers = np.bincount(closing // total, minlength=len(walks))
        others = self._degrees[current] - np.bincount(avoided // total, minlength=len(walks))
        closes = (closers > 0) & ((random[0] < beta) | (others == 0))
        pick = (random[1] * np.where(closes, closers, others)).astype(np.int64)
        edge = self._unavoided(current, avoided, pick)
        edge[closes] = closing[(pointers(closers)[:-1] + pick)[closes]] % total
        moves = closes | (others > 0)
        result[moves] = self._indices[edge[moves]]
        return result

    def _closing(self, current: Array, before: Array) -> Array:
        """The edges out of each ``current`` that lead to a neighbour of ``before``, as keys.

        Neighbours of the end that has fewer are looked up among those of the other.
        """
        walk = np.flatnonzero(before >= 0)
        current, before = current[walk], before[walk]
        back = self._degrees[before] < self._degrees[current]
        few, many = np.where(back, before, current), np.where(back, current, before)
        counts = self._degrees[few]
        row = owners(pointers(counts))
        entry = ranges(self._indptr[few], counts)
        place, exists = self._find_edges(many[row], self._indices[entry])
        edge = np.where(back[row], place, entry)
        return np.asarray((walk[row] * len(self._indices) + edge)[exists])

    def _find_edges(self, source: Array, target: Array) -> tuple[Array, Array]:
        """The position of each edge among all, and whether there is such an edge."""
        wanted = source * len(self._degrees) + target
        place = np.minimum(np.searchsorted(self._edges, wanted), len(self._edges) - 1)
        return place, self._edges[place] == wanted

    def _unavoided(self, current: Array, avoided: Array, pick: Array) -> Array:
        """Edge number ``pick`` out of each ``current``, where edges to avoid are not counted."""
        walk, edge = avoided // len(self._indices), avoided % len(self._indices)
        start, counts = self._indptr[current], np.bincount(walk, minlength=len(current))
        # Before the k-th edge to avoid there are as many others as its offset less k.
        others = edge - start[walk] - ranges(np.zeros(len(current), np.int64), counts)
        skipped = walk[others <= pick[walk]]
        return np.asarray(start + pick + np.bincount(skipped, minlength=len(current)))
