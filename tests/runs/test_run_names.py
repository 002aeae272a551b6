"""Runs of one model are told apart by what differs."""

from __future__ import annotations

from pathlib import Path

from report_runs import made_result, small_task
from sub2node.config import Config
from sub2node.report.html import read_study
from sub2node.runs import save_run


def test_runs_of_the_same_model_are_told_apart(tmp_path: Path) -> None:
    task = small_task()
    one = save_run(made_result(task), task, tmp_path / "one")
    two = save_run(made_result(task, 2), task, tmp_path / "two")
    names = [run.name for run in read_study([one, two, one]).runs]
    assert names == ["s2n+a gcn2, 3 seeds", "s2n+a gcn2, 2 seeds"]
    tuned = save_run(made_result(task, preset="tuned"), task, tmp_path / "three")
    names = [run.name for run in read_study([one, tuned]).runs]
    assert names == ["s2n+a gcn2, preset fast", "s2n+a gcn2, preset tuned"]
    settings = Config().with_settings({"lr": 0.5}).to_dict()
    faster = save_run(made_result(task, config=settings), task, tmp_path / "four")
    names = [run.name for run in read_study([one, faster]).runs]
    assert names == [f"s2n+a gcn2, lr {Config().training.lr}", "s2n+a gcn2, lr 0.5"]
    again = save_run(made_result(task), task, tmp_path / "five")
    names = [run.name for run in read_study([one, again]).runs]
    assert names == ["s2n+a gcn2, one", "s2n+a gcn2, five"]
    assert read_study([one, again], model=str(again)).main.name == "s2n+a gcn2, five"
