"""Settings of ``best``, by which commands know it without loading what it consists of."""

from __future__ import annotations

from dataclasses import dataclass

from .settings import Settings, within

NAME = "best"


@dataclass(frozen=True)
class BestSettings(Settings):
    """Settings of the ensemble.

    Args:
        minutes: How long it may take to learn.
        folds: Folds of the labelled subgraphs that members are judged on.
        fold_seeds: Seeds of a network in each fold.
        most_seeds: The most seeds of a network that learns from all labels.
    """

    minutes: float = within(5.0, 0.001, 1e6)
    folds: int = within(5, 2, 50)
    fold_seeds: int = within(1, 1, 100)
    most_seeds: int = within(8, 1, 1000)
