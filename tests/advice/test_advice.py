"""Advice: rules quote their numbers, probes decide, the test part is out of reach."""

from __future__ import annotations

import json
import math
import signal
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from advice_given import made, poisoned, price
from small_models import write_task
from sub2node import load_task
from sub2node.advice import Advice, Cost, Reason, Traits, TrialState, advise, traits
from sub2node.advice.rules import ranking, reasons
from sub2node.advice.traits import LabelTraits, LinkTraits, OverlapTraits
from sub2node.advice.wording import duration, next_commands, recommendation, size
from sub2node.base.errors import ConfigError, DataError
from sub2node.config import STRUCTURES, Structure
from sub2node.task import Graph, Subgraphs, SubgraphTask

module, probes = (import_module(f"sub2node.advice.{name}") for name in ("advice", "probes"))
PRICES = {name: price(name, 0.01 * (1 + n)) for n, name in enumerate(STRUCTURES)}
PLAIN = Traits(
    nodes=100, edges=400, density=0.08, subgraphs=50, coverage=0.8, inside=0.4, between=0.3,
    border=0.2, outside=0.1, size_mean=5.0, size_sd=1.0, size_max=9, components=1.2,
    internal_density=0.4, internal_density_sd=0.2, overlap=OverlapTraits(0.1, 0.01, 50),
    links=LinkTraits(1.0, 80, 0.07, 0.1, 2.0),
    labelled=LabelTraits(3, 10, 40.0, 0.4, 50, 0.40, 0.35),
)  # fmt: skip


@pytest.fixture(scope="module")
def task(tmp_path_factory) -> SubgraphTask:
    return load_task(write_task(tmp_path_factory.mktemp("advice") / "data"))


@pytest.fixture
def quick(monkeypatch) -> None:
    """Costs are given, probes are short."""
    monkeypatch.setattr(module, "time_structures", lambda *_, **__: tuple(PRICES.values()))
    monkeypatch.setattr(probes, "_MAX_EPOCHS", 3)
    monkeypatch.setattr(probes, "_MIN_EPOCHS", (2, 1, 1))


def said(found: Traits, rule: str, prices=PRICES, free: int | None = None) -> Reason | None:
    return next((each for each in reasons(found, prices, free) if each.rule == rule), None)


def links(**changes: object) -> Traits:
    return replace(PLAIN, links=replace(PLAIN.links, **changes))


def labelled(**changes: object) -> Traits:
    return replace(PLAIN, labelled=replace(PLAIN.labelled, **changes))


@pytest.mark.parametrize(
    ("found", "rule", "number", "speaks_for"),
    [
        (links(isolated=0.63), "isolated subgraphs", "63%", "separated"),
        (links(density=0.41), "dense links", "41%", "separated"),
        (labelled(homophily=0.70), "links and labels", "70%", "s2n+0"),
        (labelled(homophily=0.36), "links and labels", "36%", "separated"),
        (replace(labelled(median=7.0), coverage=0.32), "few labels", "has 7 training", "cos2n+0"),
        (PLAIN, "edges inside", "0.40 ± 0.20", "s2n+a"),
        (replace(PLAIN, internal_density_sd=0.01), "edges inside", "0.40 ± 0.01", "s2n+0"),
        (replace(PLAIN, border=0.6), "edges outside", "70%", "connected"),
        (replace(PLAIN, links=None), "no S2N graph", "no S2N graph", "separated"),
    ],
)
def test_rules_quote_the_number_that_triggered_them(
    found: Traits, rule: str, number: str, speaks_for: str
) -> None:
    reason = said(found, rule)
    assert number in reason.text
    assert reason.text.endswith(".")
    others = [reason.points.get(name, 0) for name in STRUCTURES if name != speaks_for]
    assert reason.points.get(speaks_for, 0) >= max(others)
    assert any(reason.points.values())
    assert reason.to_dict()["value"] == reason.value


def test_rules_that_do_not_hold_are_silent() -> None:
    names = {each.rule for each in reasons(PLAIN, PRICES, None)}
    assert names == {"edges inside"}
    assert said(replace(PLAIN, labelled=None), "links and labels") is None
    assert said(labelled(median=7.0), "few labels") is None  # coverage is high
    assert said(links(isolated=0.63, half=0.42), "isolated subgraphs").text.count("a=0.42") == 1


