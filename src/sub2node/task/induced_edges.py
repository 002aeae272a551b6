"""Edges of a graph inside many node sets at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..base.ragged import Array, blocks, pointers, ranges

_BLOCK = 1 << 22  # candidate edges looked at together: some 100 MB of scratch arrays


def uphill_entries(indptr: Array, indices: Array) -> Array:
    """Which entries of a symmetric CSR go from an end of lower degree to the other; bool (2E,).

    Each edge once. A row has at most sqrt(2E) of them whatever the hubs are, so a pass over the
    edges around a node set costs far less than the sum of its degrees.
    """
    degrees = np.diff(indptr)
    rows = np.repeat(np.arange(len(degrees), dtype=indices.dtype), degrees)
    row_degrees, column_degrees = degrees[rows], degrees[indices]
    return np.asarray(
        (row_degrees < column_degrees) | ((row_degrees == column_degrees) & (rows < indices))
    )


def uphill_rows(indptr: Array, up: Array) -> Array:
    """Row pointers of the entries that :func:`uphill_entries` chose."""
    return pointers(up)[indptr]


def edges_inside(
    ptr: Array, nodes: Array, *, owner: Array, uphill: tuple[Array, Array], num_nodes: int
) -> Iterator[tuple[Array, Array, Array]]:
    """Each edge inside each node set, in blocks of bounded size.

    Each member's uphill neighbours are looked up among the members of its set.

    Args:
        ptr: Pointers of the sets, (M+1,).
        nodes: Their members, ascending within a set.
        owner: The set of each member.
        uphill: Row pointers and columns of the uphill edges of the graph.
        num_nodes: N, the nodes of the graph.

    Yields:
        Positions in ``nodes`` of both ends, and the position of the edge among the uphill ones.
    """
    indptr, indices = uphill
    starts, counts = indptr[nodes], np.diff(indptr)[nodes]
    stride = max(num_nodes, 1)
    keys = owner * stride + nodes  # ascending: owners ascend, nodes within them too
    for start, stop in blocks(counts, _BLOCK):
        first = np.repeat(np.arange(start, stop, dtype=np.int64), counts[start:stop])
        edge = ranges(starts[start:stop], counts[start:stop])
        targets = owner[first] * stride + indices[edge]
        low, high = ptr[owner[start]], ptr[owner[stop - 1] + 1]
        second = np.searchsorted(keys[low:high], targets) + low
        hit = keys[np.minimum(second, len(keys) - 1)] == targets
        yield first[hit], second[hit], edge[hit]
