"""The result of a search: the best of its trials, why, and its files."""

from __future__ import annotations

import csv
import json
import tomllib
from pathlib import Path

import pytest

from studies import spec
from sub2node.base.errors import Sub2NodeError
from sub2node.config import Config
from sub2node.tune.search_result import SearchResult, Trial


def trial(number: int, value: float | None, *, state: str = "complete", **more) -> Trial:
    point = {"training.lr": 0.1 * (number + 1), "model.layers": 2}
    values = () if value is None else (value - 0.1, value + 0.1)
    return Trial(number, state, point, value, values, seconds=4.0, training=3.0, **more)


TRIALS = (
    trial(0, 0.5, loss=1.0),
    trial(1, 0.8, loss=2.0),
    trial(2, 0.8, loss=1.5),
    trial(3, 0.8, loss=1.5),
    trial(4, 0.9, state="pruned"),
    trial(5, None, state="failed", reason="no memory."),
)


def test_of_equal_means_the_lowest_loss_then_the_first_wins() -> None:
    result = SearchResult(spec(), TRIALS)
    assert result.best.number == 2
    assert result.config.training.lr == pytest.approx(0.3)
    assert [result.count(state) for state in ("complete", "pruned", "failed")] == [4, 1, 1]
    assert result.overhead == pytest.approx(1 / 4)
    with pytest.raises(Sub2NodeError, match="no trial was completed yet"):
        _ = SearchResult(spec(), TRIALS[4:]).best
    assert SearchResult(spec(), ()).overhead == 0


def test_the_evidence_says_what_was_compared() -> None:
    text = SearchResult(spec(), TRIALS).evidence
    assert text.startswith(
        "chosen by s2n tune among 6 trials on component by the mean over 2 seeds"
    )
    assert "80.0 ± 14.1" in text
    one = SearchResult(spec(), (Trial(0, "complete", {"training.lr": 0.1}, 0.8, (0.8,)),))
    assert "micro-F1: 80.0 (a little high" in one.evidence  # one seed has no spread
    assert one.best.to_dict()["sd"] is None
    assert text.endswith("that of the preset default")
    assert "3 splits and 2 seeds" in SearchResult(spec(rehearse=3), TRIALS).evidence


def test_files_hold_the_winner_and_all_trials(tmp_path: Path) -> None:
    result = SearchResult(spec(), TRIALS, importance={"training.lr": 1.0}, notes=("one note.",))
    result.save(tmp_path)
    preset = tomllib.loads((tmp_path / "best.toml").read_text())
    assert preset.pop("notes") == [result.evidence]
    assert Config.from_dict(preset) == result.config
    facts = json.loads((tmp_path / "study.json").read_text())
    assert facts["best"]["number"] == 2
    assert (facts["importance"], facts["notes"]) == ({"training.lr": 1.0}, ["one note."])
    with (tmp_path / "trials.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["number"] for row in rows] == list("012345")
    assert [row["model.layers"] for row in rows] == ["2"] * 6
    assert rows[5]["reason"] == "no memory."
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "best.toml", "study.json", "trials.csv"
    ]  # fmt: skip
