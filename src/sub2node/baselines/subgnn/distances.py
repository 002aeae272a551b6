"""Shortest paths from components to nodes: breadth-first searches from 64 nodes at once.

A set of searches (or of node sets) is one bit each in a uint64 word per node, so one pass over the
edges advances 64 of them.
"""

from __future__ import annotations

import numpy as np

from ...base.progress import step
from ...base.ragged import Array, blocks, ranges
from ...task import Graph
from .components import Components

WORD = 64
_BLOCK = 1 << 20  # edges looked at together
_FEW = 16  # a frontier with less than this part of all edges is pushed, not pulled


class Spread:
    """Moves bits along the edges of a graph.

    Args:
        graph: The global graph of N nodes.
    """

    def __init__(self, graph: Graph) -> None:
        self.num_nodes = graph.num_nodes
        self._degrees = graph.degrees
        self._indptr = graph.indptr.astype(np.int64)
        self._indices = graph.indices
        self._rows = np.flatnonzero(self._degrees)  # reduceat cannot have empty rows
        self._blocks = list(blocks(self._degrees[self._rows], _BLOCK))

    def __call__(self, bits: Array) -> Array:
        """The bits of the neighbours of each node, joined by OR: uint64 (N,) → (N,)."""
        active = np.flatnonzero(bits)
        if self._degrees[active].sum() * _FEW < len(self._indices):
            return self._push(bits, active)
        return self._pull(bits)

    def _push(self, bits: Array, active: Array) -> Array:
        counts = self._degrees[active]
        target = self._indices[ranges(self._indptr[active], counts)]
        result = np.zeros_like(bits)
        np.bitwise_or.at(result, target, np.repeat(bits[active], counts))
        return result

    def _pull(self, bits: Array) -> Array:
        result = np.zeros_like(bits)
        for start, stop in self._blocks:
            rows = self._rows[start:stop]
            low, high = self._indptr[rows[0]], self._indptr[rows[-1] + 1]
            neighbour_bits = bits.take(self._indices[low:high])
            result[rows] = np.bitwise_or.reduceat(neighbour_bits, self._indptr[rows] - low)
        return result


def single_bits(count: int) -> Array:
    """1, 2, 4, …: a bit for each of up to 64 searches, uint64 (count,)."""
    return np.left_shift(np.uint64(1), np.arange(count, dtype=np.uint64))


def component_distances(
    graph: Graph, components: Components, component: Array, node: Array, *, limit: int
) -> Array:
    """Edges on a shortest path in the global graph from a component's nearest node to a node.

    Args:
        graph: The global graph.
        components: Components in the graph.
        component: The component of each pair, (P,).
        node: The node of each pair, (P,).
        limit: Length of the longest path to search.

    Returns:
        float32 (P,): 0 for a node inside the component, inf beyond the limit or where there is no
        path.
    """
    result = np.full(len(node), np.inf, dtype=np.float32)
    spread = Spread(graph)
    order = np.argsort(node, kind="stable")
    sources, counts = np.unique(node, return_counts=True)
    ends = np.cumsum(counts)
    for start in range(0, len(sources), WORD):
        step("Measuring shortest paths", start, len(sources))
        stop = min(start + WORD, len(sources))
        pairs = order[ends[start] - counts[start] : ends[stop - 1]]
        bit = np.repeat(np.arange(stop - start), counts[start:stop])
        targets = _PairComponents(components, component[pairs])
        result[pairs] = _search(spread, sources[start:stop], bit=bit, targets=targets, limit=limit)
    step("Measuring shortest paths", 1, 1)
    return result


class _PairComponents:
    """Distinct components among those of some pairs, to look up the bits of each.

    Args:
        components: All components.
        component: The component of each pair.
    """

    def __init__(self, components: Components, component: Array) -> None:
        distinct, self.place = np.unique(component, return_inverse=True)
        sizes = components.sizes[distinct]
        self._members = components.nodes[ranges(components.ptr[distinct], sizes)]
        self._starts = np.cumsum(sizes) - sizes

    def bits(self, reached: Array) -> Array:
        """The bits of any member of each distinct component: uint64."""
        return np.asarray(np.bitwise_or.reduceat(reached[self._members], self._starts))


def _search(
    spread: Spread, sources: Array, *, bit: Array, targets: _PairComponents, limit: int
) -> Array:
    """Distances of pairs (bit of a source, component), by searches from up to 64 sources."""
    result = np.full(len(bit), np.inf, dtype=np.float32)
    reached = np.zeros(spread.num_nodes, dtype=np.uint64)
    reached[sources] = single_bits(len(sources))
    fresh, wanted = reached, single_bits(len(sources))[bit]
    waiting = np.arange(len(bit))
    for level in range(limit + 1):
        arrived = (targets.bits(reached)[targets.place[waiting]] & wanted[waiting]) != 0
        result[waiting[arrived]] = level
        waiting = waiting[~arrived]
        if not len(waiting) or level == limit:
            break
        fresh = spread(fresh) & ~reached
        if not fresh.any():
            break
        reached = reached | fresh
    return result
