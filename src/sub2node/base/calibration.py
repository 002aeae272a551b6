"""Calibration: a temperature for the mean probabilities of several replicas."""

from __future__ import annotations

import numpy as np

from .metrics import softmax
from .ragged import Array

_RANGE = (-3.0, 3.0)  # logarithms of the temperatures that are tried
_PRIOR = 0.5  # standard deviation of the prior of that logarithm


def probabilities(logits: Array, temperature: float, *, multilabel: bool) -> Array:
    """Softmax, or sigmoid, of logits over the temperature; shape of the logits, float64."""
    scaled = logits.astype(np.float64) / temperature
    if multilabel:
        return np.asarray(np.exp(-np.logaddexp(0, -scaled)))
    return softmax(scaled)


def best_temperature(logits: Array, labels: Array, weights: Array | None = None) -> float:
    """The temperature at which the mean probabilities of replicas fit these labels best.

    It maximises likelihood times a log-normal prior around 1: on a few labels, on which the best
    epochs were chosen too, all predictions may be right by chance, and without the prior the model
    would become overconfident.

    Args:
        logits: Logits of the replicas; (R, m, C).
        labels: (m,) classes or (m, C) booleans, not those that the replicas were trained on.
        weights: How much each replica counts, by default all the same; (R,).
    """
    from scipy.optimize import minimize_scalar

    if not labels.size:
        return 1.0

    def loss(log_temperature: float) -> float:
        temperature = float(np.exp(log_temperature))
        fit = len(labels) * log_loss(logits, labels, temperature, weights)
        return fit + 0.5 * (log_temperature / _PRIOR) ** 2

    grid = np.linspace(*_RANGE, 25)
    best = grid[int(np.argmin([loss(value) for value in grid]))]
    width = grid[1] - grid[0]
    minimum = minimize_scalar(loss, bounds=(best - width, best + width), method="bounded")
    log_temperature = minimum.x if minimum.fun <= loss(best) else best
    return float(np.exp(np.clip(log_temperature, *_RANGE)))


def log_loss(
    logits: Array, labels: Array, temperature: float, weights: Array | None = None
) -> float:
    """Mean negative log-likelihood of the replicas' mean probabilities."""
    shares = probabilities(logits, temperature, multilabel=labels.ndim == 2)
    return log_loss_of_probabilities(np.average(shares, axis=0, weights=weights), labels)


def log_loss_of_probabilities(shares: Array, labels: Array) -> float:
    """Mean negative log-likelihood of probabilities (m, C)."""
    shares = np.clip(shares, 1e-12, 1 - 1e-12)
    if labels.ndim == 2:
        return float(-np.where(labels, np.log(shares), np.log1p(-shares)).mean())
    return float(-np.log(shares[np.arange(len(labels)), labels]).mean())
