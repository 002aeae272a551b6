"""Seconds of a complete run over several seeds, from data to table, by phase."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch

from ..base.environment import find_device
from ..evaluate.protocol import assess, split_if_needed
from ..models.candidates import NetworkModel, TrainedNetwork
from ..models.graph_network import bridged, coarsened, normalized, translated
from ..models.interface import Labels
from ..task import Part, SubgraphTask
from .measure import Efficiency

T = TypeVar("T")


@dataclass(frozen=True)
class CompleteRun:
    """Seconds of each phase of a complete run.

    Args:
        data: Time of reading the data.
        translation: Time of presenting and translating the task, of node features, and of building
            the network.
        training: Time of all epochs of all seeds.
        evaluation: Time of answers for train, val and test, and of their scores.
        seeds: Number of seeds.
        estimated: Whether it was not run: training is then an epoch's time × epochs × seeds.
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


def time_complete_run(
    load: Callable[[], SubgraphTask], model: NetworkModel, seeds: Sequence[int]
) -> CompleteRun:
    """Do all of :func:`run` again, and time each phase.

    Node vectors that are cached come from the disk, as they do for a user.

    Args:
        load: Reads the data.
        model: The model to train.
        seeds: One seed per replica.
    """
    for cached in (translated, normalized, bridged, coarsened):
        cached.cache_clear()
    start = time.perf_counter()
    task, _ = split_if_needed(load())
    data = time.perf_counter() - start
    timed = _TimedModel(model)
    start = time.perf_counter()
    result = assess(task, timed, seeds=seeds)
    total = time.perf_counter() - start
    if result.ended == "interrupted":
        raise KeyboardInterrupt
    return CompleteRun(
        data=data,
        translation=timed.build_seconds,
        training=timed.fit_seconds - timed.build_seconds,
        evaluation=total - timed.fit_seconds,
        seeds=len(seeds),
    )


def estimate_complete_run(
    efficiency: Efficiency, model: NetworkModel, *, task: SubgraphTask, data: float, seeds: int
) -> CompleteRun:
    """Estimate the time of a complete run, one seed after the other and without an early end.

    Args:
        efficiency: What was measured of one replica.
        model: The model with its settings.
        task: The data.
        data: Seconds that reading the data took.
        seeds: Number of seeds.
    """
    assert task.split is not None
    parts: tuple[Part, ...] = ("train", "val", "test")
    answers = sum(task.split.count(part) for part in parts)
    epochs = sum(settings.training.epochs for settings in model.candidates)
    return CompleteRun(
        data=data,
        translation=efficiency.build_seconds * len(model.candidates),
        training=seeds * epochs * (efficiency.train_seconds + efficiency.eval_seconds),
        evaluation=seeds * answers / efficiency.eval_throughput,
        seeds=seeds,
        estimated=True,
    )


class _TimedModel:
    """A model that times its building, and its fitting, which includes building."""

    def __init__(self, model: NetworkModel) -> None:
        self.model, self.device = copy.copy(model), find_device(model.device)
        self.build_seconds = self.fit_seconds = 0.0
        for step in ("present", "build"):
            object.__setattr__(self.model, step, self._time_calls(getattr(model, step)))

    @property
    def name(self) -> str:
        """The name of the model in tables."""
        return self.model.name

    def fit(self, task: SubgraphTask, labels: Labels, seeds: Sequence[int]) -> TrainedNetwork:
        """Train the model."""
        start = time.perf_counter()
        trained = self.model.fit(task, labels, seeds)
        self.fit_seconds += self._seconds_since(start)
        return trained

    def _time_calls(self, step: Callable[..., T]) -> Callable[..., T]:
        def run(*arguments: object) -> T:
            start = time.perf_counter()
            value = step(*arguments)
            self.build_seconds += self._seconds_since(start)
            return value

        return run

    def _seconds_since(self, start: float) -> float:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        return time.perf_counter() - start
