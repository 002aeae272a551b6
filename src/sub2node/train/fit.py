"""The training loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from ..base.errors import ConfigError
from ..base.plural import plural
from ..base.progress import step
from ..base.ragged import Array
from ..config import TrainingSettings
from ..nn import Stages, Streams
from ..ops.kept_memory import kept_memory
from ..task import Part
from .checkpoint import Checkpoint
from .cuda_graph import Captured
from .plateau import Plateau
from .replica_optimizer import SlabOptimizer, find_optimizer
from .scores import finite, losses, micro_f1
from .stop_request import StopRequest, stoppable

Ended = Literal["complete", "early", "late", "stopped", "interrupted"]
Watch = Callable[[Array], bool]
COLUMNS = ("train_loss", "val_loss", "val_micro_f1", "lr")
_COUNTS = ("best_score", "best_loss", "best_epoch", "diverged", "running", "clock", "_lasted")
_LOOK = 0.1  # seconds of epochs between two looks at what a GPU has done


@dataclass(frozen=True, eq=False)
class Fitted:
    """What training gave; the network itself holds each replica's best state.

    Args:
        history: By column (train_loss, val_loss, val_micro_f1, lr): (epochs, R).
        best_epoch: 1-based, the epoch with the best validation score (on ties the first, or that of
            the lowest loss); 0 for none; (R,).
        diverged: 1-based epoch in which a replica's numbers ceased to be finite; 0 for never; (R,).
        ended: ``complete``, ``early`` (all replicas ran out of patience), ``late`` (the time was
            up), ``stopped`` (by ``watch``) or ``interrupted``.
        seconds_before: Training time before it was resumed.
        tied: Test logits (m, C) of each replica in the epochs that tie for the best on validation,
            where the published rule needs them.
        seconds: Training time of all epochs.
        wished: Whether the user asked to stop, even if training was over by then.
    """

    history: dict[str, Array]
    best_epoch: Array
    diverged: Array
    ended: Ended
    seconds_before: float
    tied: tuple[list[Array], ...] = ()
    seconds: float = 0.0
    wished: bool = False


def fit(
    networks: Sequence[tuple[nn.Module, Streams]],
    stages: Stages,
    labels: dict[Part, Tensor],
    training: TrainingSettings,
    *,
    checkpoint: Checkpoint | None = None,
    what: str = "Training",
    group: Callable[..., Group] | None = None,
    weights: Tensor | None = None,
    seconds: float | None = None,
    watch: Watch | None = None,
) -> Fitted:
    """Train all replicas; keep of each the state with the best validation micro-F1.

    Args:
        networks: Groups of replicas, each with the streams of its dropout; changed in place.
        stages: What the networks read; train and val are used.
        labels: Labels of the train and the val subgraphs; see :func:`losses`.
        training: Settings of the training.
        checkpoint: File that keeps the state between epochs.
        what: Name of the work in progress reports.
        group: Makes what runs an epoch; by default one step on all of train.
        weights: Weights of the single losses of the train subgraphs; see :func:`losses`.
        seconds: Time limit; the best states by then count.
        watch: Called between epochs with the validation scores so far, (epochs, R); True ends fit.
    """
    groups = [
        (group or Group)(network, streams, stages=stages, labels=labels, training=training)
        for network, streams in networks
    ]
    for replicas in groups:
        replicas.weights = None if weights is None else weights.to(stages.device)
    loop = _Loop(groups, training, seconds, watch)
    if checkpoint is not None and (saved := checkpoint.load()) is not None:
        loop.restore(*saved)
    try:
        with stoppable() as request, kept_memory(stages.device):
            ended = loop.run(checkpoint, request, what)
    finally:
        for replicas in groups:
            replicas.release()
    if loop.epoch < training.epochs:
        step(what, training.epochs, training.epochs)
    for replicas in groups:
        if ended in ("late", "stopped", "interrupted"):
            replicas.settle(loop.epoch)
        replicas.replicas.load(replicas.optimizer.best)
    return Fitted(
        history={name: loop.column(name) for name in COLUMNS},
        best_epoch=loop.joined("best_epoch").numpy(),
        diverged=loop.joined("diverged").numpy(),
        ended=ended,
        seconds_before=loop.before,
        tied=tuple(logits for replicas in groups for logits in replicas.tied),
        seconds=loop.seconds,
        wished=request.stop,
    )


@torch.no_grad()
def forward(
    networks: Sequence[tuple[nn.Module, Streams]], stages: Stages, part: Part
) -> tuple[Array, Array]:
    """Vectors (R, m, F) and logits (R, m, C) of a part's subgraphs, in evaluation mode."""
    outputs = [network.eval()(stages[part]) for network, _ in networks]
    vectors, logits = (torch.cat(tensors).cpu().numpy() for tensors in zip(*outputs, strict=True))
    return vectors, logits


