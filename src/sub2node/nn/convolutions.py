"""Convolutions over a replica axis. All of them read edge weights.

Each takes node vectors ``x`` (R, n, F), the encoder's input ``first`` (R, n, F) and a graph, and
gives (R, n, F'). Checked against the layers of PyG, whose GIN and GraphSAGE ignore weights where
these use them.
"""

from __future__ import annotations

import math
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from ..base.errors import ConfigError
from ..config import ConvolutionSettings
from ..ops import triton as kernels
from .adjacency import Adjacency, Kind
from .layers import Mapped, ReplicaLinear, combine
from .ring_adjacency import Ring, leading
from .streams import Init


class MakeConvolution(Protocol):
    """Builds a convolution from width, settings, 1-based number of its layer and initial values."""

    def __call__(
        self, width: int, settings: ConvolutionSettings, *, layer: int, weighted: bool, init: Init
    ) -> nn.Module:
        """A module with ``forward(x, first, graph)``."""


class GCN(nn.Module):
    """D^-½ (A + I) D^-½ X W + b (Kipf and Welling, arXiv:1609.02907); I where A has no loop."""

    edge_weighting: Kind = "normalized"

    def __init__(
        self, width: int, settings: ConvolutionSettings, *, layer: int, weighted: bool, init: Init
    ) -> None:
        super().__init__()
        self.linear = ReplicaLinear(width, width, init, glorot=True, bias=False)
        self.bias = init.zeros(1, width)

    def forward(self, x: Tensor, first: Tensor, graph: Adjacency | Ring) -> Tensor:
        """(R, n, F) → (R, n, F)."""
        aggregated = graph.around(x, self.edge_weighting)
        return combine(Mapped(aggregated, self.linear.weight), bias=self.bias)


class GCN2(nn.Module):
    """GCNII (Chen et al., arXiv:2007.02133): P = Â X, β = ln(θ/l + 1).

    Shared weights: H = (1-α) P + α X₀, out = (1-β) H + β H W. Else P and X₀ have their own:
    out = (1-α) ((1-β) P + β P W₁) + α ((1-β) X₀ + β X₀ W₂).
    """

    edge_weighting: Kind = "normalized"

    def __init__(
        self, width: int, settings: ConvolutionSettings, *, layer: int, weighted: bool, init: Init
    ) -> None:
        super().__init__()
        self.alpha, self.beta = settings.alpha, math.log(settings.theta / layer + 1)
        self.weight = init.glorot(width, width)
        self.weight_first = None if settings.shared_weights else init.glorot(width, width)

    def forward(self, x: Tensor, first: Tensor, graph: Adjacency | Ring) -> Tensor:
        """(R, n, F) → (R, n, F)."""
        alpha, beta, first = self.alpha, self.beta, leading(first, graph)
        if self.weight_first is None:
            aggregated = graph.around(
                x, self.edge_weighting, times=1 - alpha, plus=first, plus_times=alpha
            )
            return combine(Mapped(aggregated, self.weight, 1 - beta, beta))
        second = Mapped(first, self.weight_first, 1 - beta, beta, times=alpha)
        plus = None if kernels.use_triton(x) else combine(second)
        aggregated = graph.around(x, self.edge_weighting, times=1 - alpha)
        mapped = Mapped(aggregated, self.weight, 1 - beta, beta)
        return combine(mapped, second) if plus is None else combine(mapped, bias=plus)


class GIN(nn.Module):
    """MLP((1+ε) x_i + Σ_j w_ij x_j) (Xu et al., arXiv:1810.00826), with the weights in the sum."""

    edge_weighting: Kind = "weighted"

    def __init__(
        self, width: int, settings: ConvolutionSettings, *, layer: int, weighted: bool, init: Init
    ) -> None:
        super().__init__()
        self.first, self.second = (ReplicaLinear(width, width, init) for _ in range(2))
        self.eps = init.zeros(1, 1) if settings.train_eps else None

    def forward(self, x: Tensor, first: Tensor, graph: Adjacency | Ring) -> Tensor:
        """(R, n, F) → (R, n, F)."""
        own = leading(x, graph)
        own = own if self.eps is None else (1 + self.eps) * own
        total = graph.around(x, self.edge_weighting, plus=own)
        out: Tensor = self.second(torch.relu(self.first(total)))
        return out


