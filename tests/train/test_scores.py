"""Losses and scores of all replicas against PyTorch and scikit-learn, replica by replica."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from sub2node.train.scores import finite, losses, micro_f1


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@given(st.integers(1, 6), st.integers(2, 4), st.booleans(), st.booleans(), st.booleans())
def test_losses_are_those_of_each_replica(count, classes, binary, own, weighted) -> None:
    logits = normal(3, count, classes)
    stream = torch.Generator().manual_seed(1)
    shape = (3, count) if own else (count,)
    if binary:
        labels = torch.randint(2, (*shape, classes), generator=stream).float()
    else:
        labels = torch.randint(classes, shape, generator=stream)
    weights = torch.rand(labels.shape[own:], generator=stream) if weighted else None
    values = losses(logits, labels, own=own, weights=weights)
    for r in range(3):
        truth = labels[r] if own else labels
        loss = binary_cross_entropy_with_logits if binary else cross_entropy
        single = loss(logits[r], truth, reduction="none")
        expected = (single if weights is None else single * weights).mean()
        torch.testing.assert_close(values[r], expected)


@given(st.integers(1, 6), st.integers(2, 4), st.booleans(), st.integers(0, 9))
def test_micro_f1_is_that_of_scikit_learn(count, classes, binary, seed) -> None:
    logits = normal(2, count, classes, seed=seed)
    stream = torch.Generator().manual_seed(seed)
    if binary:
        labels = torch.randint(2, (count, classes), generator=stream).float()
        predicted = [replica > 0 for replica in logits]
    else:
        labels = torch.randint(classes, (count,), generator=stream)
        predicted = [replica.argmax(-1) for replica in logits]
    expected = [
        f1_score(labels.bool() if binary else labels, each, average="micro", zero_division=0)
        for each in predicted
    ]
    assert micro_f1(logits, labels).tolist() == pytest.approx(expected)


def test_a_replica_is_finite_if_all_its_numbers_are() -> None:
    one = torch.tensor([1.0, torch.nan, 2.0, 3.0])
    two = torch.tensor([1.0, 1.0, -torch.inf, 4.0])
    assert finite(one, two).tolist() == [True, False, False, True]
