"""Members that learn from all labels: what happens to those that do not, and Ctrl-C."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pretended_members import (
    CLASSES,
    COUNT,
    Clock,
    Plan,
    Pretender,
    interrupt,
    logits_of,
    numbered_task,
    plan,
    step,
    trials_of,
)
from sub2node.base.errors import ConfigError
from sub2node.models import member_refits, member_trials, out_of_fold, stop_signals
from sub2node.models.member_refits import MemberRefits
from sub2node.models.member_trials import MemberTrials
from sub2node.task import Split, SubgraphTask


@pytest.fixture
def clock(monkeypatch) -> Clock:
    made = Clock()
    for module in (member_trials, out_of_fold, member_refits, stop_signals):
        monkeypatch.setattr(module, "time", made)
    return made


def whole_task() -> SubgraphTask:
    return numbered_task(CLASSES).with_split(Split.sizes(train=COUNT))


def refits_of(trials: MemberTrials, **options: Any) -> MemberRefits:
    return MemberRefits(trials, whole_task(), **{"all_nodes": False, **options})


def learn(trials: MemberTrials, *weights: float, **options: Any) -> tuple[MemberRefits, bool]:
    """Judged members learn with these weights."""
    refits = refits_of(trials, **options)
    chosen = [(m, w) for m, w in zip(trials.judged, weights, strict=True) if w]
    done = refits.learn([m for m, _ in chosen], [w for _, w in chosen])
    return refits, done


def test_members_with_a_weight_learn_from_all_labels(clock) -> None:
    given = []

    class Listener(Pretender):
        def fit(self, task, labels, seeds):
            given.append((task, labels, list(seeds)))
            return super().fit(task, labels, seeds)

    plans = [plan("unused", 0.9), Plan("network", Listener(logits_of(CLASSES, 1.1)), True)]
    plans.append(plan("simple", during=lambda: step(clock, 1.0)))
    trials = trials_of(fold_seeds=1)
    trials.judge_all(plans)
    given.clear()
    refits, done = learn(trials, 0.0, 0.75, 0.25, all_nodes=True)
    assert done
    assert list(refits.trained) == ["simple", "network"]  # what cannot be cut short comes first
    ((task, labels, seeds),) = given
    assert len(task) == COUNT
    assert np.array_equal(labels["train"], CLASSES)
    assert len(labels["val"]) == 0
    assert seeds == [5, 6, 7, 8]
    assert plans[0].asked[-1][0] == "fold"  # a member without weight does not learn again
    assert plans[1].asked[-1] == ("all", pytest.approx(96.0), True)
    rows = {row.name: row for row in refits.rows({"simple": 0.25, "network": 0.75})}
    assert [rows[name].weight for name in ("simple", "unused", "network")] == [0.25, 0, 0.75]
    assert rows["simple"].fit_seconds == pytest.approx(4.0)
    assert refits.learn(trials.judged[1:], [0.7, 0.3])  # nobody learns twice
    assert len(given) == 1


def test_of_networks_the_one_with_the_largest_weight_comes_first() -> None:
    trials = trials_of()
    trials.judge_all([plan(name, is_network=True) for name in "abc"])
    refits, _ = learn(trials, 0.2, 0.5, 0.3)
    assert list(refits.trained) == ["b", "c", "a"]


@pytest.mark.parametrize(("seconds", "count"), [(1.0, 4), (20.0, 2), (40.0, 1), (300.0, 1)])
def test_as_many_seeds_as_there_is_time_for(clock, seconds, count) -> None:
    trials = trials_of(seconds=100.0, fold_seeds=1)
    slow = plan("slow", is_network=True, during=lambda: step(clock, seconds))
    trials.judge_all([slow])
    clock.now = 0.0
    grown = COUNT / len(trials.folds[0].labels["train"])
    assert count == max(1, min(4, int(100 / (1.3 * seconds * grown))))
    seen, usual = [], slow.model.fit
    slow.model.fit = lambda task, labels, seeds: seen.append(seeds) or usual(task, labels, seeds)
    learn(trials, 1.0)
    assert seen == [[5, 6, 7, 8][:count]]


def test_a_member_that_knows_its_own_labels_worse_than_its_folds_did_is_left_out() -> None:
    trials = trials_of()
    failed, good = plan("failed", 2.0, is_network=True), plan("good", 2.0, seed=1)
    trials.judge_all([failed, good])
    failed.model.logits = logits_of(CLASSES, -0.5)  # cut short, say
    refits, done = learn(trials, 0.6, 0.4)
    assert not done
    assert list(refits.trained) == ["good"]
    assert [refits.can_answer(member) for member in trials.judged] == [False, True]
    state = refits.states["failed"]
    assert state.startswith("left out: learned anew from all labels, its log loss on these is ")
    assert f"it was {trials.judged[0].log_loss:.3f} on folds" in state
    by_name = {row.name: row for row in refits.rows({"good": 1.0})}
    assert by_name["failed"].state == state
    assert by_name["failed"].weight == 0


@pytest.mark.parametrize(("worse", "passes"), [(1.05, True), (1.3, False)])
def test_how_much_worse_is_worse(worse, passes) -> None:
    trials = trials_of()
    member = plan("one", 1.0)
    trials.judge_all([member])
    (judged,) = trials.judged
    refits = refits_of(trials)
    object.__setattr__(judged, "row", member_trials.replace(
        judged.row, log_loss=(judged.log_loss - 0.02) / worse
    ))  # fmt: skip
    assert refits.learn([judged], [1.0]) == passes


def test_where_nobody_learned_the_least_bad_one_answers() -> None:
    trials = trials_of()
    plans = [plan("bad", 2.0), plan("worse", 2.0, seed=1)]
    trials.judge_all(plans)
    for one, signal in zip(plans, (0.5, -2.0), strict=True):
        one.model.logits = logits_of(CLASSES, signal)
    refits, done = learn(trials, 0.5, 0.5)
    assert not done
    refits.accept_worse()
    assert list(refits.trained) == ["bad"]
    assert refits.states["bad"].startswith("kept, as the only one: learned anew")


def test_an_error_is_the_state_of_the_member() -> None:
    trials = trials_of()
    broken = plan("broken")
    trials.judge_all([broken, plan("good")])

    def fail() -> None:
        raise ConfigError("too large now.")

    broken.model.during = fail
    refits, done = learn(trials, 0.5, 0.5)
    assert not done
    assert refits.states == {"broken": "too large now."}
    assert list(refits.trained) == ["good"]


def test_ctrl_c_while_a_network_learns_keeps_its_state_and_hurries(clock) -> None:
    trials = trials_of(seconds=100.0, fold_seeds=1)
    first, second = (plan(name, is_network=True, during=lambda: step(clock, 1.0)) for name in "ab")
    trials.judge_all([first, second])
    first.model.ended = "interrupted"
    _, done = learn(trials, 0.6, 0.4)
    assert done
    assert trials.interrupted
    assert second.asked[-1] == ("all", pytest.approx(10.0), False)  # a tenth of the limit


def test_after_ctrl_c_a_network_has_one_seed_or_none(clock) -> None:
    trials = trials_of(seconds=100.0, fold_seeds=1)
    quick = plan("quick", is_network=True, during=lambda: step(clock, 1.0))
    slow = plan("slow", is_network=True, during=lambda: step(clock, 9.0))
    trials.judge_all([quick, slow])
    trials.signals.note()
    seen, usual = [], quick.model.fit
    quick.model.fit = lambda task, labels, seeds: seen.append(seeds) or usual(task, labels, seeds)
    refits, done = learn(trials, 0.9, 0.1)
    assert not done
    assert seen == [[5]]
    assert refits.states == {"slow": "interrupted"}


def test_ctrl_c_while_a_simple_model_learns_is_noted_and_nothing_is_lost() -> None:
    trials = trials_of()
    one, two = plan("one"), plan("two")
    trials.judge_all([one, two])
    one.model.during = trials.signals.handle  # the first signal
    refits, done = learn(trials, 0.6, 0.4)
    assert done
    assert list(refits.trained) == ["one", "two"]
    assert trials.interrupted


def test_a_second_ctrl_c_gives_up_those_that_have_not_learned() -> None:
    trials = trials_of()
    plans = [plan(name) for name in "abc"]
    trials.judge_all(plans)

    def twice() -> None:
        trials.signals.handle()
        trials.signals.handle()

    plans[1].model.during = twice
    refits, done = learn(trials, 0.5, 0.3, 0.2)
    assert not done
    assert list(refits.trained) == ["a"]
    assert [refits.can_answer(member) for member in trials.judged] == [True, False, False]
    assert not refits.learn(trials.judged[2:], [1.0])
    assert plans[2].asked[-1][0] == "fold"


def test_a_second_ctrl_c_before_anybody_has_learned_goes_on_with_the_next() -> None:
    trials = trials_of()
    plans = [plan("a", during=lambda: None), plan("b")]
    trials.judge_all(plans)
    plans[0].model.during = interrupt
    refits, done = learn(trials, 0.5, 0.5)
    assert not done
    assert refits.states == {"a": "interrupted"}
    assert list(refits.trained) == ["b"]


def test_members_that_were_not_judged_stay_on_the_leaderboard() -> None:
    trials = trials_of()
    trials.judge_all([plan("good", 3.0), plan("hopeless", -4.0)])
    rows = learn(trials, 1.0)[0].rows({"good": 1.0})
    assert [(row.name, row.weight, row.log_loss is None) for row in rows] == [
        ("good", 1.0, False), ("hopeless", 0.0, True)
    ]  # fmt: skip
