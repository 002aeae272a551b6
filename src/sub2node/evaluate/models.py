"""Models under the protocol: networks and simple models behind one small interface."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from ..baselines import SimpleModel
from ..coarsen import Coarsening, coarsen, with_virtual, without_virtual
from ..config import Coarsening as CoarseningSettings
from ..config import Config
from ..device import find_device
from ..encode import Encoding
from ..errors import ConfigError, Sub2NodeError
from ..nn import Network, Stages, Streams, build_network, build_stages
from ..nn.foreign import find_convolution, ignores_weights
from ..nn.inputs import node_inputs
from ..ragged import Array
from ..task import Graph, Part, SubgraphTask
from ..task.content import digest
from ..train import Checkpoint, Fitted, fit, forward
from ..train.memory import replicas_at_once
from ..translate import S2NGraph, translate
from .result import Outputs

Labels = dict[Part, Array]


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
class Simple:
    """One of the simple models."""

    model: SimpleModel

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.model.name

    def fit(self, task: SubgraphTask, labels: Labels, seeds: Sequence[int]) -> Trained:
        """Learn; ``labels`` has train and val only."""
        return _TrainedSimple(self.model.fit(task, labels, seeds))


@dataclass(frozen=True)
class _TrainedSimple:
    answer: Callable[[Part], Array]

    @property
    def facts(self) -> dict[str, Any]:
        return {}

    def outputs(self, part: Part) -> Outputs:
        return Outputs(self.answer(part))


@dataclass(frozen=True)
class GraphNetwork:
    """A graph network on one of the structures.

    Args:
        candidates: Settings; where there are several, all are trained and the best on validation
            is kept.
        conv: The user's own convolution, instead of the one named in ``config``.
        encodings: Columns (N, K) or an :class:`Encoding` that joins the node features.
        device: ``auto``, ``cpu`` or ``cuda``.
        checkpoint: A folder to keep states in.
        resume: Go on from the states there.
    """

    candidates: tuple[Config, ...]
    conv: Callable[..., nn.Module] | None = None
    encodings: Any = None
    device: str = "auto"
    checkpoint: Path | None = None
    resume: bool = False

    @property
    def name(self) -> str:
        """What tables call it."""
        config = self.candidates[0]
        features = config.features
        words = [
            f"{config.structure} {getattr(self.conv, '__name__', config.conv)}",
            features.kind if features.kind in ("link", "svd") else "",
            features.encoding if features.encoding != "none" else "",
            f"{features.subgraphs} inputs" if features.subgraphs != "none" else "",
        ]
        return ", ".join(word for word in words if word)

    @property
    def key(self) -> str:
        """Names all settings and encodings: another key, another model."""
        return digest("model", repr(self.candidates), str(self.conv), self._columns)[:12]

    @property
    def _columns(self) -> str | Array | None:
        """The encodings by content."""
        extra = self.encodings
        if isinstance(extra, Encoding):
            return digest(extra.nodes, extra.values)
        return None if extra is None else np.asarray(extra)

    def check(self) -> None:
        """Raise what can be known before any training."""
        find_device(self.device)
        for config in self.candidates:
            find_convolution(self.conv if self.conv is not None else config.conv)
            if config.model.readout == "degree-code" and not config.translated:
                raise ConfigError(
                    "the readout 'degree-code' is defined for the S2N structures only; use"
                    " 'degree'."
                )

    def fit(self, task: SubgraphTask, labels: Labels, seeds: Sequence[int]) -> Trained:
        """Learn; ``labels`` has train and val only."""
        device = find_device(self.device)
        graph = None
        first = self.candidates[0]
        task, shown = presented(task, first)
        if first.translated:
            graph = translate(task, self_loops=first.translation.self_loops)
        choices: list[_TrainedNetwork] = []
        for config in self.candidates:
            choices.append(self._one(task, labels, seeds, config, graph, device))
            if choices[-1].fitted.ended == "interrupted":
                break
        if len(choices) == 1 and len(self.candidates) == 1:
            return replace(choices[0], notes=(*shown, *choices[0].notes))
        values = [float(choice.val_scores.mean()) for choice in choices]
        best = choices[int(np.argmax(values))]
        words = ", ".join(
            f"{choice.config.features.kind} {value:.3f}"
            for choice, value in zip(choices, values, strict=True)
        )
        note = f"{self.name}: node features chosen on validation (micro-F1: {words})"
        if choices[-1].fitted.ended == "interrupted":
            total = len(self.candidates)
            left = total - len(choices)
            short = f"{left} of {total} not tried" if left else f"the last of {total} is cut short"
            note += f"; interrupted, so {short}"
            best = replace(best, fitted=replace(best.fitted, ended="interrupted"))
        return replace(best, notes=(*shown, *best.notes, f"{note}."))

    def _one(
        self, task: SubgraphTask, labels: Labels, seeds: Sequence[int], config: Config,
        graph: S2NGraph | None, device: torch.device,
    ) -> _TrainedNetwork:  # fmt: skip
        stages = build_stages(task, config, graph=graph, parts=("train", "val"), device=device)
        at_once = replicas_at_once(stages, config, len(seeds))
        inputs = node_inputs(
            task, config.features, stages.rows, encodings=self.encodings, device=device.type
        )
        networks = [
            build_network(
                task, config, stages, seeds[start : start + at_once], inputs=inputs, conv=self.conv
            )
            for start in range(0, len(seeds), at_once)
        ]  # fmt: skip
        tensors = {part: target(value) for part, value in labels.items()}
        checkpoint = self._checkpoint(task, config, seeds, device)
        fitted = fit(
            networks, stages, tensors, config.training, checkpoint=checkpoint,
            what=f"Training {self.name}",
        )  # fmt: skip
        if not fitted.best_epoch.any():
            raise Sub2NodeError(
                f"{self.name}: no seed had a finite loss in any epoch; lower the learning rate"
                f" (lr = {config.training.lr:g}) or look at the features."
            )
        notes = [
            f"the convolution {name} takes no edge weights, so those of the S2N graph are ignored."
            for name in ignores_weights(networks[0][0])
        ]
        notes += inputs.notes
        if checkpoint is not None and checkpoint.failed:
            notes.append(f"the state could not be kept while training ({checkpoint.failed}).")
        return _TrainedNetwork(
            task, config, graph, stages, networks, fitted, tuple(seeds), tuple(notes)
        )

    def _checkpoint(
        self, task: SubgraphTask, config: Config, seeds: Sequence[int], device: torch.device
    ) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        words = f"{self.name} {config.features.kind} {task.hash[:8]}"
        name = re.sub(r"[^\w+.]+", "-", words) + ".safetensors"
        parts = (task.hash, repr(config), str(self.conv), str(list(seeds)), device.type,
                 self._columns)  # fmt: skip
        key = digest("training", *parts)
        return Checkpoint(self.checkpoint / name, key, resume=self.resume)


def presented(task: SubgraphTask, config: Config) -> tuple[SubgraphTask, tuple[str, ...]]:
    """The task as its structure shows it, and what to know: CoS2N with virtual subgraphs.

    The task's own where it has some, else those of a coarsening; others without any.
    """
    if not config.coarsened:
        return without_virtual(task), ()
    if task.num_virtual:
        return task, (f"{task.num_virtual:,} virtual subgraphs came with the data.",)
    found = _coarsened(task.graph, config.coarsening)
    note = (
        f"{len(found):,} virtual subgraphs of {found.covered:,} nodes by {found.method} at ratio"
        f" {found.ratio:g}."
    )
    return with_virtual(task, found.subgraphs), (note, *found.notes)


@lru_cache(maxsize=16)
def _coarsened(graph: Graph, settings: CoarseningSettings) -> Coarsening:
    """Made once for all splits and subsets of a graph."""
    return coarsen(graph, **asdict(settings))


@dataclass(frozen=True, eq=False)
class _TrainedNetwork:
    task: SubgraphTask
    config: Config
    graph: S2NGraph | None
    stages: Stages
    networks: list[tuple[Network, Streams]]
    fitted: Fitted
    seeds: tuple[int, ...]
    notes: tuple[str, ...]

    @cached_property
    def val_scores(self) -> Array:
        """Best validation score of each replica."""
        best = self.fitted.best_epoch
        column = self.fitted.history["val_micro_f1"]
        return np.array([column[e - 1, r] if e else 0.0 for r, e in enumerate(best)])

    @property
    def facts(self) -> dict[str, Any]:
        notes = list(self.notes)
        for seed, epoch in zip(self.seeds, self.fitted.diverged, strict=True):
            if epoch:
                state = "best state before that" if epoch > 1 else "untrained state"
                notes.append(f"seed {seed} diverged in epoch {epoch}; its {state} counts.")
        if self.fitted.ended == "interrupted":
            done = len(self.fitted.history["lr"])
            notes.append(
                f"interrupted after {done} of {self.config.training.epochs} epochs; the best state"
                " so far counts."
            )
        return {
            "config": self.config.to_dict(),
            "notes": tuple(notes),
            "history": self.fitted.history,
            "ended": self.fitted.ended,
            "seconds_before": self.fitted.seconds_before,
            "best_epoch": tuple(int(epoch) for epoch in self.fitted.best_epoch),
        }

    def outputs(self, part: Part) -> Outputs:
        stages = self.stages
        if part not in stages.by_part:
            stages = build_stages(
                self.task, self.config, graph=self.graph, parts=(part,), device=stages.device
            )
        vectors, logits = forward(self.networks, stages, part)
        return Outputs(logits, vectors)


def target(labels: Array) -> Tensor:
    """Labels as the loss reads them."""
    return torch.from_numpy(np.array(labels, np.float32 if labels.ndim == 2 else np.int64))
