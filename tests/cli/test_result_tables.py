"""Tables of results on the terminal say what few runs cannot."""

from __future__ import annotations

import pytest

from report_runs import made_result, simple_result, small_task
from sub2node.cli.result_tables import show_comparison, show_result
from sub2node.evaluate import compare


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


def test_few_runs_have_no_interval(capsys: pytest.CaptureFixture[str]) -> None:
    task = small_task()
    show_result(made_result(task, 1))
    one = printed(capsys)
    assert "one seed: no spread" in one
    assert "±" not in one
    show_result(made_result(task, 2))
    assert "2 seeds are too few for an interval; from 5 on there is one." in printed(capsys)
    show_result(made_result(task, 5))
    assert "too few" not in printed(capsys)
    show_result(simple_result(task))  # a model without randomness has no more to give
    assert "one seed" not in printed(capsys)


def test_few_runs_have_no_mark(capsys: pytest.CaptureFixture[str]) -> None:
    task = small_task()
    show_comparison(compare([simple_result(task), made_result(task, 2, signal=9.0)]))
    text = printed(capsys)
    [row] = [line for line in text.split("bag ")[1:] if line[:1].isdigit()]
    assert row.split()[2] == "?"
    assert "? fewer than 5 runs" in text
