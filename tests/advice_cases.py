"""Costs, characteristics and answers for advice, and labels that must not be read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sub2node.advice import Advice, Cost, Probe, Traits
from sub2node.advice.probes import Draws
from sub2node.advice.traits import LabelTraits, LinkTraits, OverlapTraits
from sub2node.config import STRUCTURES, Structure
from sub2node.task import SubgraphTask


def price(structure: str, epoch: float, prepare: float = 0.0) -> Cost:
    """Of ten seeds and two candidates, the second of which takes thrice as long."""
    kinds = {"random": epoch / 2, "constant": 3 * epoch / 2}
    return Cost(
        Structure(structure), 10, epoch, kinds, prepare, 600 * epoch, memory=1 << 20, epochs=300
    )


def probe_of(name: str, right: np.ndarray) -> Probe:
    """A probe that was right in these, of two answers each."""
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


PRICES = {name: price(name, 0.01 * (1 + n)) for n, name in enumerate(STRUCTURES)}
PLAIN = Traits(
    nodes=100, edges=400, density=0.08, subgraphs=50, coverage=0.8, inside=0.4, between=0.3,
    border=0.2, outside=0.1, size_mean=5.0, size_sd=1.0, size_max=9, components=1.2,
    internal_density=0.4, internal_density_sd=0.2, overlap=OverlapTraits(0.1, 0.01, 50),
    links=LinkTraits(1.0, 80, 0.07, 0.1, 2.0),
    labelled=LabelTraits(3, 10, 40.0, 0.4, 50, 0.40, 0.35),
)  # fmt: skip


def advice_on(scores: dict[str, float], *, count: int = 200, **changes: object) -> Advice:
    """Advice as if models had been right so often."""
    tried = []
    for name, share in scores.items():
        right = np.zeros((2, count), int)
        right[:, : round(share * count)] = 1
        tried.append(probe_of(name, right))
    simple = [each for each in tried if each.name not in STRUCTURES]
    structures = [each for each in tried if each.name in STRUCTURES]
    fields = {
        "name": "x", "traits": PLAIN, "costs": tuple(PRICES.values()), "reasons": (), "points": {},
        "probes": tuple(structures), "simple": tuple(simple), "val": count, "seeds": 2,
        "epochs": 300, "by_rules": "separated", "draws": Draws(tried), **changes,
    }  # fmt: skip
    fields["by_rules"] = Structure(fields["by_rules"])
    return Advice(**fields)