class _Loop:
    """All groups, epoch by epoch."""

    def __init__(
        self,
        groups: Sequence[Group],
        training: TrainingSettings,
        limit: float | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.groups, self.training, self.limit, self.watch = groups, training, limit, watch
        self.epoch, self.seconds, self.before = 0, 0.0, 0.0

    def run(self, checkpoint: Checkpoint | None, request: StopRequest, what: str) -> Ended:
        total, start, ahead = self.training.epochs, time.perf_counter(), 1
        while self.epoch < total and self.joined("running").any():
            started, last = time.perf_counter(), min(total, self.epoch + ahead)
            for epoch in range(self.epoch + 1, last + 1):
                for group in self.groups:
                    group.one_epoch(epoch)
            self.epoch = min(last, max(group.lasted for group in self.groups))
            self.seconds = self.before + time.perf_counter() - start
            if all(group.ahead for group in self.groups):  # look only now and then
                spent = (time.perf_counter() - started) / ahead
                ahead = max(1, min(2 * ahead, int(_LOOK / max(spent, 1e-9))))
            step(what, self.epoch, total, f"epoch {self.epoch} of {total} · {self.describe()}")
            if request.stop and self.epoch < total:
                return "interrupted"
            if self.limit is not None and self.seconds > self.limit and self.epoch < total:
                return "late"
            if self.watch is not None and self.watch(self.column("val_micro_f1")):
                return "stopped"
            if checkpoint is not None and checkpoint.due:
                checkpoint.save(*self.state())
        if checkpoint is not None and self.seconds > checkpoint.every:
            checkpoint.save(*self.state())  # a later part of the run may still be killed
        return "complete" if self.epoch == total else "early"

    def joined(self, name: str) -> Tensor:
        """One value per replica, over all groups; (R,)."""
        return torch.cat([getattr(group, name) for group in self.groups]).cpu()

    def column(self, name: str) -> Array:
        """One column of the history; (epochs, R)."""
        rows = [group.history[name][: self.epoch].cpu().numpy() for group in self.groups]
        return np.concatenate(rows, axis=1)

    def describe(self) -> str:
        """One line on the last epoch, over the replicas that did not diverge."""
        alive = self.joined("diverged").numpy() == 0
        if not alive.any():
            return "all replicas diverged"
        loss = self.column("train_loss")[-1]
        score = self.joined("best_score").numpy()
        running = int(self.joined("running").sum())
        replicas = f" · {plural(running, 'replica')}" if len(alive) > 1 else ""
        lost = "" if alive.all() else f" · {int((~alive).sum())} diverged"
        return f"best val {score[alive].mean():.3f} · loss {loss[alive].mean():.3f}{replicas}{lost}"

    def state(self) -> tuple[dict[str, Tensor], dict[str, float]]:
        """What to go on from later."""
        tensors = {
            f"{number}.{name}": tensor
            for number, group in enumerate(self.groups)
            for name, tensor in group.state().items()
        }
        return tensors, {"epoch": self.epoch, "seconds": self.seconds}

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, float]) -> None:
        """Go on from what :meth:`state` gave."""
        for number, group in enumerate(self.groups):
            try:
                group.restore(_with_prefix(tensors, f"{number}."))
            except KeyError as error:
                raise ConfigError(
                    f"the saved state cannot be resumed here (no {error}); it was written"
                    " on another device or by another version: remove it to start anew."
                ) from None
        self.epoch, self.before = int(facts["epoch"]), float(facts["seconds"])
        self.seconds = self.before


