"""Advice: probes decide, rules where they do not, the test part is out of reach."""

from __future__ import annotations

import json
import math
import signal
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from advice_cases import PRICES, advice_on, poisoned
from small_models import write_task
from sub2node import load_task
from sub2node.advice import Advice, Cost, TrialState, advise
from sub2node.advice.wording import recommendation
from sub2node.base.errors import ConfigError, DataError
from sub2node.config import STRUCTURES
from sub2node.task import Graph, Subgraphs, SubgraphTask

pytestmark = pytest.mark.usefixtures("few_trees")

module, probes = (import_module(f"sub2node.advice.{name}") for name in ("advice", "probes"))


@pytest.fixture(scope="module")
def task(tmp_path_factory) -> SubgraphTask:
    return load_task(write_task(tmp_path_factory.mktemp("advice") / "data"))


@pytest.fixture
def quick(monkeypatch) -> None:
    """Costs are given, probes are short."""
    monkeypatch.setattr(module, "time_structures", lambda *_, **__: tuple(PRICES.values()))
    monkeypatch.setattr(probes, "_MAX_EPOCHS", 3)
    monkeypatch.setattr(probes, "_MIN_EPOCHS", (2, 1, 1))


@pytest.mark.slow
def test_the_cheapest_within_noise_is_advised() -> None:
    result = advice_on({"separated": 0.5, "s2n+0": 0.80, "s2n+a": 0.805, "bag": 0.4})
    assert result.best.name == "s2n+a"
    assert result.tied == ("s2n+0", "s2n+a")
    assert result.structure == result.by_probes == "s2n+0"
    assert result.verdict("s2n+0") == "advised"
    assert result.verdict("s2n+a") == "within noise, slower"
    assert result.verdict("separated").startswith("behind by 2")
    assert result.verdict("connected") == "not probed"
    text = " ".join(recommendation(result))
    assert "Use s2n+0: validation micro-F1 80.0 (74 to 86)" in text
    assert "It is the cheapest of 2 that 300 epochs and 200 validation subgraphs do not" in text
    assert "By rules alone it would have been separated; the probes say otherwise." in text
    assert "simple model" not in text


@pytest.mark.slow
def test_short_probes_leave_it_to_the_rules() -> None:
    """Where these are within noise; else the probes decide all the same."""
    scores = {"separated": 0.8, "s2n+0": 0.8, "s2n+a": 0.81}
    result = advice_on(scores, epochs=40, by_rules="s2n+a")
    assert (result.by_probes, result.structure) == ("separated", "s2n+a")
    assert result.verdict("separated") == "within noise"
    assert "It is what rules advise of 3 that 40 epochs" in " ".join(recommendation(result))
    assert advice_on(scores, by_rules="s2n+a").structure == "separated"
    far = advice_on({**scores, "connected": 0.3}, epochs=40, by_rules="connected")
    assert far.structure == "separated"


@pytest.mark.slow
def test_advice_on_a_task(task: SubgraphTask, quick: None) -> None:
    result = advise(task, minutes=5, seeds=1)
    assert [each.name for each in result.simple] == ["majority", "bag", "statistics"]
    assert {each.name for each in result.worked} == set(STRUCTURES)
    assert result.structure in result.tied
    assert result.val == 9
    assert not result.interrupted
    whole = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert whole["structure"] == result.structure
    assert len(whole["structures"]) == 6
    assert {each["name"] for each in whole["probes"]} == {
        *STRUCTURES, "majority", "bag", "statistics"
    }  # fmt: skip
    assert whole["next"][0] == f"s2n run DATA --structure {result.structure}" or (
        "--coarsen" in whole["next"][0]
    )
    assert 2 <= len(whole["recommendation"]) <= 4


def told(result: Advice) -> dict:
    """What must not depend on labels of the test part."""
    whole = result.to_dict()
    whole.pop("seconds")
    for each in whole["probes"]:
        each.pop("seconds")
    return whole


@pytest.mark.slow
def test_labels_of_the_test_part_change_nothing(task: SubgraphTask, quick: None) -> None:
    """Permuted they give the same advice; read, they would raise."""
    wanted = told(advise(task, minutes=5, seeds=1))
    test = np.flatnonzero(task.split.mask("test"))
    labels = np.array(task.labels)
    labels[test] = labels[test][::-1]
    assert not np.array_equal(labels, task.labels)
    assert told(advise(replace(task, labels=labels), minutes=5, seeds=1)) == wanted
    assert told(advise(poisoned(task), minutes=5, seeds=1)) == wanted


@pytest.mark.slow
def test_multi_label_data(tmp_path, quick: None) -> None:
    data = load_task(write_task(tmp_path / "data", multilabel=True))
    result = advise(data, minutes=5, seeds=1)
    assert {each.name for each in result.worked} == set(STRUCTURES)
    assert all(0 <= each.score <= 1 for each in result.worked)


@pytest.mark.slow
def test_a_split_is_drawn_where_there_is_none(tmp_path, quick: None) -> None:
    data = load_task(write_task(tmp_path / "data", split=False))
    result = advise(data, minutes=5, seeds=1)
    assert any("came without a split" in note for note in result.notes)
    assert result.worked


