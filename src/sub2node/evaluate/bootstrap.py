"""How far a test score could move with other test subgraphs and other seeds: the bootstrap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..base.metrics import answers
from ..base.ragged import Array
from .significance import Interval, percentile_interval

_DRAWS = 4000
_BLOCK = 1 << 23  # numbers of one block of draws, so that memory does not grow with the draws


def bootstrap_intervals(
    labels: Array,
    logits: Array,
    thresholds: Sequence[float] = (),
    *,
    draws: int = _DRAWS,
    seed: int = 0,
) -> dict[str, Interval]:
    """95 % intervals of mean scores over other subgraphs and other seeds, by metric.

    Each draw takes as many subgraphs and as many seeds as there are, with replacement and
    independently of each other; the score of a draw is the mean over its seeds of the score on its
    subgraphs. Ends are the 2.5th and 97.5th percentile. Drawing rows and columns at once claims
    rather too little than too much (Owen, Annals of Applied Statistics 1, 2007,
    https://doi.org/10.1214/07-AOAS122).

    Has ``micro_f1``, ``macro_f1`` and ``accuracy``, which follow from counts of answers; a metric
    is missing where all draws agree, since answers that are all right say nothing of their spread.

    Args:
        labels: Classes (m,), or booleans (m, C) if multi-label.
        logits: One table for each seed, (R, m, C).
        thresholds: Of multi-label answers, one per seed; by default 0.
        draws: How many draws.
        seed: Seed of the draws; the same seed gives the same intervals.
    """
    replicas, size, classes = logits.shape
    if not size or not replicas:
        return {}
    truth, predicted = _one_hot(labels, classes), _predict(labels, logits, thresholds)
    rng = np.random.default_rng(seed)
    blocks = []
    for count in _block_sizes(draws, size):
        subgraphs = _count_drawn(rng, count, size)
        seeds = _count_drawn(rng, count, replicas).astype(np.float64) / replicas
        labelled = subgraphs @ truth.astype(np.float32)
        by_seed = np.stack(
            [_score_draws(subgraphs, labelled, truth, each) for each in predicted], axis=2
        )
        blocks.append((by_seed * seeds).sum(axis=2))
    scores = np.concatenate(blocks, axis=1)
    names = ("micro_f1", "macro_f1", "accuracy")
    return {
        name: percentile_interval(drawn)
        for name, drawn in zip(names, scores, strict=True)
        if np.ptp(drawn) > 1e-12
    }


def _predict(labels: Array, logits: Array, thresholds: Sequence[float]) -> list[Array]:
    """The answers of each seed as booleans (m, C)."""
    if not thresholds:
        thresholds = (0.0,) * len(logits)
    multilabel = labels.ndim == 2
    return [
        _one_hot(
            answers(np.nan_to_num(replica, nan=-1e30), multilabel=multilabel, threshold=threshold),
            logits.shape[2],
        )
        for replica, threshold in zip(logits, thresholds, strict=True)
    ]


def _one_hot(values: Array, classes: int) -> Array:
    return values if values.ndim == 2 else np.asarray(values[:, None] == np.arange(classes))


def _block_sizes(draws: int, size: int) -> list[int]:
    """The draws in blocks of bounded memory."""
    block = max(1, min(draws, _BLOCK // size))
    return [min(block, draws - start) for start in range(0, draws, block)]


def _count_drawn(rng: np.random.Generator, draws: int, size: int) -> Array:
    """How often each of ``size`` things is among ``size`` drawn with replacement, (draws, size)."""
    places = rng.integers(0, size, (draws, size)) + size * np.arange(draws)[:, None]
    counts = np.bincount(places.ravel(), minlength=draws * size)
    return counts.reshape(draws, size).astype(np.float32)  # whole numbers, and exact as such


def _score_draws(counts: Array, labelled: Array, truth: Array, predicted: Array) -> Array:
    """Micro-F1, macro-F1 and accuracy of one seed in each draw, (3, draws).

    Args:
        counts: How often each subgraph was drawn, (draws, m).
        labelled: How often each class is a label of what was drawn, (draws, C).
        truth: Labels as booleans (m, C).
        predicted: Answers as booleans (m, C).
    """
    hits = (counts @ (truth & predicted).astype(np.float32)).astype(np.float64)
    totals = labelled.astype(np.float64) + counts @ predicted.astype(np.float32)
    micro = 2 * hits.sum(axis=1) / np.maximum(totals.sum(axis=1), 1)
    occurring = labelled > 0  # as in ``scores``: classes that the labels do not have do not count
    by_class = 2 * hits / np.maximum(totals, 1)  # 0 without a label
    macro = by_class.sum(axis=1) / np.maximum(occurring.sum(axis=1), 1)
    right = (truth == predicted).all(axis=1).astype(np.float32)
    accuracy = (counts @ right).astype(np.float64) / len(truth)
    return np.stack([micro, macro, accuracy])
