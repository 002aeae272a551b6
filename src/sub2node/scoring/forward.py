"""The forward pass of a trained network for new subgraphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from ..base.ragged import blocks
from ..nn.adjacency import Kind
from ..nn.networks import S2N, Connected, Network, Stage
from .placed_query import PlacedQuery
from .query_links import NeighborMatrix, QueryLinks, build_rings, build_whole_graph
from .reference_set import KnownSubgraphs, QueryAttachment

_ROWS = 1 << 14  # new subgraphs and their known neighbours that are computed together


@dataclass(frozen=True, eq=False)
class Gates:
    """How far members and links take part, 0…1; for explanations.

    Args:
        members: One gate per member of the new subgraphs.
        links: One gate per link.
        inputs: One gate per new subgraph, for its statistics; (K, 1).
        excluded: One gate per excluded node.
    """

    members: Tensor
    links: Tensor
    inputs: Tensor
    excluded: Tensor


@dataclass(frozen=True, eq=False)
class ForwardPass:
    """A network with the known subgraphs, whose vectors are computed once.

    Args:
        network: The trained network, in evaluation mode.
        known_subgraphs: The subgraphs that new ones are joined to.
    """

    network: Network
    known_subgraphs: KnownSubgraphs

    @cached_property
    def _table(self) -> Tensor:
        """Vectors of all nodes, (R, N, F); of ``connected``, after its encoder."""
        with torch.no_grad():
            table: Tensor = self.network.table()
            if not isinstance(self.network, Connected):
                return table if table.stride(0) == 0 else table.contiguous()
            from ..nn.adjacency import Adjacency

            graph = self.known_subgraphs.graph
            matrix = graph.adjacency(loops=True)
            adjacency = Adjacency.from_csr(matrix, weighted=graph.weights is not None)
            return self.network.encoder(table, adjacency)[1]  # type: ignore[no-any-return]

    def read(self, stage: Stage, gates: Gates | None = None) -> tuple[Tensor, Tensor | None]:
        """Readouts (R, m, F) of subgraphs, and what statistics and excluded nodes add to them."""
        network, nodes, members = self.network, self._table, stage.members
        member_gates = None if gates is None else gates.members
        x = nodes
        if stage.positions is not None:
            x = stage.positions.aggregate(x, member_gates)
            inner = network.inner if isinstance(network, S2N) else network.encoder
            x = inner(x, stage.nodes)[1]  # type: ignore[operator,misc]
        extra_gates = None if gates is None else (gates.inputs, gates.excluded)
        extra = network.read_extra(nodes, stage, extra_gates)
        return network.readout(x, members.gated(member_gates)), extra

    def enter(self, stage: Stage, gates: Gates | None = None) -> Tensor:
        """Vectors with which subgraphs enter the S2N graph; (R, m, F)."""
        return _add_extra(*self.read(stage, gates))

    @cached_property
    def _known_readouts(self) -> tuple[Tensor, Tensor | None]:
        """Readouts of the known subgraphs, and what is added to them."""
        with torch.no_grad():
            return self.read(self.known_subgraphs.own_stage())

    @cached_property
    def _known_sums(self) -> Tensor:
        """Vectors with which the known subgraphs enter the S2N graph; (R, n, F)."""
        return _add_extra(*self._known_readouts)

    @cached_property
    def _entered(self) -> Tensor:
        """Vectors with which the known subgraphs enter the first layer; (R, n, F)."""
        assert isinstance(self.network, S2N)
        with torch.no_grad():
            return self.network.outer.enter(self._known_sums)

    @cached_property
    def _base(self) -> Tensor | None:
        assert isinstance(self.network, S2N)
        layers = self.network.outer.layers
        if len(layers) != 2:
            return None
        with torch.no_grad():
            return self.known_subgraphs.outer.base(self._entered, self._kind)

    @property
    def _kind(self) -> Kind:
        """Which messages the convolutions on the S2N graph receive."""
        return self.network.outer.layers[0].conv.edge_weighting  # type: ignore[union-attr,index,no-any-return]

    @cached_property
    def by_rings(self) -> bool:
        """Whether the neighbourhoods of new subgraphs suffice, without the rest of the graph."""
        if not isinstance(self.network, S2N) or self.known_subgraphs.by_degree:
            return False
        layers = self.network.outer.layers
        plain = all(hasattr(layer.conv, "edge_weighting") for layer in layers)
        return len(layers) <= 2 and plain

    @property
    def reads_neighbor_edges(self) -> bool:
        """Whether edges between known neighbours of a new subgraph matter to its answer."""
        assert isinstance(self.network, S2N)
        return self.by_rings and len(self.network.outer.layers) == 2 and self._kind == "normalized"

    @torch.no_grad()
    def known_vectors(self) -> Tensor:
        """Vectors of the known subgraphs in their own graph; (R, n, F)."""
        x = self._known_sums
        if not isinstance(self.network, S2N):
            return x
        entered, encoded = self.network.outer(x, self.known_subgraphs.outer.adjacency)
        return entered + encoded  # type: ignore[no-any-return]

    @torch.no_grad()
    def answer(self, placed: PlacedQuery) -> tuple[Tensor, Tensor]:
        """Vectors (R, K, F) and logits (R, K, C) of new subgraphs."""
        attachment, joint = placed.attachment, placed.joint
        x = self.enter(placed.stage)
        if attachment is not None:
            pieces = list(self._split_rows(attachment.links, joint=joint))
            single = len(pieces) == 1 and not joint and self.reads_neighbor_edges
            neighbors = self._neighbors_of(placed) if single else None
            parts = [
                self.embed(
                    x[:, first:last],
                    attachment,
                    rows=(first, last),
                    joint=joint,
                    neighbors=neighbors,
                )
                for first, last in pieces
            ]
            x = torch.cat(parts, dim=1) if parts else x.new_zeros(*x.shape[:2], self._width)
        return x, self.network.head(x)

    def _neighbors_of(self, placed: PlacedQuery) -> NeighborMatrix:
        assert placed.attachment is not None
        known, links = self.known_subgraphs.outer, placed.attachment.links
        return known.neighbor_matrix(links, placed.neighbor_edges, grad=False)

    @property
    def _width(self) -> int:
        return int(self.network.head.weight.shape[1])

    def _split_rows(self, links: QueryLinks, *, joint: bool) -> Iterator[tuple[int, int]]:
        """Ranges of new subgraphs that are computed together."""
        if joint:
            yield from [(0, len(links))] if len(links) else []
            return
        counts = np.diff(links.ptr) + 1
        if not self.by_rings:  # whole graphs
            counts = (
                counts + len(self.known_subgraphs) + self.known_subgraphs.outer.matrix.nnz // 32
            )
        yield from blocks(counts, _ROWS)

    def embed(
        self,
        x: Tensor,
        attachment: QueryAttachment,
        *,
        rows: tuple[int, int] | None = None,
        joint: bool = False,
        links: QueryLinks | None = None,
        neighbors: NeighborMatrix | None = None,
        grad: bool = False,
    ) -> Tensor:
        """Vectors of new subgraphs in the S2N graph, from those they enter with; (R, k, F).

        Args:
            x: Vectors with which they enter, (R, k, F').
            attachment: How all subgraphs of the query are joined to the known ones.
            rows: The first of those in ``x`` and the one after their last, by default all.
            joint: Whether all are in one graph, or each alone beside the known ones.
            links: Their links, where the weights are not those of ``attachment``.
            neighbors: Weights among known neighbours of the same subgraph, if computed before.
            grad: Whether gradients will be needed.
        """
        assert isinstance(self.network, S2N)
        first, last = rows or (0, len(attachment.links))
        outer, known_graph, count = self.network.outer, self.known_subgraphs.outer, last - first
        links = attachment.links.part(first, last) if links is None else links
        if self.by_rings and not joint:
            if not len(outer.layers):
                return 2 * outer.enter(x)
            near = self._known_sums.index_select(1, torch.from_numpy(links.nodes))
            layers = build_rings(
                known_graph,
                links,
                kind=self._kind,
                layers=len(outer.layers),
                base=self._base,
                neighbors=neighbors,
                grad=grad,
            )
            entered, encoded = outer.inward(torch.cat([x, near], dim=1), layers)
            return entered + encoded
        block = np.zeros(count, np.int64) if joint else np.arange(count)
        among = attachment.among[first:last, first:last]
        graph = build_whole_graph(known_graph, links, among=among, blocks=block)
        x = torch.cat([x, self._known_copies(attachment, first, last, joint=joint)], dim=1)
        entered, encoded = outer(x, graph)
        return entered[:, :count] + encoded[:, :count]  # type: ignore[no-any-return]

    def _known_copies(
        self, attachment: QueryAttachment, first: int, last: int, *, joint: bool
    ) -> Tensor:
        """Vectors with which known subgraphs enter, one copy per block; (R, blocks · n, F')."""
        readouts, extra = self._known_readouts
        copies = 1 if joint else last - first
        scale = self.known_subgraphs.readout_scale(attachment, first, last, joint=joint)
        vectors = readouts.repeat(1, copies, 1)
        if scale is not None:
            vectors = vectors * scale.reshape(-1, 1)
        return vectors if extra is None else vectors + extra.repeat(1, copies, 1)


def _add_extra(readouts: Tensor, extra: Tensor | None) -> Tensor:
    return readouts if extra is None else readouts + extra
