"""Models under the protocol: networks and simple models behind one small interface."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Protocol

import torch
from torch import nn

from ..coarsen import Coarsening, coarsen, with_virtual, without_virtual
from ..config import Coarsening as CoarseningSettings
from ..config import Config, NodeFeatures
from ..errors import ConfigError
from ..nn import Stages, Streams, build_network, build_stages
from ..nn.foreign import find_convolution, ignores_weights
from ..nn.inputs import node_inputs
from ..nn.networks import Stage
from ..task import Graph, Part, SubgraphTask
from ..train.memory import replicas_at_once
from ..translate import S2NGraph, translate
from .choosing import Built, Labels, NetworkModel
from .result import Outputs


class Model(Protocol):
    """Something that learns from train and val labels and then answers for any part."""

    @property
    def name(self) -> str:
        """What tables call it."""

    def fit(self, task: SubgraphTask, labels: Labels, seeds: Sequence[int]) -> Trained:
        """Learn; ``labels`` has train and val only."""


class Trained(Protocol):
    """A model that has learned."""

    @property
    def facts(self) -> dict[str, Any]:
        """Fields of the :class:`Result` that only this model knows."""

    def outputs(self, part: Part) -> Outputs:
        """Answers for a part."""


@dataclass(frozen=True)
class GraphNetwork(NetworkModel):
    """A graph network on one of the structures.

    Args:
        conv: The user's own convolution, instead of the one named in the settings.
        all_nodes: Whether nodes that no subgraph has get vectors too, for subgraphs to come.
    """

    conv: Callable[..., nn.Module] | None = None
    all_nodes: bool = False

    @property
    def name(self) -> str:
        """What tables call it."""
        config: Config = self.candidates[0]
        features = config.features
        words = [
            f"{config.structure} {getattr(self.conv, '__name__', config.conv)}",
            *feature_words(features),
            f"{features.subgraphs} inputs" if features.subgraphs != "none" else "",
        ]
        return ", ".join(word for word in words if word)

    @property
    def identity(self) -> str:
        """The user's own convolution."""
        return str(self.conv)

    def check(self) -> None:
        """Raise what can be known before any training."""
        super().check()
        for config in self.candidates:
            find_convolution(self.conv if self.conv is not None else config.conv)
            if config.model.readout == "degree-code" and not config.translated:
                raise ConfigError(
                    "the readout 'degree-code' is defined for the S2N structures only; use"
                    " 'degree'."
                )

    def present(self, task: SubgraphTask) -> tuple[SubgraphTask, tuple[str, ...]]:
        """The task with or without virtual subgraphs."""
        return presented(task, self.candidates[0])

    def build(
        self, task: SubgraphTask, settings: Any, seeds: Sequence[int], device: torch.device
    ) -> Built:
        """The network of one candidate, for a task as it sees it."""
        graph = None
        if settings.translated:
            graph = translated(task, settings.translation.self_loops)

        def more(*parts: Part) -> Stages:
            return build_stages(
                task, settings, graph=graph, parts=parts, all_nodes=self.all_nodes, device=device
            )

        stages = more("train", "val")
        rows, width = rows_of(stages["train"]), settings.model.hidden
        at_once = replicas_at_once(rows, width, device, len(seeds))
        inputs = node_inputs(
            task, settings.features, stages.rows, encodings=self.encodings, device=device.type
        )
        networks: list[tuple[nn.Module, Streams]] = [
            build_network(
                task, settings, stages, seeds[start : start + at_once], inputs=inputs,
                conv=self.conv,
            )
            for start in range(0, len(seeds), at_once)
        ]  # fmt: skip
        notes = [
            f"the convolution {name} takes no edge weights, so those of the S2N graph are ignored."
            for name in ignores_weights(networks[0][0])
        ]
        return Built(stages, networks, rows * width, (*notes, *inputs.notes), more)


@lru_cache(maxsize=24)
def translated(task: SubgraphTask, self_loops: bool) -> S2NGraph:
    """Made once for all candidates, also where a search rehearses on ten splits."""
    return translate(task, self_loops=self_loops)


def rows_of(stage: Stage) -> int:
    """Of the largest activation."""
    nodes = 0 if stage.nodes is None else stage.nodes.pattern.num_rows
    return max(stage.members.pattern.num_rows, nodes)


def feature_words(features: NodeFeatures) -> tuple[str, str]:
    """What a name says of the node features."""
    return (
        features.kind if features.kind in ("link", "svd") else "",
        features.encoding if features.encoding != "none" else "",
    )


def presented(task: SubgraphTask, config: Config) -> tuple[SubgraphTask, tuple[str, ...]]:
    """The task as its structure shows it, and what to know: CoS2N with virtual subgraphs.

    The task's own where it has some, else those of a coarsening; others without any.
    """
    if not config.coarsened:
        return without_virtual(task), ()
    if task.num_virtual:
        return task, (f"{task.num_virtual:,} virtual subgraphs came with the data.",)
    return bridged(task, config.coarsening)


@lru_cache(maxsize=4)
def bridged(
    task: SubgraphTask, settings: CoarseningSettings
) -> tuple[SubgraphTask, tuple[str, ...]]:
    """The task with the virtual subgraphs of a coarsening; made once for all candidates."""
    found = coarsened(task.graph, settings)
    note = (
        f"{len(found):,} virtual subgraphs of {found.covered:,} nodes by {found.method} at ratio"
        f" {found.ratio:g}."
    )
    return with_virtual(task, found.subgraphs), (note, *found.notes)


@lru_cache(maxsize=16)
def coarsened(graph: Graph, settings: CoarseningSettings) -> Coarsening:
    """Made once for all splits and subsets of a graph."""
    return coarsen(graph, **asdict(settings))
