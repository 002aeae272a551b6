"""How long counted work takes on this machine: timed on two random tasks, once a process."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy.optimize import nnls

from ...config import Config
from ...device import find_device
from ...progress import step
from ...ragged import Array
from ...task import Graph, Split, Subgraphs, SubgraphTask
from ...train import find_preset
from ...train.memory import replicas_at_once
from ..efficiency import Efficiency, efficiency
from ..models import GraphNetwork, coarsened, translated
from .work import Shape, count, fixed_bytes, memory_terms, time_terms

# Nodes, edges, subgraphs and their size; and what is timed on them. One task is small, so that
# layers cost as such; the other has so many edges that these cost most.
_TASKS = (
    ((1_500, 8_000, 150, 12), ("separated", "s2n+0", "s2n+a")),
    ((6_000, 300_000, 600, 15), ("connected", "s2n+a")),
)
_SHORT = 0.1  # seconds of timing each
_OWN = 3  # how much more a measurement of the data itself counts
# Rates of a usual processor, by kind; only their ratios matter. A little weight on them keeps rates
# of work that no timed network had much of from being anything.
_USUAL_SECONDS = np.array([1e-4, 3e-5, 2e-9, 5e-11, 1.5e-9, 5e-11, 1.3e-9])
_USUAL_BYTES = np.array([2.0, 1.0, 1.5])
_TRUST = 0.1


@dataclass(frozen=True)
class Measured:
    """One timed network.

    Args:
        shape: What it reads.
        config: Its settings.
        width_in: Columns of node vectors.
        replicas: Timed side by side.
        found: Time and memory.
    """

    shape: Shape
    config: Config
    width_in: int
    replicas: int
    found: Efficiency

    @property
    def epoch(self) -> float:
        """Seconds of a training step and a look at validation, of the group."""
        return self.found.train_seconds + self.found.eval_seconds


@dataclass(frozen=True, eq=False)
class Rates:
    """Seconds and bytes of a unit of each kind of work.

    Args:
        seconds: By kind of ``work.TERMS``.
        bytes: By kind of ``work.memory_terms``.
        coarsening: Seconds of coarsening an edge.
    """

    seconds: Array
    bytes: Array
    coarsening: float

    def epoch(self, shape: Shape, config: Config, width_in: int, replicas: int) -> float:
        """Seconds of an epoch of a group of replicas."""
        return float(time_terms(shape, config, width_in, replicas) @ self.seconds)

    def memory(self, shape: Shape, config: Config, width_in: int, replicas: int) -> int:
        """Bytes of a group of replicas while they train."""
        grown = memory_terms(shape, config, replicas) @ self.bytes
        return fixed_bytes(shape, config, width_in, replicas) + int(grown)


def fit_rates(known: Measured, *others: Measured) -> Array:
    """Rates of the terms of time, none below zero, by relative errors (least squares)."""
    rows = (known, *others)
    terms = np.stack([time_terms(r.shape, r.config, r.width_in, r.replicas) for r in rows])
    return _solved(terms, np.array([r.epoch for r in rows]), _USUAL_SECONDS)


def fit_bytes(known: Measured, *others: Measured) -> Array:
    """The same for memory."""
    rows = (known, *others)
    terms = np.stack([memory_terms(r.shape, r.config, r.replicas) for r in rows])
    fixed = [fixed_bytes(r.shape, r.config, r.width_in, r.replicas) for r in rows]
    whole = np.array([r.found.memory for r in rows], float)
    grown = np.maximum(whole - fixed, 0.02 * whole)
    return _solved(terms, grown, _USUAL_BYTES)


def _solved(terms: Array, wanted: Array, usual: Array) -> Array:
    """Rates r ≥ 0 of the least Σ ((terms r - wanted) / wanted)² + trust² Σ (r / usual - 1)²."""
    usual = usual * float(np.median(wanted / (terms @ usual)))  # as fast as this machine
    rows = np.concatenate([terms * usual / wanted[:, None], _TRUST * np.eye(len(usual))])
    aims = np.concatenate([np.ones(len(wanted)), np.full(len(usual), _TRUST)])
    return np.asarray(nnls(rows, aims)[0] * usual)


def refined(base: tuple[Measured, ...], own: tuple[Measured, ...], coarsening: float) -> Rates:
    """Rates from the random tasks and what was measured on the data, which counts more."""
    rows = [*base, *[each for each in own for _ in range(_OWN)]]
    return Rates(fit_rates(*rows), fit_bytes(*rows), coarsening)


@lru_cache(maxsize=4)
def calibration(conv: str, device: str, replicas: int) -> tuple[tuple[Measured, ...], float]:
    """Networks of four structures timed on random tasks, and seconds of coarsening an edge.

    Args:
        conv: The convolution by name.
        device: ``auto``, ``cpu`` or ``cuda``.
        replicas: Seeds that are wanted together.
    """
    found: list[Measured] = []
    total, done, spent = sum(len(names) for _, names in _TASKS) + 1, 0, 0.0
    for sizes, names in _TASKS:
        task = random_task(*sizes)
        for structure in names:
            step("Timing this machine", done, total, structure)
            found += measured(task, structure, conv, device, replicas, seconds=_SHORT)
            done += 1
        settings = find_preset("default", task, "cos2n+0").config.coarsening
        start = time.perf_counter()
        coarsened(task.graph, settings)
        spent = (time.perf_counter() - start) / task.graph.num_edges
    step("Timing this machine", total, total)
    return tuple(found), spent


def measured(
    task: SubgraphTask, structure: str, conv: str, device: str, replicas: int, *,
    preset: str = "default", seconds: float,
) -> list[Measured]:  # fmt: skip
    """Time the networks of a structure, one for each of the preset's candidates.

    Args:
        task: With labels, train and val.
        structure: By name.
        conv: By name.
        device: ``auto``, ``cpu`` or ``cuda``.
        replicas: Seeds; as many of them as fit are timed together.
        preset: Settings by name.
        seconds: Of timing each, about; a few epochs at least.
    """
    where, rows = find_device(device), []
    for config in find_preset(preset, task, structure, conv).candidates:
        model = GraphNetwork((config,), device=device)
        seen, _ = model.present(task)
        graph = translated(seen, config.translation.self_loops) if config.translated else None
        shape = count(seen, config, graph)
        at_once = replicas_at_once(shape.rows, config.model.hidden, where, replicas)
        found = efficiency(task, model, repeats=2, seconds=seconds, replicas=at_once)
        rows.append(Measured(shape, config, input_width(task, config), at_once, found))
    return rows


def input_width(task: SubgraphTask, config: Config) -> int:
    """Columns of node vectors."""
    features = task.graph.features
    if config.features.kind == "given" and features is not None:
        return int(features.shape[1])
    return config.features.width


def random_task(nodes: int, edges: int, subgraphs: int, size: int) -> SubgraphTask:
    """Random edges and random sets of nodes near each other, four fifths of them train."""
    rng = np.random.default_rng(0)
    source = rng.integers(0, nodes, edges)
    near = (source + rng.integers(1, 3 * size, edges)) % nodes
    far = rng.integers(0, nodes, edges)
    graph = Graph.from_edges(source, np.where(rng.random(edges) < 0.5, near, far), num_nodes=nodes)
    first = rng.integers(0, nodes, subgraphs)
    members = (first[:, None] + rng.integers(0, 3 * size, (subgraphs, size))) % nodes
    sets = Subgraphs.from_pairs(np.repeat(np.arange(subgraphs), size), members.ravel(), subgraphs)
    val = subgraphs // 5
    split = Split.sizes(train=subgraphs - val, val=val)
    task = SubgraphTask(graph, sets, labels=np.arange(subgraphs) % 2, split=split)
    return replace(task, name="random")
