"""The learning-rate schedule of each replica."""

from __future__ import annotations

import torch
from torch import Tensor

from ..config import TrainingSettings


class Plateau:
    """Lower a replica's learning rate when its validation loss stops falling.

    The rule of PyTorch's ``ReduceLROnPlateau``: a loss counts as lower if it is below 0.9999 of
    the best one.
    """

    THRESHOLD = 1e-4

    def __init__(
        self, training: TrainingSettings, replicas: int, device: torch.device | str = "cpu"
    ) -> None:
        self.training = training
        self.rate = torch.full((replicas,), training.lr, dtype=torch.float64, device=device)
        self.best = torch.full((replicas,), torch.inf, dtype=torch.float64, device=device)
        self.waited = torch.zeros(replicas, dtype=torch.int64, device=device)

    @torch.no_grad()
    def step(self, loss: Tensor) -> None:
        """Take in one epoch's validation losses, (R,); everything is changed in place."""
        loss = loss.detach().double()
        lower = loss < self.best * (1 - self.THRESHOLD)
        self.best.copy_(torch.where(lower, loss, self.best))
        self.waited.copy_(torch.where(lower, 0, self.waited + 1))
        due = self.waited > self.training.plateau_patience
        least = torch.full_like(self.rate, self.training.min_lr)
        reduced = torch.maximum(self.rate * self.training.plateau_factor, least)
        self.rate.copy_(torch.where(due & (reduced < self.rate), reduced, self.rate))
        self.waited.copy_(torch.where(due, 0, self.waited))

    def state(self) -> dict[str, Tensor]:
        """What to go on from later."""
        return {"rate": self.rate, "best": self.best, "waited": self.waited}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go on from what :meth:`state` gave."""
        for name, tensor in self.state().items():
            tensor.copy_(state[name])
