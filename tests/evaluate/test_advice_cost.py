"""Costs: counts are those of the tensors, rates are found again, more work costs more."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sub2node.config import STRUCTURES, Config
from sub2node.errors import DataError
from sub2node.evaluate.advice import Cost, cost, costs
from sub2node.evaluate.advice.rates import Measured, Rates, fit_rates, measured, random_task
from sub2node.evaluate.advice.work import (
    TERMS,
    Shape,
    Sizes,
    count,
    fixed_bytes,
    memory_terms,
    time_terms,
    with_virtual_guess,
)
from sub2node.evaluate.efficiency import Efficiency, Timing
from sub2node.nn import build_stages
from sub2node.task import Graph, Subgraphs, SubgraphTask
from sub2node.train import find_preset
from sub2node.translate import translate

rates, module = (import_module(f"sub2node.evaluate.advice.{name}") for name in ("rates", "cost"))
TASK = random_task(120, 400, 30, 5)
SMALL = (((120, 400, 30, 5), ("s2n+0", "s2n+a")), ((200, 3000, 40, 6), ("connected",)))
sizes = st.builds(Sizes, *[st.integers(1, 10**6)] * 5)
shapes = st.builds(Shape, st.integers(1, 10**6), sizes, sizes)
configs = st.sampled_from(
    [
        config
        for structure in STRUCTURES
        for config in find_preset("default", TASK, structure, "gcn2").candidates
    ]
)


@pytest.fixture(autouse=True, scope="module")
def quick():
    """Random tasks that are timed within a second, once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rates, "_TASKS", SMALL)
        patch.setattr(rates, "_SHORT", 0.02)
        patch.setattr(module, "_SECONDS", 0.02)
        patch.setattr("sub2node.evaluate.efficiency._BLOCK", 0.002)
        patch.setattr("sub2node.evaluate.efficiency.gc.collect", lambda: 0)
        rates.calibration.cache_clear()
        yield
    rates.calibration.cache_clear()


@pytest.mark.parametrize("structure", ["separated", "connected", "s2n+0", "s2n+a"])
def test_counts_are_those_of_the_tensors(structure: str) -> None:
    for config in find_preset("default", TASK, structure, "gcn2").candidates:
        graph = translate(TASK)
        shape = count(TASK, config, graph if config.translated else None)
        stages = build_stages(TASK, config, parts=("train", "val"))
        assert shape.table == len(stages.rows)
        for part, found in (("train", shape.train), ("val", shape.val)):
            stage = stages[part]
            members = stage.members.pattern
            assert found.members == len(members.index)
            assert found.subgraphs == members.num_rows
            for graph_, rows, entries in (
                (stage.nodes, found.nodes, found.edges),
                (stage.subgraphs, found.subgraphs, found.links),
            ):
                if graph_ is None:
                    assert entries == 0
                else:
                    assert rows == graph_.pattern.num_rows
                    assert entries >= len(graph_.pattern.index) >= entries - rows


@given(shapes, configs, st.integers(1, 200), st.integers(1, 10), st.data())
def test_more_work_costs_more(
    shape: Shape, config: Config, width: int, replicas: int, data: st.DataObject
) -> None:
    before = time_terms(shape, config, width, replicas)
    held = memory_terms(shape, config, replicas)
    assert len(before) == len(TERMS)
    assert (before >= 0).all()
    field = data.draw(st.sampled_from(["members", "nodes", "edges", "subgraphs", "links"]))
    part = data.draw(st.sampled_from(["train", "val"]))
    grown = replace(getattr(shape, part), **{field: 2 * getattr(getattr(shape, part), field)})
    larger = replace(shape, **{part: grown})
    larger = replace(larger, table=shape.table + 1)
    assert (time_terms(larger, config, width, replicas) >= before).all()
    assert (memory_terms(larger, config, replicas) >= held).all()
    assert fixed_bytes(larger, config, width, replicas) >= fixed_bytes(
        shape, config, width, replicas
    )
    assert (time_terms(shape, config, width, replicas + 1) >= before).all()
    wider = config.with_settings({"hidden": 2 * config.model.hidden})
    assert time_terms(shape, wider, width, replicas).sum() > before.sum()


@given(st.lists(st.tuples(shapes, configs, st.integers(1, 10)), min_size=40, max_size=40))
def test_rates_are_found_again(rows: list[tuple[Shape, Config, int]]) -> None:
    """Times that follow some rates are predicted, whichever rates explain them."""
    true = 7.0 * rates._USUAL_SECONDS * [1, 2, 0.5, 1, 1.5, 1, 0.8]
    known = []
    for shape, config, replicas in rows:
        timing = Timing(float(time_terms(shape, config, 64, replicas) @ true), 1, 1, 1, 1)
        nothing = Timing(0.0, 0, 0, 1, 1)
        found = Efficiency(timing, nothing, 1, 1, 1, 1, 1, 1, "cpu")
        known.append(Measured(shape, config, 64, replicas, found))
    fitted = Rates(fit_rates(*known), np.zeros(3), 0.0)
    for each in known:
        again = fitted.epoch(each.shape, each.config, 64, each.replicas)
        assert again == pytest.approx(each.epoch, rel=0.3)


