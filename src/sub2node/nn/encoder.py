"""A stack of convolutions."""

from __future__ import annotations

from torch import Tensor, nn

from .. import kernels
from ..config import Convolution, Model
from .adjacency import Adjacency
from .convolutions import MakeConvolution
from .foreign import Foreign
from .layers import BatchNorm, Dropout, Linear, finish
from .streams import Init, Streams


class Layer(nn.Module):
    """Edge dropout → convolution → norm → + linear map of the input → ReLU → dropout."""

    def __init__(
        self, width: int, model: Model, conv: nn.Module, init: Init, streams: Streams
    ) -> None:
        super().__init__()
        self.conv = conv
        if isinstance(conv, Foreign):
            conv.streams = streams
        self.norm = BatchNorm(width, init) if model.batch_norm else None
        self.skip = Linear(width, width, init) if model.skip else None
        self.dropout = Dropout(model.dropout, streams)
        self.edge_dropout, self.streams = model.edge_dropout, streams

    def forward(self, x: Tensor, first: Tensor, graph: Adjacency) -> Tensor:
        """(R, n, F) → (R, n, F)."""
        if self.training and self.edge_dropout:
            size = len(graph.pattern.index)
            drawing = kernels.on(x)
            share = self.edge_dropout
            graph = graph.drop(
                self.streams.draw(share) if drawing else self.streams.keep(share, size)
            )
        out = self.conv(x, first, graph)
        skip = None if self.skip is None else self.skip(x)
        return finish(out, skip, self.norm, self.dropout)


class Encoder(nn.Module):
    """A number of layers; an input of another width is mapped to theirs first."""

    def __init__(
        self,
        width_in: int,
        depth: int,
        model: Model,
        settings: Convolution,
        make: MakeConvolution,
        *,
        weighted: bool,
        init: Init,
        streams: Streams,
    ) -> None:
        super().__init__()
        width = model.hidden
        self.project = Linear(width_in, width, init) if width_in != width else None
        self.dropout = Dropout(model.dropout, streams)
        self.layers = nn.ModuleList(
            Layer(width, model, make(width, settings, number, weighted, init), init, streams)
            for number in range(1, depth + 1)
        )

    def forward(self, x: Tensor, graph: Adjacency) -> tuple[Tensor, Tensor]:
        """(R, n, F') → what enters the first layer, and what leaves the last; both (R, n, F)."""
        if self.project is not None:
            x = finish(self.project(x), None, None, self.dropout)
        out = x
        for layer in self.layers:
            out = layer(out, x, graph)
        return x, out
