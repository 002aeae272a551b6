"""Epochs of many steps: each replica sees the training subgraphs in an order of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..config import BatchTraining
from ..ragged import Array
from .fit import Group
from .scores import losses

_ORDER = 2  # what the numbers of a seed are for; 0 and 1 are initial values and dropout


class BatchGroup(Group):
    """Replicas of a :class:`~sub2node.baselines.batches.BatchNetwork`."""

    recordable = False  # other subgraphs in every step

    training: BatchTraining

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
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
            seen = torch.from_numpy(step).to(labels.device)
            logits = self.network.answer(rows[step])[1]  # type: ignore[operator]
            weights = None if self.weights is None else self.weights[seen]
            total += self.descend(losses(logits, labels[seen], own=True, weights=weights))
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
        """Train, look, keep what is better, and what is as good where the published rule wants."""
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
        kept = {f"tied.{r}": np.stack(found) for r, found in enumerate(self.tied) if found}
        return super().state() | {name: torch.from_numpy(array) for name, array in kept.items()}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Go on from what :meth:`state` gave."""
        super().restore(tensors)
        for r in range(len(self.tied)):
            self.tied[r] = list(tensors.get(f"tied.{r}", torch.empty(0)).numpy())
