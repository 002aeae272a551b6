"""The networks of the structures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from ..config import Config, ConvolutionSettings
from ..ops.pattern import Pattern
from .adjacency import Adjacency
from .convolutions import MakeConvolution
from .custom_convolution import CustomConvolution
from .encoder import Encoder
from .layers import BatchNorm, Dropout, ReplicaLinear
from .node_table import VectorTable
from .partitions import StageParts, recomputed
from .readout import ExcludedReadout, Members, Readout, SubgraphInputs
from .streams import Init, Streams

# Graphs of an encoder's layers without dropped edges, where they are at hand.
Prepared = Sequence[Adjacency | None] | None


@dataclass(frozen=True, eq=False)
class Stage:
    """What a network reads to answer for one part of the subgraphs.

    Args:
        members: Subgraphs and their node vectors.
        scored: The subgraphs to give logits for.
        positions: Row of the node table of each member of a subgraph; None where
            node vectors are read from the table directly.
        nodes: The graph among node vectors: inside subgraphs, or the global one.
        subgraphs: The S2N graph.
        inputs: Features of the subgraphs of ``members`` besides their nodes; (m, F).
        excluded: The same subgraphs and the rows of the node table that are excluded from each.
        parts: The same subgraphs in partitions; None: the vectors of all are made at once.
    """

    members: Members
    scored: slice
    positions: Pattern | None = None
    nodes: Adjacency | None = None
    subgraphs: Adjacency | None = None
    inputs: Tensor | None = None
    excluded: Members | None = None
    parts: StageParts | None = None


@dataclass(frozen=True, eq=False)
class NetworkParts:
    """What the layers of a network are made of.

    Args:
        config: All settings.
        inputs: Width of the features of subgraphs besides their nodes.
        classes: Number of classes.
        make: Makes a convolution.
        weighted: Whether the edges of the global graph have weights.
        excluded: Whether subgraphs have excluded nodes.
        init: Draws the initial values.
        streams: Random numbers for dropout.
    """

    config: Config
    inputs: int
    classes: int
    make: MakeConvolution
    weighted: bool
    excluded: bool
    init: Init
    streams: Streams

    def encoder(
        self, width: int, layers: int, *, settings: ConvolutionSettings, weighted: bool
    ) -> Encoder:
        """Convolutions on vectors of this width."""
        return Encoder(
            width,
            layers,
            model=self.config.model,
            settings=settings,
            make=self.make,
            weighted=weighted,
            init=self.init,
            streams=self.streams,
        )


class Network(nn.Module, ABC):
    """Parts that all structures share: node table, readout and head.

    ``forward(stage)`` gives the vectors (R, m, F) and the logits (R, m, C) of the scored
    subgraphs.
    """

    def __init__(self, table: VectorTable, parts: NetworkParts) -> None:
        super().__init__()
        self.table, self.streams = table, parts.streams
        self.head = ReplicaLinear(parts.config.model.hidden, parts.classes, parts.init)

    def _add_readout(self, nodes: int, width: int, parts: NetworkParts) -> None:
        """Node vectors of this width and ``inputs`` numbers per subgraph → subgraph vectors.

        Args:
            nodes: Width of the vectors of excluded nodes.
            width: Width of the vectors of members, and of subgraphs.
            parts: What layers are made of.
        """
        kind, init = parts.config.model.readout, parts.init
        self.readout = Readout(kind if kind in ("max", "learned") else "constant", width, init)
        self.known = SubgraphInputs(parts.inputs, width, init) if parts.inputs else None
        self.excluded = ExcludedReadout(nodes, width, init) if parts.excluded else None

    def read_subgraphs(self, nodes: Tensor, stage: Stage, prepared: Prepared = None) -> Tensor:
        """Vectors of the subgraphs of a stage, (R, m, F), from those of nodes, (R, N, F)."""
        if stage.parts is None:
            return self._encode_members(nodes, stage, prepared)
        changing = [m for m in self.modules() if isinstance(m, BatchNorm | CustomConvolution)]
        buffers = [buffer for module in changing for buffer in module.buffers()]
        vectors = [
            recomputed(
                partial(self._encode_members, stage=part),
                nodes,
                parameters=list(self.parameters()),
                streams=self.streams,
                buffers=buffers,
            )
            for part in stage.parts.stages
        ]
        return torch.cat(vectors, dim=1).index_select(1, stage.parts.order)

    @abstractmethod
    def _encode_members(self, nodes: Tensor, stage: Stage, prepared: Prepared = None) -> Tensor:
        """The same for subgraphs that are all read at once."""

    def _read(self, x: Tensor, stage: Stage, nodes: Tensor) -> Tensor:
        """Vectors of the subgraphs of a stage, (R, m, F), from those of members and of nodes."""
        read: Tensor = self.readout(x, stage.members)
        extra = self.read_extra(nodes, stage)
        return read if extra is None else read + extra

    def read_extra(
        self, nodes: Tensor, stage: Stage, gates: tuple[Tensor, Tensor] | None = None
    ) -> Tensor | None:
        """What statistics and excluded nodes add to the readouts, (R, m, F); None: neither is read.

        Args:
            nodes: Vectors of the nodes, (R, N, F).
            stage: The subgraphs.
            gates: How far statistics, (m, 1), and excluded nodes, one number each, take part.
        """
        extra: Tensor | None = None
        if self.known is not None:
            assert stage.inputs is not None
            extra = self.known(stage.inputs)
            extra = extra if gates is None or extra is None else extra * gates[0]
        if self.excluded is not None and stage.excluded is not None:
            absent = self.excluded(nodes, stage.excluded.gated(None if gates is None else gates[1]))
            extra = absent if extra is None else extra + absent
        return extra

    @abstractmethod
    def forward(self, stage: Stage) -> tuple[Tensor, Tensor]:
        """Vectors (R, m, F) and logits (R, m, C)."""


class Separated(Network):
    """Each subgraph a graph of its own: table → encoder inside → readout → head."""

    def __init__(self, table: VectorTable, parts: NetworkParts) -> None:
        super().__init__(table, parts)
        model = parts.config.model
        self.encoder = parts.encoder(
            table.width, model.layers, settings=model.outer, weighted=parts.weighted
        )
        nodes = model.hidden if parts.config.structure == "connected" else table.width
        self._add_readout(nodes, model.hidden, parts)

    def forward(self, stage: Stage) -> tuple[Tensor, Tensor]:
        """Vectors (R, m, F) and logits (R, m, C)."""
        x = self.read_subgraphs(self.table(), stage)[:, stage.scored]
        return x, self.head(x)

    def _encode_members(self, nodes: Tensor, stage: Stage, prepared: Prepared = None) -> Tensor:
        assert stage.nodes is not None
        x = nodes if stage.positions is None else stage.positions.aggregate(nodes)
        _, x = self.encoder(x, stage.nodes, prepared)
        # Excluded nodes of the global graph are encoded, as members are.
        return self._read(x, stage, x if stage.positions is None else nodes)


class Connected(Separated):
    """The global graph: table of all nodes → encoder → readout of each subgraph → head."""


class S2N(Network):
    """Each subgraph a node (equations 4 and 5).

    Table → encoder inside each subgraph (+A) or nothing (+0) → readout x̂ → encoder on the S2N
    graph g → x̂ + g(x̂) → dropout → head.
    """

    def __init__(self, table: VectorTable, parts: NetworkParts) -> None:
        super().__init__(table, parts)
        model, width = parts.config.model, table.width
        self.inner: Encoder | None = None
        if parts.config.structure.inner:
            self.inner = parts.encoder(
                width, model.inner_layers, settings=model.inner, weighted=parts.weighted
            )
            width = model.hidden
        self._add_readout(table.width, width, parts)
        self.outer = parts.encoder(width, model.layers, settings=model.outer, weighted=True)
        self.dropout = Dropout(model.dropout, parts.streams)

    def forward(self, stage: Stage) -> tuple[Tensor, Tensor]:
        """Vectors (R, m, F) and logits (R, m, C)."""
        assert stage.subgraphs is not None
        around: Prepared = None
        if self.inner is not None and stage.parts is None:
            assert stage.nodes is not None
            around = self.inner.prepare(stage.nodes)
        outside = self.outer.prepare(stage.subgraphs)
        x = self.read_subgraphs(self.table(), stage, around)
        entered, encoded = self.outer(x, stage.subgraphs, outside)
        x = entered + encoded
        if stage.scored != slice(0, x.shape[1]):
            x = x[:, stage.scored]
        return x, self.head(self.dropout(x))

    def _encode_members(self, nodes: Tensor, stage: Stage, prepared: Prepared = None) -> Tensor:
        x = nodes
        if self.inner is not None:
            assert stage.positions is not None
            _, x = self.inner(stage.positions.aggregate(x), stage.nodes, prepared)
        return self._read(x, stage, nodes)
