"""A search by one call: the study goes on, and its winner is a preset."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("optuna")

from studies import SPACE, Landscape, task
from sub2node.base.errors import ConfigError
from sub2node.tune import search

CHOICES = {"space": SPACE, "settings": {"features.kind": "constant"}, "seeds": 2}


@pytest.fixture(autouse=True)
def no_training(monkeypatch) -> None:
    module = sys.modules["sub2node.tune.search"]  # the package has a function of this name
    monkeypatch.setattr(module, "Objective", lambda *_, **__: Landscape())


@pytest.mark.slow
def test_the_winner_is_written_as_a_preset(tmp_path: Path) -> None:
    result = search(task(), tmp_path, trials=4, **CHOICES)
    assert (result.count("complete"), result.ended) == (4, "complete")
    assert (tmp_path / "best.toml").read_text() == result.preset()
    with pytest.raises(ConfigError, match="--resume"):
        search(task(), tmp_path, trials=4, **CHOICES)
    longer = search(task(), tmp_path, trials=6, resume=True, **CHOICES)
    assert longer.trials[:4] == result.trials
    assert len(longer.trials) == 6


def test_no_trials_are_no_search(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at least one trial is needed, found 0"):
        search(task(), tmp_path, trials=0, **CHOICES)
    assert list(tmp_path.iterdir()) == []
