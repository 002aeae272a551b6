"""Members on trial: limits, errors and interruptions, by members that only pretend to learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pretended_members import (
    CLASSES,
    COUNT,
    TABLE,
    Clock,
    Plan,
    Pretender,
    interrupt,
    logits_of,
    plan,
    step,
    trials_of,
)
from sub2node.base import progress
from sub2node.base.calibration import log_loss_of_probabilities, probabilities
from sub2node.base.errors import ConfigError
from sub2node.models import member_trials, out_of_fold
from sub2node.models.member_trials import MemberTrials, calibrate_together


@pytest.fixture
def clock(monkeypatch) -> Clock:
    made = Clock()
    for module in (member_trials, out_of_fold):
        monkeypatch.setattr(module, "time", made)
    return made


def states(trials: MemberTrials) -> dict[str, str]:
    return {row.name: row.state for row in trials.rejected}


@pytest.mark.parametrize("labels", [CLASSES, TABLE], ids=["single", "several"])
def test_answers_and_scores_are_those_out_of_fold(labels, clock) -> None:
    member = plan("one", labels=labels, replicas=2, during=lambda: step(clock, 2.0))
    trials = trials_of(labels)
    trials.judge_all([member])
    (judged,) = trials.judged
    assert np.allclose(judged.logits, member.model.logits)
    shares = probabilities(judged.logits, judged.temperature, multilabel=labels.ndim == 2).mean(0)
    assert judged.probabilities(multilabel=labels.ndim == 2) == pytest.approx(shares)
    assert judged.row.log_loss == pytest.approx(log_loss_of_probabilities(shares, labels))
    said = shares > 0.5 if labels.ndim == 2 else shares.argmax(axis=1)
    if labels.ndim == 1:
        assert judged.row.micro_f1 == pytest.approx((said == labels).mean())
    else:
        expected = 2 * (said & labels).sum() / (said.sum() + labels.sum())
        assert judged.row.micro_f1 == pytest.approx(expected)
    assert judged.row.fit_seconds == pytest.approx(6.0)
    assert judged.row.answer_ms == 0
    assert judged.fold_seconds == pytest.approx(2.0)  # one seed of a simple model


def test_seeds_of_networks_and_of_simple_models() -> None:
    given = []

    class Listener(Pretender):
        def fit(self, task, labels, seeds):
            given.append((list(seeds), sorted(labels), len(labels["train"])))
            return super().fit(task, labels, seeds)

    for network in (False, True):
        model = Listener(logits_of(CLASSES, 1.0, replicas=2))
        trials = trials_of()
        trials.judge_all([Plan("one", model, network)])
    assert [seeds for seeds, *_ in given] == [[5]] * 3 + [[5, 6]] * 3
    assert {tuple(parts) for _, parts, _ in given} == {("train", "val")}
    assert all(count < COUNT for *_, count in given)


def test_later_members_have_no_time_left(clock) -> None:
    slow = plan("slow", during=lambda: step(clock, 25.0))  # 75 of the 60 for judging
    trials = trials_of(seconds=100.0)
    trials.judge_all([slow, plan("simple"), plan("network", is_network=True)])
    assert [judged.plan.name for judged in trials.judged] == ["slow"]  # the first one in any case
    assert states(trials) == {"simple": "no time left", "network": "no time left"}
    assert not trials.interrupted


def test_a_network_needs_a_second_per_fold_and_a_simple_model_does_not(clock) -> None:
    slow = plan("slow", during=lambda: step(clock, 19.0))
    network = plan("network", is_network=True)
    trials = trials_of(seconds=100.0)
    trials.judge_all([slow, plan("simple"), network, plan("last")])
    assert [judged.plan.name for judged in trials.judged] == ["slow", "simple", "network", "last"]
    assert network.asked == [("fold", pytest.approx(1.0))] * 3  # 3 of 60 s left for 3 folds
    slow.model.during = lambda: step(clock, 19.1)
    trials = trials_of(seconds=100.0)
    trials.judge_all([slow, plan("simple"), network])
    assert states(trials) == {"network": "no time left"}


def test_the_next_network_may_take_half_of_the_time_for_judging_that_is_left() -> None:
    plans = [plan(name, is_network=True) for name in ("one", "two", "three", "four")]
    trials = trials_of(seconds=600.0)
    trials.judge_all(plans)
    for one, seconds in zip(plans, (60.0, 60.0, 60.0, 120.0), strict=True):
        assert one.asked == [("fold", pytest.approx(seconds, abs=0.5))] * 3


def test_where_time_is_short_the_last_networks_get_none(clock) -> None:
    plans = [plan(name, is_network=True, during=lambda: step(clock, 1.0)) for name in "abc"]
    trials = trials_of(seconds=10.0)  # 6 for judging: two networks of three folds
    trials.judge_all(plans)
    assert [judged.plan.name for judged in trials.judged] == ["a", "b"]
    assert states(trials) == {"c": "no time left"}
    assert plans[0].asked == [("fold", pytest.approx(1.0))] * 3


def test_a_member_that_is_known_to_be_too_slow_is_not_begun(clock) -> None:
    for seconds, state in ((19.9, None), (20.0, "no time left")):  # 60 s for three folds
        slow = plan("slow")
        slow.fold_seconds = seconds
        trials = trials_of(seconds=100.0)
        trials.judge_all([plan("first"), slow])
        assert states(trials).get("slow") == state
        assert bool(slow.asked) == (state is None)


@pytest.mark.parametrize(("fold", "state"), [(25.0, None), (26.0, "too slow for the time limit")])
def test_a_simple_model_that_turns_out_too_slow_is_stopped(clock, fold, state) -> None:
    slow = plan("slow", during=lambda: step(clock, fold))  # three folds and all labels in 100 s
    trials = trials_of(seconds=100.0)
    trials.judge_all([plan("first"), slow])
    assert states(trials).get("slow") == state
    assert len(slow.asked) == (3 if state is None else 1)
    alone = trials_of(seconds=100.0)
    alone.judge_all([plan("slow", during=lambda: step(clock, fold))])  # there is no other answer
    assert [judged.plan.name for judged in alone.judged] == ["slow"]


def test_a_hopeless_member_is_stopped_after_one_fold(clock) -> None:
    hopeless = plan("hopeless", -4.0, during=lambda: step(clock, 0.5))
    trials = trials_of()
    trials.judge_all([plan("good", 3.0), hopeless, plan("fair", 2.9)])
    assert [judged.plan.name for judged in trials.judged] == ["good", "fair"]
    assert states(trials) == {"hopeless": "stopped after one fold"}
    assert trials.rejected[0].fit_seconds == 0.5
    assert len(hopeless.asked) == 1
    first = trials_of()
    first.judge_all([hopeless])  # nothing to be worse than
    assert [judged.plan.name for judged in first.judged] == ["hopeless"]


def test_an_error_of_one_member_does_not_stop_the_others() -> None:
    def fail() -> None:
        raise ConfigError("no features here.")

    trials = trials_of()
    trials.judge_all([plan("broken", during=fail), plan("good"), plan("broken too", during=fail)])
    assert [judged.plan.name for judged in trials.judged] == ["good"]
    assert states(trials) == {"broken": "no features here.", "broken too": "no features here."}


@pytest.mark.parametrize("how", [{"during": interrupt}, {"ended": "interrupted"}])
def test_ctrl_c_keeps_what_was_judged(how) -> None:
    last = plan("last")
    trials = trials_of()
    trials.judge_all([plan("good"), plan("stopped", **how), last])
    assert [judged.plan.name for judged in trials.judged] == ["good"]
    assert trials.interrupted
    assert last.asked == []
    with pytest.raises(KeyboardInterrupt):
        trials_of().judge_all([plan("stopped", **how), plan("good")])


class SeededNetwork(Pretender):
    """A network whose answers follow from its seeds."""

    def fit(self, task, labels, seeds):
        self.during()
        return Pretender(self.logits[[seed - 5 for seed in seeds]], task=task, ended=self.ended)


def seeded_plan(signal: float = 1.0, **options: Any) -> Plan:
    return Plan("network", SeededNetwork(logits_of(CLASSES, signal, replicas=4), **options), True)


def test_networks_are_judged_by_more_seeds_where_there_is_time(clock) -> None:
    trials = trials_of(seconds=100.0, fold_seeds=1)
    network = seeded_plan(during=lambda: step(clock, 2.0))
    trials.judge_all([plan("simple"), network])
    simple, single = trials.judged
    trials.add_seeds()
    assert trials.judged[0] is simple
    mean = trials.judged[1]
    assert np.array_equal(mean.logits, network.model.logits)  # each seed once, in its order
    shares = mean.probabilities(multilabel=False)
    assert mean.row.log_loss == pytest.approx(log_loss_of_probabilities(shares, CLASSES))
    assert mean.row.log_loss < single.row.log_loss
    assert mean.row.fit_seconds == pytest.approx(12.0)  # two times three folds of two seconds
    assert mean.fold_seconds == pytest.approx(2.0 / 3)
    trials.add_seeds()  # there are no more
    assert trials.judged[1] is mean


@pytest.mark.parametrize(("seconds", "count"), [(3.0, 4), (8.0, 2), (10.0, 2), (11.0, 1)])
def test_more_seeds_keep_to_the_time_for_judging(clock, seconds, count) -> None:
    trials = trials_of(seconds=100.0, fold_seeds=1)  # 60 of them for judging
    trials.judge_all([seeded_plan(during=lambda: step(clock, seconds))])
    trials.add_seeds()
    assert len(trials.judged[0].logits) == count


def test_more_seeds_use_what_learning_from_all_labels_will_not_need(clock) -> None:
    trials = trials_of(seconds=100.0, fold_seeds=1)
    slow = plan("slow", -2.0, during=lambda: step(clock, 18.0))  # too bad to learn anew
    trials.judge_all([slow, seeded_plan(during=lambda: step(clock, 1.0))])
    network = trials.judged[1]
    assert trials.refit_seconds(network, 4) == pytest.approx(1.3 * 4 * COUNT / 16)
    trials.add_seeds()  # of 60 s for judging 3 are left; of all, 43, of which 8 are needed
    assert len(trials.judged[1].logits) == 4


def test_a_network_that_is_far_behind_gets_no_more_seeds() -> None:
    trials = trials_of(fold_seeds=1)
    trials.judge_all([seeded_plan(0.7), plan("good", 1.5)])
    trials.add_seeds()
    assert [len(member.logits) for member in trials.judged] == [1, 1]


@pytest.mark.parametrize("how", [{"during": interrupt}, {"ended": "interrupted"}])
def test_ctrl_c_in_more_seeds_keeps_the_member_as_it_was(how) -> None:
    trials = trials_of(fold_seeds=1)
    network = seeded_plan()
    trials.judge_all([network])
    before = list(trials.judged)
    for name, value in how.items():
        setattr(network.model, name, value)
    trials.add_seeds()
    assert trials.judged == before
    assert trials.interrupted
    network.asked.clear()
    trials.add_seeds()
    assert network.asked == []


@pytest.mark.parametrize("labels", [CLASSES, TABLE], ids=["single", "several"])
def test_calibration_together_lowers_the_loss_and_the_mean_stays_a_mean(labels) -> None:
    trials = trials_of(labels)
    plans = [plan(f"{seed}", 0.7, labels=labels, seed=seed, replicas=2) for seed in range(3)]
    trials.judge_all(plans)
    weights, multilabel = np.array([0.5, 0.0, 0.5]), labels.ndim == 2

    judged = trials.judged

    def mean() -> np.ndarray:
        shares = [member.probabilities(multilabel=multilabel) for member in judged]
        return np.einsum("k,knc->nc", weights, np.stack(shares))

    before, old = log_loss_of_probabilities(mean(), labels), [m.temperature for m in trials.judged]
    judged = calibrate_together(judged, weights, labels)
    assert log_loss_of_probabilities(mean(), labels) <= before + 1e-12
    factors = [m.temperature / o for m, o in zip(judged, old, strict=True)]
    assert factors == pytest.approx([factors[0]] * 3)
    assert factors[0] != 1

    def cost(factor: float) -> float:
        shares = [
            probabilities(m.logits, t * factor, multilabel=multilabel).mean(axis=0)
            for m, t in zip(trials.judged, old, strict=True)
        ]
        together = np.einsum("k,knc->nc", weights, np.stack(shares))
        fit = COUNT * log_loss_of_probabilities(together, labels)
        return fit + 0.5 * (np.log(factor) / 0.5) ** 2  # a factor near 1 is likelier

    assert cost(factors[0]) <= min(map(cost, np.exp(np.linspace(-3, 3, 301)))) + 1e-4
    if not multilabel:
        assert mean().sum(axis=1) == pytest.approx(np.ones(COUNT))


def test_progress_tells_the_time_to_the_limit(clock) -> None:
    reports: list[Any] = []
    trials = trials_of(seconds=100.0)
    with progress.listen(reports.append):
        trials.judge_all([plan("one", during=lambda: step(clock, 5.0)), plan("two")])
        clock.now = 101.0
        trials.report("More", 0, 1)
    assert [(r.text, r.seconds_left) for r in reports if not r.finished] == [
        ("Member 1 of 2: one", 100.0), ("Member 2 of 2: two", 85.0), ("More 1 of 1", 0.0),
    ]  # fmt: skip
