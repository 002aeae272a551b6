"""What ``s2n fit`` shows of a model: scores, what was tried, and what to do next."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sub2node.base.leaderboard import LeaderboardRow
from sub2node.cli.fitted_model import show_fitted_model
from sub2node.evaluate.positive_class import measure_positive

SCORES = {"micro_f1": 0.7, "macro_f1": 0.6, "accuracy": 0.7, "log_loss": 0.512, "subgraphs": 1200}


def shown(capsys: pytest.CaptureFixture[str], **options: Any) -> str:
    """What is printed for a model with this card, white space as one."""
    card = {
        "model": "s2n+a gcn2",
        "data": {"name": "mine", "classes": 3, "multilabel": False},
        "validation": SCORES,
        "validation_by_class": {"red": {"f1": 0.75}, "blue": {"f1": 0.5}},
        **options.pop("card", {}),
    }
    usual = {
        "model": None,
        "choices_": [],
        "leaderboard_": [],
        "test_": card.get("test"),
        "notes_": ("a note.",),
    }
    scorer = SimpleNamespace(card=card, seeds=options.pop("seeds", (1, 2)))
    model: Any = SimpleNamespace(scorer_=scorer, **{**usual, **options})
    show_fitted_model(model, 12.34, out=Path("model"), shown=())
    return " ".join(capsys.readouterr().out.split())


def test_scores_and_what_to_do_next(capsys) -> None:
    text = shown(capsys)
    for part in (
        "s2n+a gcn2 on mine",
        "Micro-F1 70.0",
        "Log loss 0.512",
        "Subgraphs 1,200",
        "Validation F1 by class: red 75.0, blue 50.0",
        "Seeds: 2, averaged",
        "Time: 12.3 s",
        "Note: a note.",
        "Next: s2n predict model FILE",
    ):
        assert part in text
    assert "Test" not in text
    assert "1: answers have no spread" in shown(capsys, seeds=(1,))


def test_scores_of_a_test_part_stand_beside(capsys) -> None:
    test = {**SCORES, "micro_f1": 0.65, "log_loss": 0.6, "subgraphs": 300}
    by_class = {"red": {"f1": 0.25}}
    text = shown(capsys, card={"test": test, "test_by_class": by_class})
    assert "Validation Test" in text
    assert "Micro-F1 70.0 65.0" in text
    assert "Log loss 0.512 0.600" in text
    assert "Test F1 by class: red 25.0" in text


def test_a_metric_that_a_part_does_not_have_is_a_dash(capsys) -> None:
    test = {name: value for name, value in SCORES.items() if name != "macro_f1"}
    text = shown(capsys, card={"test": test, "test_by_class": {}})
    assert "Macro-F1 60.0 -" in text


def test_members_of_best_have_a_table(capsys) -> None:
    rows = [
        LeaderboardRow("hops", 0.9, 0.3, 1.25, 0.5, weight=0.75),
        LeaderboardRow("bag", 0.8, 0.4, 1.0, 0.25),
        LeaderboardRow("gbdt", state="no time left"),
        LeaderboardRow("s2n+0 shape", state="no time left"),
    ]
    text = shown(capsys, leaderboard_=[asdict(row) for row in rows])
    assert "Members, judged on folds that they had not learned from" in text
    assert "hops 90.0 0.300 1.2 0.50 0.75" in text
    assert "bag 80.0 0.400 1.0 0.25" in text
    assert "gbdt, s2n+0 shape (no time left)" in text
    assert "Out of fold F1 by class" in text


def test_what_auto_tried_has_a_table(capsys) -> None:
    rows = [
        {"structure": "s2n+a", "conv": "gcn2", "validation": 0.7, "sd": 0.01, "seconds": 2.0,
         "state": "complete", "chosen": True},
        {"structure": "s2n+0", "conv": "gin", "state": "no time left"},
    ]  # fmt: skip
    text = shown(capsys, choices_=rows)
    assert "s2n+a gcn2 70.0 ± 1.0 2.0 chosen" in text
    assert "s2n+0 gin - - no time left" in text


@pytest.mark.parametrize(("score", "better"), [(0.65, False), (0.7, False), (0.75, True)])
def test_simple_models_are_compared_with(capsys, score, better) -> None:
    text = shown(capsys, card={"simple_validation": {"bag": 0.1, "hops": score}})
    assert f"bag 10.0, hops {100 * score:.1f}; this model 70.0, which chose its epochs" in text
    simple = shown(capsys, model="wl", card={"simple_validation": {"bag": 0.1, "hops": score}})
    assert "; this model 70.0 " in simple
    assert "epochs" not in simple
    assert ("hops is better on validation" in text) == better
    assert ("s2n fit --model hops keeps it" in text) == better


def test_the_positive_class_of_an_ensemble_was_seen_out_of_fold(capsys) -> None:
    scores = {**measure_positive(np.arange(20) < 3, np.linspace(0.9, 0.1, 20), 0.25)}
    positive = {"label": "red", "threshold": 0.25, "validation": scores}
    rows = [asdict(LeaderboardRow("hops", 0.9, 0.3, 1.25, 0.5, weight=1.0))]
    text = shown(capsys, leaderboard_=rows, card={"positive": positive})
    assert "Positive class red, in percent Out of fold" in text
    assert "a probability of 0.250, with the best F1 of the class out of fold." in text
    plain = shown(capsys, card={"positive": positive})
    assert "with the best F1 of the class on validation." in plain


def test_an_ensemble_has_members_and_no_seeds_of_its_own(capsys) -> None:
    rows = [asdict(LeaderboardRow(name, 0.9, 0.3, 1.25, 0.5, weight=0.5)) for name in "ab"]
    text = shown(capsys, leaderboard_=rows, seeds=(1, 2, 3))
    assert "Members: 2 with a weight, 3 models in all; the spread of an answer is over" in text
    assert "Seeds" not in text
    one = shown(capsys, leaderboard_=rows[:1], seeds=(1,))
    assert "Members: 1 with a weight: answers have no spread" in one
