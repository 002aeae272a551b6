"""The Weisfeiler-Leman subtree kernel as a model: linear, on counts of colours."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np

from ..base.progress import counted
from ..base.ragged import Array
from ..config.settings import Settings, within
from .colour_classifier import VIEWS, ColourBag, ColourClassifier, ColourView
from .linear_classifier import choose_strength, score_strength, solve
from .simple import SimpleModel, SimplePredictions, TrainingData

_STRENGTHS = (10.0, 100.0, 1000.0)  # of the regressions; folds of train choose


@dataclass(frozen=True)
class WLSettings(Settings):
    """Settings of the Weisfeiler-Leman subtree kernel.

    Args:
        rounds: Largest number of refinements; folds of train choose from 1 up to this.
        view: What colours see: ``induced``: the subgraph; ``hops``: its surroundings, k hops after
            k rounds; ``both``: the sum of both kernels; ``choose``: folds of train choose.
    """

    rounds: int = within(4, 1)
    view: Literal["induced", "hops", "both", "choose"] = "choose"


def _wl(data: TrainingData, settings: WLSettings) -> SimplePredictions:
    task, labels = data.train_task, data.labels["train"]
    table = labels if labels.ndim == 2 else labels[:, None] == np.arange(data.task.num_classes)
    bag, tried = _choose_bag(data, settings, table)
    x = bag.rows(task)
    strength, _ = choose_strength(x, table, labels, _STRENGTHS, groups=data.groups)
    weights, biases = solve(x, table, labels, strength)
    plural = "rounds" if bag.rounds > 1 else "round"
    scale = "normalised" if bag.normalized else "counts"
    note = (
        f"wl: {bag.view}, {bag.rounds} {plural}, {scale}, C = {strength:g} chosen within train"
        f" ({tried + len(_STRENGTHS)} settings tried)."
    )
    classifier = ColourClassifier(bag, weights.astype(np.float32), biases)
    return SimplePredictions.of(data, classifier, note)


def _choose_bag(data: TrainingData, settings: WLSettings, table: Array) -> tuple[ColourBag, int]:
    """View and scale with all rounds, then the rounds; of those that do as well the first.

    One after the other: all combinations would take many times as long and choose by chance.
    """
    task, labels = data.train_task, data.labels["train"]
    views: tuple[ColourView, ...] = tuple(VIEWS) if settings.view == "choose" else (settings.view,)
    middle = _STRENGTHS[len(_STRENGTHS) // 2]

    def score(bag: ColourBag) -> float:
        return score_strength(bag.rows(task), table, labels, middle, groups=data.groups)[0]

    pairs = counted(
        list(product(views, (False, True))), "Candidate", name=lambda pair: f"wl, {pair[0]}"
    )
    bags = [ColourBag.of(task, v, settings.rounds, normalized=n) for v, n in pairs]
    scores = [score(bag) for bag in bags]
    chosen = bags[int(np.argmax(scores))]
    shorter = [
        ColourBag.of(task, chosen.view, rounds, normalized=chosen.normalized)
        for rounds in range(1, settings.rounds)
    ]
    by_rounds = [*(score(bag) for bag in shorter), max(scores)]
    return [*shorter, chosen][int(np.argmax(by_rounds))], len(bags) + len(shorter)


WL = SimpleModel(
    "wl", "one regression per class on the Weisfeiler-Leman subtree kernel", _wl, WLSettings
)
