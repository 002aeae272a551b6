"""Add and remove edges until each subgraph measures what it should.

Subgraphs overlap, so an edit for one may disturb another: all are edited together in rounds, edges
that concern few other subgraphs first, until every one is within tolerance or the rounds run out.
"""

from __future__ import annotations

import numpy as np

from ..base import progress
from ..base.ragged import Array, among, distinct, pointers, ranges
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
    target_counts = np.rint(targets * pairs).astype(np.int64)
    keys = _edge_keys(graph)
    reached = np.zeros(len(sets), dtype=bool)
    for round_number in range(_ROUNDS):
        linked = among(pair, keys)
        change = target_counts - np.bincount(owner[linked], minlength=len(sets))
        reached = np.abs(change) <= tolerance * pairs
        progress.step("Reaching densities", reached.sum(), len(sets))
        if reached.all() or round_number == _ROUNDS - 1:
            break
        change[reached] = 0
        candidates = np.flatnonzero(change[owner])
        order = candidates[
            np.lexsort((concern[candidates] + rng.random(len(candidates)), owner[candidates]))
        ]
        add = _take_first(order[~linked[order]], owner, np.maximum(change, 0))
        remove = _take_first(order[linked[order]], owner, np.maximum(-change, 0))
        keys = _edit_keys(keys, pair[add], pair[remove])
    progress.step("Reaching densities", 1, 1)
    return _as_graph(keys, size), reached


def reach_cut_ratio(
    graph: Graph, sets: Subgraphs, targets: Array, *, tolerance: float, rng: np.random.Generator
) -> tuple[Graph, Array]:
    """Edit boundary edges of subgraphs until their cut ratios are ``targets``; returns as above.

    New edges run from a member that is in as few subgraphs as possible to a node that is in as few
    as possible, so that the other boundaries stay.
    """
    size = graph.num_nodes
    pairs = sets.sizes * (size - sets.sizes)
    target_counts = np.rint(targets * pairs).astype(np.int64)
    set_counts = np.bincount(sets.nodes, minlength=size)
    outside = np.flatnonzero(set_counts == set_counts.min())
    rank = np.lexsort((set_counts[sets.nodes], sets.owner))
    private = pointers(_count_private(sets, set_counts))
    ends = sets.nodes[rank[ranges(sets.ptr[:-1], np.diff(private))]]
    reached = np.zeros(len(sets), dtype=bool)
    for round_number in range(_ROUNDS):
        change = target_counts - measure(graph, sets).boundary
        reached = np.abs(change) <= tolerance * pairs
        progress.step("Reaching cut ratios", reached.sum(), len(sets))
        if reached.all() or round_number == _ROUNDS - 1:
            break
        change[reached] = 0
        who = np.repeat(np.arange(len(sets)), np.maximum(change, 0))
        inner_ends = ends[rng.integers(private[who], private[who + 1])]
        outer_ends = outside[rng.integers(0, len(outside), len(who))]
        keep = inner_ends != outer_ends
        added = _edge_key(inner_ends[keep], outer_ends[keep], size)
        removed = _pick_boundary_edges(
            graph, sets, set_counts=set_counts, counts=np.maximum(-change, 0), rng=rng
        )
        graph = _as_graph(_edit_keys(_edge_keys(graph), added, removed), size)
    progress.step("Reaching cut ratios", 1, 1)
    return graph, reached


def _count_private(sets: Subgraphs, set_counts: Array) -> Array:
    """How many members of each subgraph are in as few subgraphs as any of its members."""
    fewest = np.minimum.reduceat(set_counts[sets.nodes], sets.ptr[:-1])
    return np.bincount(sets.owner, set_counts[sets.nodes] == fewest[sets.owner]).astype(np.int64)


def _pick_boundary_edges(
    graph: Graph,
    sets: Subgraphs,
    *,
    set_counts: Array,
    counts: Array,
    rng: np.random.Generator,
) -> Array:
    """Keys of so many boundary edges of each subgraph, those that concern few others first."""
    affected = np.flatnonzero(counts)
    if not len(affected):
        return np.empty(0, np.int64)
    few = sets.take(affected)
    degrees = graph.degrees[few.nodes]
    inner_ends = np.repeat(few.nodes.astype(np.int64), degrees)
    owner = np.repeat(few.owner, degrees)
    outer_ends = graph.indices[ranges(graph.indptr[few.nodes], degrees)].astype(np.int64)
    members = few.owner * graph.num_nodes + few.nodes
    across = ~among(owner * graph.num_nodes + outer_ends, members)
    inner_ends, outer_ends, owner = inner_ends[across], outer_ends[across], owner[across]
    order = np.lexsort(
        (set_counts[inner_ends] + set_counts[outer_ends] + rng.random(len(inner_ends)), owner)
    )
    chosen = _take_first(order, owner, counts[affected])
    return _edge_key(inner_ends[chosen], outer_ends[chosen], graph.num_nodes)


def _take_first(order: Array, owner: Array, counts: Array) -> Array:
    """The first ``counts[i]`` entries of ``order`` that belong to i; ``order`` is grouped by i."""
    group = owner[order]
    ptr = pointers(np.bincount(group, minlength=len(counts)))
    return order[np.arange(len(order)) - ptr[group] < counts[group]]


def _edit_keys(keys: Array, added: Array, removed: Array) -> Array:
    keys = distinct(np.concatenate([keys, added]))
    return keys[~among(keys, np.sort(removed))]


def _edge_key(a: Array, b: Array, size: int) -> Array:
    return np.minimum(a, b).astype(np.int64) * size + np.maximum(a, b)


def _edge_keys(graph: Graph) -> Array:
    low, high, _ = graph.edges()
    return _edge_key(low, high, graph.num_nodes)


def _as_graph(keys: Array, size: int) -> Graph:
    return Graph.from_edges(keys // size, keys % size, num_nodes=size)
