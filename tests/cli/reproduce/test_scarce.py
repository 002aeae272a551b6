"""``s2n reproduce data-scarce`` as a person runs it."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path

import pytest

from commands import call_command, ctrl_c
from sub2node.reproduce import scarce

pytestmark = pytest.mark.usefixtures("rough_timing")
DATA = "generate:density,subgraphs=60,seed=3"
QUICK = (
    "data-scarce", DATA, "--sizes", "2,4", "--seeds", "2", "--preset", "fast", "--features",
    "random", "--structures", "s2n+0,cos2n+0",
    "--coarsen", "variation_edges:0.1", "--coarsen", "variation_edges:0.2",
)  # fmt: skip


def reproduce(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return call_command("reproduce", *words, env={"COLUMNS": "110"})


def test_tables_figures_and_going_on(tmp_path: Path) -> None:
    out = tmp_path / "scarce"
    done = reproduce(*QUICK, "--set", "epochs=3", "-o", out)
    assert done.returncode == 0, done.stderr
    for text in ("n = 2", "n = 4", "cos2n+0", "What virtual subgraphs bring", "Wrote"):
        assert text in done.stdout
    rows = list(csv.DictReader((out / "table.csv").read_text().splitlines()))
    assert len(rows) == 2 * 2 * 3
    for name in ("data-scarce", "ratios"):
        assert "cos2n+0" in (out / f"{name}.svg").read_text(encoding="utf-8")
        assert (out / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    # Half of the findings are lost; the others are not made again.
    log = out / "rows.jsonl"
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:-3]))
    again = reproduce(*QUICK, "--set", "epochs=3", "-o", out, "--resume", "--json")
    assert again.returncode == 0, again.stderr
    found = json.loads(again.stdout)
    assert log.read_text().splitlines(keepends=True) == lines
    assert [row["test"] for row in found["rows"]] == [float(row["test"]) for row in rows]
    fewer = reproduce(*QUICK, "--set", "epochs=3", "-o", out, "--resume", "--sizes", "4", "--json")
    assert {row["n"] for row in json.loads(fewer.stdout)["rows"]} == {4}
    assert log.read_text().splitlines(keepends=True) == lines
    other = reproduce(*QUICK, "--set", "epochs=4", "-o", out, "--resume")
    assert other.returncode == 2
    assert "other settings" in other.stderr
    new = reproduce(*QUICK, "-o", out)
    assert new.returncode == 2
    assert "--resume" in new.stderr


def test_ctrl_c_keeps_what_was_found(tmp_path: Path) -> None:
    out = tmp_path / "scarce"
    with ctrl_c(lambda report: report.what == "Training" and report.done == 1):
        done = reproduce(*QUICK, "--set", "epochs=3", "-o", out)
    assert done.returncode == 130, done.stderr
    assert "Stopped: after 1 run;" in done.stderr
    assert "n = 2" in done.stdout
    assert (out / "table.csv").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--sizes", "2,1000"), "fewer than n = 1000"),
        (("--sizes", "two"), "whole numbers from 1"),
        (("--sizes", "0"), "whole numbers from 1"),
        (("--structures", "s2n"), "structure cannot be 's2n'"),
        (("--subsets", "old"), "fresh or published"),
        (("--coarsen", "nothing:0.5"), "no coarsening method 'nothing'"),
        (("--resume",), "-o FOLDER"),
        (("--set", "lr=-1"), "training.lr"),
    ],
)
def test_bad_options_are_one_sentence(words, said) -> None:
    done = reproduce("data-scarce", DATA, *words)
    assert done.returncode == 2, done.stdout
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_defaults_are_those_of_the_paper() -> None:
    assert scarce.SIZES == (10, 20, 40, 80)
    assert scarce.COARSENINGS[0] == "variation_edges:0.2"
    assert scarce.ScarcePlan().seeds == tuple(range(10, 20))