def test_without_probes_or_labels(task: SubgraphTask, quick: None) -> None:
    result = advise(task, probes=False)
    assert result.probes == ()
    assert result.structure == result.by_rules
    assert result.verdict(result.structure) == "advised by rules"
    assert "Nothing was trained, so this is a guess" in " ".join(recommendation(result))
    bare = replace(task, labels=None, class_names=(), split=None)
    result = advise(bare)
    assert "the data has no labels, so nothing was trained." in result.notes
    assert result.traits.labelled is None
    assert result.structure is not None


@pytest.mark.slow
def test_structures_too_large_for_the_memory_are_not_probed(
    task: SubgraphTask, quick: None, monkeypatch
) -> None:
    prices = [replace(each, memory=1 << 40) for each in PRICES.values()]
    prices[2] = PRICES["s2n+0"]
    monkeypatch.setattr(module, "time_structures", lambda *_, **__: tuple(prices))
    monkeypatch.setattr(module, "free_memory", lambda _: 1 << 30)
    result = advise(task, minutes=5, seeds=1)
    assert [each.name for each in result.probes] == ["s2n+0"]
    assert sum(each.rule == "memory" for each in result.reasons) == 5


@pytest.mark.slow
def test_too_little_time_probes_the_cheapest(task: SubgraphTask, quick: None, monkeypatch) -> None:
    prices = [replace(each, by_features={"random": 1e5}) for each in PRICES.values()]
    monkeypatch.setattr(module, "time_structures", lambda *_, **__: tuple(prices))
    result = advise(task, minutes=0.01, seeds=1)
    assert [each.name for each in result.probes] == ["separated"]
    assert set(result.left_out) == set(STRUCTURES[1:])
    assert result.verdict("cos2n+a") == "no time to probe it"
    assert result.structure == result.by_rules  # one alone is no comparison


@pytest.mark.slow
def test_structures_that_were_not_timed(task: SubgraphTask, quick: None, monkeypatch) -> None:
    """They are dearer than all others, are not probed, and rules may speak for them."""
    prices = [Cost(each.structure, 10, epochs=300) for each in PRICES.values()]
    prices[2:4] = [PRICES["s2n+0"], PRICES["s2n+a"]]
    monkeypatch.setattr(module, "time_structures", lambda *_, **__: tuple(prices))
    result = advise(task, minutes=5, seeds=1)
    assert {each.name for each in result.probes} == {"s2n+0", "s2n+a"}
    assert "no time or memory to time separated and connected and cos2n+0" in " ".join(result.notes)
    assert result.verdict("connected") == "no time to probe it"
    assert not any(each.rule == "slow" for each in result.reasons)
    whole = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert whole["structures"][1]["training"] is None
    monkeypatch.setattr(module, "time_structures", lambda *_, **__: (*prices[:2], *prices[4:]))
    result = advise(task, minutes=5, seeds=1)
    assert result.probes == ()
    assert "it takes a time that was not measured" in recommendation(result)[0]


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_probed(task: SubgraphTask, quick: None, monkeypatch) -> None:
    """In a training, between two of them, and while structures are timed."""
    calls = []
    loop = import_module("sub2node.train.fit")

    def second(*_: object) -> None:
        calls.append(1)
        if len(calls) == 5:  # in the second structure
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(loop, "step", second)
        result = advise(task, minutes=5, seeds=1)
    assert result.interrupted
    assert 1 <= len(result.probes) <= 2
    assert result.structure is not None

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "probe_structures", stop)
        result = advise(task, minutes=5, seeds=1)
    assert result.interrupted
    assert len(result.simple) == 3
    assert result.structure == result.by_rules
    monkeypatch.setattr(module, "time_structures", stop)
    result = advise(task)
    assert result.interrupted
    assert result.structure is None
    assert recommendation(result)[0].startswith("Stopped before the structures were timed")


def test_bad_arguments(task: SubgraphTask) -> None:
    for minutes in (0, -1, math.inf, math.nan, True):
        with pytest.raises(ConfigError, match="minutes above 0"):
            advise(task, minutes=minutes)
    with pytest.raises(ConfigError, match="at least one seed"):
        advise(task, seeds=0)
    with pytest.raises(ConfigError, match="gcn9"):
        advise(task, conv="gcn9")
    with pytest.raises(ConfigError, match="a device is"):
        advise(task, device="tpu")
    one = SubgraphTask(Graph.from_edges([0], [1]), Subgraphs.from_lists([[0, 1]]))
    with pytest.raises(DataError, match=r"^advice compares .* the data has 1\.$"):
        advise(one)


@pytest.mark.slow
def test_short_probes_are_said_to_be_short(task: SubgraphTask, quick: None, monkeypatch) -> None:
    """Three epochs tell little, and one that had fewer than the others tells less."""
    real = module.probe_structures

    def cut(*given, **options):
        for probe in real(*given, **options):
            short = probe.name == "s2n+a"
            yield replace(probe, state=TrialState.CUT_SHORT) if short else probe

    monkeypatch.setattr(module, "probe_structures", cut)
    result = advise(task, minutes=5, seeds=1)
    assert any(note.startswith("probes had 3 epochs of 300") for note in result.notes)
    assert any("before s2n+a had as many epochs" in note for note in result.notes)
    behind = advice_on({"s2n+0": 0.9, "s2n+a": 0.5})
    late = tuple(replace(each, state=TrialState.CUT_SHORT) for each in behind.probes)
    assert behind.verdict("s2n+a").endswith("points")
    assert replace(behind, probes=late).verdict("s2n+a").endswith("points, cut short")
