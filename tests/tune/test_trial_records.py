"""Trials as a storage keeps them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("optuna")

import optuna

from studies import Landscape, begun, spec
from sub2node.tune import Choice, Range, Space, Study
from sub2node.tune.objective import Score
from sub2node.tune.search_result import Trial
from sub2node.tune.trial_records import (
    axis_importance,
    finished_trial,
    read_trial,
    requeue_trial,
    store_result,
    suggest_point,
    trial_from_dict,
)


def test_a_trial_that_was_taken_over(tmp_path) -> None:
    """A process that slept for too long finds its trial gone, and goes on with another."""
    study, other = begun(tmp_path, trials=3), Study.join(str(tmp_path / "journal.log"))
    told: list = []

    def sleep(landscape: Landscape) -> None:
        if not landscape.seen:
            requeue_trial(other.inner, other._frozen_trials()[-1], other.spec.space.axes)

    class Reporting(Landscape):
        def __call__(self, config, report) -> Score:
            result = super().__call__(config, report)
            assert report(1, 0.5) == (len(self.seen) == 1)  # given up, since it is another's
            return result

    study.work(Reporting(before=sleep), wait=True, tell=told.append)
    result = study.result()
    assert result.count("complete") == 3
    assert len(told) == 3  # the lost one is not announced


SCORES = [
    (Score((0.8, 0.9), (1.0, 2.0), 3.0), "complete"),
    (Score((0.4, 0.5), (1.0, 2.0), 3.0, ended="stopped"), "pruned"),
    (None, "failed"),
]


@pytest.mark.parametrize(("score", "state"), SCORES)
def test_a_trial_that_ended_is_read_back(score: Score | None, state: str) -> None:
    trial = finished_trial(4, {"lr": 0.1}, score=score, reason="no memory.", seconds=7.0)
    assert (trial.number, trial.state, trial.seconds) == (4, state, 7.0)
    assert trial_from_dict(json.loads(json.dumps(trial.to_dict()))) == trial
    if score is None:
        assert (trial.value, trial.reason) == (None, "no memory.")
    else:
        assert (trial.value, trial.values, trial.training) == (score.mean, score.values, 3.0)
        assert trial.sd == pytest.approx(np.std(score.values, ddof=1))


def test_points_have_the_type_of_their_setting() -> None:
    space = Space(
        {
            "training.lr": Range(0.001, 0.1, log=True),
            "model.layers": Range(1, 4),
            "model.dropout": Range(0.0, 0.5, step=0.1),
            "model.skip": Choice((True, False)),
        }
    )
    study, search = optuna.create_study(), spec(space)
    for _ in range(20):
        trial = study.ask()
        point = suggest_point(trial, search)
        assert all(axis.has(point[name]) for name, axis in space.axes.items())
        assert type(point["model.layers"]) is int
        study.tell(trial, 0.0)


def test_a_trial_of_another_process_is_not_ended_twice() -> None:
    study = optuna.create_study(direction="maximize")
    asked = study.ask()
    ended = finished_trial(0, {}, score=SCORES[0][0], reason="", seconds=1.0)
    assert store_result(study, ended, asked._trial_id)
    assert store_result(study, ended, asked._trial_id)  # it arrived before
    other = finished_trial(0, {}, score=SCORES[1][0], reason="", seconds=2.0)
    assert not store_result(study, other, asked._trial_id)
    assert read_trial(study.get_trials()[0]) == ended
    running = study.ask()
    assert read_trial(study.get_trials()[running.number]) is None


def test_few_or_equal_trials_tell_nothing_of_axes() -> None:
    study = optuna.create_study()
    trials = [Trial(n, "complete", {}, value=0.5) for n in range(20)]
    assert axis_importance(study, trials) == {}
    assert axis_importance(study, [replace(t, value=t.number) for t in trials[:9]]) == {}
