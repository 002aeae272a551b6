"""A trained network asked about new subgraphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..nn.networks import S2N, Connected, Network, Stage
from ..ragged import blocks
from ..task import SubgraphTask
from .known import Joined, Known
from .links import Links, rings, whole_graph

_ROWS = 1 << 14  # of new subgraphs and known ones beside them that are answered together


@dataclass(frozen=True, eq=False)
class Gates:
    """How far members and links take part, 0…1; for explanations.

    Args:
        members: One a member of the new subgraphs.
        links: One a link.
        inputs: One a new subgraph, for what is known besides its nodes; (K, 1).
    """

    members: Tensor
    links: Tensor
    inputs: Tensor


@dataclass(frozen=True, eq=False)
class Pass:
    """A network with what it remembers.

    Args:
        network: Trained, in evaluation mode.
        known: The known subgraphs.
    """

    network: Network
    known: Known

    @cached_property
    def _table(self) -> Tensor:
        """Vectors of all nodes, (R, N, F); of ``connected``, after its encoder."""
        with torch.no_grad():
            table: Tensor = self.network.table()
            if not isinstance(self.network, Connected):
                return table if table.stride(0) == 0 else table.contiguous()
            from ..nn.adjacency import Adjacency

            graph = self.known.graph
            matrix = graph.adjacency(loops=True)
            whole = Adjacency.from_csr(matrix, weighted=graph.weights is not None)
            return self.network.encoder(table, whole)[1]  # type: ignore[no-any-return]

    def read(self, stage: Stage, gates: Gates | None = None) -> tuple[Tensor, Tensor | None]:
        """Readouts (R, m, F) of subgraphs, and what is added to them for their statistics."""
        network, x, members = self.network, self._table, stage.members
        given = None if gates is None else gates.members
        if stage.positions is not None:
            x = stage.positions.aggregate(x, given)
            inner = network.inner if isinstance(network, S2N) else network.encoder
            x = inner(x, stage.nodes)[1]  # type: ignore[operator,misc]
        if given is not None:
            weights = given if members.weights is None else given * members.weights
            members = replace(members, weights=weights)
        extra = None
        if network.known is not None:
            extra = network.known(stage.inputs)
            extra = extra if gates is None else extra * gates.inputs
        return network.readout(x, members), extra

    @cached_property
    def _own(self) -> tuple[Tensor, Tensor | None]:
        """Of the known subgraphs."""
        with torch.no_grad():
            return self.read(self.known.own_stage)

    @cached_property
    def _entered(self) -> Tensor:
        """Of the known subgraphs, as they enter the first layer; (R, n, F)."""
        assert isinstance(self.network, S2N)
        with torch.no_grad():
            return self.network.outer.enter(_sum(*self._own))

    @cached_property
    def _base(self) -> Tensor | None:
        assert isinstance(self.network, S2N)
        layers = self.network.outer.layers
        if len(layers) != 2:
            return None
        with torch.no_grad():
            return self.known.outer.base(self._entered, self._kind)

    @property
    def _kind(self) -> Any:
        """Which messages the convolutions on the S2N graph hear."""
        return self.network.outer.layers[0].conv.hears  # type: ignore[union-attr,index]

    @cached_property
    def by_rings(self) -> bool:
        """Whether neighbourhoods are enough, and told from the rest of the graph."""
        if not isinstance(self.network, S2N) or self.known.by_degree:
            return False
        layers = self.network.outer.layers
        plain = all(hasattr(layer.conv, "hears") for layer in layers)
        return len(layers) <= 2 and plain

    @torch.no_grad()
    def vectors(self) -> Tensor:
        """Of the known subgraphs in their own graph; (R, n, F)."""
        x = _sum(*self._own)
        if not isinstance(self.network, S2N):
            return x
        entered, encoded = self.network.outer(x, self.known.outer.adjacency)
        return entered + encoded  # type: ignore[no-any-return]

    @torch.no_grad()
    def answer(
        self, task: SubgraphTask, joined: Joined | None, *, joint: bool
    ) -> tuple[Tensor, Tensor]:
        """Vectors (R, K, F) and logits (R, K, C) of new subgraphs."""
        stage = self.known.stage(task, None if joined is None else joined.degrees)
        read, extra = self.read(stage)
        x = _sum(read, extra)
        if joined is not None:
            parts = [
                self.outward(x[:, first:last], joined, first, last, joint=joint)
                for first, last in self._pieces(joined.links, joint=joint)
            ]
            x = torch.cat(parts, dim=1) if parts else x.new_zeros(*x.shape[:2], self._width)
        return x, self.network.head(x)

    @property
    def _width(self) -> int:
        return int(self.network.head.weight.shape[1])

    def _pieces(self, links: Links, *, joint: bool) -> Iterator[tuple[int, int]]:
        """New subgraphs that are answered together."""
        if joint:
            yield from [(0, len(links))] if len(links) else []
            return
        counts = np.diff(links.ptr) + 1
        if not self.by_rings:  # whole graphs
            counts = counts + len(self.known) + self.known.outer.matrix.nnz // 32
        yield from blocks(counts, _ROWS)

    def outward(
        self, x: Tensor, joined: Joined, first: int, last: int, *, joint: bool = False,
        links: Links | None = None, grad: bool = False,
    ) -> Tensor:  # fmt: skip
        """Vectors of some new subgraphs in the S2N graph, from what they enter with; (R, k, F).

        Args:
            x: What they enter with, (R, k, F').
            joined: How they lie there.
            first: Their first …
            last: … and the one after their last.
            joint: Whether all are in one graph, or each alone beside the known ones.
            links: Theirs with other weights than ``joined`` has.
            grad: Whether gradients will be asked for.
        """
        assert isinstance(self.network, S2N)
        outer, known, count = self.network.outer, self.known.outer, last - first
        links = joined.links.part(first, last) if links is None else links
        if self.by_rings and not joint:
            if not len(outer.layers):
                return 2 * outer.enter(x)
            near = _sum(*self._own).index_select(1, torch.from_numpy(links.nodes))
            made = rings(known, links, self._kind, len(outer.layers), self._base, grad=grad)
            entered, encoded = outer.inward(torch.cat([x, near], dim=1), made)
            return entered + encoded
        block = np.zeros(count, np.int64) if joint else np.arange(count)
        graph = whole_graph(known, links, joined.among[first:last, first:last], block)
        x = torch.cat([x, self._copies(joined, first, last, joint=joint)], dim=1)
        entered, encoded = outer(x, graph)
        return entered[:, :count] + encoded[:, :count]  # type: ignore[no-any-return]

    def _copies(self, joined: Joined, first: int, last: int, *, joint: bool) -> Tensor:
        """What known subgraphs enter with, one copy a block; (R, blocks · n, F')."""
        read, extra = self._own
        copies = 1 if joint else last - first
        scale = self.known.shrunk(joined, first, last, joint=joint)
        many = read.repeat(1, copies, 1)
        if scale is not None:
            many = many * scale.reshape(-1, 1)
        return many if extra is None else many + extra.repeat(1, copies, 1)


def _sum(read: Tensor, extra: Tensor | None) -> Tensor:
    return read if extra is None else read + extra
