"""Reports reach the innermost listener of their own context."""

from __future__ import annotations

import contextvars

import pytest

from sub2node.base.progress import listen, step


def test_reports_reach_the_innermost_listener() -> None:
    outer, inner = [], []
    step("unheard", 0, 1)
    with listen(lambda *report: outer.append(report)):
        step("work", 1, 3)
        with listen(lambda *report: inner.append(report)):
            step("work", 2, 3, "part")
        step("work", 3, 3)
    step("unheard", 1, 1)
    assert outer == [("work", 1, 3, ""), ("work", 3, 3, "")]
    assert inner == [("work", 2, 3, "part")]


def test_an_error_ends_the_listening() -> None:
    reports = []

    def fail() -> None:
        with listen(lambda *report: reports.append(report)):
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    step("work", 1, 1)
    assert reports == []


def test_another_context_is_not_heard() -> None:
    reports = []
    empty = contextvars.Context()
    with listen(lambda *report: reports.append(report)):
        empty.run(step, "elsewhere", 1, 1)
    assert reports == []
