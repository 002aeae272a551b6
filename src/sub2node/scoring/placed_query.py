"""A query with its place beside the known subgraphs, computed once for answer and explanation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp
import torch

from ..base.ragged import pointers
from ..nn.adjacency import Adjacency
from ..nn.networks import Stage
from ..nn.readout import Members
from ..ops.pattern import Pattern
from ..task import SubgraphTask
from .query import Query
from .query_links import NeighborEdges, NeighborMatrix, QueryLinks
from .reference_set import KnownSubgraphs, QueryAttachment
from .scorer import PlacedSubgraphs


@dataclass(frozen=True, eq=False)
class PlacedQuery(PlacedSubgraphs):
    """A query and what a network reads of it; each part is computed when it is first needed.

    Args:
        query: The new subgraphs.
        known_subgraphs: The subgraphs that they are joined to.
        joint: Whether all are in one graph, or each is alone beside the known ones.
    """

    query: Query
    known_subgraphs: KnownSubgraphs
    joint: bool = False
    _tiled: dict[int, TiledQuery] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def task(self) -> SubgraphTask:
        """The subgraphs as a task without labels."""
        return SubgraphTask(self.known_subgraphs.graph, self.query.subgraphs)

    @cached_property
    def attachment(self) -> QueryAttachment | None:
        """How they are attached to the S2N graph; None where the network reads no such graph."""
        if not self.known_subgraphs.config.structure.translated:
            return None
        return self.known_subgraphs.attach(self.query.subgraphs, joint=self.joint)

    @cached_property
    def stage(self) -> Stage:
        """The subgraphs by themselves, with their internal edges where the network reads them."""
        degrees = None if self.attachment is None else self.attachment.degrees
        return self.known_subgraphs.stage(self.task, degrees)

    @cached_property
    def neighbor_edges(self) -> NeighborEdges | None:
        """Edges between known neighbours of the same subgraph."""
        if self.attachment is None:
            return None
        return self.known_subgraphs.outer.neighbor_edges(self.attachment.links)

    @cached_property
    def _neighbors(self) -> NeighborMatrix | None:
        """Weights among known neighbours, for gradients."""
        if self.attachment is None:
            return None
        outer, links = self.known_subgraphs.outer, self.attachment.links
        return outer.neighbor_matrix(links, self.neighbor_edges, grad=True)

    def tile(self, count: int, *, neighbors: bool) -> TiledQuery:
        """Independent copies of the one subgraph of the query.

        Args:
            count: Number of copies.
            neighbors: Whether weights among known neighbours are needed.
        """
        if count not in self._tiled:
            attachment, matrix = None, None
            if self.attachment is not None:
                attachment = _tile_attachment(self.attachment, count)
            if neighbors and self._neighbors is not None:
                matrix = self._neighbors.repeated(count)
            self._tiled[count] = TiledQuery(_tile_stage(self.stage, count), attachment, matrix)
        return self._tiled[count]


@dataclass(frozen=True, eq=False)
class TiledQuery:
    """Copies of one subgraph.

    Args:
        stage: The copies by themselves.
        attachment: How they are attached to the S2N graph.
        neighbors: Weights among known neighbours of the same copy.
    """

    stage: Stage
    attachment: QueryAttachment | None
    neighbors: NeighborMatrix | None


def _tile_attachment(attachment: QueryAttachment, count: int) -> QueryAttachment:
    links, changes = attachment.links, attachment.changes
    sizes = np.tile(np.diff(links.ptr), count)
    nodes, weights = np.tile(links.nodes, count), links.weights.repeat(count)
    return QueryAttachment(
        QueryLinks(pointers(sizes), nodes, weights, links.own.repeat(count)),
        sp.kron(sp.eye_array(count), attachment.among, format="csr"),
        np.tile(attachment.degrees, count),
        None if changes is None else sp.vstack([changes] * count, format="csr"),
    )


def _tile_stage(stage: Stage, count: int) -> Stage:
    inner, inputs, excluded = stage.positions is not None, stage.inputs, stage.excluded
    return Stage(
        _tile_members(stage.members, count, apart=inner),
        slice(0, count),
        None if stage.positions is None else _tile_pattern(stage.positions, count, apart=False),
        None if stage.nodes is None else _tile_graph(stage.nodes, count),
        inputs=None if inputs is None else inputs.repeat(count, 1),
        excluded=None if excluded is None else _tile_members(excluded, count, apart=False),
    )


def _tile_members(members: Members, count: int, *, apart: bool) -> Members:
    weights = members.weights
    return Members(
        _tile_pattern(members.pattern, count, apart=apart),
        None if weights is None else weights.repeat(count),
    )


def _tile_graph(graph: Adjacency, count: int) -> Adjacency:
    shift = torch.arange(count).repeat_interleave(len(graph.diagonal)) * len(graph.pattern.index)
    return replace(
        graph,
        pattern=graph.pattern.repeated(count),
        diagonal=graph.diagonal.repeat(count) + shift,
        weights=graph.weights.repeat(count),
    )


def _tile_pattern(pattern: Pattern, count: int, *, apart: bool) -> Pattern:
    """Copies of the rows, each with columns of its own (``apart``) or all with the same ones."""
    if apart:
        return pattern.repeated(count)
    sizes, index = np.diff(pattern.ptr.numpy()), pattern.index.numpy().astype(np.int64)
    columns = len(pattern.back_ptr) - 1
    return Pattern.from_csr(pointers(np.tile(sizes, count)), np.tile(index, count), columns)
