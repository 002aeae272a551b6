"""What tests of advice are given: costs, answers, and labels that must not be read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sub2node.advice import Cost, Probe
from sub2node.config import Structure
from sub2node.task import SubgraphTask


def price(structure: str, epoch: float, prepare: float = 0.0) -> Cost:
    """Of ten seeds and two candidates, the second of which takes thrice as long."""
    kinds = {"random": epoch / 2, "constant": 3 * epoch / 2}
    return Cost(
        Structure(structure), 10, epoch, kinds, prepare, 600 * epoch, memory=1 << 20, epochs=300
    )


def made(name: str, right: np.ndarray) -> Probe:
    return Probe(name, right, np.full_like(right, 2), 1.0)


class Poisoned:
    """Labels that only some rows of may be read; everything else is refused."""

    def __init__(self, labels: np.ndarray, allowed: np.ndarray) -> None:
        self.labels, self.allowed, self.ndim, self.shape = (
            labels,
            allowed,
            labels.ndim,
            labels.shape,
        )

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, rows: np.ndarray) -> np.ndarray:
        rows = np.asarray(rows)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        if not self.allowed[rows].all():
            raise AssertionError("a label of the test part was read")
        return self.labels[rows]

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        raise AssertionError("all labels were read")


def poisoned(task: SubgraphTask) -> SubgraphTask:
    """The task with labels that raise where one of the test part is read."""
    task = replace(task)
    labels = Poisoned(np.array(task.labels), ~task.split.mask("test"))
    object.__setattr__(task, "labels", labels)
    return task