def test_costs_of_all_structures() -> None:
    found = costs(TASK, seeds=1, allowance=60.0)
    assert [each.structure for each in found] == list(STRUCTURES)
    for each in found:
        assert each.source == "measured"
        assert each.reason == ""
        assert each.seconds == pytest.approx(each.prepare + each.training)
        assert each.training == pytest.approx(sum(each.by_features.values()) * each.epochs)
        assert set(each.by_features) == {"random", "constant"}
        assert each.memory > 0
        assert 1 / 3 < each.predicted_memory / each.memory < 3
        assert each.to_dict()["structure"] == each.structure


def test_what_is_dear_is_extrapolated(monkeypatch) -> None:
    """Nothing is coarsened or timed on the data where there is no time for it."""
    rates.calibration("gcn2", "auto", 1)
    monkeypatch.setattr(module, "measured", None)
    monkeypatch.setattr("sub2node.evaluate.models.coarsen", None)
    rough = {each.structure: each for each in costs(TASK, seeds=1, allowance=0.0)}
    assert {each.source for each in rough.values()} == {"extrapolated"}
    assert rough["cos2n+a"].memory > rough["s2n+a"].memory
    assert rough["cos2n+a"].training >= rough["s2n+a"].training
    assert all(each.epoch == each.predicted_epoch for each in rough.values())


def test_counted_memory_is_near_what_is_held() -> None:
    """Of the random tasks alone, on another task; memory does not depend on who else works."""
    other = random_task(500, 2500, 80, 7)
    rough = {each.structure: each for each in costs(other, seeds=1, allowance=0.0)}
    for each in costs(other, ("connected", "s2n+a"), seeds=1, allowance=60.0):
        assert each.source == "measured"
        assert 0.5 < rough[each.structure].memory / each.memory < 2


def test_a_larger_task_costs_more() -> None:
    """By counting: the same rates for both."""
    known = Rates(rates._USUAL_SECONDS, rates._USUAL_BYTES, 1e-6)
    for structure in ("separated", "connected", "s2n+0", "s2n+a"):
        config = find_preset("default", TASK, structure, "gcn2").config
        found = []
        for task in (TASK, random_task(1200, 4000, 300, 5)):
            graph = translate(task) if config.translated else None
            found.append(count(task, config, graph))
        small, large = (known.epoch(shape, config, 64, 1) for shape in found)
        assert large > small
        assert known.memory(found[1], config, 64, 1) > known.memory(found[0], config, 64, 1)


def test_guessed_virtual_subgraphs_are_within_reach_of_real_ones() -> None:
    task = random_task(600, 3000, 40, 6)
    config = find_preset("default", task, "cos2n+a", "gcn2").config
    plain = config.with_settings({"structure": "s2n+a"})
    guess = with_virtual_guess(count(task, plain, translate(task)), task, config)
    real = measured(task, "cos2n+a", "gcn2", "cpu", 1, seconds=0.02)[0].shape
    for name in ("members", "nodes", "edges", "subgraphs", "links"):
        ratio = getattr(guess.train, name) / getattr(real.train, name)
        assert 1 / 4 < ratio < 4, name
    assert guess.coarsened == task.graph.num_edges
    assert real.coarsened == 0


def test_data_without_labels_has_costs() -> None:
    bare = replace(TASK, labels=None, class_names=(), split=None)
    found = cost(bare, "s2n+0", seeds=1, allowance=60.0)
    assert isinstance(found, Cost)
    assert found.source == "measured"
    assert found.seconds > 0


def test_a_structure_that_cannot_be_used_says_why() -> None:
    """The same node set again and again: all weights are equal, so there is no cut."""
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])
    same = Subgraphs.from_lists([[0, 1]] * 8)
    task = SubgraphTask(graph, same, labels=np.arange(8) % 2)
    found = costs(task, ("s2n+0", "separated"), seeds=1)
    assert "no standard score" in found[0].reason
    assert math.isnan(found[0].seconds)
    assert found[0].to_dict()["training"] is None
    assert found[1].reason == ""
    with pytest.raises(DataError, match=r"4 are needed at least; the data has 1\."):
        costs(SubgraphTask(graph, Subgraphs.from_lists([[0]])))


def test_free_memory() -> None:
    assert module.free_memory("cpu") > 2**20
    if not torch.cuda.is_available():
        assert module.free_memory("auto") > 2**20
