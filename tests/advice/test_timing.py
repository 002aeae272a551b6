"""Costs: the second epoch counts, the limit ends it, what does not fit is not trained."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from sub2node.advice import Cost, time_structures
from sub2node.base.errors import DataError
from sub2node.config import STRUCTURES
from sub2node.models import find_preset
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask

module = import_module("sub2node.advice.timing")
measure = import_module("sub2node.efficiency.measure")


def random_task(nodes: int, edges: int, subgraphs: int, size: int) -> SubgraphTask:
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(
        rng.integers(0, nodes, edges), rng.integers(0, nodes, edges), num_nodes=nodes
    )
    first = rng.integers(0, nodes, (subgraphs, 1))
    members = (first + rng.integers(0, 3 * size, (subgraphs, size))) % nodes
    sets = Subgraphs.from_pairs(np.repeat(np.arange(subgraphs), size), members.ravel(), subgraphs)
    split = Split.sizes(train=subgraphs - subgraphs // 5, val=subgraphs // 5)
    return SubgraphTask(graph, sets, labels=np.arange(subgraphs) % 2, split=split)


TASK = random_task(120, 400, 30, 5)


class Clock:
    """Time that passes only in epochs: the first of a network takes 5 s, later ones 2 s."""

    def __init__(self, first: float = 5.0, later: float = 2.0) -> None:
        self.now, self.first, self.later, self.epochs = 0.0, first, later, list[float]()
        self.network: object = None

    def steps(self, step, count: int, device: object) -> float:
        spent = self.later if step is self.network else self.first
        self.network = step
        self.now += spent
        self.epochs.append(spent)
        return spent


@pytest.fixture
def clock(monkeypatch) -> Clock:
    """Nothing is really trained but the step that counts memory."""
    clock = Clock()
    monkeypatch.setattr(module, "seconds_of_steps", clock.steps)
    monkeypatch.setattr(module, "perf_counter", lambda: clock.now)
    monkeypatch.setattr(measure.gc, "collect", lambda: 0)
    return clock


def test_the_second_epoch_counts(clock: Clock) -> None:
    (cost,) = time_structures(TASK, ("s2n+0",), seeds=1, limit=1000.0)
    assert clock.epochs == 3 * [5, 2]  # of three candidates
    assert cost.by_features == {"svd": 2, "random": 2, "constant": 2}
    settings = find_preset("default", TASK, "s2n+0").config
    assert (cost.epoch, cost.epochs) == (2, settings.training.epochs)
    assert cost.training == 3 * 2 * cost.epochs
    assert cost.seconds == cost.prepare + cost.training
    assert cost.timed


def test_short_epochs_are_repeated_and_their_median_counts(clock: Clock) -> None:
    clock.later = 0.03
    time_structures(TASK, ("s2n+0",), seeds=1, limit=1000.0)
    assert clock.epochs == 3 * [5, *[0.03] * 7]


def test_a_first_epoch_that_takes_the_whole_limit_counts(clock: Clock) -> None:
    (cost,) = time_structures(TASK, ("s2n+0",), seeds=1, limit=4.0)
    assert clock.epochs == [5]
    assert cost.by_features == {"svd": 5, "random": 5, "constant": 5}  # the others were not begun


@pytest.mark.slow
def test_groups_of_replicas_take_equally_long(clock: Clock, monkeypatch) -> None:
    monkeypatch.setattr(module, "replicas_at_once", lambda *_: 4)
    (one,) = time_structures(TASK, ("s2n+a",), seeds=4, limit=1000.0)
    (cost,) = time_structures(TASK, ("s2n+a",), seeds=10, limit=1000.0)
    assert (one.epoch, cost.epoch) == (2, 6)
    assert cost.memory > one.memory


def test_the_limit_leaves_the_dearest_out(clock: Clock) -> None:
    costs = {each.structure: each for each in time_structures(TASK, seeds=1, limit=20.0)}
    assert list(costs) == list(STRUCTURES)
    assert [name for name, each in costs.items() if each.timed] == ["separated", "s2n+0", "s2n+a"]
    assert clock.epochs == 3 * [5, 2]  # one candidate of each
    late = costs["connected"]
    assert (late.reason, late.memory, late.seconds) == ("", None, math.inf)
    assert late.to_dict()["training"] is None
    assert late.epochs > 0


def test_nothing_is_coarsened_where_that_takes_too_long(clock: Clock, monkeypatch) -> None:
    monkeypatch.setattr("sub2node.models.graph_network.coarsen", None)
    monkeypatch.setattr(module, "_COARSENING", 1.0)
    costs = time_structures(TASK, ("s2n+0", "cos2n+0"), seeds=1, limit=100.0)
    assert [each.timed for each in costs] == [True, False]


def test_what_does_not_fit_in_memory_is_not_trained(clock: Clock, monkeypatch) -> None:
    monkeypatch.setattr(module, "free_memory", lambda _: 1000)
    (cost,) = time_structures(TASK, ("s2n+a",), seeds=2, limit=1000.0)
    assert clock.epochs == []
    assert not cost.timed
    assert cost.reason == ""
    assert cost.memory > 1000
    assert not cost.fits(1000)
    assert cost.fits(None)
    assert cost.fits(cost.memory)

    def grow(*_: object) -> None:
        raise MemoryError("17 GiB")

    monkeypatch.setattr(module, "free_memory", lambda _: None)
    monkeypatch.setattr(module, "seconds_of_steps", grow)
    (cost,) = time_structures(TASK, ("s2n+a",), seeds=2, limit=1000.0)
    assert cost.reason == "out of memory (17 GiB)"


@pytest.mark.slow
def test_estimated_memory_is_near_what_is_held(clock: Clock, monkeypatch) -> None:
    estimates = []
    real = module._estimate_memory
    monkeypatch.setattr(
        module, "_estimate_memory", lambda *given: estimates.append(real(*given)) or estimates[-1]
    )

    def train(step, count: int, device: object) -> float:
        if step is not clock.network:  # the first one, after which the optimiser has its moments
            step()
        return clock.steps(step, count, device)

    monkeypatch.setattr(module, "seconds_of_steps", train)
    task = random_task(500, 2500, 80, 7)
    for structure in STRUCTURES:
        estimates.clear()
        (cost,) = time_structures(task, (structure,), seeds=4, limit=1000.0)
        assert 0.5 < max(estimates) / cost.memory < 3, structure


def test_real_epochs_are_timed() -> None:
    bare = replace(TASK, labels=None, class_names=(), split=None)
    for each in time_structures(bare, ("s2n+0", "separated"), seeds=2, limit=0.0):
        assert isinstance(each, Cost)
        assert each.timed == (each.structure == "s2n+0")  # the first one always is
    assert each.to_dict()["epoch"] is None


@pytest.mark.slow
def test_a_structure_that_cannot_be_used_says_why() -> None:
    """The same node set again and again: all weights are equal, so there is no cut."""
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])
    same = Subgraphs.from_lists([[0, 1]] * 8)
    task = SubgraphTask(graph, same, labels=np.arange(8) % 2)
    found = time_structures(task, ("s2n+0", "separated"), seeds=1)
    assert "no standard score" in found[0].reason
    assert found[0].seconds == math.inf
    assert found[0].to_dict()["training"] is None
    assert found[1].reason == ""
    with pytest.raises(DataError, match=r"at least 4 are needed; the data has 1\."):
        time_structures(SubgraphTask(graph, Subgraphs.from_lists([[0]])))
