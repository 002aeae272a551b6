"""Baselines under the protocol, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import nn

from ..baselines import MODELS, Answers, BatchModel, Lesson, SimpleModel
from ..baselines.batches import part_rows
from ..coarsen import without_virtual
from ..device import find_device
from ..errors import ConfigError
from ..kernels import Compile, check
from ..nn import Streams
from ..nn.inputs import node_inputs
from ..settings import Settings
from ..task import Part, SubgraphTask
from ..train import BatchGroup, Group, find_baseline
from ..train.memory import replicas_at_once
from .choosing import Built, Labels, NetworkModel
from .models import Model, feature_words
from .result import Outputs


@dataclass(frozen=True)
class Simple:
    """A model without a training loop.

    Args:
        model: Which.
        settings: Its settings; by default those of the model.
        encodings: Node vectors of the user's own.
        device: Where node vectors are computed.
    """

    model: SimpleModel
    settings: Settings | None = None
    encodings: Any = None
    device: str = "auto"

    @property
    def name(self) -> str:
        """What tables call it."""
        return _name(self.model.name, self.settings)

    def fit(self, task: SubgraphTask, labels: Labels, seeds: Sequence[int]) -> _TrainedSimple:
        """Learn; ``labels`` has train and val only."""
        settings = self.settings or self.model.settings()
        task = without_virtual(task)
        lesson = Lesson(task, labels, seeds, self.device, self.encodings)
        return _TrainedSimple(self.model, settings, self.model.fit(lesson, settings))


@dataclass(frozen=True)
class _TrainedSimple:
    model: SimpleModel
    settings: Settings
    answers: Answers

    @property
    def facts(self) -> dict[str, Any]:
        """Fields of the :class:`Result` that only this model knows."""
        return {
            "config": {"baseline": self.model.name, **self.settings.to_dict()},
            "notes": self.answers.notes,
        }

    def outputs(self, part: Part) -> Outputs:
        """Answers for a part."""
        return Outputs(self.answers.logits(part))


@dataclass(frozen=True)
class BatchNetworkModel(NetworkModel):
    """A network that is trained in batches of subgraphs.

    Args:
        model: Which.
    """

    group: ClassVar[type[Group]] = BatchGroup

    model: BatchModel | None = None

    @property
    def name(self) -> str:
        """What tables call it."""
        return _name(self.identity, self.candidates[0])

    @property
    def identity(self) -> str:
        """The name alone."""
        assert self.model is not None
        return self.model.name

    def present(self, task: SubgraphTask) -> tuple[SubgraphTask, tuple[str, ...]]:
        """The task without virtual subgraphs."""
        return without_virtual(task), ()

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
        networks: list[tuple[nn.Module, Streams]] = [
            self.model.build(task, settings, seeds[start : start + at_once], inputs, device)
            for start in range(0, len(seeds), at_once)
        ]
        return Built(part_rows(task, rows, device), networks, len(rows) * width, inputs.notes)

    def record(self, settings: Any) -> dict[str, Any]:
        """Settings as in ``config.toml``."""
        return {"baseline": self.identity, **settings.to_dict()}


def _name(name: str, settings: Any) -> str:
    features = getattr(settings, "features", None)
    words = feature_words(features) if features is not None else ()
    return ", ".join(word for word in (name, *words) if word)


def baseline(
    task: SubgraphTask,
    name: str,
    *,
    preset: str = "default",
    settings: Mapping[str, Any] | None = None,
    device: str = "auto",
    encodings: Any = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    compile: Compile = "auto",
) -> tuple[Model, str, tuple[str, ...]]:
    """A baseline from a preset and settings, the preset's name, and what to know about it."""
    found = find_baseline(name, preset, task)
    found = found.with_settings(_fitting(name, settings or {}, encodings))
    find_device(device)
    check(compile)
    model = MODELS[name]
    if isinstance(model, SimpleModel):
        return Simple(model, found.config, encodings, device), found.name, found.notes
    kept = None if checkpoint is None else Path(checkpoint)
    network = BatchNetworkModel(found.candidates, encodings, device, kept, resume, compile, model)
    return network, found.name, found.notes


def _fitting(name: str, settings: Mapping[str, Any], encodings: Any) -> dict[str, Any]:
    """Settings with what follows from vectors of the user's own."""
    kind, given = MODELS[name].settings, dict(settings)
    if encodings is not None and not kind.has("features.encoding"):
        raise ConfigError(f"{name} has no use for encodings; leave them out.")
    named = {kind.full_name(key) for key in given}
    if encodings is not None and kind.has("features.join") and "features.join" not in named:
        given["features.join"] = "concat"  # any width goes along with any features
    chosen = {"features.kind", "features.encoding"} & named or encodings is not None
    if chosen and kind.has("model.degrees") and "model.degrees" not in named:
        given["model.degrees"] = False
    return given
