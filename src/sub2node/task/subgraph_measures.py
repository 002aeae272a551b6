"""Measures of every subgraph at once: size, edges, density, boundary, components, cores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ..base.ragged import Array, SparseMatrix, ranges

if TYPE_CHECKING:
    from .graph import Graph
    from .subgraphs import Subgraphs


@dataclass(frozen=True)
class Measures:
    """Per-subgraph measures, each (M,); the costly ones are computed on first use."""

    graph: Graph
    subgraphs: Subgraphs

    @cached_property
    def _internal(self) -> tuple[Array, Array]:
        return self.subgraphs.internal_edges(self.graph)

    @cached_property
    def inner_graph(self) -> SparseMatrix:
        """The disjoint union of all subgraphs, nodes numbered as in the flat member list."""
        (low, high), size = self._internal[1], len(self.subgraphs.nodes)
        ends = (np.concatenate([low, high]), np.concatenate([high, low]))
        ones = np.ones(len(ends[0]), dtype=np.int8)
        return sp.coo_array((ones, ends), shape=(size, size)).tocsr()

    @property
    def sizes(self) -> Array:
        """Nodes."""
        return self.subgraphs.sizes

    @property
    def edges(self) -> Array:
        """Internal edges."""
        return np.diff(self._internal[0])

    @property
    def density(self) -> Array:
        """Internal edges over pairs of nodes, 2e / (n(n-1)); 0 for a single node."""
        pairs = self.sizes * (self.sizes - 1) / 2
        return ratio(self.edges, pairs)

    @property
    def boundary(self) -> Array:
        """Edges of the graph with exactly one end in the subgraph."""
        degrees = self.graph.full_degrees[self.subgraphs.nodes]
        total = np.bincount(self.subgraphs.owner, degrees, minlength=len(self.subgraphs))
        inside = np.diff(self.subgraphs.induced_edges(self.graph)[0])
        return np.asarray(total.astype(np.int64) - 2 * inside)

    @property
    def cut_ratio(self) -> Array:
        """Boundary edges over pairs across the boundary, b / (n(N-n))."""
        pairs = self.sizes * (self.graph.full_size - self.sizes)
        return ratio(self.boundary, pairs)

    @property
    def components(self) -> Array:
        """Connected components."""
        count, label = connected_components(self.inner_graph, directed=False)
        first = np.zeros(count, dtype=np.int64)
        first[label] = self.subgraphs.owner  # a component lies in one subgraph: any member tells
        return np.bincount(first, minlength=len(self.subgraphs))

    @property
    def mean_core(self) -> Array:
        """Mean core number of the members within their own subgraph."""
        inner = self.inner_graph
        cores = core_numbers(inner.indptr, inner.indices)
        total = np.bincount(self.subgraphs.owner, cores, minlength=len(self.subgraphs))
        return ratio(total, self.sizes)

    @property
    def degree_moments(self) -> tuple[Array, Array]:
        """Mean and standard deviation of the members' degrees in the graph."""
        return self._moments(self.graph.full_degrees[self.subgraphs.nodes])

    @property
    def inner_degree_moments(self) -> tuple[Array, Array]:
        """Mean and standard deviation of the members' degrees within their own subgraph."""
        return self._moments(np.diff(self.inner_graph.indptr))

    def _moments(self, values: Array) -> tuple[Array, Array]:
        owner, count = self.subgraphs.owner, len(self.subgraphs)
        mean = ratio(np.bincount(owner, values, minlength=count), self.sizes)
        square = np.bincount(owner, (values - mean[owner]) ** 2, minlength=count)
        return mean, np.sqrt(ratio(square, self.sizes))


def ratio(above: Array, below: Array) -> Array:
    """above / below, and 0 where below is 0."""
    return np.asarray(np.divide(above, below, out=np.zeros(len(below)), where=below > 0))


def measure(graph: Graph, subgraphs: Subgraphs) -> Measures:
    """Measures of these subgraphs of this graph, in their order."""
    return Measures(graph, subgraphs)


def core_numbers(indptr: Array, indices: Array) -> Array:
    """The largest k for which each node is in the k-core: int64 (N,).

    Peels all nodes of degree at most k together, round by round; each edge is visited twice.
    """
    row_sizes = np.diff(indptr).astype(np.int64)
    degrees = row_sizes.copy()
    cores = np.zeros(len(degrees), dtype=np.int64)
    alive = np.ones(len(degrees), dtype=bool)
    k = 0
    while (left := np.flatnonzero(alive)).size:
        k = max(k, int(degrees[left].min()))
        peel = left[degrees[left] <= k]
        while peel.size:
            cores[peel], alive[peel] = k, False
            neighbours = indices[ranges(indptr[peel], row_sizes[peel])]
            neighbours, lost = np.unique(neighbours[alive[neighbours]], return_counts=True)
            degrees[neighbours] -= lost
            peel = neighbours[degrees[neighbours] <= k]
    return cores
