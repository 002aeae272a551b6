"""An epoch recorded by a kernel against the plain record."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("triton", reason="Triton is not installed")

from fast_path import DEVICE, few_examples
from sub2node.config import TrainingSettings
from sub2node.train import Group
from sub2node.train.plateau import Plateau

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.slow
@few_examples
@given(
    replicas=st.integers(1, 5), stop=st.sampled_from([0, 3]), start=st.sampled_from([0, 2]),
    patience=st.integers(0, 2), ties=st.sampled_from(["first", "loss"]), broken=st.booleans(),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_a_look_at_once_is_the_plain_one(
    replicas, stop, start, patience, ties, broken, seed
) -> None:
    """Schedule, divergence, patience, best epochs and history over some epochs."""
    training = TrainingSettings(
        lr=0.01, patience=stop, ties=ties, plateau_patience=patience, epochs=8, min_lr=0.004
    )
    groups = [bare_group(training, replicas, start, fast=fast) for fast in (True, False)]
    generator = torch.Generator().manual_seed(seed)
    for epoch in range(8):
        loss, val = (torch.rand(replicas, generator=generator).to(DEVICE) for _ in range(2))
        score = torch.randint(4, (replicas,), generator=generator).to(DEVICE).double() / 4
        if broken and epoch == 4:
            loss[0], val[-1] = torch.inf, torch.nan
        for group in groups:
            group._record_epoch(loss, val, score)
    fast, plain = groups
    assert [k.tolist() for k in fast.optimizer.kept] == [k.tolist() for k in plain.optimizer.kept]
    for name in (
        "best_score", "best_loss", "best_epoch", "diverged", "running", "counted", "clock",
        "_lasted",
    ):  # fmt: skip
        assert torch.equal(getattr(fast, name), getattr(plain, name)), name
    for name in ("rate", "best", "waited"):
        assert torch.equal(getattr(fast.plateau, name), getattr(plain.plateau, name)), name
    assert torch.equal(fast._columns.nan_to_num(7.0), plain._columns.nan_to_num(7.0))


def bare_group(training: TrainingSettings, replicas: int, start: int, *, fast: bool) -> Group:
    """A group without a network."""
    group = Group.__new__(Group)
    group.training, group.start, group.fast = training, start, fast
    group.plateau = Plateau(training, replicas, DEVICE)
    group.best_score = torch.full((replicas,), -1.0, dtype=torch.float64, device=DEVICE)
    group.best_loss = torch.full_like(group.best_score, torch.inf)
    for name in ("best_epoch", "diverged"):
        setattr(group, name, torch.zeros(replicas, dtype=torch.int64, device=DEVICE))
    group.running, group.counted = (
        torch.ones(replicas, dtype=torch.bool, device=DEVICE) for _ in range(2)
    )
    group.clock, group._lasted = (
        torch.zeros((), dtype=torch.int64, device=DEVICE) for _ in range(2)
    )
    shape = (4, training.epochs, replicas)
    group._columns = torch.zeros(shape, dtype=torch.float64, device=DEVICE)
    kept: list[torch.Tensor] = []
    group.optimizer = SimpleNamespace(  # type: ignore[assignment]
        keep=lambda better: kept.append(better.clone()), kept=kept
    )
    return group
