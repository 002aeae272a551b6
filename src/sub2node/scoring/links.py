"""New subgraphs beside known ones: the part of the S2N graph that their answers depend on.

A new subgraph q is joined to known ones j by weights a_qj. A layer that answers for q reads its
neighbours, and the layer before it answers for those too, in a graph that has q: their degrees and
sums differ from the known ones. Only that difference is computed, so a new subgraph costs its own
neighbourhood and no more, and the answer is that of the whole graph with q in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from ..nn.adjacency import Adjacency, Kind
from ..nn.ring import Ring, Within
from ..pattern import Pattern
from ..ragged import Array, owners
from ..task.inside import edges_inside, uphill_entries, uphill_rows


@dataclass(frozen=True, eq=False)
class KnownGraph:
    """The normalised S2N graph of the known subgraphs.

    Args:
        matrix: Â, CSR (n, n), symmetric.
    """

    matrix: Any

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    @cached_property
    def adjacency(self) -> Adjacency:
        """As convolutions read it."""
        return Adjacency.from_csr(self.matrix)

    @cached_property
    def loops(self) -> Tensor:
        """Weights of self-loops, 1 where there is none, as GCN fills them; (n,)."""
        return _filled(torch.from_numpy(self.matrix.diagonal()))

    @cached_property
    def degrees(self) -> Tensor:
        """Weights of a row, its filled self-loop included; (n,)."""
        plain = torch.from_numpy(np.asarray(self.matrix.sum(axis=1)).ravel())
        return plain - torch.from_numpy(self.matrix.diagonal()) + self.loops

    @cached_property
    def counts(self) -> Tensor:
        """Entries of a row; (n,)."""
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

    def inside(self, links: Links) -> tuple[Array, Array, Tensor]:
        """Edges between neighbours of the same new subgraph: two links each, and their weights."""
        indptr, indices, weights = self._uphill
        found = list(
            edges_inside(links.ptr, links.nodes, links.owner, (indptr, indices), len(self))
        )
        if not found:
            none = np.empty(0, np.int64)
            return none, none, weights[:0]
        here, there, edges = (np.concatenate(part) for part in zip(*found, strict=True))
        return here, there, weights[torch.from_numpy(edges)]

    def base(self, x: Tensor, kind: Kind) -> Tensor:
        """What each known subgraph hears of the known ones, before it is divided; (R, n, F)."""
        graph = self.adjacency
        if kind != "normalized":
            return graph.pattern.aggregate(x, graph.weights)
        values = graph.weights.index_copy(0, graph.diagonal, self.loops)
        values = values * self.degrees.rsqrt()[graph.pattern.index]
        return graph.pattern.aggregate(x, values)


def _filled(loops: Tensor) -> Tensor:
    return torch.where(loops > 0, loops, torch.ones_like(loops))


@dataclass(frozen=True, eq=False)
class Links:
    """Weights of K new subgraphs with known ones, and with themselves.

    Args:
        ptr: New subgraph q has the links ``ptr[q]…ptr[q + 1]``; (K+1,).
        nodes: The known subgraph of each, ascending within a new one; (E,).
        weights: a_qj; (E,).
        own: a_qq, 0 for none; (K,).
    """

    ptr: Array
    nodes: Array
    weights: Tensor
    own: Tensor

    @classmethod
    def of(cls, known: Any, new: Any) -> Links:
        """From normalised rows: CSR (K, n), and CSR (K, K), of which the diagonal counts."""
        known = known.sorted_indices()
        ptr, nodes = (part.astype(np.int64) for part in (known.indptr, known.indices))
        parts = (known.data.astype(np.float32), new.diagonal().astype(np.float32))
        return cls(ptr, nodes, *map(torch.from_numpy, parts))

    def __len__(self) -> int:
        return len(self.own)

    @cached_property
    def owner(self) -> Array:
        """The new subgraph of each link; (E,)."""
        return owners(self.ptr)

    def part(self, first: int, last: int) -> Links:
        """Those of some new subgraphs."""
        ptr = self.ptr[first : last + 1]
        flat = slice(int(ptr[0]), int(ptr[-1]))
        return Links(ptr - ptr[0], self.nodes[flat], self.weights[flat], self.own[first:last])


def rings(
    known: KnownGraph, links: Links, kind: Kind, layers: int, base: Tensor | None, *, grad: bool
) -> list[Ring]:
    """What each layer of a network with one or two reads.

    The rows that enter are the K new subgraphs, then one a link: its known subgraph.

    Args:
        known: The graph of the known ones.
        links: Of the new ones.
        kind: Which weights the convolution hears.
        layers: How many there are.
        base: What :meth:`KnownGraph.base` gives for what enters; needed for two layers.
        grad: Whether gradients will be asked for.
    """
    make = Pattern.from_csr if grad else lambda ptr, index, _: Pattern.one_way(ptr, index)
    count, total = len(links), len(links) + len(links.nodes)
    ptr = links.ptr + np.arange(count + 1)  # a row: itself, then its links
    index = np.empty(total, np.int64)
    own = np.zeros(total, bool)
    own[ptr[:-1]] = True
    index[own], index[~own] = np.arange(count), np.arange(count, total)
    scaled = _Scaled.of(known, links, kind)
    values = torch.cat([scaled.own, scaled.inward])[torch.from_numpy(index)]
    last = Ring(make(ptr, index, total), values)
    if layers == 1:
        return [last]
    assert base is not None
    # The first of two layers answers for the neighbours too, which hear the new one besides.
    both = np.concatenate([ptr, ptr[-1] + 1 + np.arange(total - count)])
    pattern = make(both, np.concatenate([index, links.owner]), total)
    rest = base.index_select(1, torch.from_numpy(links.nodes)) * scaled.rest.unsqueeze(-1)
    within = _within(known, links, scaled, make) if kind == "normalized" else None
    return [Ring(pattern, torch.cat([values, scaled.outward]), rest, within), last]


def _within(known: KnownGraph, links: Links, scaled: _Scaled, make: Any) -> Within:
    """Neighbours of a new one have other degrees than before, and hear each other otherwise."""
    here, there, weights = known.inside(links)
    size = len(links.nodes)
    rows, columns = (
        np.concatenate(each) for each in ((np.arange(size), here, there),
                                          (np.arange(size), there, here))
    )  # fmt: skip
    data = torch.cat([known.loops[torch.from_numpy(links.nodes)], weights, weights]).numpy()
    matrix = sp.coo_array((data, (rows, columns)), shape=(size, size)).tocsr()
    pattern = make(matrix.indptr, matrix.indices, size)
    change = scaled.after - scaled.before
    return Within(pattern, torch.from_numpy(matrix.data), change, scaled.after)


@dataclass(frozen=True, eq=False)
class _Scaled:
    """Values of messages: to a new one from itself and its neighbours, to a neighbour from both.

    Args:
        own: (K,).
        inward: From each neighbour to the new one; (E,).
        outward: From the new one to each neighbour; (E,).
        rest: What the sum over known subgraphs is multiplied by; (E,).
        before: D^-½ of the neighbours in the known graph; (E,).
        after: In the graph with the new one; (E,).
    """

    own: Tensor
    inward: Tensor
    outward: Tensor
    rest: Tensor
    before: Tensor
    after: Tensor

    @classmethod
    def of(cls, known: KnownGraph, links: Links, kind: Kind) -> _Scaled:
        """By the kind of messages that a convolution hears."""
        nodes, owner = (torch.from_numpy(each) for each in (links.nodes, links.owner))
        a, one = links.weights, torch.ones_like(links.weights)
        if kind == "weighted":
            return cls(links.own, a, a, one, one, one)
        if kind == "mean":
            around = torch.from_numpy(np.diff(links.ptr)) + (links.own != 0)
            around, there = around.clamp(min=1).float(), known.counts[nodes] + 1
            return cls(links.own / around, a / around[owner], a / there, 1 / there, one, one)
        loops = _filled(links.own)
        sums = torch.zeros_like(loops).index_add(0, owner, a) + loops
        here = sums.rsqrt()
        before, after = known.degrees[nodes].rsqrt(), (known.degrees[nodes] + a).rsqrt()
        both = a * here[owner] * after
        return cls(loops * here * here, both, both, after, before, after)


def whole_graph(known: KnownGraph, links: Links, among: Any, blocks: Array) -> Adjacency:
    """New subgraphs and whole copies of the known graph, one a block, in one graph.

    Args:
        known: The graph of the known ones.
        links: Of the new ones.
        among: Normalised weights between new ones, CSR (K, K); only those within a block.
        blocks: The block of each new subgraph, ascending from 0; (K,).

    Returns:
        A graph of the K new subgraphs, then the n known ones of each block.
    """
    count, size = len(links), len(known)
    copies = int(blocks.max(initial=-1)) + 1
    inner, between = known.matrix.tocoo(), among.tocoo()
    apart, off = between.row != between.col, inner.row != inner.col
    tile = count + size * np.repeat(np.arange(copies), off.sum())
    low, high = (np.tile(ends[off], copies) + tile for ends in (inner.row, inner.col))
    there = count + blocks[links.owner] * size + links.nodes
    total = count + copies * size
    rows = [np.arange(total), low, links.owner, there, between.row[apart]]
    columns = [np.arange(total), high, there, links.owner, between.col[apart]]
    diagonal = torch.from_numpy(np.tile(known.matrix.diagonal(), copies))
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
