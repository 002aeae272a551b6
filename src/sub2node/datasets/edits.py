"""Add and remove edges until each subgraph measures what it should.

Subgraphs overlap, so an edit for one may disturb another: all are edited together in rounds, edges
that concern few other subgraphs first, until every one is within tolerance or the rounds run out.
"""

from __future__ import annotations

import numpy as np

from .. import progress
from ..ragged import Array, among, distinct, pointers, ranges
from ..task import Graph, Subgraphs, measure

_ROUNDS = 40


def reach_density(
    graph: Graph, sets: Subgraphs, targets: Array, *, tolerance: float, rng: np.random.Generator
) -> tuple[Graph, Array]:
    """Edit edges inside subgraphs until their densities are ``targets``.

    Returns:
        The edited graph, and which subgraphs are within ``tolerance`` (M,).
    """
    low, high, owner = sets.pairs()
    size = graph.num_nodes
    pair = low * size + high
    ascending = np.sort(pair)
    first, last = (np.searchsorted(ascending, pair, side) for side in ("left", "right"))
    concern = last - first  # in how many subgraphs each pair lies
    pairs = sets.sizes * (sets.sizes - 1) / 2
    wanted = np.rint(targets * pairs).astype(np.int64)
    keys = _keys(graph)
    reached = np.zeros(len(sets), dtype=bool)
    for turn in range(_ROUNDS):
        linked = among(pair, keys)
        change = wanted - np.bincount(owner[linked], minlength=len(sets))
        reached = np.abs(change) <= tolerance * pairs
        progress.step("Reaching densities", reached.sum(), len(sets))
        if reached.all() or turn == _ROUNDS - 1:
            break
        change[reached] = 0
        some = np.flatnonzero(change[owner])
        order = some[np.lexsort((concern[some] + rng.random(len(some)), owner[some]))]
        add = _first(order[~linked[order]], owner, np.maximum(change, 0))
        remove = _first(order[linked[order]], owner, np.maximum(-change, 0))
        keys = _edited(keys, pair[add], pair[remove])
    return _graph(keys, size), reached


def reach_cut_ratio(
    graph: Graph, sets: Subgraphs, targets: Array, *, tolerance: float, rng: np.random.Generator
) -> tuple[Graph, Array]:
    """Edit boundary edges of subgraphs until their cut ratios are ``targets``; returns as above.

    New edges run from a member that is in as few subgraphs as possible to a node that is in as few
    as possible, so that the other boundaries stay.
    """
    size = graph.num_nodes
    pairs = sets.sizes * (size - sets.sizes)
    wanted = np.rint(targets * pairs).astype(np.int64)
    times = np.bincount(sets.nodes, minlength=size)
    outside = np.flatnonzero(times == times.min())
    rank = np.lexsort((times[sets.nodes], sets.owner))
    private = pointers(_private(sets, times))
    ends = sets.nodes[rank[ranges(sets.ptr[:-1], np.diff(private))]]
    reached = np.zeros(len(sets), dtype=bool)
    for turn in range(_ROUNDS):
        change = wanted - measure(graph, sets).boundary
        reached = np.abs(change) <= tolerance * pairs
        progress.step("Reaching cut ratios", reached.sum(), len(sets))
        if reached.all() or turn == _ROUNDS - 1:
            break
        change[reached] = 0
        who = np.repeat(np.arange(len(sets)), np.maximum(change, 0))
        here = ends[rng.integers(private[who], private[who + 1])]
        there = outside[rng.integers(0, len(outside), len(who))]
        keep = here != there
        added = _key(here[keep], there[keep], size)
        removed = _removable(graph, sets, times, np.maximum(-change, 0), rng)
        graph = _graph(_edited(_keys(graph), added, removed), size)
    return graph, reached


def _private(sets: Subgraphs, times: Array) -> Array:
    """How many members of each subgraph are in as few subgraphs as any of its members."""
    fewest = np.minimum.reduceat(times[sets.nodes], sets.ptr[:-1])
    return np.bincount(sets.owner, times[sets.nodes] == fewest[sets.owner]).astype(np.int64)


def _removable(
    graph: Graph, sets: Subgraphs, times: Array, counts: Array, rng: np.random.Generator
) -> Array:
    """Keys of so many boundary edges of each subgraph, those that concern few others first."""
    some = np.flatnonzero(counts)
    if not len(some):
        return np.empty(0, np.int64)
    few = sets.take(some)
    degrees = graph.degrees[few.nodes]
    here = np.repeat(few.nodes.astype(np.int64), degrees)
    owner = np.repeat(few.owner, degrees)
    there = graph.indices[ranges(graph.indptr[few.nodes], degrees)].astype(np.int64)
    members = few.owner * graph.num_nodes + few.nodes
    across = ~among(owner * graph.num_nodes + there, members)
    here, there, owner = here[across], there[across], owner[across]
    order = np.lexsort((times[here] + times[there] + rng.random(len(here)), owner))
    chosen = _first(order, owner, counts[some])
    return _key(here[chosen], there[chosen], graph.num_nodes)


def _first(order: Array, owner: Array, counts: Array) -> Array:
    """The first ``counts[i]`` entries of ``order`` that belong to i; ``order`` is grouped by i."""
    group = owner[order]
    ptr = pointers(np.bincount(group, minlength=len(counts)))
    return order[np.arange(len(order)) - ptr[group] < counts[group]]


def _edited(keys: Array, added: Array, removed: Array) -> Array:
    keys = distinct(np.concatenate([keys, added]))
    return keys[~among(keys, np.sort(removed))]


def _key(a: Array, b: Array, size: int) -> Array:
    return np.minimum(a, b).astype(np.int64) * size + np.maximum(a, b)


def _keys(graph: Graph) -> Array:
    low, high, _ = graph.edges()
    return _key(low, high, graph.num_nodes)


def _graph(keys: Array, size: int) -> Graph:
    return Graph.from_edges(keys // size, keys % size, num_nodes=size)
