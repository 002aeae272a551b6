"""Structures are tried in order, within a time that is shared by their weights."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

import pytest

from sub2node.advice import StructureChoice, TrialState, try_structures
from sub2node.base.errors import DataError

module = import_module("sub2node.advice.chooser")
CHOICES = [StructureChoice(name, "gcn2") for name in ("s2n+0", "s2n+a", "separated")]


class Clock:
    """Time that passes only while something is trained."""

    def __init__(self, monkeypatch, *takes: float) -> None:
        self.now, self.takes, self.shares = 100.0, list(takes), []
        monkeypatch.setattr(module, "perf_counter", lambda: self.now)

    def fit(self, choice: StructureChoice, seconds: float) -> SimpleNamespace:
        self.shares.append(seconds)
        takes = self.takes.pop(0)
        late = takes > seconds
        self.now += min(takes, seconds)
        return SimpleNamespace(fitted=SimpleNamespace(ended="late" if late else "complete"))


def test_each_may_take_all_that_is_left(monkeypatch) -> None:
    clock = Clock(monkeypatch, 4, 9, 9)
    trials = list(try_structures(CHOICES, clock.fit, seconds=10))
    assert clock.shares == [10, 6]
    assert [each.state for each in trials] == ["complete", "cut short", "not tried"]
    assert [each.seconds for each in trials] == [4, 6, 0]
    assert [each.choice for each in trials] == CHOICES
    assert trials[2].trained is None


def test_weights_share_the_time(monkeypatch) -> None:
    """Twice the share of what is left at the most, so that one that is slow leaves some."""
    clock = Clock(monkeypatch, 99, 99, 99)
    trials = list(try_structures(CHOICES, clock.fit, seconds=12, weights=[1, 2, 3]))
    assert clock.shares == pytest.approx([4, 6.4, 1.6])
    assert {each.state for each in trials} == {TrialState.CUT_SHORT}


def test_the_first_is_tried_without_any_time(monkeypatch) -> None:
    clock = Clock(monkeypatch, 1)
    trials = list(try_structures(CHOICES, clock.fit, seconds=-1))
    assert clock.shares == [0]
    assert [str(each) for each in trials] == ["cut short", "not tried", "not tried"]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (DataError("no links."), "failed: no links."),
        (MemoryError("17 GiB"), "failed: out of memory (17 GiB)"),
        (RuntimeError("singular matrix\nat line 3"), "failed: singular matrix"),
    ],
)
def test_one_that_fails_does_not_end_the_others(error: Exception, text: str) -> None:
    def fit(choice: StructureChoice, seconds: float) -> SimpleNamespace:
        if choice.structure == "s2n+a":
            raise error
        return SimpleNamespace(fitted=SimpleNamespace(ended="complete"))

    trials = list(try_structures(CHOICES, fit, seconds=10))
    assert [str(each) for each in trials] == ["complete", text, "complete"]
    assert trials[1].trained is None


def test_ctrl_c_ends_them() -> None:
    def fit(choice: StructureChoice, seconds: float) -> SimpleNamespace:
        return SimpleNamespace(fitted=SimpleNamespace(ended="interrupted"))

    (trial,) = try_structures(CHOICES, fit, seconds=10)
    assert trial.interrupted
    assert trial.state is TrialState.CUT_SHORT
