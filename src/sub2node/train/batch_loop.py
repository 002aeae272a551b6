"""Epochs of many steps: each replica sees the training subgraphs in an order of its own."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from ..base.ragged import Array
from ..config import BatchTrainingSettings
from ..nn import Stages, Streams
from ..task import Part
from .fit import Group
from .scores import losses

_ORDER = 2  # stream of a seed; 0 and 1 are initial values and dropout


class BatchGroup(Group):
    """Replicas of a :class:`~sub2node.baselines.batch_network.BatchNetwork`."""

    recordable = False  # other subgraphs in every step

    training: BatchTrainingSettings

    def __init__(
        self,
        network: nn.Module,
        streams: Streams,
        *,
        stages: Stages,
        labels: dict[Part, Tensor],
        training: BatchTrainingSettings,
    ) -> None:
        super().__init__(network, streams, stages=stages, labels=labels, training=training)
        self.start = min(self.training.start, self.training.epochs - 1)
        self.epoch = 0
        if self.training.published_ties:
            self.tied = [[] for _ in self.streams.seeds]

    def train_step(self) -> Tensor:
        """All steps of an epoch; the mean of their losses, (R,)."""
        self.network.train()
        rows = self.stages["train"]
        labels = self.labels["train"]
        total = torch.zeros(len(self.streams.seeds), device=labels.device)
        orders = self._orders(len(rows))
        for step in orders:
            self.streams.begin()
            positions = torch.from_numpy(step).to(labels.device)
            logits = self.network.answer(rows[step])[1]  # type: ignore[operator]
            weights = None if self.weights is None else self.weights[positions]
            total += self.descend(losses(logits, labels[positions], own=True, weights=weights))
        return total / len(orders)

    def _orders(self, count: int) -> Array:
        """Which training subgraphs are seen together: (steps, R, batch)."""
        size = min(self.training.batch, count)
        orders = [
            np.random.default_rng([seed, _ORDER, self.epoch]).permutation(count)
            for seed in self.streams.seeds
        ]
        cut = np.stack(orders)[:, : count // size * size]
        return np.ascontiguousarray(cut.reshape(len(orders), -1, size).swapaxes(0, 1))

    def watched(self, loss: Tensor, val_loss: Tensor) -> Tensor:
        """The training losses."""
        return loss

    def one_epoch(self, epoch: int) -> None:
        """Train, validate, keep better states, and ties where the published rule needs them."""
        self.epoch, before = epoch, self.best_score.clone()
        super().one_epoch(epoch)
        if self.training.published_ties:
            self._keep_ties(epoch, before)

    @torch.no_grad()
    def _keep_ties(self, epoch: int, before: Tensor) -> None:
        score = self.history["val_micro_f1"][epoch - 1]
        better = (self.best_epoch == epoch) & (score > before)
        tied = better | (self.counted & (self.best_epoch > 0) & (score == self.best_score))
        if not tied.any():
            return
        logits = self.network.eval()(self.stages["test"])[1].cpu().numpy()
        for r in torch.nonzero(tied).flatten().tolist():
            self.tied[r] = [] if better[r] else self.tied[r]
            self.tied[r].append(logits[r])

    def state(self) -> dict[str, Tensor]:
        """What to go on from later."""
        tied = {
            f"tied.{r}": torch.from_numpy(np.stack(logits))
            for r, logits in enumerate(self.tied)
            if logits
        }
        return super().state() | tied

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Go on from what :meth:`state` gave."""
        super().restore(tensors)
        for r in range(len(self.tied)):
            self.tied[r] = list(tensors.get(f"tied.{r}", torch.empty(0)).numpy())
