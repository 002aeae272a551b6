"""Probabilities of several replicas, made as sure as they are right."""

from __future__ import annotations

import numpy as np

from ..metrics import softmax
from ..ragged import Array

_RANGE = (-3.0, 3.0)  # of the logarithm of temperatures that are looked at
_PRIOR = 0.5  # standard deviation of that logarithm, before anything is seen


def probabilities(logits: Array, temperature: float, *, multilabel: bool) -> Array:
    """Softmax, or sigmoid, of logits over the temperature; shape of the logits, float64."""
    scaled = logits.astype(np.float64) / temperature
    if multilabel:
        return np.asarray(np.exp(-np.logaddexp(0, -scaled)))
    return softmax(scaled)


def best_temperature(logits: Array, labels: Array) -> float:
    """The temperature at which the mean probabilities of replicas fit these labels best.

    Highest likelihood, times a log-normal prior around 1: a few labels, on which the replicas'
    epochs were chosen besides, are easily all right, and must not make the model sure of all.

    Args:
        logits: (R, m, C).
        labels: (m,) classes or (m, C) booleans, not those that the replicas were trained on.
    """
    from scipy.optimize import minimize_scalar

    if not labels.size:
        return 1.0

    def loss(log_temperature: float) -> float:
        fit = len(labels) * log_loss(logits, labels, float(np.exp(log_temperature)))
        return fit + 0.5 * (log_temperature / _PRIOR) ** 2

    grid = np.linspace(*_RANGE, 25)
    best = grid[int(np.argmin([loss(value) for value in grid]))]
    width = grid[1] - grid[0]
    found = minimize_scalar(loss, bounds=(best - width, best + width), method="bounded")
    chosen = found.x if found.fun <= loss(best) else best
    return float(np.exp(np.clip(chosen, *_RANGE)))


def log_loss(logits: Array, labels: Array, temperature: float) -> float:
    """Mean negative log-likelihood of the replicas' mean probabilities."""
    multilabel = labels.ndim == 2
    mean = probabilities(logits, temperature, multilabel=multilabel).mean(axis=0)
    mean = np.clip(mean, 1e-12, 1 - 1e-12)
    if multilabel:
        return float(-np.where(labels, np.log(mean), np.log1p(-mean)).mean())
    return float(-np.log(mean[np.arange(len(labels)), labels]).mean())
