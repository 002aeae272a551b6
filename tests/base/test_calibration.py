"""The temperature: found where it is known, the best of a grid, and probabilities by it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from sub2node.base.calibration import best_temperature, log_loss, probabilities


def drawn_logits(temperature, *, multilabel, count=4000, replicas=1):
    """Logits that are too sure by this factor, and labels drawn from the true probabilities."""
    rng = np.random.default_rng(5)
    true = rng.normal(size=(1, count, 3)) * 2
    said = np.repeat(true * temperature, replicas, axis=0)
    share = probabilities(true, 1.0, multilabel=multilabel)[0]
    if multilabel:
        return said, rng.random(share.shape) < share
    return said, (rng.random((count, 1)) > share.cumsum(axis=1)).sum(axis=1).clip(max=2)


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("temperature", [0.3, 1.0, 3.0])
def test_a_known_temperature_is_found(temperature, multilabel) -> None:
    logits, labels = drawn_logits(temperature, multilabel=multilabel)
    assert best_temperature(logits, labels) == pytest.approx(temperature, rel=0.07)


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("count", [1, 5, 40])
def test_the_temperature_is_the_best_of_a_fine_grid(count, multilabel) -> None:
    logits, labels = drawn_logits(4.0, multilabel=multilabel, count=count)
    logits = np.concatenate([logits, logits[:, :, ::-1] * 0.3])
    result = best_temperature(logits, labels)

    def cost(temperature):
        fit = len(labels) * log_loss(logits, labels, temperature)
        return fit + 0.5 * (np.log(temperature) / 0.5) ** 2

    grid = np.exp(np.linspace(-3, 3, 2001))
    assert cost(result) <= min(map(cost, grid)) + 1e-6
    assert log_loss(logits, labels, result) <= log_loss(logits, labels, 1.0) + 1e-12


def test_losses_are_those_of_scikit_learn() -> None:
    logits, labels = drawn_logits(2.0, multilabel=False, count=50)
    mean = probabilities(logits, 1.5, multilabel=False).mean(axis=0)
    assert log_loss(logits, labels, 1.5) == pytest.approx(
        metrics.log_loss(labels, mean, labels=[0, 1, 2])
    )
    logits, table = drawn_logits(2.0, multilabel=True, count=50)
    mean = probabilities(logits, 1.5, multilabel=True).mean(axis=0)
    each = [metrics.log_loss(t, p, labels=[0, 1]) for t, p in zip(table.T, mean.T, strict=True)]
    assert log_loss(logits, table, 1.5) == pytest.approx(np.mean(each))


def test_extreme_logits_give_probabilities_and_no_labels_a_temperature_of_one() -> None:
    huge = np.array([[[1e30, -1e30, 0.0]]], np.float32)
    for multilabel in (False, True):
        result = probabilities(huge, 0.05, multilabel=multilabel)
        assert np.isfinite(result).all()
        assert ((result >= 0) & (result <= 1)).all()
    assert best_temperature(np.zeros((2, 0, 3)), np.zeros(0, np.int64)) == 1.0
    right = best_temperature(np.eye(3)[None] * 5, np.arange(3))
    wrong = best_temperature(np.eye(3)[None] * 5, (np.arange(3) + 1) % 3)
    assert np.exp(-3) <= right < 1 < wrong <= np.exp(3) * (1 + 1e-9)


@pytest.mark.parametrize("multilabel", [False, True])
def test_weights_count_like_copies(multilabel) -> None:
    logits, labels = drawn_logits(2.0, multilabel=multilabel, count=60, replicas=2)
    logits[1] = np.random.default_rng(0).normal(size=logits[1].shape)
    copies = np.concatenate([logits[:1]] * 3 + [logits[1:]])
    weights = np.array([0.75, 0.25])
    assert log_loss(logits, labels, 1.3, weights) == pytest.approx(log_loss(copies, labels, 1.3))
    weighted = best_temperature(logits, labels, weights)
    assert weighted == pytest.approx(best_temperature(copies, labels), rel=1e-4)
    assert weighted != pytest.approx(best_temperature(logits, labels), rel=1e-2)
    equal = best_temperature(logits, labels, np.array([0.5, 0.5]))
    assert equal == pytest.approx(best_temperature(logits, labels), rel=1e-6)


def test_a_weight_of_zero_leaves_a_replica_out() -> None:
    logits, labels = drawn_logits(3.0, multilabel=False, count=60, replicas=2)
    logits[1] = 50 * np.eye(3)[(labels + 1) % 3]  # sure and wrong
    alone = best_temperature(logits[:1], labels)
    assert best_temperature(logits, labels, np.array([1.0, 0.0])) == pytest.approx(alone)
