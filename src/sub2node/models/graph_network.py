"""Networks of the structures as models, and the graphs that they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache

import torch
from torch import nn

from ..base.errors import ConfigError
from ..base.plural import plural
from ..coarsen import Coarsening, coarsen, with_virtual, without_virtual
from ..config import CoarseningSettings, Config, NodeFeatureSettings, TranslationSettings
from ..nn import Streams, build_network, build_stages
from ..nn.custom_convolution import find_convolution, ignores_weights
from ..nn.node_inputs import node_inputs
from ..task import Graph, SubgraphTask, excluded_for
from ..train.training_resources import replicas_at_once
from ..translation import S2NGraph, normalize_by, translate_by
from ..translation.by_settings import require_symmetric
from .candidates import Built, NetworkModel
from .memory_estimate import require_memory
from .partition_choice import divide_where_needed, rows_of
from .replica_groups import build_in_groups


@dataclass(frozen=True)
class GraphNetwork(NetworkModel):
    """A graph network on one of the structures.

    Args:
        conv: A convolution of the user, instead of the one named in the settings.
        all_nodes: Whether nodes in no subgraph get vectors too, for subgraphs to come.
    """

    conv: Callable[..., nn.Module] | None = None
    all_nodes: bool = False

    @property
    def name(self) -> str:
        """What tables call it."""
        config: Config = self.candidates[0]
        features = config.features
        kind, encoding = feature_labels(features)
        kinds = {candidate.features.kind for candidate in self.candidates}
        labels = [
            f"{config.structure} {getattr(self.conv, '__name__', config.conv)}",
            kind if len(kinds) == 1 else "",  # else validation chooses
            encoding,
            f"{features.subgraphs} inputs" if features.subgraphs != "none" else "",
        ]
        return ", ".join(label for label in labels if label)

    @property
    def identity(self) -> str:
        """The convolution of the user."""
        return str(self.conv)

    def check(self) -> None:
        """Raise errors that show before any training."""
        super().check()
        for config in self.candidates:
            find_convolution(self.conv if self.conv is not None else config.conv)
            if config.model.readout == "degree-code" and not config.structure.translated:
                raise ConfigError(
                    "the readout 'degree-code' is defined for the S2N structures only; use"
                    " 'degree'."
                )

    def check_size(self, task: SubgraphTask, *, replicas: int, device: torch.device) -> None:
        """Raise if training cannot fit into memory."""
        for config in self.candidates if self.conv is None else ():
            require_memory(task, config, replicas=replicas, device=device)

    def present(self, task: SubgraphTask) -> tuple[SubgraphTask, tuple[str, ...]]:
        """The task with or without virtual subgraphs, and excluded nodes where train has some."""
        task, unread = excluded_for(self.name, task, reads=True)
        shown, notes = presented(task, self.candidates[0])
        return shown, (*unread, *notes)

    def build(
        self, task: SubgraphTask, settings: Config, seeds: Sequence[int], device: torch.device
    ) -> Built:
        """The network of one candidate, for a task as it sees it."""
        graph = weighted = None
        if settings.structure.translated:
            if self.all_nodes:
                require_symmetric(settings.translation)
            graph = translated(task, settings.translation.raw)
            weighted = normalized(task, settings.translation)
        stages = build_stages(
            task,
            settings,
            graph=graph,
            normalized=weighted,
            parts=("train", "val"),
            all_nodes=self.all_nodes,
            device=device,
        )
        rows, width = rows_of(stages["train"]), settings.model.hidden
        at_once = replicas_at_once(rows, width, device, len(seeds))
        inputs = node_inputs(
            task, settings.features, stages.rows, encodings=self.encodings, device=device.type
        )

        def make(some: Sequence[int]) -> tuple[nn.Module, Streams]:
            return build_network(task, settings, stages, some, inputs=inputs, conv=self.conv)

        numbers = rows * width
        groups = build_in_groups(make, seeds, at_once=at_once, numbers=numbers, device=device)
        notes = [
            f"the convolution {name} takes no edge weights, so those of the S2N graph are ignored."
            for name in ignores_weights(groups.networks[0][0])
        ]
        stages, in_partitions = divide_where_needed(stages, groups, settings, device)
        notes += [*inputs.notes, *groups.notes, *in_partitions]
        return Built(stages, groups.networks, numbers, tuple(notes), groups.apart)


@lru_cache(maxsize=24)
def translated(task: SubgraphTask, settings: TranslationSettings) -> S2NGraph:
    """The raw S2N graph; computed once for all candidates, also where a search has ten splits.

    Args:
        task: The task.
        settings: Its :attr:`TranslationSettings.raw`, the same whatever the cut.
    """
    return translate_by(task, settings)


@lru_cache(maxsize=2)
def normalized(task: SubgraphTask, settings: TranslationSettings) -> S2NGraph:
    """The S2N graph with weights; computed once for training, evaluation and the run folder.

    Only the last two are kept: a default preset has candidates with two cuts, and a search over
    ``a`` and ``delta`` would fill the memory.
    """
    return normalize_by(translated(task, settings.raw), settings)


def feature_labels(features: NodeFeatureSettings) -> tuple[str, str]:
    """The node features as parts of a model's name; empty where they are the default."""
    return (
        features.kind if features.kind in ("link", "svd") else "",
        features.encoding if features.encoding != "none" else "",
    )


def presented(task: SubgraphTask, config: Config) -> tuple[SubgraphTask, tuple[str, ...]]:
    """The task as its structure shows it, and notes: CoS2N with virtual subgraphs.

    Those of the task where it has some, else those of a coarsening; others without any.
    """
    if not config.structure.coarsened:
        return without_virtual(task), ()
    if task.num_virtual:
        return task, (f"{plural(task.num_virtual, 'virtual subgraph')} came with the data.",)
    return bridged(task, config.coarsening)


@lru_cache(maxsize=4)
def bridged(
    task: SubgraphTask, settings: CoarseningSettings
) -> tuple[SubgraphTask, tuple[str, ...]]:
    """The task with the virtual subgraphs of a coarsening; computed once for all candidates."""
    coarsening = coarsened(task.graph, settings)
    note = (
        f"{plural(len(coarsening), 'virtual subgraph')} of {plural(coarsening.covered, 'node')} by"
        f" {coarsening.method} at ratio {coarsening.ratio:g}."
    )
    return with_virtual(task, coarsening.subgraphs), (note, *coarsening.notes)


@lru_cache(maxsize=16)
def coarsened(graph: Graph, settings: CoarseningSettings) -> Coarsening:
    """The coarsening of a graph; computed once for all its splits and subsets."""
    return coarsen(graph, **asdict(settings))
