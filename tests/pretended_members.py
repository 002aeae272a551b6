"""Members that only pretend to learn, and the trials in which they are judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sub2node.models.interface import Labels, Outputs
from sub2node.models.member_trials import MemberTrials
from sub2node.models.out_of_fold import fold_tasks
from sub2node.task import Graph, Part, Subgraphs, SubgraphTask

COUNT = 24
RNG = np.random.default_rng(4)
CLASSES = RNG.integers(0, 3, COUNT)
TABLE = RNG.random((COUNT, 3)) < 0.4


class Clock:
    """Time that passes only where somebody says so."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now


def numbered_task(labels: np.ndarray) -> SubgraphTask:
    """Subgraph i consists of node i alone."""
    graph = Graph.from_edges(np.arange(COUNT - 1), np.arange(1, COUNT))
    return SubgraphTask(graph, Subgraphs.from_lists([[i] for i in range(COUNT)]), labels)


@dataclass
class Pretender:
    """Gives logits that are its own for each subgraph, by its node.

    Args:
        logits: Logits of all subgraphs, (R, n, C).
        during: What happens while it learns.
        ended: How its training ended.
    """

    logits: np.ndarray
    during: Callable[[], None] = lambda: None
    ended: str = "complete"
    task: SubgraphTask | None = None

    def fit(self, task: SubgraphTask, labels: Labels, seeds: Sequence[int]) -> Pretender:
        self.during()
        return Pretender(self.logits, self.during, self.ended, task)

    @property
    def facts(self) -> dict[str, Any]:
        return {"ended": self.ended}

    def outputs(self, part: Part) -> Outputs:
        rows = self.task.subgraphs.nodes[self.task.split.mask(part)]
        return Outputs(self.logits[:, rows])


@dataclass
class Plan:
    """A member; notes what it was asked for."""

    name: str
    model: Pretender
    is_network: bool = False
    fold_seconds: float = 0.0
    asked: list[Any] = field(default_factory=list)

    def make_model(
        self, seconds: float, *, all_nodes: bool | None = None, groups: Any = None
    ) -> Pretender:
        self.asked.append(("fold", seconds) if all_nodes is None else ("all", seconds, all_nodes))
        return self.model


def logits_of(labels: np.ndarray, signal: float, *, seed: int = 0, replicas: int = 1) -> np.ndarray:
    """Logits that know so much of the labels."""
    table = labels if labels.ndim == 2 else labels[:, None] == np.arange(3)
    noise = np.random.default_rng(seed).normal(size=(replicas, COUNT, 3))
    return noise + signal * (2 * table - 1)


def plan(name: str, signal: float = 1.0, *, labels: np.ndarray = CLASSES, **options: Any) -> Plan:
    replicas, seed = options.pop("replicas", 1), options.pop("seed", 0)
    network = options.pop("is_network", False)
    logits = logits_of(labels, signal, seed=seed, replicas=replicas)
    return Plan(name, Pretender(logits, **options), network)


def trials_of(
    labels: np.ndarray = CLASSES, *, seconds: float = 100.0, **options: Any
) -> MemberTrials:
    folds = fold_tasks(numbered_task(labels), 3)
    usual = {"seeds": [5, 6, 7, 8], "fold_seeds": 2}
    return MemberTrials(folds, labels, seconds=seconds, **{**usual, **options})


def step(clock: Clock, seconds: float) -> None:
    """Let time pass."""
    clock.now += seconds


def interrupt() -> None:
    """What Ctrl-C does in work that may be given up."""
    raise KeyboardInterrupt
