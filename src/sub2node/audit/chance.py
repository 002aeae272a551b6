"""What a score is by chance alone, exactly, and how sure a score is."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..base.ragged import Array

SIGNIFICANT = 3.29  # standard deviations that chance exceeds on either side in 1 of 1,000 cases


class Chance(NamedTuple):
    """Mean and standard deviation of micro-F1 over all orders of the labels."""

    mean: float
    sd: float

    def z_score(self, score: float) -> float:
        """How many standard deviations a score lies above chance; 0 where nothing varies."""
        return (score - self.mean) / self.sd if self.sd > 1e-12 else 0.0


def micro_f1_of_tables(truth: Array, predicted: Array) -> float:
    """Micro-F1 of booleans (m, C); the share of right rows where each row has one class."""
    total = int(truth.sum()) + int(predicted.sum())
    return 2 * int((truth & predicted).sum()) / total if total else 0.0


def chance_of(truth: Array, predicted: Array) -> Chance:
    """Micro-F1 of these predictions if the rows of the labels were in random order.

    The number of hits is then Σ_i a(i, π(i)) with a = P Tᵀ. Its mean is Σ a / m and its variance
    the sum of squares of the doubly centred a over m - 1 (Hoeffding, Annals of Mathematical
    Statistics 22, 1951, https://doi.org/10.1214/aoms/1177729545); both follow from products (C, C).

    Args:
        truth: Labels as booleans (m, C).
        predicted: Predictions as booleans (m, C).
    """
    size, total = len(truth), int(truth.sum()) + int(predicted.sum())
    if not size or not total:
        return Chance(0.0, 0.0)
    label, answer = truth.astype(np.float64), predicted.astype(np.float64)
    mean = float(answer.sum(axis=0) @ label.sum(axis=0)) / size
    label, answer = label - label.mean(axis=0), answer - answer.mean(axis=0)
    squares = float(((answer.T @ answer) * (label.T @ label)).sum())
    variance = max(squares, 0.0) / max(size - 1, 1)
    return Chance(2 * mean / total, 2 * math.sqrt(variance) / total)


def standard_error(truth: Array, predicted: Array) -> float:
    """The standard error of micro-F1 over other subgraphs of the same kind.

    Of single-label data √(p(1-p)/n), with two right and two wrong answers added (Agresti and Coull
    1998), so that it is not 0 where all answers are right; of multi-label data that of the ratio
    2 TP / (P + T), and the same as of single-label data where all answers are right.

    Args:
        truth: Labels as booleans (m, C).
        predicted: Predictions as booleans (m, C).
    """
    score, size = micro_f1_of_tables(truth, predicted), len(truth)
    adjusted = binomial_error(score, size)
    if (truth.sum(axis=1) == 1).all() and (predicted.sum(axis=1) == 1).all():
        return adjusted
    counts = truth.sum(axis=1) + predicted.sum(axis=1)
    residuals = 2.0 * (truth & predicted).sum(axis=1) - score * counts
    error = math.sqrt(float((residuals**2).sum()) * size / max(size - 1, 1)) / max(counts.sum(), 1)
    return error or adjusted


def binomial_error(score: float, size: int) -> float:
    """The standard error of a share over so many subgraphs, two right and two wrong ones added."""
    share = (score * size + 2) / (size + 4)
    return math.sqrt(share * (1 - share) / (size + 4))
