"""Settings of SubGNN."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ...settings import within
from ..batches import BatchSettings


@dataclass(frozen=True)
class SubGNNModel:
    """The network.

    Args:
        neighborhood: Whether the neighborhood channel takes part: nodes in and around a component.
        position: Whether the position channel does: where a component lies among chosen nodes.
        structure: Whether the structure channel does: how its degrees compare with those of
            patches.
        layers: Of each channel; each has anchors of its own.
        neighborhood_in: Anchors within each component.
        neighborhood_out: Anchors around each component.
        border_hops: How far around.
        position_in: Anchors within each subgraph.
        position_out: Anchors in the global graph.
        patches: Anchors of the structure channel, a layer.
        patch_length: Steps of the walk that a patch is made of.
        walks: That represent a patch, on each side.
        walk_length: Nodes of each.
        beta: Probability that a walk closes a triangle where it can.
        lstm_layers: Of the network that reads walks.
        lstm_dropout: Between them.
        components: How node vectors become the first vector of a component.
        similarity: ``inverse``: an anchor counts 1 / (1 + distance), as the paper means it;
            ``distance``: by its distance, as the published code does, so that anchors inside a
            component count nothing and far ones most.
        limit: Anchors more edges away than this count nothing.
        head: Width of the first layer of the head.
        head_last: Width of the second.
        dropout: Share of channels dropped in the head.
    """

    neighborhood: bool = True
    position: bool = True
    structure: bool = True
    layers: int = within(1, 1)
    neighborhood_in: int = within(10, 1)
    neighborhood_out: int = within(25, 1)
    border_hops: int = within(1, 1)
    position_in: int = within(25, 1)
    position_out: int = within(50, 1)
    patches: int = within(25, 1)
    patch_length: int = within(50, 2)
    walks: int = within(5, 1)
    walk_length: int = within(10, 2)
    beta: float = within(0.65, 0, 1)
    lstm_layers: int = within(1, 1)
    lstm_dropout: float = within(0.0, 0, 0.99)
    components: Literal["sum", "max"] = "sum"
    similarity: Literal["inverse", "distance"] = "inverse"
    limit: int = within(16, 1)
    head: int = within(64, 1)
    head_last: int = within(64, 1)
    dropout: float = within(0.2, 0, 0.99)


@dataclass(frozen=True)
class SubGNNSettings(BatchSettings):
    """All settings of SubGNN."""

    model: SubGNNModel = field(default_factory=SubGNNModel)
