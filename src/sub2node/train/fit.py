"""The training loop."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from ..config import Training
from ..nn import Network, Stages, Streams
from ..progress import step
from ..ragged import Array
from ..task import Part
from .checkpoint import Checkpoint
from .interrupt import Wish, stoppable
from .plateau import Plateau
from .replicas import Replicas
from .scores import finite, losses, micro_f1

COLUMNS = ("train_loss", "val_loss", "val_micro_f1", "lr")


@dataclass(frozen=True, eq=False)
class Fitted:
    """What training gave; the network itself holds each replica's best state.

    Args:
        history: By column (train_loss, val_loss, val_micro_f1, lr): (epochs, R).
        best_epoch: 1-based, the first epoch with the best validation score; 0 for none; (R,).
        diverged: 1-based epoch in which a replica's numbers ceased to be finite; 0 for never; (R,).
        ended: ``complete``, ``early`` (all replicas ran out of patience) or ``interrupted``.
        seconds: Time of training, over all sittings.
    """

    history: dict[str, Array]
    best_epoch: Array
    diverged: Array
    ended: Literal["complete", "early", "interrupted"]
    seconds: float


def fit(
    network: Network,
    streams: Streams,
    stages: Stages,
    labels: dict[Part, Tensor],
    training: Training,
    *,
    checkpoint: Checkpoint | None = None,
    what: str = "Training",
) -> Fitted:
    """Train all replicas; keep of each the state with the best validation micro-F1 (first on ties).

    Args:
        network: Changed in place.
        streams: What its dropout reads.
        stages: Train and val are read.
        labels: Of the train and the val subgraphs; see :func:`losses`.
        training: Settings.
        checkpoint: Where to keep the state between epochs.
        what: The name of the work in progress reports.
    """
    loop = _Loop(network, streams, stages, labels, training)
    if checkpoint is not None and (saved := checkpoint.load()) is not None:
        loop.restore(*saved)
    with stoppable() as wish:
        ended = loop.run(checkpoint, wish, what)
    loop.replicas.load(loop.best)
    network.eval()
    return Fitted(
        {name: np.array(rows) for name, rows in loop.history.items()},
        loop.best_epoch.numpy(),
        loop.diverged.numpy(),
        ended,
        loop.seconds,
    )


@torch.no_grad()
def forward(network: Network, stages: Stages, part: Part) -> tuple[Array, Array]:
    """Vectors (R, m, F) and logits (R, m, C) of a part's subgraphs, in evaluation mode."""
    network.eval()
    vectors, logits = network(stages[part])
    return vectors.cpu().numpy(), logits.cpu().numpy()


