"""Greedy matching without a loop over edges."""

from __future__ import annotations

import numpy as np

from ..base.ragged import Array, pointers, ranges

_WINDOW = 4  # edges of a node looked at first; four times as many each time none of them is free


def greedy_matching(low: Array, high: Array, cost: Array, num_nodes: int) -> Array:
    """The maximal matching that takes edges by ascending cost, ties by position.

    An edge that is the cheapest of both its ends is in that matching, and so is every edge that
    becomes one when the ends of these are gone: all such edges are taken at once, round by round.
    Only nodes whose cheapest edge was lost look again, and each goes along its own edges once, so
    the work is that of sorting.

    Args:
        low: One end of each edge, (E,).
        high: The other end, (E,).
        cost: Cost of each edge.
        num_nodes: The number of nodes.

    Returns:
        Positions of the matched edges, cheapest first.
    """
    order = np.argsort(cost, kind="stable")
    ends = np.stack([low[order], high[order]], axis=1).ravel()
    slots = np.argsort(ends, kind="stable")  # the edges of each node, cheapest first
    other, rank = ends[slots ^ 1], slots >> 1
    ptr = pointers(np.bincount(ends, minlength=num_nodes))
    cursor, stop = ptr[:-1].copy(), ptr[1:]
    free = np.ones(num_nodes, dtype=bool)
    matched: list[Array] = []
    looking = np.flatnonzero(cursor < stop)
    while len(looking):
        looking = _advance_to_free(looking, cursor, stop=stop, other=other, free=free)
        partner = other[cursor[looking]]
        # Of two that chose each other, both know: the edge has one rank.
        mutual = rank[np.minimum(cursor[partner], len(rank) - 1)] == rank[cursor[looking]]
        first = looking[mutual]
        matched.append(rank[cursor[first]])
        taken = np.concatenate([first, partner[mutual]])
        free[taken] = False
        around = other[ranges(cursor[taken], stop[taken] - cursor[taken])]
        around = around[free[around]]
        # Those who had chosen one that is gone now.
        looking = np.unique(around[~free[other[cursor[around]]]])
    ranks = np.concatenate(matched) if matched else np.empty(0, np.int64)
    return np.asarray(order[np.unique(ranks)])


def _advance_to_free(
    nodes: Array, cursor: Array, *, stop: Array, other: Array, free: Array
) -> Array:
    """Move each node's pointer to its first edge with a free end; those that have one."""
    pending, width = nodes, _WINDOW
    while len(pending):
        counts = np.minimum(stop[pending] - cursor[pending], width)
        some = counts > 0
        pending, counts = pending[some], counts[some]
        if not len(pending):
            break
        open_ends = free[other[ranges(cursor[pending], counts)]]
        starts = pointers(counts)[:-1]
        position = np.where(open_ends, np.arange(len(open_ends)), len(open_ends))
        first = np.minimum.reduceat(position, starts)
        hit = first < len(open_ends)
        cursor[pending] += np.where(hit, first - starts, counts)
        pending, width = pending[~hit], width * 4
    return np.asarray(nodes[cursor[nodes] < stop[nodes]])
