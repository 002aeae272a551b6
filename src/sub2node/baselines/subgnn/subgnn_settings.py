"""Settings of SubGNN."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ...config.settings import within
from ..batch_network import BatchSettings


@dataclass(frozen=True)
class SubGNNModel:
    """Settings of the network.

    Args:
        neighborhood: Whether the neighborhood channel takes part: nodes in and around a component.
        position: Whether the position channel takes part: distances to chosen nodes.
        structure: Whether the structure channel takes part: how its degrees compare with those of
            patches.
        layers: Number of layers of each channel; each layer has anchors of its own.
        neighborhood_in: Number of anchors within each component.
        neighborhood_out: Number of anchors around each component.
        border_hops: Number of edges from a component to its farthest anchors.
        position_in: Number of anchors within each subgraph.
        position_out: Number of anchors in the global graph.
        patches: Number of anchors of the structure channel per layer.
        patch_length: Number of steps of the walk that makes a patch.
        walks: Number of walks that represent a patch, on each side.
        walk_length: Number of nodes of each walk.
        beta: Probability that a walk closes a triangle where it can.
        lstm_layers: Number of layers of the LSTM that reads walks.
        lstm_dropout: Share of channels dropped between these layers.
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
