"""Structure and convolution chosen on validation, within a budget."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest

from commands import ctrl_c
from communities import NEW, S, X, Y, classifier, raises, recipe
from sub2node.base.errors import ConfigError, DataError, Sub2NodeError
from sub2node.scoring import choices as choices_module
from sub2node.scoring.choices import CANDIDATES, choose_structure, describe_choice


def fake(scores, ended="complete", seconds=0.0):
    """Training that gives these validation scores, one after the other."""
    left = iter(scores)

    def fitted(task, recipe, *, seconds=None):
        score = next(left)
        if isinstance(score, Exception):
            raise score
        time.sleep(pause)
        result = SimpleNamespace(ended=ended)
        return SimpleNamespace(
            trained=SimpleNamespace(fitted=result, val_scores=np.array([score, score + 0.02]))
        )

    pause = seconds
    return fitted


def test_the_best_on_validation_is_chosen(split_task, monkeypatch) -> None:
    scores = [0.5, 0.6, DataError("no."), 0.9, 0.2, 0.9, 0.1, 0.3]
    monkeypatch.setattr(choices_module, "fit_network", fake(scores))
    result, rows = choose_structure(split_task, recipe(), 60.0)
    assert result == CANDIDATES[3]  # the first of two that tie
    assert [(row["structure"], row["conv"]) for row in rows] == list(CANDIDATES)
    assert [bool(row.get("chosen")) for row in rows] == [i == 3 for i in range(8)]
    assert rows[2]["state"] == "failed: no."
    assert rows[0]["validation"] == pytest.approx(0.51)
    assert rows[0]["sd"] == pytest.approx(np.std([0.5, 0.52], ddof=1))
    assert describe_choice(rows[0]) == ("51.0 ± 1.4", "0.0", "")
    assert describe_choice(rows[2]) == ("-", "-", "failed: no.")
    assert describe_choice(rows[3])[2] == "chosen"


@pytest.mark.slow
def test_what_there_is_no_time_for_is_not_tried(split_task, monkeypatch) -> None:
    monkeypatch.setattr(choices_module, "fit_network", fake([0.1] * 8, "late", seconds=0.2))
    result, rows = choose_structure(split_task, recipe(), 0.15)
    assert result == CANDIDATES[0]
    assert [row["state"] for row in rows] == ["cut short"] + ["not tried"] * 7
    monkeypatch.setattr(choices_module, "fit_network", fake([ConfigError("never.")] * 8))
    with pytest.raises(
        Sub2NodeError, match=r"nothing could be trained; the first: failed: never\."
    ):
        choose_structure(split_task, recipe(), 5.0)


@pytest.mark.slow
def test_a_budget_is_kept(split_task) -> None:
    start = time.perf_counter()
    _, rows = choose_structure(split_task, recipe(settings={**S, "epochs": 10**6}), 0.6)
    spent = time.perf_counter() - start
    assert 0.6 <= spent < 0.6 + 15  # an epoch, and what it takes to build, beside other work
    assert rows[0]["state"] == "cut short"
    assert rows[-1]["state"] == "not tried"


def test_auto_as_a_whole(capsys) -> None:
    made = classifier(structure="auto", budget=0.01, verbose=True).fit(X, Y)
    assert made.choices_[0]["chosen"]
    assert made.scorer_.known_subgraphs.config.structure == made.choices_[0]["structure"]
    assert made.scorer_.card["choices"] == made.choices_
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(CANDIDATES)
    assert lines[0].startswith("s2n+a gcn2 ")
    assert lines[0].endswith(" chosen")
    assert lines[-1] == "cos2n+a gcn2 - - not tried"
    assert set(made.predict(NEW)) <= set(Y)
    with pytest.raises(ConfigError, match="omit conv"):
        classifier(structure="auto", conv="gcn").fit(X, Y)


def test_a_wrong_threshold_is_refused_before_the_choice(monkeypatch) -> None:
    def never(*args, **options):
        raise AssertionError("trained in vain")

    monkeypatch.setattr(choices_module, "fit_network", never)
    raises(lambda: classifier(structure="auto", threshold="x").fit(X, Y))


def test_an_interrupted_choice_ends_the_whole() -> None:
    made = classifier(structure="auto", settings={**S, "epochs": 500})
    with (
        ctrl_c(lambda report: report.what.startswith("Training")),
        pytest.raises(KeyboardInterrupt),
    ):
        made.fit(X, Y)
    assert not hasattr(made, "scorer_")