def test_rules_about_costs() -> None:
    slow = {**PRICES, "connected": price("connected", 4.0), "cos2n+0": price("cos2n+0", 0.3)}
    found = [each for each in reasons(PLAIN, slow, None) if each.rule == "slow"]
    assert [each.text for each in found] == [
        "connected takes 100 times as long as s2n+a.",
        "cos2n+0 takes 10 times as long as s2n+0.",
    ]
    large = {**PRICES, "cos2n+a": replace(PRICES["cos2n+a"], memory=9 << 30)}
    reason = said(PLAIN, "memory", large, free=2 << 30)
    assert reason.text == "cos2n+a needs about 9.0 GiB, and there are 2.0 GiB."
    order = ranking(reasons(PLAIN, large, 2 << 30), large)
    assert order[-1][0] == "cos2n+a"


def test_of_equal_points_the_cheapest_is_first() -> None:
    assert [name for name, _ in ranking([], PRICES)] == list(STRUCTURES)
    reason = Reason("x", "y.", 1.0, {"cos2n+a": 1})
    assert ranking([reason], PRICES)[0] == ("cos2n+a", 1)


def advice(scores: dict[str, float], *, count: int = 200, **changes: object) -> Advice:
    """As if structures had been right so often."""
    tried = []
    for name, share in scores.items():
        right = np.zeros((2, count), int)
        right[:, : round(share * count)] = 1
        tried.append(made(name, right))
    simple = [each for each in tried if each.name not in STRUCTURES]
    structures = [each for each in tried if each.name in STRUCTURES]
    given = {
        "name": "x", "traits": PLAIN, "costs": tuple(PRICES.values()), "reasons": (), "points": {},
        "probes": tuple(structures), "simple": tuple(simple), "val": count, "seeds": 2,
        "epochs": 300, "by_rules": "separated", "draws": module.Draws(tried), **changes,
    }  # fmt: skip
    given["by_rules"] = Structure(given["by_rules"])
    return Advice(**given)


def test_the_cheapest_within_noise_is_advised() -> None:
    found = advice({"separated": 0.5, "s2n+0": 0.80, "s2n+a": 0.805, "bag": 0.4})
    assert found.best.name == "s2n+a"
    assert found.tied == ("s2n+0", "s2n+a")
    assert found.structure == found.by_probes == "s2n+0"
    assert found.verdict("s2n+0") == "advised"
    assert found.verdict("s2n+a") == "within noise, slower"
    assert found.verdict("separated").startswith("behind by 2")
    assert found.verdict("connected") == "not probed"
    text = " ".join(recommendation(found))
    assert "Use s2n+0: validation micro-F1 80.0 (74 to 86)" in text
    assert "It is the cheapest of 2 that 300 epochs and 200 validation subgraphs do not" in text
    assert "By rules alone it would have been separated; the probes say otherwise." in text
    assert "simple model" not in text


def test_short_probes_leave_it_to_the_rules() -> None:
    """Where these are within noise; else the probes decide all the same."""
    scores = {"separated": 0.8, "s2n+0": 0.8, "s2n+a": 0.81}
    found = advice(scores, epochs=40, by_rules="s2n+a")
    assert (found.by_probes, found.structure) == ("separated", "s2n+a")
    assert found.verdict("separated") == "within noise"
    assert "It is what rules advise of 3 that 40 epochs" in " ".join(recommendation(found))
    assert advice(scores, by_rules="s2n+a").structure == "separated"
    far = advice({**scores, "connected": 0.3}, epochs=40, by_rules="connected")
    assert far.structure == "separated"


def test_small_parts_simple_models_and_disagreement_are_said() -> None:
    found = advice({"s2n+a": 0.8, "separated": 0.6, "statistics": 1.0}, count=40)
    text = " ".join(recommendation(found))
    assert found.tied == ("s2n+a",)
    assert "One of 40 validation subgraphs is 2.5 points." in text
    assert "The simple model statistics is ahead by more than noise: 100.0 (100 to 100)" in text
    assert "--inputs structure" in text
    none = advice({"s2n+a": 0.4, "s2n+0": 0.2, "majority": 0.4})
    assert "no structure has learned anything" in " ".join(recommendation(none))
    assert "which was not probed" in " ".join(recommendation(none))
    bag = advice({"s2n+a": 0.4, "s2n+0": 0.2, "bag": 0.42})
    assert "The simple model bag cannot be told from it" in " ".join(recommendation(bag))
    assert "try s2n run --model bag too" in " ".join(recommendation(bag))
    tied = advice({"s2n+a": 0.8, "s2n+0": 0.8}, by_rules="s2n+a")
    assert "which noise does not tell from s2n+0" in " ".join(recommendation(tied))


