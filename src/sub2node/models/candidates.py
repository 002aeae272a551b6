"""Networks under the protocol: candidates are trained, the best on validation answers."""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, TypedDict

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from ..base.environment import find_device
from ..base.errors import Sub2NodeError
from ..base.notes import Note, NoteKind
from ..base.progress import counted
from ..base.ragged import Array
from ..config.settings import Settings
from ..encode import Encoding
from ..nn import Stages, Streams
from ..ops import triton as kernels
from ..ops.triton import Compile, check_compile_mode, compile_mode
from ..task import Part, SubgraphTask
from ..task.content_hash import digest
from ..train import Checkpoint, Fitted, Group, HeldOutGroup, Watch, fit, fit_apart, forward
from ..train.training_resources import fitting_threads
from .interface import Labels, Outputs


@dataclass(frozen=True, eq=False)
class Built:
    """A network before training.

    Args:
        stages: What the network reads.
        networks: Groups of replicas, each with the streams of its dropout.
        numbers: Size of the largest activation of one replica.
        notes: Sentences for the user.
        apart: Whether one group is trained after the other.
    """

    stages: Stages
    networks: list[tuple[nn.Module, Streams]]
    numbers: int
    notes: tuple[str, ...] = ()
    apart: bool = False


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """A network that has learned.

    Args:
        settings: Settings of this candidate.
        record: All settings, as in ``config.toml``.
        built: The network and what it reads.
        fitted: History and best epochs of the training.
        seeds: One seed per replica.
        notes: Sentences for the user.
        compile: Whether kernels are used, as in :class:`NetworkModel`.
    """

    settings: Any
    record: dict[str, Any]
    built: Built
    fitted: Fitted
    seeds: tuple[int, ...]
    notes: tuple[str, ...]
    compile: Compile = "auto"

    @cached_property
    def val_scores(self) -> Array:
        """Best validation score of each replica."""
        best = self.fitted.best_epoch
        column = self.fitted.history["val_micro_f1"]
        return np.array([column[e - 1, r] if e else 0.0 for r, e in enumerate(best)])

    @property
    def facts(self) -> dict[str, Any]:
        """Fields of the :class:`Result` that come from the model itself."""
        notes = list(self.notes)
        lost = zip(self.seeds, self.fitted.diverged, self.fitted.best_epoch, strict=True)
        for seed, epoch, best in lost:
            if epoch:
                state = "best state before that" if best else "untrained state"
                notes.append(f"seed {seed} diverged in epoch {epoch}; its {state} counts.")
        if self.fitted.ended in ("late", "interrupted"):
            reason = "interrupted" if self.fitted.ended == "interrupted" else "out of time"
            done, total = len(self.fitted.history["lr"]), self.settings.training.epochs
            notes.append(f"{reason} after {done} of {total} epochs; the best state so far counts.")
        return {
            "config": self.record,
            "notes": tuple(notes),
            "history": self.fitted.history,
            "ended": self.fitted.ended,
            "seconds_before": self.fitted.seconds_before,
            "best_epoch": tuple(int(epoch) for epoch in self.fitted.best_epoch),
            "parameters": sum(
                values.numel()
                for network, _ in self.built.networks
                for values in network.parameters()
                if values.requires_grad
            )
            // len(self.seeds),
        }

    def outputs(self, part: Part) -> Outputs:
        """Logits and vectors for a part."""
        with compile_mode(self.compile):
            vectors, logits = forward(self.built.networks, self.built.stages, part)
        return Outputs(logits, vectors, self.fitted.tied if part == "test" else ())


class NetworkOptions(TypedDict, total=False):
    """Options of all networks; as the fields of :class:`NetworkModel`."""

    encodings: Encoding | ArrayLike | None
    device: str
    checkpoint: str | Path | None
    resume: bool
    compile: Compile