class _Loop:
    """Everything that changes from epoch to epoch."""

    def __init__(
        self,
        network: Network,
        streams: Streams,
        stages: Stages,
        labels: dict[Part, Tensor],
        training: Training,
    ) -> None:
        self.network, self.streams, self.stages = network, streams, stages
        self.labels = {part: value.to(stages.device) for part, value in labels.items()}
        self.training = training
        count = len(streams.generators)
        self.replicas = Replicas(network, count)
        self.optimizer = self.replicas.adam(training)
        self.plateau = Plateau(training, count)
        self.best = {name: t.clone() for name, t in self.replicas.tensors().items()}
        self.best_score = torch.full((count,), -1.0, dtype=torch.float64)
        self.best_epoch, self.diverged = (torch.zeros(count, dtype=torch.int64) for _ in range(2))
        self.running = torch.ones(count, dtype=torch.bool)
        self.history: dict[str, list[list[float]]] = {name: [] for name in COLUMNS}
        self.epoch, self.seconds = 0, 0.0

    def run(
        self, checkpoint: Checkpoint | None, wish: Wish, what: str
    ) -> Literal["complete", "early", "interrupted"]:
        total, start, before = self.training.epochs, time.perf_counter(), self.seconds
        while self.epoch < total and self.running.any():
            self.one_epoch()
            self.seconds = before + time.perf_counter() - start
            step(what, self.epoch, total, self.describe())
            if wish.stop:
                return "interrupted"
            if checkpoint is not None and checkpoint.due:
                checkpoint.save(*self.state())
        return "complete" if self.epoch == total else "early"

    def one_epoch(self) -> None:
        """One step on the train stage, one look at the val stage."""
        self.epoch += 1
        self.network.train()
        self.replicas.clear()
        loss = losses(self.network(self.stages["train"])[1], self.labels["train"])
        loss.sum().backward()  # type: ignore[no-untyped-call]
        if self.training.clip:
            self.replicas.clip(self.training.clip)
        self.replicas.share_gradients()
        for group, rate in zip(self.optimizer.param_groups, self.plateau.rate, strict=True):
            group["lr"] = float(rate)
        used = self.plateau.rate.tolist()
        self.optimizer.step()
        self.network.eval()
        with torch.no_grad():
            logits = self.network(self.stages["val"])[1]
            val_loss, score = (f(logits, self.labels["val"]) for f in (losses, micro_f1))
        self.plateau.step(val_loss)
        self.note(loss.detach().cpu(), val_loss.cpu(), score.cpu(), used)

    def note(self, loss: Tensor, val_loss: Tensor, score: Tensor, rate: Sequence[float]) -> None:
        """Write down the epoch; keep the state of replicas that are better than before."""
        fine = finite(loss, val_loss)
        fresh = ~fine & (self.diverged == 0) & self.running
        self.diverged = torch.where(fresh, self.epoch, self.diverged)
        self.running &= fine
        better = self.running & (score > self.best_score)
        self.best_score = torch.where(better, score, self.best_score)
        self.best_epoch = torch.where(better, self.epoch, self.best_epoch)
        self.replicas.copy(self.best, torch.nonzero(better).flatten().tolist())
        if self.training.patience:
            self.running &= self.epoch - self.best_epoch < self.training.patience
        columns = (loss.tolist(), val_loss.tolist(), score.tolist(), rate)
        for name, row in zip(COLUMNS, columns, strict=True):
            self.history[name].append(list(row))

    def describe(self) -> str:
        """One line on the last epoch, over the replicas that run."""
        alive = self.diverged.numpy() == 0
        if not alive.any():
            return "all replicas diverged"
        loss = np.array(self.history["train_loss"][-1])[alive].mean()
        score = self.best_score.numpy()[alive].mean()
        count = int(self.running.sum())
        many = f" · {count} replicas" if len(alive) > 1 else ""
        lost = f" · {int((~alive).sum())} diverged" if not alive.all() else ""
        return f"loss {loss:.3f} · best val {score:.3f}{many}{lost}"

    def state(self) -> tuple[dict[str, Tensor], dict[str, object]]:
        tensors = {f"now.{n}": t for n, t in self.replicas.tensors().items()}
        tensors |= {f"best.{n}": t for n, t in self.best.items()}
        tensors |= {f"plateau.{n}": t for n, t in self.plateau.state().items()}
        for r, views in enumerate(self.replicas.views):
            for k, view in enumerate(views):
                moments = self.optimizer.state.get(view, {})
                tensors |= {f"adam.{r}.{k}.{n}": t for n, t in moments.items()}
        for name in ("best_score", "best_epoch", "diverged", "running"):
            tensors[name] = getattr(self, name)
        tensors["streams"] = self.streams.state()
        for name, rows in self.history.items():
            tensors[f"history.{name}"] = torch.tensor(rows, dtype=torch.float64)
        return tensors, {"epoch": self.epoch, "seconds": self.seconds}

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, float]) -> None:
        def under(prefix: str) -> dict[str, Tensor]:
            return {n[len(prefix) :]: t for n, t in tensors.items() if n.startswith(prefix)}

        device = self.stages.device
        self.replicas.load({name: t.to(device) for name, t in under("now.").items()})
        for name, tensor in under("best.").items():
            self.best[name].copy_(tensor)
        self.plateau.restore(under("plateau."))
        for r, views in enumerate(self.replicas.views):
            for k, view in enumerate(views):
                moments = {n: t.to(view.device) for n, t in under(f"adam.{r}.{k}.").items()}
                if moments:
                    self.optimizer.state[view] = moments
        for name in ("best_score", "best_epoch", "diverged", "running"):
            setattr(self, name, tensors[name])
        self.streams.restore(tensors["streams"])
        self.history = {name: t.tolist() for name, t in under("history.").items()}
        self.epoch, self.seconds = int(facts["epoch"]), float(facts["seconds"])