class SAGE(nn.Module):
    """W₁ · mean_j(w_ij x_j) + b + W₂ x_i over edges (Hamilton et al., arXiv:1706.02216)."""

    edge_weighting: Kind = "mean"

    def __init__(
        self, width: int, settings: ConvolutionSettings, *, layer: int, weighted: bool, init: Init
    ) -> None:
        super().__init__()
        self.around = ReplicaLinear(width, width, init)
        self.own = ReplicaLinear(width, width, init, bias=False)

    def forward(self, x: Tensor, first: Tensor, graph: Adjacency | Ring) -> Tensor:
        """(R, n, F) → (R, n, F)."""
        mean = graph.around(x, self.edge_weighting)
        parts = Mapped(mean, self.around.weight), Mapped(leading(x, graph), self.own.weight)
        return combine(*parts, bias=self.around.bias)


class GATv2(nn.Module):
    """Attention aᵀ LeakyReLU(W_l x_j + W_r x_i + W_e w_ij) (Brody et al., arXiv:2105.14491).

    Existing self-loops are replaced by ones whose weight is the mean of a node's other edges. The
    term with W_e is there only in weighted graphs.
    """

    SLOPE = 0.2

    def __init__(
        self, width: int, settings: ConvolutionSettings, *, layer: int, weighted: bool, init: Init
    ) -> None:
        super().__init__()
        self.heads = settings.heads
        if width % self.heads:
            raise ConfigError(
                f"{self.heads} attention heads do not divide a width of {width}; set heads or"
                " hidden."
            )
        self.source, self.target = (
            ReplicaLinear(width, width, init, glorot=True) for _ in range(2)
        )
        self.attention = init.glorot(1, self.heads, width // self.heads)
        self.edge = init.glorot(1, width) if weighted else None
        self.bias = init.zeros(1, width)

    def forward(self, x: Tensor, first: Tensor, graph: Adjacency) -> Tensor:
        """(R, n, F) → (R, n, F)."""
        pattern, replicas = graph.pattern, len(x)
        sources = pattern.columns(self.source(x))
        mixed = sources + pattern.rows(self.target(leading(x, graph)))
        if self.edge is not None:
            mixed = mixed + _with_mean_loops(graph).unsqueeze(-1) * self.edge
        shape = (replicas, mixed.shape[1], self.heads, mixed.shape[2] // self.heads)
        mixed = leaky_relu(mixed, self.SLOPE).view(shape)
        scores = (mixed * self.attention).sum(-1)
        dropped = (~graph.present & graph.off_diagonal).unsqueeze(-1)
        share = pattern.softmax(scores.masked_fill(dropped, -torch.inf))
        messages = sources.view_as(mixed) * share.unsqueeze(-1)
        return pattern.sum(messages.flatten(2)) + self.bias


class FAGCN(nn.Module):
    """ε x₀ + Σ_j tanh(a_lᵀ x_j + a_rᵀ x_i) ŵ_ij x_j (Bo et al., arXiv:2101.00797).

    ŵ = D^-½ (A + I) D^-½, I where A has no loop, is what the layer of PyG has in unweighted graphs;
    here weights count in it too.
    """

    def __init__(
        self, width: int, settings: ConvolutionSettings, *, layer: int, weighted: bool, init: Init
    ) -> None:
        super().__init__()
        self.eps = settings.eps
        self.source, self.target = (ReplicaLinear(width, 1, init, bias=False) for _ in range(2))

    def forward(self, x: Tensor, first: Tensor, graph: Adjacency) -> Tensor:
        """(R, n, F) → (R, n, F)."""
        pattern = graph.pattern
        targets = pattern.rows(self.target(leading(x, graph)))
        share = torch.tanh(pattern.columns(self.source(x)) + targets)
        share = share * graph.normalized.unsqueeze(-1)
        total = pattern.sum(pattern.columns(x) * share)
        return torch.add(total, leading(first, graph), alpha=self.eps)


def _with_mean_loops(graph: Adjacency) -> Tensor:
    """The weights, with the mean of a node's other edges on the diagonal; (E,) or (R, E)."""
    others = graph.values * graph.off_diagonal
    count = graph.pattern.row_sums((others != 0).to(others.dtype)).clamp(min=1)
    mean = graph.pattern.row_sums(others) / count
    return others.index_copy(-1, graph.diagonal, mean)


CONVOLUTIONS: dict[str, MakeConvolution] = {
    "gcn": GCN,
    "gcn2": GCN2,
    "gin": GIN,
    "gatv2": GATv2,
    "sage": SAGE,
    "fagcn": FAGCN,
}
