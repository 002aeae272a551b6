"""A stack of convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from torch import Tensor, nn

from ..config import ConvolutionSettings, NetworkSettings
from ..ops import triton as kernels
from .adjacency import Adjacency
from .convolutions import MakeConvolution
from .custom_convolution import CustomConvolution
from .layers import BatchNorm, Dropout, ReplicaLinear, finish
from .partitions import convolve_in_blocks
from .ring_adjacency import Ring, leading
from .streams import Init, Streams


class Layer(nn.Module):
    """Edge dropout → convolution → norm → + linear map of the input → ReLU → dropout."""

    def __init__(
        self, width: int, model: NetworkSettings, *, conv: nn.Module, init: Init, streams: Streams
    ) -> None:
        super().__init__()
        self.conv = conv
        if isinstance(conv, CustomConvolution):
            conv.streams = streams
        self.norm = BatchNorm(width, init) if model.batch_norm else None
        self.skip = ReplicaLinear(width, width, init) if model.skip else None
        self.dropout = Dropout(model.dropout, streams)
        self.edge_dropout, self.streams = model.edge_dropout, streams
        self.place = streams.place()

    def prepare(self, graph: Adjacency) -> Adjacency | None:
        """The graph without dropped edges, computed beside other work; None: not possible yet.

        What is drawn on the CPU is drawn in the order of the layers.
        """
        kind = getattr(self.conv, "edge_weighting", None)
        if not (self.training and self.edge_dropout and kind and kernels.use_triton(graph.weights)):
            return None
        return graph.drop(self.streams.draw(self.edge_dropout, self.place)).with_edge_values(kind)

    def forward(
        self, x: Tensor, first: Tensor, graph: Adjacency | Ring, prepared: Adjacency | None = None
    ) -> Tensor:
        """(R, n, F) → (R, n, F)."""
        if prepared is not None:
            graph = prepared
        elif self.training and self.edge_dropout and isinstance(graph, Adjacency):
            size = len(graph.pattern.index)
            graph = graph.drop(self.streams.keep(self.edge_dropout, size, site=self.place))
        out = self._convolve(x, first, graph)
        skip = None if self.skip is None else partial(self.skip, leading(x, graph))
        return finish(out, skip, self.norm, self.dropout)

    def _convolve(self, x: Tensor, first: Tensor, graph: Adjacency | Ring) -> Tensor:
        # What a user's convolution makes of neighbours may depend on theirs, so it reads all rows.
        own = not isinstance(self.conv, CustomConvolution)
        if own and isinstance(graph, Adjacency) and graph.blocks:
            return convolve_in_blocks(self.conv, x, first, graph)
        out: Tensor = self.conv(x, first, graph)
        return out


class Encoder(nn.Module):
    """A number of layers; an input of another width is mapped to theirs first."""

    def __init__(
        self,
        width_in: int,
        depth: int,
        *,
        model: NetworkSettings,
        settings: ConvolutionSettings,
        make: MakeConvolution,
        weighted: bool,
        init: Init,
        streams: Streams,
    ) -> None:
        super().__init__()
        width = model.hidden
        self.project = ReplicaLinear(width_in, width, init) if width_in != width else None
        self.dropout = Dropout(model.dropout, streams)
        layers = []
        for number in range(1, depth + 1):
            conv = make(width, settings, layer=number, weighted=weighted, init=init)
            layers.append(Layer(width, model, conv=conv, init=init, streams=streams))
        self.layers = nn.ModuleList(layers)

    def prepare(self, graph: Adjacency) -> list[Adjacency | None]:
        """The graph of each layer, where it can be computed before the layer's input is there."""
        return [layer.prepare(graph) for layer in self.layers]  # type: ignore[operator]

    def enter(self, x: Tensor) -> Tensor:
        """What enters the first layer; (R, n, F') → (R, n, F)."""
        return x if self.project is None else finish(self.project(x), None, None, self.dropout)

    def forward(
        self, x: Tensor, graph: Adjacency, prepared: Sequence[Adjacency | None] | None = None
    ) -> tuple[Tensor, Tensor]:
        """(R, n, F') → what enters the first layer, and what leaves the last; both (R, n, F)."""
        if prepared is None:
            prepared = self.prepare(graph)
        x = out = self.enter(x)
        for layer, ready in zip(self.layers, prepared, strict=True):
            out = layer(out, x, graph, ready)
        return x, out

    def inward(self, x: Tensor, rings: Sequence[Ring]) -> tuple[Tensor, Tensor]:
        """The same from ring to ring, each layer for fewer rows: (R, n, F') → (R, n_0, F) both."""
        x = out = self.enter(x)
        for layer, ring in zip(self.layers, rings, strict=True):
            out = layer(out, x, ring)
        return x[:, : out.shape[1]], out
