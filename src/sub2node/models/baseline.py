"""Baselines under the protocol, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import nn

from ..base.environment import find_device
from ..base.errors import ConfigError
from ..base.ragged import Array
from ..baselines import MODELS, BatchModel, SimpleModel, SimplePredictions, TrainingData
from ..baselines.batch_network import part_rows
from ..coarsen import without_virtual
from ..config.settings import Settings
from ..config.unused_settings import unused_note
from ..encode import Encoding
from ..nn import Streams
from ..nn.node_inputs import node_inputs
from ..ops.triton import check_compile_mode
from ..task import Part, SubgraphTask, excluded_for
from ..train import BatchGroup, Group
from ..train.training_resources import replicas_at_once
from .candidates import Built, NetworkModel, NetworkOptions
from .graph_network import feature_labels
from .interface import Labels, Model, ModelSpec, Outputs
from .presets import find_baseline
from .replica_groups import build_in_groups


@dataclass(frozen=True)
class Simple:
    """A model without a training loop.

    Args:
        model: The model to fit.
        settings: Settings of the model; by default its own defaults.
        encodings: Node vectors that the user passed.
        device: Device that computes node vectors.
        groups: One value per training subgraph; those of equal value are in one fold of train.
    """

    model: SimpleModel
    settings: Settings | None = None
    encodings: Encoding | ArrayLike | None = None
    device: str = "auto"
    groups: Array | None = None

    @property
    def name(self) -> str:
        """What tables call it."""
        return _full_name(self.model.name, self.settings)

    def fit(self, task: SubgraphTask, labels: Labels, seeds: Sequence[int]) -> TrainedSimple:
        """Learn; ``labels`` has train and val only."""
        settings = self.model.settings() if self.settings is None else self.settings
        task = without_virtual(task)
        data = TrainingData(task, labels, seeds, self.device, self.encodings, self.groups)
        return TrainedSimple(self.model, settings, self.model.learn(data, settings))


@dataclass(frozen=True)
class TrainedSimple:
    """A simple model that has learned.

    Args:
        model: The model by name.
        settings: Its settings.
        predictions: What it predicts.
    """

    model: SimpleModel
    settings: Settings
    predictions: SimplePredictions

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.model.name

    @property
    def facts(self) -> dict[str, Any]:
        """Fields of the :class:`Result` that come from the model itself."""
        return {
            "config": {"baseline": self.model.name, **self.settings.to_dict()},
            "notes": self.predictions.notes,
        }

    def outputs(self, part: Part) -> Outputs:
        """Logits for a part."""
        return Outputs(self.predictions.logits(part))


@dataclass(frozen=True)
class BatchNetworkModel(NetworkModel):
    """A network that is trained in batches of subgraphs.

    Args:
        model: The network to train.
    """

    group: ClassVar[type[Group]] = BatchGroup

    model: BatchModel | None = None

    @property
    def name(self) -> str:
        """What tables call it."""
        return _full_name(self.identity, self.candidates[0])

    @property
    def identity(self) -> str:
        """The name alone."""
        assert self.model is not None
        return self.model.name

    def present(self, task: SubgraphTask) -> tuple[SubgraphTask, tuple[str, ...]]:
        """The task without virtual subgraphs and excluded nodes."""
        return excluded_for(self.identity, without_virtual(task), reads=False)

    def build(
        self, task: SubgraphTask, settings: Any, seeds: Sequence[int], device: torch.device
    ) -> Built:
        """The network of one candidate, for a task as it sees it."""
        assert self.model is not None
        rows = np.arange(task.graph.num_nodes)
        inputs = node_inputs(
            task, settings.features, rows, encodings=self.encodings, device=device.type
        )
        width = max(inputs.width, getattr(settings.model, "hidden", 0))
        at_once = replicas_at_once(len(rows), width, device, len(seeds))
        build, numbers = self.model.build, len(rows) * width

        def make(some: Sequence[int]) -> tuple[nn.Module, Streams]:
            return build(task, settings, seeds=some, inputs=inputs, device=device)

        groups = build_in_groups(make, seeds, at_once=at_once, numbers=numbers, device=device)
        notes, stages = (*inputs.notes, *groups.notes), part_rows(task, rows, device)
        return Built(stages, groups.networks, numbers, notes, groups.apart)

    def record(self, settings: Settings) -> dict[str, Any]:
        """Settings as in ``config.toml``."""
        return {"baseline": self.identity, **settings.to_dict()}


def _full_name(name: str, settings: Settings | None) -> str:
    features = getattr(settings, "features", None)
    labels = feature_labels(features) if features is not None else ()
    return ", ".join(label for label in (name, *labels) if label)


def baseline(
    task: SubgraphTask,
    name: str,
    *,
    preset: str = "default",
    settings: Mapping[str, object] | None = None,
    **options: Unpack[NetworkOptions],
) -> ModelSpec[Model]:
    """The baseline of this name, with the settings of a preset and changes to them."""
    encodings, device = options.get("encodings"), options.get("device", "auto")
    resolved = find_baseline(name, preset, task)
    resolved = resolved.with_settings(baseline_settings(name, settings or {}, encodings))
    unused = unused_note(resolved.candidates, settings or (), name, encoded=encodings is not None)
    find_device(device)
    check_compile_mode(options.get("compile", "auto"))
    kind = MODELS[name]
    model: Model
    if isinstance(kind, SimpleModel):
        model = Simple(kind, resolved.config, encodings, device)
    else:
        model = BatchNetworkModel(resolved.candidates, model=kind, **options)
    return ModelSpec(model, resolved.name, (*resolved.notes, *unused))


def baseline_settings(
    name: str, settings: Mapping[str, object], encodings: Encoding | ArrayLike | None
) -> dict[str, object]:
    """Settings of a baseline, with what follows from node vectors that the user passed."""
    kind, changes = MODELS[name].settings, dict(settings)
    if encodings is not None and not kind.has("features.encoding"):
        raise ConfigError(f"{name} has no use for encodings; omit them.")
    named = {kind.full_name(key) for key in changes}
    if encodings is not None and kind.has("features.join") and "features.join" not in named:
        changes["features.join"] = "concat"  # any width goes along with any features
    chosen = {"features.kind", "features.encoding"} & named or encodings is not None
    if chosen and kind.has("model.degrees") and "model.degrees" not in named:
        changes["model.degrees"] = False
    return changes