def _with_prefix(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {n[len(prefix) :]: t for n, t in tensors.items() if n.startswith(prefix)}


class Group:
    """Replicas that are stacked, and everything of theirs that changes from epoch to epoch.

    All of it stays on the device, and epochs are tensor operations only: where the network can be
    recorded, an epoch is one replay of a CUDA graph, and nobody waits for its numbers.
    """

    start = 0  # epochs before validation counts
    weights: Tensor | None = None  # of single losses
    recordable = True  # every epoch consists of the same operations

    def __init__(
        self,
        network: nn.Module,
        streams: Streams,
        *,
        stages: Stages,
        labels: dict[Part, Tensor],
        training: TrainingSettings,
    ) -> None:
        self.network, self.streams, self.stages = network, streams, stages
        self.labels = {part: value.to(stages.device) for part, value in labels.items()}
        self.training = training
        count, device = len(streams.seeds), stages.device
        recordable = self.recordable and stages.partitions == 1
        self.optimizer = find_optimizer(network, count, training, once=recordable)
        self.replicas = self.optimizer.replicas
        self.plateau = Plateau(training, count, device)
        self.best_score = torch.full((count,), -1.0, dtype=torch.float64, device=device)
        self.best_loss = torch.full_like(self.best_score, torch.inf)  # at the best epoch
        self.best_epoch = torch.zeros(count, dtype=torch.int64, device=device)
        self.diverged = torch.zeros_like(self.best_epoch)
        self.running = torch.ones(count, dtype=torch.bool, device=device)
        self.counted = self.running.clone()  # whose last epoch counted
        self.clock, self._lasted = (
            torch.zeros((), dtype=torch.int64, device=device) for _ in range(2)
        )
        shape = (len(COLUMNS), training.epochs, count)
        self._columns = torch.full(shape, torch.nan, dtype=torch.float64, device=device)
        self.history = dict(zip(COLUMNS, self._columns, strict=True))
        self.tied: list[list[Array]] = []
        self.fast = recordable and isinstance(self.optimizer, SlabOptimizer)
        self.ahead = self.fast and device.type == "cuda"  # of the host
        if self.ahead:
            self.train_step = Captured(self.train_step, device)  # type: ignore[method-assign]
            self.val_step = Captured(self.val_step, device)  # type: ignore[method-assign]
            self._epoch = Captured(self._epoch, device)  # type: ignore[method-assign]

    def train_step(self) -> Tensor:
        """One step on the train stage; the losses before it, (R,)."""
        self.network.train()
        self.streams.begin()
        logits = self.network(self.stages["train"])[1]
        return self.descend(losses(logits, self.labels["train"], weights=self.weights))

    def descend(self, loss: Tensor) -> Tensor:
        """One step of the optimiser down these losses, (R,); given back without their graph."""
        self.optimizer.step(loss, self.plateau.rate)
        return loss.detach()

    @torch.no_grad()
    def val_step(self) -> tuple[Tensor, Tensor]:
        """One look at the val stage: losses and scores, (R,)."""
        logits = self.network.eval()(self.stages["val"])[1]
        return losses(logits, self.labels["val"]), micro_f1(logits, self.labels["val"])

    def watched(self, loss: Tensor, val_loss: Tensor) -> Tensor:
        """The losses whose plateau lowers the learning rate, (R,)."""
        return val_loss

    def one_epoch(self, epoch: int) -> None:
        """Train, validate, lower the learning rate where it is due, keep better states."""
        self._epoch()

    def _epoch(self) -> None:
        cls = type(self)  # the methods themselves: inside a recording nothing is replayed
        loss = cls.train_step(self)
        val_loss, score = cls.val_step(self)
        with torch.no_grad():
            self._record_epoch(loss, val_loss, score)

    def _record_epoch(self, loss: Tensor, val_loss: Tensor, score: Tensor) -> None:
        """What follows from the numbers of an epoch, each (R,)."""
        if self.fast:
            self.optimizer.keep(self._record_epoch_by_kernel(loss, val_loss, score))
            return
        rate = self.plateau.rate.clone()
        self.clock += 1
        any_running = self.running.any()  # else this epoch is one too many
        self._lasted.copy_(torch.where(any_running, self.clock, self._lasted))
        self.plateau.step(self.watched(loss, val_loss))
        is_finite = finite(loss, val_loss)
        newly_diverged = ~is_finite & (self.diverged == 0) & any_running
        self.diverged.copy_(torch.where(newly_diverged, self.clock, self.diverged))
        self.running &= is_finite
        better = score > self.best_score
        if self.training.ties == "loss":
            better |= (score == self.best_score) & (val_loss.double() < self.best_loss)
        better &= self.running & (self.clock > self.start)
        self.best_loss.copy_(torch.where(better, val_loss.double(), self.best_loss))
        self.best_score.copy_(torch.where(better, score, self.best_score))
        self.best_epoch.copy_(torch.where(better, self.clock, self.best_epoch))
        self.optimizer.keep(better)
        self.counted.copy_(self.running)
        if self.training.patience:
            waited = self.clock - self.best_epoch.clamp(min=self.start)
            self.running &= waited < self.training.patience
        row = torch.stack([loss.double(), val_loss.double(), score.double(), rate])
        self._columns.index_copy_(1, self.clock.view(1) - 1, row.unsqueeze(1))

    def _record_epoch_by_kernel(self, loss: Tensor, val_loss: Tensor, score: Tensor) -> Tensor:
        """The same by one kernel; which replicas are better, bool (R,)."""
        from ..ops.triton.epoch_record import EpochState, record_epoch

        training, plateau = self.training, self.plateau
        state = EpochState(
            plateau.rate,
            plateau.best,
            plateau.waited,
            self.best_score,
            self.best_loss,
            self.best_epoch,
            self.diverged,
            self.running,
            self.counted,
            self.clock,
            self._lasted,
            self._columns,
        )
        return record_epoch(
            state,
            loss,
            val_loss,
            score,
            factor=training.plateau_factor,
            patience=training.plateau_patience,
            min_rate=training.min_lr,
            threshold=1 - plateau.THRESHOLD,
            start=self.start,
            stop=training.patience,
            by_loss=training.ties == "loss",
        )

    def release(self) -> None:
        """Give back what recordings hold."""
        for name in ("train_step", "val_step", "_epoch"):
            self.__dict__.pop(name, None)

    @property
    def lasted(self) -> int:
        """Epochs that some replica was still running in."""
        return int(self._lasted)

    def settle(self, epoch: int) -> None:
        """Let the last epoch of replicas count that were stopped before any epoch did."""
        unset = (self.best_epoch == 0) & (self.diverged == 0)
        self.best_epoch.copy_(torch.where(unset, epoch, self.best_epoch))
        self.optimizer.keep(unset)

    def state(self) -> dict[str, Tensor]:
        """What to go on from later."""
        tensors = {f"now.{n}": t for n, t in self.replicas.tensors().items()}
        tensors |= {f"best.{n}": t for n, t in self.optimizer.best.items()}
        tensors |= {f"plateau.{n}": t for n, t in self.plateau.state().items()}
        tensors |= {f"adam.{n}": t for n, t in self.optimizer.moments().items()}
        tensors |= {name: getattr(self, name) for name in _COUNTS}
        tensors["streams"] = self.streams.state()
        tensors["history"] = self._columns[:, : int(self.clock)]
        return tensors

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Go on from what :meth:`state` gave; in place, since recordings know the tensors."""
        device = self.stages.device
        self.replicas.load(
            {name: t.to(device) for name, t in _with_prefix(tensors, "now.").items()}
        )
        for name, tensor in _with_prefix(tensors, "best.").items():
            self.optimizer.best[name].copy_(tensor)
        self.plateau.restore(_with_prefix(tensors, "plateau."))
        self.optimizer.remember(_with_prefix(tensors, "adam."))
        for name in _COUNTS:
            getattr(self, name).copy_(tensors[name])
        self.streams.restore(tensors["streams"])
        self._columns[:, : tensors["history"].shape[1]] = tensors["history"].to(device)
