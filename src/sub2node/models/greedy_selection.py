"""Greedy ensemble selection: which members to average, and with what weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..base.ragged import Array

_ROUNDS = 60
_MOST = 8  # members, so that an answer takes at most that many times the slowest one's
_TINY = 1e-12
_PRIOR = 30  # labels that equal weights count as
_GOOD, _SLACK = 1.25, 0.05  # factor and summand on the lowest log loss: good up to there
_LEAST = 0.02  # weight of a member that is worth its time


def likelihoods(probabilities: Array, labels: Array) -> Array:
    """The probability that each single answer is given; the higher, the better.

    Args:
        probabilities: Probabilities of the classes, (n, C).
        labels: Classes (n,), or booleans (n, C), each of which is an answer of its own.
    """
    if labels.ndim == 1:
        return np.asarray(probabilities[np.arange(len(labels)), labels])
    return np.where(labels, probabilities, 1 - probabilities).ravel()


def select_members(
    probabilities: Sequence[Array], labels: Array, *, rounds: int = _ROUNDS, most: int = _MOST
) -> tuple[Array, list[float]]:
    """Weights that add up to 1, and the log loss after each round.

    Forward selection with replacement (Caruana et al. 2004, https://doi.org/10.1145/1015330.1015432):
    each round adds the member that lowers the log loss of the mean most, however often it is in
    already. The mean of a round is linear in the members, so a round costs one pass over their
    answers. The weights are those of the round with the lowest loss.

    Args:
        probabilities: Out-of-fold probabilities of each member, (n, C).
        labels: Classes (n,), or booleans (n, C).
        rounds: The most rounds.
        most: The most members with a weight; when there are so many, the others are left out.
    """
    answers = np.stack([likelihoods(one, labels) for one in probabilities])
    counts, total = np.zeros(len(answers), np.int64), np.zeros(answers.shape[1])
    best, losses = counts.copy(), list[float]()
    for number in range(1, rounds + 1):
        mean = np.maximum((total + answers) / number, _TINY)
        loss = -np.log(mean).mean(axis=1)
        if np.count_nonzero(counts) >= most:
            loss[counts == 0] = np.inf
        chosen = int(np.argmin(loss))
        counts[chosen] += 1
        total += answers[chosen]
        losses.append(float(loss[chosen]))
        if losses[-1] <= min(losses):
            best = counts.copy()
    return best / best.sum(), losses


def steady_weights(
    weights: Array, probabilities: Sequence[Array], labels: Array, *, most: int = _MOST
) -> Array:
    """Weights drawn towards equal ones of all good members, the more the fewer labels chose them.

    A few labels say little about which members to prefer: equal weights of those that are not far
    behind count as 30 labels. What is too small then to be worth its time is left out.

    Args:
        weights: Weights by :func:`select_members`.
        probabilities: Out-of-fold probabilities of each member, (n, C).
        labels: Classes (n,), or booleans (n, C).
        most: The most members with a weight.
    """
    answers = np.stack([likelihoods(one, labels) for one in probabilities])
    losses = -np.log(np.maximum(answers, _TINY)).mean(axis=1)
    order = np.lexsort((losses, weights == 0))[:most]  # chosen ones first, then by loss
    good = np.zeros(len(weights), bool)
    good[order] = losses[order] <= _GOOD * losses.min() + _SLACK
    steady = len(labels) * weights + _PRIOR * good / good.sum()
    steady = np.where(steady / steady.sum() >= _LEAST, steady, 0.0)
    return np.asarray(steady / steady.sum())
