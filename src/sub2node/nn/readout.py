"""Node vectors to one vector per subgraph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from torch import Tensor, nn

from ..ops.pattern import Pattern
from .layers import ReplicaLinear, matmul
from .streams import Init


@dataclass(frozen=True, eq=False)
class Members:
    """Which node vectors belong to which subgraph.

    Args:
        pattern: Subgraphs × node vectors.
        weights: ω, one per member, (K,); None for ones.
    """

    pattern: Pattern
    weights: Tensor | None

    @cached_property
    def back_weights(self) -> Tensor | None:
        """The weights in the order of the node vectors, as gradients read them; (K,)."""
        if self.weights is None:
            return None
        return self.weights.index_select(0, self.pattern.back_order)

    def gated(self, gates: Tensor | None) -> Members:
        """The same with the weights times one gate per member, 0…1; None: as they are."""
        if gates is None:
            return self
        return Members(self.pattern, gates if self.weights is None else gates * self.weights)


class Readout(nn.Module):
    """x̂_i = Σ ω_vi x_v (equation 4), or the largest by channel, or with learned ω.

    Learned: ω is the softmax over a subgraph's nodes of a linear score of their vectors. Given
    weights ω multiply the vectors in every case.
    """

    def __init__(self, kind: Literal["constant", "max", "learned"], width: int, init: Init) -> None:
        super().__init__()
        self.kind = kind
        self.score = ReplicaLinear(width, 1, init) if kind == "learned" else None

    def forward(self, x: Tensor, members: Members) -> Tensor:
        """(R, nodes, F) → (R, subgraphs, F)."""
        pattern, weights = members.pattern, members.weights
        if self.kind == "constant":
            return pattern.aggregate(x, weights, back_values=members.back_weights)
        vectors = pattern.columns(x)
        if weights is not None:
            vectors = vectors * weights.unsqueeze(-1)
        if self.score is None:
            return pattern.max(vectors)
        return pattern.sum(vectors * pattern.softmax(self.score(vectors)))


class SubgraphInputs(nn.Module):
    """Features of a subgraph besides its nodes, as a vector to add to the readout."""

    def __init__(self, inputs: int, width: int, init: Init) -> None:
        super().__init__()
        self.linear = ReplicaLinear(inputs, width, init)
        self.replicas = len(init)

    def forward(self, inputs: Tensor) -> Tensor:
        """(m, F) → (R, m, width)."""
        return self.linear(  # type: ignore[no-any-return]
            inputs.expand(self.replicas, -1, -1)
        )


class ExcludedReadout(nn.Module):
    """V⁻ Σ ω⁻_vi x_v over the nodes that are excluded from a subgraph, to add to its readout.

    ω⁻ has length 1 per subgraph, and V⁻ begins at 0: a network starts as the one without.
    """

    def __init__(self, nodes: int, width: int, init: Init) -> None:
        super().__init__()
        self.weight = init.zeros(nodes, width)

    def forward(self, x: Tensor, excluded: Members) -> Tensor:
        """(R, nodes, F) → (R, subgraphs, F)."""
        weights, back = excluded.weights, excluded.back_weights
        return matmul(excluded.pattern.aggregate(x, weights, back_values=back), self.weight)