@dataclass(frozen=True)
class NetworkModel(ABC):
    """A network with its settings.

    Args:
        candidates: Settings to train with; of several, the best on validation is kept.
        encodings: Columns (N, K) or an :class:`Encoding` that joins the node features.
        device: ``auto``, ``cpu`` or ``cuda``.
        checkpoint: Folder for the states of trainings; None: none are kept.
        resume: Whether to continue from the states there.
        compile: ``auto``: kernels and CUDA graphs on a GPU; ``off``: plain PyTorch.
        class_weights: Weight of the loss of each class, by its number; None: all alike.
        seconds: Time limit of the training; the best state by then counts.
        watch: Called with the validation scores between epochs; may end the training.
        held_out: Whether each replica chooses its epoch on a fold of train of its own, because
            there is no validation part.
        groups: One value per training subgraph; those of equal value are in one of these folds.
    """

    group: ClassVar[type[Group]] = Group  # runs an epoch

    candidates: tuple[Any, ...]
    encodings: Encoding | ArrayLike | None = None
    device: str = "auto"
    checkpoint: str | Path | None = None
    resume: bool = False
    compile: Compile = "auto"
    class_weights: tuple[float, ...] | None = field(default=None, kw_only=True)
    seconds: float | None = field(default=None, kw_only=True)
    watch: Watch | None = field(default=None, kw_only=True)
    held_out: bool = field(default=False, kw_only=True)
    groups: Array | None = field(default=None, kw_only=True)

    @property
    @abstractmethod
    def name(self) -> str:
        """What tables call it."""

    @property
    def identity(self) -> str:
        """What distinguishes this network from others with the same settings and encodings."""
        return ""

    @property
    def key(self) -> str:
        """Hash of all settings and encodings: another key, another model."""
        parts = (repr(self.candidates), self.identity, self._columns)
        return digest("model", *parts, *self._weighting)[:12]

    @property
    def _weighting(self) -> tuple[str, ...]:
        return () if self.class_weights is None else (repr(self.class_weights),)

    @property
    def _columns(self) -> str | Array | None:
        """The encodings by content."""
        extra = self.encodings
        if isinstance(extra, Encoding):
            return digest(extra.nodes, extra.values)
        return None if extra is None else np.asarray(extra)

    def check(self) -> None:
        """Raise errors that show before any training."""
        find_device(self.device)
        check_compile_mode(self.compile)

    def check_size(self, task: SubgraphTask, *, replicas: int, device: torch.device) -> None:
        """Raise if training cannot fit into memory, where that can be estimated."""
        return

    @abstractmethod
    def present(self, task: SubgraphTask) -> tuple[SubgraphTask, tuple[str, ...]]:
        """The task as the network sees it, and what to know about that."""

    @abstractmethod
    def build(
        self, task: SubgraphTask, settings: Any, seeds: Sequence[int], device: torch.device
    ) -> Built:
        """The network of one candidate, for a task as it sees it."""

    def record(self, settings: Settings) -> dict[str, Any]:
        """Settings as in ``config.toml``."""
        return dict(settings.to_dict())

    def fit(self, task: SubgraphTask, labels: Labels, seeds: Sequence[int]) -> TrainedNetwork:
        """Learn; ``labels`` has train and val only."""
        with compile_mode(self.compile):
            return self._fit(task, labels, seeds)

    def _fit(self, task: SubgraphTask, labels: Labels, seeds: Sequence[int]) -> TrainedNetwork:
        device = find_device(self.device)
        self.check_size(task, replicas=len(seeds), device=device)
        task, task_notes = self.present(task)
        choices: list[TrainedNetwork] = []
        start = time.perf_counter()
        candidates = counted(
            enumerate(self.candidates), "Fit", name=self._describe, total=len(self.candidates)
        )
        for number, settings in candidates:
            left = None
            if self.seconds is not None:  # what is left, shared by the candidates that are left
                spent = time.perf_counter() - start
                left = max(self.seconds - spent, 0.0) / (len(self.candidates) - number)
            choices.append(
                self._train(
                    task, labels, seeds=seeds, settings=settings, device=device, seconds=left
                )
            )
            if choices[-1].fitted.ended == "interrupted":
                break
        if len(choices) == 1 and len(self.candidates) == 1:
            return replace(choices[0], notes=(*task_notes, *choices[0].notes))
        values = [float(choice.val_scores.mean()) for choice in choices]
        chosen, reason = choose_candidate(
            [_kind_of_features(choice.settings) for choice in choices], values, len(labels["val"])
        )
        best = choices[chosen]
        scores = ", ".join(
            f"{_kind_of_features(choice.settings)} {value:.3f}"
            for choice, value in zip(choices, values, strict=True)
        )
        note = f"{self.name}: node features chosen on validation (micro-F1: {scores}{reason})"
        if choices[-1].fitted.ended == "interrupted":
            total = len(self.candidates)
            left = total - len(choices)
            missing = (
                f"{left} of {total} not tried" if left else f"the last of {total} is cut short"
            )
            note += f"; interrupted, so {missing}"
            best = replace(best, fitted=replace(best.fitted, ended="interrupted"))
        return replace(best, notes=(*task_notes, *best.notes, Note(NoteKind.CHOSEN, f"{note}.")))

    def _describe(self, candidate: tuple[int, Any]) -> str:
        """What progress calls a candidate, which comes with its number."""
        return f"{self.name}, features {_kind_of_features(candidate[1])}"

    def _train(
        self,
        task: SubgraphTask,
        labels: Labels,
        *,
        seeds: Sequence[int],
        settings: Any,
        device: torch.device,
        seconds: float | None,
    ) -> TrainedNetwork:
        """Train one candidate."""
        built = self.build(task, settings, seeds, device)
        checkpoint = self._checkpoint(task, settings, seeds, device)
        tensors = {part: target(value) for part, value in labels.items()}
        held_out = partial(HeldOutGroup, groups=self.groups)
        with fitting_threads(built.numbers, device):
            fitted = (fit_apart if built.apart else fit)(
                built.networks,
                built.stages,
                tensors,
                settings.training,
                checkpoint=checkpoint,
                group=held_out if self.held_out else self.group,
                what=f"Training {self.name}",
                seconds=seconds,
                weights=_loss_weights(labels["train"], self.class_weights),
                watch=self.watch,
            )
        if not fitted.best_epoch.any():
            raise Sub2NodeError(
                f"{self.name}: no seed had a finite loss in any epoch; lower the learning rate"
                f" (lr = {settings.training.lr:g}) or look at the features."
            )
        notes = list(built.notes)
        if checkpoint is not None and checkpoint.failed:
            notes.append(f"the state could not be kept while training ({checkpoint.failed}).")
        record = self.record(settings)
        return TrainedNetwork(
            settings,
            record,
            built,
            fitted,
            seeds=tuple(seeds),
            notes=tuple(notes),
            compile=self.compile,
        )

    def _checkpoint(
        self, task: SubgraphTask, settings: Any, seeds: Sequence[int], device: torch.device
    ) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        beside = "+given" if settings.features.encoding == "given" else ""
        stem = f"{self.name} {settings.features.kind}{beside} {task.hash[:8]}"
        name = re.sub(r"[^\w+.]+", "-", stem) + ".safetensors"
        fast = device.type == "cuda" and self.compile != "off" and kernels.triton_available()
        platform = f"{device.type}{' compiled' if fast else ''}, format 3"
        identity = (task.hash, repr(settings), self.identity, str(list(seeds)), platform)
        key = digest("training", *identity, self._columns, *self._weighting)
        return Checkpoint(Path(self.checkpoint) / name, key, resume=self.resume)


