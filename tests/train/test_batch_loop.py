"""Training in batches: what GLASS and SubGNN do otherwise than the networks of a structure."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import sub2node as s2n


@pytest.fixture(scope="module")
def curves() -> dict[str, np.ndarray]:
    """Two replicas of GLASS, with a rate that is halved at once when a loss does not fall."""
    task = s2n.load_task("generate:density,subgraphs=40,seed=3")
    settings = {"epochs": 12, "start": 0, "batch": 8, "features.kind": "random", "lr": 0.05}
    settings |= {"plateau_patience": 0, "plateau_factor": 0.5, "min_lr": 1e-6}
    result = s2n.run(task, model="glass", seeds=2, settings=settings)
    return {name: np.asarray(column) for name, column in result.history.items()}


def scheduled_rates(losses: np.ndarray) -> list[float]:
    """The rate of each epoch if PyTorch's schedule reads these losses, (epochs,)."""
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=0.05)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(
        optimizer, factor=0.5, patience=0, min_lr=1e-6
    )
    rates = []
    for loss in losses.tolist():
        rates.append(optimizer.param_groups[0]["lr"])
        schedule.step(loss)
    return rates


@pytest.mark.slow
def test_the_learning_rate_follows_the_training_loss(curves) -> None:
    for replica in range(2):
        rates = curves["lr"][:, replica]
        by_train, by_val = (
            scheduled_rates(curves[name][:, replica]) for name in ("train_loss", "val_loss")
        )
        assert rates.tolist() == pytest.approx(by_train)
        assert rates.tolist() != pytest.approx(by_val)  # else this test would tell nothing
        assert rates[-1] < rates[0]
