"""Draws of a search: repeated, and the same where it is resumed."""

from __future__ import annotations

import pytest

pytest.importorskip("optuna")

import optuna

from studies import Landscape, begun, points
from sub2node.tune.sampler import TrialSeededTPE, make_pruner


@pytest.mark.slow
def test_a_search_repeats_itself_and_finds_the_top(tmp_path) -> None:
    both = []
    for trials in (25, 40):  # of which the first 20 are drawn at random
        study = begun(tmp_path / str(trials), trials=trials)
        assert study.work(Landscape(), wait=True) == "complete"
        both.append(points(study))
    assert both[0] == both[1][:25]
    result = study.result()
    assert result.count("complete") == 40
    assert result.best.value > 0.85
    assert result.best.point["model.layers"] == 2
    assert next(iter(result.importance)) == "training.lr"
    assert sum(result.importance.values()) == pytest.approx(1)
    assert 0 < result.overhead < 1


@pytest.mark.slow
def test_resumed_it_draws_what_it_would_have_drawn(tmp_path) -> None:
    whole = begun(tmp_path / "whole", trials=26)
    whole.work(Landscape(), wait=True)
    for trials in (3, 22, 26):
        part = begun(tmp_path / "part", trials=trials, resume=trials > 3)
        part.work(Landscape(), wait=True)
    assert points(part) == points(whole)
    assert len(points(whole)) == 26


def drawn(seed: int, values: list[float], queued: int = 0) -> list[float]:
    """Points of a study whose trials have these values; some trials are queued by hand."""
    study = optuna.create_study(sampler=TrialSeededTPE(seed), direction="maximize")
    points = []
    for number, value in enumerate(values):
        if number < queued:
            study.enqueue_trial({"x": 0.5})
        trial = study.ask()
        point = trial.suggest_float("x", 0.0, 1.0)
        study.tell(trial, value)
        points += [point] if number >= queued else []
    return points


@pytest.mark.slow
def test_draws_depend_on_the_seed_and_on_which_draw_it_is() -> None:
    values = [0.1 * (k % 7) for k in range(30)]
    assert drawn(1, values) == drawn(1, values)
    assert drawn(1, values) != drawn(2, values)
    first = drawn(1, values)[:20]
    assert len(set(first)) == 20
    assert drawn(1, [0.0] * 20) == first  # before TPE begins, results do not matter


def test_queued_points_are_no_draws() -> None:
    assert drawn(1, [0.0] * 15, queued=5) == drawn(1, [0.0] * 10)


def test_pruning_is_a_choice() -> None:
    assert isinstance(make_pruner(False), optuna.pruners.NopPruner)
    study = optuna.create_study(pruner=make_pruner(True), direction="maximize")
    for value in range(20):  # as many as have to be there before it begins
        trial = study.ask()
        trial.report(float(value), 10)
        study.tell(trial, float(value))
    for value, pruned in ((5.0, True), (12.0, False)):
        trial = study.ask()
        trial.report(value, 10)
        assert trial.should_prune() == pruned
