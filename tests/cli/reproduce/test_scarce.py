"""``s2n reproduce data-scarce`` as a person runs it."""

from __future__ import annotations

import csv
import json
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sub2node as s2n
from commands import call_command, ctrl_c
from sub2node.coarsen import coarsen, with_virtual
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_found(tmp_path: Path) -> None:
    out = tmp_path / "scarce"
    with ctrl_c(lambda report: report.what == "Training" and report.done == 1):
        done = reproduce(*QUICK, "--set", "epochs=3", "-o", out)
    assert done.returncode == 130, done.stderr
    assert "Stopped: after 1 run;" in done.stderr
    assert "n = 2" in done.stdout
    assert (out / "table.csv").exists()


@pytest.mark.parametrize(
    ("words", "message"),
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
def test_bad_options_are_one_sentence(words, message) -> None:
    done = reproduce("data-scarce", DATA, *words)
    assert done.returncode == 2, done.stdout
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_defaults_are_those_of_the_paper() -> None:
    assert scarce.SIZES == (10, 20, 40, 80)
    assert scarce.COARSENINGS[0] == "variation_edges:0.2"
    assert scarce.ScarcePlan().seeds == tuple(range(10, 20))


TINY = (
    "data-scarce", DATA, "--preset", "fast", "--set", "epochs=2", "--features", "random",
    "--seeds", "2", "--structure", "s2n+0", "--sizes", "2",
)  # fmt: skip


def other_data(folder: Path) -> tuple[str | Path, ...]:
    return (TINY[0], folder, *TINY[2:])


def refused(done: subprocess.CompletedProcess[str], message: str) -> None:
    assert done.returncode == 2, done.stdout
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_structure_is_no_setting() -> None:
    done = reproduce(*TINY, "--set", "structure=connected")
    refused(done, "the structure is chosen with --structure.")


@pytest.mark.slow
def test_other_encodings_are_other_settings(tmp_path: Path) -> None:
    for name, value in (("one", 1.0), ("two", 9.0)):
        np.save(tmp_path / f"{name}.npy", np.full((1200, 128), value, np.float32))
    words = (*TINY, "-o", tmp_path / "out")
    first = reproduce(*words, "--encoding", tmp_path / "one.npy")
    assert first.returncode == 0, first.stderr
    other = reproduce(*words, "--encoding", tmp_path / "two.npy", "--resume")
    refused(other, "has findings of s2n+0 with other settings; name a new folder.")


@pytest.mark.slow
def test_a_preset_file_that_changed_is_other_settings(tmp_path: Path) -> None:
    preset = tmp_path / "own.toml"
    words = (
        "data-scarce", DATA, "--preset", preset, "--structure", "s2n+0", "--sizes", "2",
        "--seeds", "1", "--features", "random", "-o", tmp_path / "out",
    )  # fmt: skip
    preset.write_text("[training]\nepochs = 2\n")
    assert reproduce(*words).returncode == 0
    preset.write_text("[training]\nepochs = 3\n")
    refused(reproduce(*words, "--resume"), "has findings of s2n+0 with other settings")


@pytest.mark.slow
def test_a_coarsening_that_is_not_asked_for_is_not_chosen(tmp_path: Path) -> None:
    words = (*TINY, "--structure", "cos2n+0", "-o", tmp_path / "out", "--json")
    assert reproduce(*words, "--coarsen", "variation_edges:0.3").returncode == 0
    done = reproduce(*words, "--coarsen", "heavy_edge:0.3", "--seeds", "1", "--resume")
    result = json.loads(done.stdout)
    assert result["coarsenings"] == {"cos2n+0": "heavy_edge:0.3"}
    assert {row["seed"] for row in result["rows"]} == {10}


def test_a_size_that_cannot_be_leaves_no_folder(tmp_path: Path) -> None:
    done = reproduce(*TINY, "--sizes", "2000", "-o", tmp_path / "out")
    refused(done, "fewer than n = 2000")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_coarsening_without_its_ratio_is_drawn(tmp_path: Path) -> None:
    methods = ("--coarsen", "heavy_edge", "--coarsen", "heavy_edge:0.3")
    done = reproduce(*TINY, "--structure", "cos2n+0", *methods, "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "cos2n+0: heavy_edge:0." in done.stdout  # the ratio that was taken


@pytest.mark.slow
def test_data_without_a_split_are_split_and_it_says_how(tmp_path: Path) -> None:
    s2n.save_task(replace(s2n.load_task(DATA), split=None), tmp_path / "data")
    done = reproduce(*other_data(tmp_path / "data"), "--json")
    notes = json.loads(done.stdout)["notes"]
    assert "the data came without a split; a random stratified one was drawn" in notes[0]


@pytest.mark.slow
def test_virtual_subgraphs_of_the_data_are_taken(tmp_path: Path) -> None:
    task = s2n.load_task(DATA)
    virtual = coarsen(task.graph, "variation_edges", 0.3).subgraphs
    s2n.save_task(with_virtual(task, virtual), tmp_path / "data")
    words = (*other_data(tmp_path / "data"), "--structure", "cos2n+0", "--json")
    result = json.loads(reproduce(*words).stdout)
    assert result["plan"]["coarsenings"] == [""]
    assert {row["coarsen"] for row in result["rows"]} == {""}
    assert {row["structure"] for row in result["rows"]} == {"s2n+0", "cos2n+0"}


@pytest.mark.slow
def test_stopping_without_a_folder_promises_nothing() -> None:
    with ctrl_c(lambda report: report.what == "Training" and report.done == 1):
        done = reproduce(*TINY)
    assert done.returncode == 130, done.stderr
    assert "Stopped: after 1 run; with -o they would be kept." in done.stderr
    assert "goes on" not in done.stderr
