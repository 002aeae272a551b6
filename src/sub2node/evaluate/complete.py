"""Seconds of a complete result over several seeds, from data to table, by phase."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import torch

from ..device import find_device
from ..task import Part, SubgraphTask
from .choosing import NetworkModel
from .efficiency import Efficiency
from .models import coarsened, translated
from .protocol import assess, split_if_needed


@dataclass(frozen=True)
class Complete:
    """Seconds of each phase of a complete result.

    Args:
        data: Reading the data.
        translation: Presenting the task, translating it, node features, building the network.
        training: All epochs of all seeds.
        evaluation: Answers for train, val and test, and their scores.
        seeds: How many.
        estimated: It was not run: training is an epoch's time times epochs times seeds.
    """

    data: float
    translation: float
    training: float
    evaluation: float
    seeds: int
    estimated: bool = False

    @property
    def seconds(self) -> float:
        """All phases together."""
        return self.data + self.translation + self.training + self.evaluation


def complete_run(
    load: Callable[[], SubgraphTask], model: NetworkModel, seeds: Sequence[int]
) -> Complete:
    """Do everything anew, as :func:`run` does, with a clock beside it.

    Node vectors that were encoded before come from the cache on disk, as they do for a user.

    Args:
        load: Reads the data.
        model: What to train.
        seeds: One a replica.
    """
    import_module("sklearn.metrics")  # else whoever comes first would load it while scoring
    translated.cache_clear()
    coarsened.cache_clear()
    start = time.perf_counter()
    task, _ = split_if_needed(load())
    data = time.perf_counter() - start
    watched = _Watched(model)
    start = time.perf_counter()
    result = assess(task, watched, seeds=seeds)
    whole = time.perf_counter() - start
    if result.ended == "interrupted":
        raise KeyboardInterrupt
    return Complete(
        data=data,
        translation=watched.building,
        training=watched.fitting - watched.building,
        evaluation=whole - watched.fitting,
        seeds=len(seeds),
    )


def estimated(
    found: Efficiency, model: NetworkModel, task: SubgraphTask, data: float, seeds: int
) -> Complete:
    """What a complete result would take, one seed after the other and with no early end.

    Args:
        found: Of one replica.
        model: Its settings.
        task: The data.
        data: Seconds that reading it took.
        seeds: How many.
    """
    assert task.split is not None
    parts: tuple[Part, ...] = ("train", "val", "test")
    answers = sum(task.split.count(part) for part in parts)
    epochs = sum(settings.training.epochs for settings in model.candidates)
    return Complete(
        data=data,
        translation=found.build_seconds * len(model.candidates),
        training=seeds * epochs * (found.train_seconds + found.eval_seconds),
        evaluation=seeds * answers / found.eval_throughput,
        seeds=seeds,
        estimated=True,
    )


class _Watched:
    """A model with a clock: how long building took, and fitting with it."""

    def __init__(self, model: NetworkModel) -> None:
        self.model, self.device = copy.copy(model), find_device(model.device)
        self.building = self.fitting = 0.0
        for step in ("present", "build"):
            object.__setattr__(self.model, step, self._clocked(getattr(model, step)))

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.model.name

    def fit(self, *arguments: Any) -> Any:
        """Learn."""
        start = time.perf_counter()
        trained = self.model.fit(*arguments)
        self.fitting += self._since(start)
        return trained

    def _clocked(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            start = time.perf_counter()
            made = step(*arguments)
            self.building += self._since(start)
            return made

        return run

    def _since(self, start: float) -> float:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        return time.perf_counter() - start