def test_next_commands() -> None:
    assert next_commands(advice({"cos2n+a": 0.9, "s2n+0": 0.1}), "my.csv --graph g.csv") == [
        "s2n run my.csv --graph g.csv --structure cos2n+a --coarsen variation_edges:0.5",
        "s2n tune my.csv --graph g.csv --structure cos2n+a",
    ]
    own = replace(PLAIN, virtual=8)
    assert "--coarsen" not in next_commands(advice({"cos2n+a": 0.9, "s2n+0": 0.1}, traits=own))[0]
    assert "--conv gin" in next_commands(advice({"s2n+0": 0.9}, conv="gin"))[1]
    alone = advice({"s2n+0": 0.9}, by_rules="s2n+a")
    assert (alone.by_probes, alone.structure) == (None, "s2n+a")
    assert "Only s2n+0 could be tried, so nothing was compared" in " ".join(recommendation(alone))
    bare = advice({}, traits=replace(PLAIN, labelled=None))
    assert next_commands(bare) == ["s2n describe DATA"]


def test_numbers_for_people() -> None:
    words = [duration(each) for each in (0.04, 9.96, 42, 300, 9000, math.inf)]
    assert words == ["0.0 s", "10.0 s", "42 s", "5.0 min", "2.5 h", "-"]
    sizes = [size(each) for each in (5 << 20, 3 << 30, 10, None)]
    assert sizes == ["5 MiB", "3.0 GiB", "0.1 MiB", "-"]


def test_advice_on_a_task(task: SubgraphTask, quick: None) -> None:
    found = advise(task, minutes=5, seeds=1)
    assert [each.name for each in found.simple] == ["majority", "bag", "statistics"]
    assert {each.name for each in found.worked} == set(STRUCTURES)
    assert found.structure in found.tied
    assert found.val == 9
    assert not found.interrupted
    whole = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert whole["structure"] == found.structure
    assert len(whole["structures"]) == 6
    assert {each["name"] for each in whole["probes"]} == {
        *STRUCTURES, "majority", "bag", "statistics"
    }  # fmt: skip
    assert whole["next"][0] == f"s2n run DATA --structure {found.structure}" or (
        "--coarsen" in whole["next"][0]
    )
    assert 2 <= len(whole["recommendation"]) <= 4


def told(found: Advice) -> dict:
    """What must not depend on labels of the test part."""
    whole = found.to_dict()
    whole.pop("seconds")
    for each in whole["probes"]:
        each.pop("seconds")
    return whole


def test_labels_of_the_test_part_change_nothing(task: SubgraphTask, quick: None) -> None:
    """Permuted they give the same advice; read, they would raise."""
    wanted = told(advise(task, minutes=5, seeds=1))
    test = np.flatnonzero(task.split.mask("test"))
    labels = np.array(task.labels)
    labels[test] = labels[test][::-1]
    assert not np.array_equal(labels, task.labels)
    assert told(advise(replace(task, labels=labels), minutes=5, seeds=1)) == wanted
    assert told(advise(poisoned(task), minutes=5, seeds=1)) == wanted


def test_multi_label_data(tmp_path, quick: None) -> None:
    data = load_task(write_task(tmp_path / "data", multilabel=True))
    found = advise(data, minutes=5, seeds=1)
    assert {each.name for each in found.worked} == set(STRUCTURES)
    assert all(0 <= each.score <= 1 for each in found.worked)


def test_a_split_is_drawn_where_there_is_none(tmp_path, quick: None) -> None:
    data = load_task(write_task(tmp_path / "data", split=False))
    found = advise(data, minutes=5, seeds=1)
    assert any("came without a split" in note for note in found.notes)
    assert found.worked


def test_without_probes_or_labels(task: SubgraphTask, quick: None) -> None:
    found = advise(task, probes=False)
    assert found.probes == ()
    assert found.structure == found.by_rules
    assert found.verdict(found.structure) == "advised by rules"
    assert "Nothing was trained, so this is a guess" in " ".join(recommendation(found))
    bare = replace(task, labels=None, class_names=(), split=None)
    found = advise(bare)
    assert "the data has no labels, so nothing was trained." in found.notes
    assert found.traits.labelled is None
    assert found.structure is not None