def choose_candidate(kinds: Sequence[str], scores: Sequence[float], count: int) -> tuple[int, str]:
    """The candidate that is best on validation, and the reason where it is another one.

    Singular vectors count only if they are better by more than a standard error than vectors that
    start at random: of two that validation cannot tell apart the latter did better on other
    subgraphs, on nearly all data that defaults were chosen on (docs/best.md).

    Args:
        kinds: Kinds of node features of the candidates.
        scores: Micro-F1 of each on validation.
        count: Number of validation subgraphs.
    """
    best = int(np.argmax(scores))
    if kinds[best] != "svd" or "random" not in kinds:
        return best, ""
    share = (scores[best] * count + 1) / (count + 2)  # never 0 or 1, which would have no error
    error = float(np.sqrt(share * (1 - share) / (count + 2)))
    if scores[best] - scores[list(kinds).index("random")] > error:
        return best, ""
    others = [number for number, kind in enumerate(kinds) if kind != "svd"]
    usual = max(others, key=lambda number: scores[number])
    return usual, f"; svd is not better than random by a standard error, {error:.3f}"


def _kind_of_features(settings: Any) -> str:
    features = settings.features
    kind = f"{features.kind}+given" if features.encoding == "given" else features.kind
    return str(getattr(settings, "inputs", kind))


def target(labels: Array) -> Tensor:
    """Labels as the loss reads them."""
    return torch.from_numpy(np.array(labels, np.float32 if labels.ndim == 2 else np.int64))


def _loss_weights(labels: Array, by_class: tuple[float, ...] | None) -> Tensor | None:
    """Weights of single losses, shape of the labels, with mean 1; an absent label counts 1."""
    if by_class is None:
        return None
    class_weights = np.array(by_class)
    weights = class_weights[labels] if labels.ndim == 1 else np.where(labels, class_weights, 1.0)
    return torch.from_numpy((weights / weights.mean()).astype(np.float32))
