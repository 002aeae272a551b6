"""Degree sequences of node sets, and how alike they are: exact dynamic time warping."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...base.progress import step
from ...base.ragged import Array, owners, pointers, ranges
from ...task import Graph, Subgraphs
from ...task.subgraph_measures import measure

Side = Literal["internal", "border"]
_PAIRS = 1 << 14  # pairs of sequences warped together: what a processor's cache holds
_WIDTH = 1 << 8  # of these, sequences of the second list
_CELLS = 1 << 22  # cells of the warping tables held together


def degree_sequences(graph: Graph, ptr: Array, nodes: Array, side: Side) -> Array:
    """The degrees of the members of each set, descending; self-loops do not count.

    Args:
        graph: The global graph.
        ptr: Pointers of the sets, (L+1,).
        nodes: Their members, ascending within a set.
        side: ``internal``: neighbours within the set; ``border``: neighbours outside of it.

    Returns:
        int64, flat, with the pointers of the sets.
    """
    inner = inner_degrees(graph, ptr, nodes)
    degree = inner if side == "internal" else graph.degrees[nodes] - inner
    return degree[np.lexsort((-degree, owners(ptr)))]


def inner_degrees(graph: Graph, ptr: Array, nodes: Array) -> Array:
    """Neighbours that each member of each set has within the set: int64, flat."""
    if not len(nodes):
        return np.empty(0, dtype=np.int64)
    inner = measure(graph, Subgraphs(ptr, nodes)).inner_graph
    return np.asarray(np.diff(inner.indptr), dtype=np.int64)


def sequence_similarity(a_ptr: Array, a: Array, b_ptr: Array, b: Array) -> Array:
    """1 / (1 + W) of every sequence of one list and every one of another: float32 (A, B).

    W is the cost of the cheapest warping, which steps through both sequences from their first
    degrees to their last, and pays (max + 1) / (min + 1) - 1 for each pair of degrees it meets.
    Equal sequences are warped once. An empty sequence is not like any: 0.

    Args:
        a_ptr: Pointers of the first list, (A+1,).
        a: Sequences of the first list, flat, numbers from 0.
        b_ptr: Pointers of the second list, (B+1,).
        b: Sequences of the second list, flat.
    """
    left, right = _Longest(a_ptr, a), _Longest(b_ptr, b)
    table = np.zeros((len(left.sizes), len(right.sizes)), dtype=np.float32)
    room = max(1, _CELLS // max(right.longest, 1))
    width = max(1, min(_WIDTH, room, len(right.sizes)))
    height = max(1, min(_PAIRS, room) // width)
    total = max(len(left.sizes), 1) * max(len(right.sizes), 1)
    for across in range(0, len(right.sizes), width):
        for down in range(0, len(left.sizes), height):
            step("Comparing degree sequences", across * len(left.sizes) + down * width, total)
            rows, columns = slice(down, down + height), slice(across, across + width)
            cost = _warp(*left.part(rows), *right.part(columns))
            table[rows, columns] = 1 / (1 + cost)
    step("Comparing degree sequences", 1, 1)
    return np.asarray(table[left.number[:, None], right.number])


class _Longest:
    """The distinct sequences of a list, longest first.

    Args:
        ptr: Pointers of the list, (L+1,).
        values: Sequences of the list, flat.

    Attributes:
        sizes: Length of each distinct sequence, descending, (D,).
        number: The distinct sequence that each of the list is, (L,).
    """

    def __init__(self, ptr: Array, values: Array) -> None:
        label = _labels(ptr, values)
        _, first, number = np.unique(label, return_index=True, return_inverse=True)
        sizes = np.diff(ptr)[first]
        order = np.argsort(-sizes, kind="stable")
        self.sizes = sizes[order]
        self.number = np.argsort(order)[number]
        self._starts, self._values = ptr[:-1][first][order], values

    @property
    def longest(self) -> int:
        """Length of the longest."""
        return int(self.sizes.max(initial=0))

    def part(self, rows: slice) -> tuple[Array, Array]:
        """Some sequences with 1 added, float64 (positions, sequences), and their lengths."""
        sizes, starts = self.sizes[rows], self._starts[rows]
        table = np.ones((int(sizes.max(initial=0)), len(sizes)))
        owner, place = owners(pointers(sizes)), ranges(np.zeros(len(sizes), np.int64), sizes)
        table[place, owner] += self._values[starts[owner] + place]
        return table, sizes


def _labels(ptr: Array, values: Array) -> Array:
    """A number for each sequence, the same for equal ones: int64 (L,).

    Position by position, sequences with the same beginning share a number. Numbers of different
    lengths differ.
    """
    sizes = np.diff(ptr)
    order = np.argsort(-sizes, kind="stable")
    label = np.zeros(len(sizes), dtype=np.int64)
    used, stride = 1, int(values.max(initial=0)) + 1
    lasting = np.searchsorted(-sizes[order], -np.arange(1, sizes.max(initial=0) + 1), "right")
    for position, count in enumerate(lasting):
        reaching = order[:count]
        keys = label[reaching] * stride + values[ptr[:-1][reaching] + position]
        kinds, which = np.unique(keys, return_inverse=True)
        label[reaching] = used + which
        used += len(kinds)
    return label


def _warp(a: Array, a_sizes: Array, b: Array, b_sizes: Array) -> Array:
    """The cost of warping each a onto each b: float64 (sequences of a, of b); inf for empty ones.

    One cell of the tables of all pairs at a time. Sequences are sorted by falling length, so those
    that reach a cell come first, and no padding is ever looked at.

    Args:
        a: Numbers above 0, (longest a, sequences of a).
        a_sizes: Their lengths, descending.
        b: Numbers above 0, (longest b, sequences of b).
        b_sizes: Their lengths, descending.
    """
    result = np.full((a.shape[1], b.shape[1]), np.inf)
    above = np.full((len(b) + 1, *result.shape), np.inf)  # one row of each table, and the next
    row, best = np.full_like(above, np.inf), np.empty_like(result)
    above[0] = 0  # where each warping starts, before both first degrees
    filled = np.arange(np.count_nonzero(b_sizes))
    reach = np.searchsorted(-b_sizes, -np.arange(1, len(b) + 1), "right")
    lasting = np.searchsorted(-a_sizes, -np.arange(1, len(a) + 2), "right")
    for i, high in enumerate(lasting[:-1]):
        x = a[i, :high, None]
        for j, wide in enumerate(reach):
            y, part = b[j, :wide], np.s_[:high, :wide]
            cell, lowest = row[j + 1][part], best[part]
            np.minimum(row[j][part], above[j][part], out=lowest)
            np.minimum(lowest, above[j + 1][part], out=lowest)
            lowest -= 1
            np.minimum(x, y, out=cell)
            np.divide(np.maximum(x, y), cell, out=cell)
            cell += lowest
        done = np.arange(lasting[i + 1], high)[:, None]  # these end with this row
        result[done, filled] = row[b_sizes[filled], done, filled]
        above, row = row, above
        row[0] = np.inf
    return result