def test_structures_too_large_for_the_memory_are_not_probed(
    task: SubgraphTask, quick: None, monkeypatch
) -> None:
    prices = [replace(each, memory=1 << 40) for each in PRICES.values()]
    prices[2] = PRICES["s2n+0"]
    monkeypatch.setattr(module, "time_structures", lambda *_, **__: tuple(prices))
    monkeypatch.setattr(module, "free_memory", lambda _: 1 << 30)
    found = advise(task, minutes=5, seeds=1)
    assert [each.name for each in found.probes] == ["s2n+0"]
    assert sum(each.rule == "memory" for each in found.reasons) == 5


def test_too_little_time_probes_the_cheapest(task: SubgraphTask, quick: None, monkeypatch) -> None:
    prices = [replace(each, by_features={"random": 1e5}) for each in PRICES.values()]
    monkeypatch.setattr(module, "time_structures", lambda *_, **__: tuple(prices))
    found = advise(task, minutes=0.01, seeds=1)
    assert [each.name for each in found.probes] == ["separated"]
    assert set(found.left_out) == set(STRUCTURES[1:])
    assert found.verdict("cos2n+a") == "no time to probe it"
    assert found.structure == found.by_rules  # one alone is no comparison


def test_structures_that_were_not_timed(task: SubgraphTask, quick: None, monkeypatch) -> None:
    """They are dearer than all others, are not probed, and rules may speak for them."""
    prices = [Cost(each.structure, 10, epochs=300) for each in PRICES.values()]
    prices[2:4] = [PRICES["s2n+0"], PRICES["s2n+a"]]
    monkeypatch.setattr(module, "time_structures", lambda *_, **__: tuple(prices))
    found = advise(task, minutes=5, seeds=1)
    assert {each.name for each in found.probes} == {"s2n+0", "s2n+a"}
    assert "no time or memory to time separated and connected and cos2n+0" in " ".join(found.notes)
    assert found.verdict("connected") == "no time to probe it"
    assert not any(each.rule == "slow" for each in found.reasons)
    whole = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert whole["structures"][1]["training"] is None
    monkeypatch.setattr(module, "time_structures", lambda *_, **__: (*prices[:2], *prices[4:]))
    found = advise(task, minutes=5, seeds=1)
    assert found.probes == ()
    assert "it takes a time that was not measured" in recommendation(found)[0]


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
        found = advise(task, minutes=5, seeds=1)
    assert found.interrupted
    assert 1 <= len(found.probes) <= 2
    assert found.structure is not None

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "probe_structures", stop)
        found = advise(task, minutes=5, seeds=1)
    assert found.interrupted
    assert len(found.simple) == 3
    assert found.structure == found.by_rules
    monkeypatch.setattr(module, "time_structures", stop)
    found = advise(task)
    assert found.interrupted
    assert found.structure is None
    assert recommendation(found)[0].startswith("Stopped before the structures were timed")


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


def test_real_traits_are_quick(data) -> None:
    """PPI-BP within two seconds, on a machine that does nothing else."""
    import time

    task = load_task(data / "ppi_bp")
    start = time.perf_counter()
    found = traits(task)
    assert time.perf_counter() - start < 20  # others may be at work here
    assert found.coverage == pytest.approx(0.326, abs=1e-3)
    assert found.links.isolated < 0.1


def test_short_probes_are_said_to_be_short(task: SubgraphTask, quick: None, monkeypatch) -> None:
    """Three epochs tell little, and one that had fewer than the others tells less."""
    real = module.probe_structures

    def cut(*given, **options):
        for probe in real(*given, **options):
            short = probe.name == "s2n+a"
            yield replace(probe, state=TrialState.CUT_SHORT) if short else probe

    monkeypatch.setattr(module, "probe_structures", cut)
    found = advise(task, minutes=5, seeds=1)
    assert any(note.startswith("probes had 3 epochs of 300") for note in found.notes)
    assert any("before s2n+a had as many epochs" in note for note in found.notes)
    behind = advice({"s2n+0": 0.9, "s2n+a": 0.5})
    late = tuple(replace(each, state=TrialState.CUT_SHORT) for each in behind.probes)
    assert behind.verdict("s2n+a").endswith("points")
    assert replace(behind, probes=late).verdict("s2n+a").endswith("points, cut short")
