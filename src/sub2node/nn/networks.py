"""The networks of the structures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from torch import Tensor, nn

from ..config import Config, ConvolutionSettings
from ..ops.pattern import Pattern
from .adjacency import Adjacency
from .convolutions import MakeConvolution
from .encoder import Encoder
from .layers import Dropout, ReplicaLinear
from .node_table import VectorTable
from .readout import ExcludedReadout, Members, Readout, SubgraphInputs
from .streams import Init, Streams


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
    """

    members: Members
    scored: slice
    positions: Pattern | None = None
    nodes: Adjacency | None = None
    subgraphs: Adjacency | None = None
    inputs: Tensor | None = None
    excluded: Members | None = None


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
        self.table = table
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
        assert stage.nodes is not None
        x = nodes = self.table()
        if stage.positions is not None:
            x = stage.positions.aggregate(x)
        _, x = self.encoder(x, stage.nodes)
        nodes = x if stage.positions is None else nodes  # of the global graph: encoded, as members
        x = self._read(x, stage, nodes)[:, stage.scored]
        return x, self.head(x)


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
        around: list[Adjacency | None] = []
        if self.inner is not None:
            assert stage.nodes is not None
            around = self.inner.prepare(stage.nodes)
        outside = self.outer.prepare(stage.subgraphs)
        x = nodes = self.table()
        if self.inner is not None:
            assert stage.positions is not None
            _, x = self.inner(stage.positions.aggregate(x), stage.nodes, around)
        entered, encoded = self.outer(self._read(x, stage, nodes), stage.subgraphs, outside)
        x = entered + encoded
        if stage.scored != slice(0, x.shape[1]):
            x = x[:, stage.scored]
        return x, self.head(self.dropout(x))
