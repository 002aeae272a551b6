"""``s2n cite`` as a person runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from typer.testing import CliRunner

from bibtex import read_bibtex
from report_runs import made_result, simple_result, small_task
from sub2node.cli.app import app
from sub2node.evaluate import compare
from sub2node.runs import save_comparison, save_run


def test_a_run_and_a_comparison_on_the_command_line(tmp_path: Path) -> None:
    task = small_task()
    save_run(made_result(task), task, tmp_path / "run")
    both = compare([made_result(task), simple_result(task)])
    save_comparison(both, task, tmp_path / "both")
    done = CliRunner().invoke(app, ["cite", str(tmp_path / "run")])
    assert done.exit_code == 0
    entries = read_bibtex(done.stdout)
    assert {"kim2024translating", "chen2020simple", "sub2node"} <= set(entries)
    for key in entries:  # each below the reason for it
        assert re.search(rf"^% {key}: .+\n@\w+\{{{key},", done.stdout, re.MULTILINE)
    assert "none of the published sets" in done.stderr
    done = CliRunner().invoke(app, ["cite", str(tmp_path / "both"), "--json"])
    found = json.loads(done.stdout)
    why = {entry["key"]: entry["why"] for entry in found["citations"]}
    assert why["welch1947generalization"] == ["the test between models"]
    assert why["pedregosa2011scikit"] == ["bag: its logistic regression"]
    assert all(read_bibtex(entry["bibtex"]).keys() == {entry["key"]}
               for entry in found["citations"])  # fmt: skip


def test_data_by_name() -> None:
    done = CliRunner().invoke(app, ["cite", "disease_families"])
    assert {"gargano2024human", "sub2node"} <= set(read_bibtex(done.stdout))
    assert (done.exit_code, done.stderr) == (0, "")
