"""Training on all labels there are: each replica chooses its epoch on a fold of its own."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from ..base.ragged import Array, generator
from ..config import TrainingSettings
from ..nn import Stages, Streams
from ..task import Part, stratified_folds
from .fit import Group
from .scores import losses

FOLDS = 8


class HeldOutGroup(Group):
    """Replicas of one training part, without a validation part.

    All subgraphs are in the graph of every replica. A replica learns from the labels of all folds
    but one and keeps the state that is best on that one; with as many replicas as folds, each label
    is learned from by all but one of them. Which fold that is follows from the seed. With
    ``groups``, one value per training subgraph, those of equal value are in one fold.
    """

    def __init__(
        self,
        network: nn.Module,
        streams: Streams,
        *,
        stages: Stages,
        labels: dict[Part, Tensor],
        training: TrainingSettings,
        groups: Array | None = None,
    ) -> None:
        super().__init__(network, streams, stages=stages, labels=labels, training=training)
        fold = held_out_folds(labels["train"], min(FOLDS, len(labels["train"])), groups)
        own = torch.tensor([seed % (int(fold.max()) + 1) for seed in streams.seeds])
        held = (fold == own[:, None]).to(stages.device)
        self.held = held if labels["train"].dim() == 1 else held.unsqueeze(-1)
        shares = [part.double().mean(dim=1, keepdim=True) for part in (~self.held, self.held)]
        self.learned, self.judged = (
            (part / share).float()
            for part, share in zip((~self.held, self.held), shares, strict=True)
        )

    def train_step(self) -> Tensor:
        """One step on the labels that each replica learns from; the losses before it, (R,)."""
        self.network.train()
        self.streams.begin()
        weights = self.learned if self.weights is None else self.learned * self.weights
        logits = self.network(self.stages["train"])[1]
        return self.descend(losses(logits, self.labels["train"], weights=weights))

    @torch.no_grad()
    def val_step(self) -> tuple[Tensor, Tensor]:
        """One look at the labels that each replica holds out: losses and scores, (R,)."""
        labels = self.labels["train"]
        logits = self.network.eval()(self.stages["train"])[1]
        return losses(logits, labels, weights=self.judged), _micro_f1(logits, labels, self.held)


def held_out_folds(labels: Tensor, count: int, groups: Array | None = None) -> Tensor:
    """The fold of each row: equal in size, classes spread evenly over them; (m,).

    Args:
        labels: (m,) classes or (m, C) labels.
        count: The number of folds; with few groups there are fewer.
        groups: One value per row; rows of equal value are in one fold.
    """
    if groups is not None:
        folds = stratified_folds(labels.cpu().numpy(), count, groups=groups)
        numbers, folds = np.unique(folds, return_inverse=True)
        if len(numbers) > 1:
            return torch.from_numpy(folds)
    single = labels.dim() == 1
    ranks = labels.cpu().numpy() if single else np.zeros(len(labels), np.int64)
    order = np.lexsort((generator(0).random(len(ranks)), ranks))
    folds = np.empty(len(ranks), np.int64)
    folds[order] = np.arange(len(ranks)) % count
    return torch.from_numpy(folds)


def _micro_f1(logits: Tensor, labels: Tensor, rows: Tensor) -> Tensor:
    """Micro-F1 of each replica on its own rows; (R,)."""
    if labels.dim() == 1:
        right = (logits.argmax(-1) == labels) & rows
        return right.sum(1).double() / rows.sum(1).clamp(min=1)
    predicted, true = (logits > 0) & rows, labels.bool() & rows
    total = predicted.sum((1, 2)) + true.sum((1, 2))
    return 2 * (predicted & true).sum((1, 2)).double() / total.clamp(min=1)
