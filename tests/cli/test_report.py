"""``s2n report`` as a person runs it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from commands import call_command, run_process
from report_runs import made_result, simple_result, small_task
from sub2node.runs import save_run


def report(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return call_command("report", *words, env={"COLUMNS": "300"})


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> tuple[Path, Path]:
    home, task = tmp_path_factory.mktemp("runs"), small_task()
    return (
        save_run(made_result(task), task, home / "run"),
        save_run(simple_result(task), task, home / "bag"),
    )


@pytest.mark.slow
def test_a_report_lies_with_its_run_and_is_named(runs) -> None:
    done = report(runs[0], runs[1])
    assert done.returncode == 0, done.stderr
    place = runs[0] / "report.html"
    assert done.stdout.rstrip().endswith(f"Wrote: {place}")
    assert "the best simple model on validation, bag" in done.stdout.lower()
    assert place.read_text().startswith("<!DOCTYPE html>")
    again = report(runs[0])
    assert again.returncode == 2
    assert "exists already" in again.stderr
    assert report(runs[0], "--overwrite").returncode == 0


@pytest.mark.slow
def test_the_data_can_be_called_otherwise(runs, tmp_path: Path) -> None:
    place = tmp_path / "named.html"
    done = report(runs[0], "--name", "Rare diseases", "-o", place)
    assert "apart in Rare diseases, a graph" in done.stdout
    assert "<h1>s2n+a gcn2 on Rare diseases</h1>" in place.read_text()
    assert "s2n run random --preset" in place.read_text()  # the command keeps the name it needs


@pytest.mark.slow
def test_json_is_numbers_and_writes_no_file_unless_asked(runs, tmp_path: Path) -> None:
    done = report(runs[1], "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    written = json.loads((runs[1] / "result.json").read_text())
    assert found["models"][0]["test"]["micro_f1"]["values"] == written["test"]["micro_f1"]["values"]
    assert not (runs[1] / "report.html").exists()
    place = tmp_path / "here" / "one.html"
    assert report(runs[1], "--json", "-o", place).returncode == 0
    assert place.exists()


@pytest.mark.process
def test_torch_is_not_loaded(runs, tmp_path: Path) -> None:
    code = (
        "import sys; from sub2node.cli.app import app; sys.argv = ['s2n', 'report', *sys.argv[1:]]"
        "; app(standalone_mode=False); assert 'torch' not in sys.modules"
    )
    done = run_process(runs[0], "-o", tmp_path / "report.html", code=code)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nothing",), "nothing: there is no such folder."),
        ((".",), "this is no run folder"),
        (("RUN", "--model", "bog"), "there is no model 'bog' in these runs."),
        (("RUN", "-o", "."), "is a folder, expected a file"),
        (("RUN", "-o", "mine.txt", "--overwrite"), "not a report of ours"),
    ],
)
def test_mistakes_are_one_sentence(
    runs, tmp_path: Path, monkeypatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text("mine")
    done = report(*(runs[0] if word == "RUN" else word for word in words))
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert (tmp_path / "mine.txt").read_text() == "mine"
