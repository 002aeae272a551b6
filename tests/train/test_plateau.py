"""The schedule against PyTorch's, and losses and scores against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from sub2node.config import TrainingSettings
from sub2node.train.plateau import Plateau
from sub2node.train.scores import losses, micro_f1


@given(
    st.lists(st.lists(st.floats(0, 2), min_size=25, max_size=25), min_size=1, max_size=4),
    st.integers(0, 3),
    st.sampled_from([0.5, 0.7]),
)
def test_each_replica_follows_reduce_lr_on_plateau(columns, patience, factor) -> None:
    training = TrainingSettings(
        lr=0.01, min_lr=1e-3, plateau_patience=patience, plateau_factor=factor
    )
    ours, rates = Plateau(training, len(columns)), []
    for row in zip(*columns, strict=True):
        ours.step(torch.tensor(row, dtype=torch.float64))
        rates.append(ours.rate.tolist())
    for r, column in enumerate(columns):
        optimizer = torch.optim.SGD([torch.zeros(1)], lr=0.01)
        theirs = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer, factor=factor, patience=patience, min_lr=1e-3
        )
        for epoch, loss in enumerate(column):
            theirs.step(loss)
            assert rates[epoch][r] == pytest.approx(optimizer.param_groups[0]["lr"])


@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(1, 7), st.integers(2, 4))
def test_losses_and_scores_of_replicas_are_those_of_each(seed, replicas, count, classes) -> None:
    rng = np.random.default_rng(seed)
    logits = torch.from_numpy(rng.normal(size=(replicas, count, classes)).astype(np.float32))
    single = torch.from_numpy(rng.integers(0, classes, count))
    several = torch.from_numpy((rng.random((count, classes)) < 0.4).astype(np.float32))
    for labels, plain in (
        (single, torch.nn.functional.cross_entropy),
        (several, torch.nn.functional.binary_cross_entropy_with_logits),
    ):
        found, score = losses(logits, labels), micro_f1(logits, labels)
        for r in range(replicas):
            assert float(found[r]) == pytest.approx(float(plain(logits[r], labels)), rel=1e-5)
            said = logits[r] > 0 if labels.dim() == 2 else logits[r].argmax(-1)
            expected = f1_score(labels, said, average="micro", zero_division=0)
            assert float(score[r]) == pytest.approx(expected)
