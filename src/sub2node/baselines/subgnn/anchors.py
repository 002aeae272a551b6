"""Anchor nodes: members of components, and nodes on their borders."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...base.keyed_numbers import keyed_uniform
from ...base.progress import step
from ...base.ragged import Array, blocks, pointers
from ...task import Graph
from .components import Components
from .distances import WORD, Spread, single_bits

_BLOCK = 1 << 22  # border nodes listed together


def sample_members(ptr: Array, nodes: Array, count: int, keys: Array) -> tuple[Array, Array]:
    """Some members of each list, uniformly without replacement and in random order.

    Args:
        ptr: Pointers of the lists, (L+1,).
        nodes: Their members, flat.
        count: Number of members to take from each list; a shorter list gives all it has.
        keys: A key of each list, uint64 (L,): what is drawn depends on it and the list alone.

    Returns:
        The members int64 (L, count), padded with 0 at the end, and which are none of the padding,
        bool (L, count).
    """
    place, mask = _sample_positions(np.diff(ptr), count, keys)
    ids = np.zeros(place.shape, dtype=np.int64)
    ids[mask] = nodes[(ptr[:-1, None] + place)[mask]]
    return ids, mask


def sample_border(
    graph: Graph,
    components: Components,
    *,
    hops: int,
    count: int,
    keys: Sequence[Array],
) -> list[tuple[Array, Array]]:
    """Some nodes near each component, uniformly without replacement and in random order.

    The border of a component is every node within ``hops`` edges of it that is not in it; other
    components of its subgraph count like any node. Borders are never held together: those of 64
    components are computed at once, drawn from for every sample, and dropped.

    Args:
        graph: The global graph.
        components: K components in the graph.
        hops: Number of edges from the component, 1 or more.
        count: Number of nodes to take for each component; a smaller border gives all it has.
        keys: For each sample a key of each component, uint64 (K,).

    Returns:
        For each sample as :func:`sample_members`: ids and mask, (K, count) each.
    """
    ids = np.zeros((len(keys), len(components), count), dtype=np.int64)
    mask = np.zeros(ids.shape, dtype=bool)
    spread = Spread(graph)
    for first in range(0, len(components), WORD):
        step("Drawing nodes around subgraphs", first, len(components))
        last = min(first + WORD, len(components))
        border = _border_bits(spread, components, range(first, last), hops)
        near = np.flatnonzero(border)
        table = _unpack(border[near], last - first)
        sizes = table.sum(axis=1, dtype=np.int64)
        for start, stop in blocks(sizes, _BLOCK):
            ptr = pointers(sizes[start:stop])
            nodes = near[np.flatnonzero(table[start:stop]) % max(len(near), 1)]
            rows = slice(first + start, first + stop)
            for number, own in enumerate(keys):
                drawn = sample_members(ptr, nodes, count, own[rows])
                ids[number, rows], mask[number, rows] = drawn
    step("Drawing nodes around subgraphs", 1, 1)
    return list(zip(ids, mask, strict=True))


def _sample_positions(sizes: Array, count: int, keys: Array) -> tuple[Array, Array]:
    """Distinct positions in lists of these sizes, and which are real: (L, count) each.

    Floyd's sampling, all lists at once: its cost does not depend on how long they are. A list
    shorter than ``count`` is sampled as if it had that many, and positions beyond its end are
    moved last.
    """
    random = keyed_uniform(keys, 2 * count).reshape(len(sizes), 2, count)
    place = np.zeros((len(sizes), count), dtype=np.int64)
    spare = np.maximum(sizes - count, 0)
    for column in range(count):
        top = spare + column
        pick = (random[:, 0, column] * (top + 1)).astype(np.int64)
        taken = (place[:, :column] == pick[:, None]).any(axis=1)
        place[:, column] = np.where(taken, top, pick)
    # Floyd's positions are a uniform set, but not in uniform order.
    order = np.argsort(random[:, 1] + (place >= sizes[:, None]), axis=1)
    place = np.take_along_axis(place, order, axis=1)
    return place, place < sizes[:, None]


def _border_bits(spread: Spread, components: Components, rows: range, hops: int) -> Array:
    """Bit k of a node: it is on the border of component ``rows[k]``; uint64 (N,)."""
    ptr = components.ptr[rows.start : rows.stop + 1]
    bits = np.repeat(single_bits(len(rows)), np.diff(ptr))
    own = np.zeros(spread.num_nodes, dtype=np.uint64)
    np.bitwise_or.at(own, components.nodes[ptr[0] : ptr[-1]], bits)
    fresh = reached = own
    for _ in range(hops):
        fresh = spread(fresh) & ~reached
        reached = reached | fresh
    return np.asarray(reached & ~own)


def _unpack(bits: Array, count: int) -> Array:
    """The first ``count`` bits of each word, a row each: uint64 (n,) → bool (count, n)."""
    octets = bits.astype("<u8").view(np.uint8).reshape(-1, WORD // 8)
    table = np.unpackbits(octets, axis=1, count=count, bitorder="little")
    return np.ascontiguousarray(table.T).view(bool)
