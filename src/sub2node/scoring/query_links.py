"""Links between new subgraphs and known ones: what of the S2N graph their answers depend on.

A new subgraph q is joined to known ones j by weights a_qj. A layer that answers for q reads its
neighbours, and the layer before it answers for those too, in a graph that has q: their degrees and
sums differ from those without q. Only that difference is computed, so a new subgraph costs no more
than its neighbourhood, and the answer is that of the whole graph with q in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from ..base.ragged import Array, SparseMatrix, index_dtype, owners
from ..nn.adjacency import Adjacency, Kind
from ..nn.ring_adjacency import Ring, Within
from ..ops.pattern import Pattern
from ..task.induced_edges import edges_inside, uphill_entries, uphill_rows


@dataclass(frozen=True, eq=False)
class KnownGraph:
    """The normalised S2N graph of the known subgraphs.

    Args:
        matrix: Â, CSR (n, n), symmetric.
    """

    matrix: SparseMatrix

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    @cached_property
    def adjacency(self) -> Adjacency:
        """The graph in the form that convolutions read."""
        return Adjacency.from_csr(self.matrix)

    @cached_property
    def loops(self) -> Tensor:
        """Weights of self-loops, 1 where there is none, as GCN fills them; (n,)."""
        return _fill_loops(torch.from_numpy(self.matrix.diagonal()))

    @cached_property
    def degrees(self) -> Tensor:
        """Sum of the weights of each row, its filled self-loop included; (n,)."""
        plain = torch.from_numpy(np.asarray(self.matrix.sum(axis=1)).ravel())
        return plain - torch.from_numpy(self.matrix.diagonal()) + self.loops

    @cached_property
    def counts(self) -> Tensor:
        """Number of entries of each row; (n,)."""
        return torch.from_numpy(np.diff(self.matrix.indptr).astype(np.float32))

    @cached_property
    def _uphill(self) -> tuple[Array, Array, Tensor]:
        """Edges between different subgraphs, each once: row pointers, columns and weights."""
        entries = self.matrix.tocoo()
        apart = entries.row != entries.col
        ends = (entries.row[apart], entries.col[apart])
        off = sp.coo_array((entries.data[apart], ends), shape=self.matrix.shape).tocsr()
        up = uphill_entries(off.indptr, off.indices)
        return uphill_rows(off.indptr, up), off.indices[up], torch.from_numpy(off.data[up])

    def neighbor_edges(self, links: QueryLinks) -> NeighborEdges:
        """Edges between known neighbours of the same new subgraph."""
        indptr, indices, weights = self._uphill
        blocks = list(
            edges_inside(
                links.ptr,
                links.nodes,
                owner=links.owner,
                uphill=(indptr, indices),
                num_nodes=len(self),
            )
        )
        if not blocks:
            empty = np.empty(0, np.int64)
            return NeighborEdges(empty, empty, weights[:0])
        first, second, edges = (np.concatenate(part) for part in zip(*blocks, strict=True))
        return NeighborEdges(first, second, weights[torch.from_numpy(edges)])

    def neighbor_matrix(
        self, links: QueryLinks, edges: NeighborEdges | None = None, *, grad: bool
    ) -> NeighborMatrix:
        """Weights among known neighbours of the same new subgraph, and of their self-loops.

        Args:
            links: Links of the new subgraphs.
            edges: What :meth:`neighbor_edges` gives for them, if computed before.
            grad: Whether gradients will be needed.
        """
        first, second, weights = self.neighbor_edges(links) if edges is None else edges
        loops = self.loops[torch.from_numpy(links.nodes)]
        size = len(loops)
        diagonal = np.arange(size)
        ends = (
            np.concatenate([diagonal, first, second]),
            np.concatenate([diagonal, second, first]),
        )
        data = torch.cat([loops, weights, weights]).numpy()
        matrix = sp.coo_array((data, ends), shape=(size, size)).tocsr()
        lists = matrix.indptr, matrix.indices
        pattern = Pattern.from_csr(*lists, size) if grad else Pattern.one_way(*lists)
        return NeighborMatrix(pattern, torch.from_numpy(matrix.data))

    def base(self, x: Tensor, kind: Kind) -> Tensor:
        """Sum of messages from known subgraphs to each known one, not normalised; (R, n, F)."""
        graph = self.adjacency
        if kind != "normalized":
            return graph.pattern.aggregate(x, graph.weights)
        values = graph.weights.index_copy(0, graph.diagonal, self.loops)
        values = values * self.degrees.rsqrt()[graph.pattern.index]
        return graph.pattern.aggregate(x, values)


class NeighborEdges(NamedTuple):
    """Edges between known neighbours of the same new subgraph.

    Args:
        first: The link to one end of each edge; (P,).
        second: The link to its other end; (P,).
        weights: Weights of the edges; (P,).
    """

    first: Array
    second: Array
    weights: Tensor


class NeighborMatrix(NamedTuple):
    """Weights among known neighbours of the same new subgraph, loops included; links × links.

    Args:
        pattern: Where they are.
        weights: One per entry of the pattern.
    """

    pattern: Pattern
    weights: Tensor

    def repeated(self, count: int) -> NeighborMatrix:
        """That of so many copies of the new subgraphs."""
        return NeighborMatrix(self.pattern.repeated(count), self.weights.repeat(count))


def _fill_loops(loops: Tensor) -> Tensor:
    return torch.where(loops > 0, loops, torch.ones_like(loops))


@dataclass(frozen=True, eq=False)
class QueryLinks:
    """Weights of K new subgraphs with known ones, and with themselves.

    Args:
        ptr: New subgraph q has the links ``ptr[q]…ptr[q + 1]``; (K+1,).
        nodes: The known subgraph of each link, ascending within a new one; (E,).
        weights: Weights a_qj of the links; (E,).
        own: Weights a_qq of the self-loops, 0 for none; (K,).
    """

    ptr: Array
    nodes: Array
    weights: Tensor
    own: Tensor

    @classmethod
    def of(cls, known_rows: SparseMatrix, new_rows: SparseMatrix) -> QueryLinks:
        """Links from normalised rows: CSR (K, n), and CSR (K, K), of which the diagonal counts."""
        known_rows = known_rows.sorted_indices()
        ptr, nodes = (part.astype(np.int64) for part in (known_rows.indptr, known_rows.indices))
        parts = (known_rows.data.astype(np.float32), new_rows.diagonal().astype(np.float32))
        return cls(ptr, nodes, *map(torch.from_numpy, parts))

    def __len__(self) -> int:
        return len(self.own)

    @cached_property
    def owner(self) -> Array:
        """The new subgraph of each link; (E,)."""
        return owners(self.ptr)

    def part(self, first: int, last: int) -> QueryLinks:
        """The links of new subgraphs ``first`` up to ``last``."""
        ptr = self.ptr[first : last + 1]
        flat = slice(int(ptr[0]), int(ptr[-1]))
        return QueryLinks(ptr - ptr[0], self.nodes[flat], self.weights[flat], self.own[first:last])


def build_rings(
    known_graph: KnownGraph,
    links: QueryLinks,
    *,
    kind: Kind,
    layers: int,
    base: Tensor | None,
    neighbors: NeighborMatrix | None = None,
    grad: bool,
) -> list[Ring]:
    """The neighbourhoods that the layers of a network with one or two layers read.

    The rows that enter are the K new subgraphs, then one per link: its known subgraph.

    Args:
        known_graph: The graph of the known subgraphs.
        links: Links of the new subgraphs.
        kind: Which messages the convolution receives.
        layers: Number of layers, 1 or 2.
        base: What :meth:`KnownGraph.base` gives for what enters; needed for two layers.
        neighbors: What :meth:`KnownGraph.neighbor_matrix` gives for these links, if computed
            before.
        grad: Whether gradients will be needed.
    """
    last_pattern, first_pattern = _ring_patterns(links)
    scales = _MessageScales.of(known_graph, links, kind)
    values = torch.cat([scales.own, scales.inward])[last_pattern.index]
    last = Ring(last_pattern, values)
    if layers == 1:
        return [last]
    assert base is not None
    rest = base.index_select(1, torch.from_numpy(links.nodes)) * scales.rest.unsqueeze(-1)
    within = None
    if kind == "normalized":
        matrix = neighbors or known_graph.neighbor_matrix(links, grad=grad)
        within = Within(*matrix, scales.after - scales.before, scales.after)
    return [Ring(first_pattern, torch.cat([values, scales.outward]), rest, within), last]


def _ring_patterns(links: QueryLinks) -> tuple[Pattern, Pattern]:
    """What the last layer reads, and the first of two; columns are new ones, then links.

    The last answers for the new ones: a row is itself, then its links. The first answers for the
    neighbours too, to which the new one sends messages; it is symmetric. Both are stars, so nothing
    has to be sorted.
    """
    count, total = len(links), len(links) + len(links.nodes)
    own = links.ptr[:-1] + np.arange(count)  # entries of the last layer: of the new ones themselves
    others = np.delete(np.arange(total), own)  # and of their links
    index, order = np.empty(total, np.int64), np.empty(2 * total - count, np.int64)
    index[own], index[others] = np.arange(count), np.arange(count, total)
    order[own], order[others], order[total:] = own, total + np.arange(total - count), others
    ptr = links.ptr + np.arange(count + 1)
    row = owners(ptr)
    dtype = index_dtype(len(order), total)
    last = (ptr, index, row, np.arange(total + 1), row[np.concatenate([own, others])])
    first = (
        np.concatenate([ptr, total + 1 + np.arange(total - count)]),
        np.concatenate([index, links.owner]),
        np.concatenate([row, np.arange(count, total)]),
    )
    last_order = np.concatenate([own, others])
    first_ptr, first_index, first_row = (torch.from_numpy(part.astype(dtype)) for part in first)
    back_order = torch.from_numpy(order.astype(dtype))
    return (
        Pattern(*(torch.from_numpy(part.astype(dtype)) for part in (*last, last_order))),
        Pattern(first_ptr, first_index, first_row, first_ptr, first_index, back_order),
    )


@dataclass(frozen=True, eq=False)
class _MessageScales:
    """Factors of messages between a new subgraph, itself and its neighbours.

    Args:
        own: Factors from a new subgraph to itself; (K,).
        inward: Factors from each neighbour to the new one; (E,).
        outward: Factors from the new one to each neighbour; (E,).
        rest: Factors of the sum over known subgraphs; (E,).
        before: D^-½ of the neighbours in the known graph; (E,).
        after: D^-½ of the neighbours in the graph with the new one; (E,).
    """

    own: Tensor
    inward: Tensor
    outward: Tensor
    rest: Tensor
    before: Tensor
    after: Tensor

    @classmethod
    def of(cls, known_graph: KnownGraph, links: QueryLinks, kind: Kind) -> _MessageScales:
        """The factors for the kind of messages that a convolution receives."""
        nodes, owner = torch.from_numpy(links.nodes), torch.from_numpy(links.owner)
        a, ones = links.weights, torch.ones_like(links.weights)
        if kind == "weighted":
            return cls(links.own, a, a, ones, ones, ones)
        if kind == "mean":
            entries = torch.from_numpy(np.diff(links.ptr)) + (links.own != 0)
            entries, known_entries = entries.clamp(min=1).float(), known_graph.counts[nodes] + 1
            inward, outward = a / entries[owner], a / known_entries
            return cls(links.own / entries, inward, outward, 1 / known_entries, ones, ones)
        loops = _fill_loops(links.own)
        sums = torch.zeros_like(loops).index_add(0, owner, a) + loops
        own = sums.rsqrt()
        degrees = known_graph.degrees[nodes]
        before, after = degrees.rsqrt(), (degrees + a).rsqrt()
        symmetric = a * own[owner] * after
        return cls(loops * own * own, symmetric, symmetric, after, before, after)


def build_whole_graph(
    known_graph: KnownGraph, links: QueryLinks, *, among: SparseMatrix, blocks: Array
) -> Adjacency:
    """New subgraphs and whole copies of the known graph, one per block, in one graph.

    Args:
        known_graph: The graph of the known subgraphs.
        links: Links of the new subgraphs.
        among: Normalised weights between new ones, CSR (K, K); only those within a block.
        blocks: The block of each new subgraph, ascending from 0; (K,).

    Returns:
        A graph of the K new subgraphs, then the n known ones of each block.
    """
    count, size = len(links), len(known_graph)
    copies = int(blocks.max(initial=-1)) + 1
    inner, between = known_graph.matrix.tocoo(), among.tocoo()
    apart, off = between.row != between.col, inner.row != inner.col
    tile = count + size * np.repeat(np.arange(copies), off.sum())
    low, high = (np.tile(ends[off], copies) + tile for ends in (inner.row, inner.col))
    copied = count + blocks[links.owner] * size + links.nodes
    total = count + copies * size
    rows = [np.arange(total), low, links.owner, copied, between.row[apart]]
    columns = [np.arange(total), high, copied, links.owner, between.col[apart]]
    diagonal = torch.from_numpy(np.tile(known_graph.matrix.diagonal(), copies))
    values = [
        torch.cat([links.own, diagonal]),
        torch.from_numpy(np.tile(inner.data[off], copies)),
        links.weights,
        links.weights,
        torch.from_numpy(between.data[apart].astype(np.float32)),
    ]
    row, column = np.concatenate(rows), np.concatenate(columns)
    order = sp.coo_array((np.arange(len(row)), (row, column)), shape=(total, total)).tocsr()
    pattern = Pattern.from_csr(order.indptr, order.indices, total)
    place = np.empty(total, np.int64)
    place[owners(order.indptr)[order.data < total]] = np.flatnonzero(order.data < total)
    weights = torch.cat(values)[torch.from_numpy(order.data)]
    return Adjacency(pattern, torch.from_numpy(place), weights, True)
