"""``s2n bench efficiency`` as a person runs it."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from sub2node.base.errors import ConfigError, DataError, Sub2NodeError
from sub2node.cli import bench
from sub2node.cli.app import app
from sub2node.efficiency import benchmark as library
from sub2node.efficiency.efficiency_table import (
    EfficiencyRow,
    EfficiencyTable,
    read_efficiency_table,
)
from sub2node.efficiency.measure import Efficiency, Timing
from sub2node.report import drawing

pytestmark = pytest.mark.usefixtures("rough_timing")
DATA = "generate:density,subgraphs=40,seed=3,nodes=200,size=8"
QUICK = ("--preset", "fast", "--repeats", "2", "--minutes", "0.002", "--device", "cpu")


def run(*words: str | Path):
    return CliRunner().invoke(app, ["bench", "efficiency", *map(str, words)])


@pytest.fixture(autouse=True)
def narrow(monkeypatch) -> None:
    monkeypatch.setattr(bench, "console", Console(width=100, emoji=False))


def _interrupted(figure, path: Path) -> None:
    raise KeyboardInterrupt


@pytest.mark.slow
def test_table_and_files(tmp_path: Path) -> None:
    out = tmp_path / "speed"
    models = ("--model", "s2n+0:gcn", "--model", "separated:gatv2", "--models", "glass")
    complete = ("--complete", "s2n+0:gcn", "--complete", "glass", "--complete-minutes", "0.02")
    done = run(DATA, *models, *QUICK, *complete, "--seeds", "2", "-o", out)
    assert done.exit_code == 0, done.output
    for text in ("Efficiency on generate:density", "s2n+0 gcn", "glass", "Train/s", "Device: cpu",
                 "complete result over 2 seeds", "Wrote"):  # fmt: skip
        assert text in done.output
    view = [line for line in done.output.splitlines() if line.startswith(" ")]
    assert view
    assert max(map(len, view)) <= 100
    assert "…" not in "".join(view[:6])  # nothing is cut off
    rows = list(csv.DictReader((out / "efficiency.csv").read_text().splitlines()))
    assert [row["model"] for row in rows] == ["separated gatv2", "s2n+0 gcn", "glass"]
    assert float(rows[2]["train_throughput_ratio"]) == 1
    ratio = float(rows[1]["train_throughput"]) / float(rows[2]["train_throughput"])
    assert float(rows[1]["train_throughput_ratio"]) == pytest.approx(ratio)
    assert rows[0]["complete_seconds"] == ""
    assert {rows[1]["complete_estimated"], rows[2]["complete_estimated"]} <= {"True", "False"}
    facts = json.loads((out / "result.json").read_text(encoding="utf-8"))
    assert (facts["machine"]["device"], facts["machine"]["compile"]) == ("cpu", "auto")
    assert facts["rows"][1]["memory"] == int(rows[1]["memory"])
    assert "×" in (out / "efficiency.svg").read_text(encoding="utf-8")  # a ratio
    assert (out / "efficiency.png").read_bytes().startswith(b"\x89PNG")
    again = run(DATA, "--model", "glass", *QUICK, "-o", out)
    assert isinstance(again.exception, ConfigError)
    assert "--overwrite" in str(again.exception)
    (out / "efficiency.html").write_text("the figure of version 0.1")
    anew = run(DATA, "--model", "glass", *QUICK, "-o", out, "--overwrite")
    assert anew.exit_code == 0, anew.output
    assert not (out / "efficiency.html").exists()


def test_a_table_fits_a_hundred_columns() -> None:
    wide = Timing(0.0111, 0.001, 0.0212, 3, 3)
    got = Efficiency(wide, wide, 1_234_567, 12_345, 1, 1, 12_345_678, 123_456_789_012, "cuda")
    slow = replace(got, train=Timing(1111.0, 1.0, 2220.0, 2, 2), memory=1_110_000)
    rows = (
        EfficiencyRow("data", "separated gatv2", efficiency=got),
        EfficiencyRow("data", "glass", efficiency=slow),
        EfficiencyRow("data", "s2n+a gcn", reason="out of memory"),
    )
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(bench._efficiency_table(EfficiencyTable(rows), "data"))
    text = console.export_text()
    assert "…" not in text
    assert "separated gatv2" in text
    assert "failed" in text
    assert "111k" in text  # times the memory of GLASS: worse is shown too


@pytest.mark.slow
def test_estimates_are_marked_and_failures_told(tmp_path: Path) -> None:
    done = run(DATA, "no-such-data", "--model", "s2n+0:gcn", *QUICK, "--complete", "all",
               "--complete-minutes", "0")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert done.output.count("≈ ") == 5  # every phase, and all of them
    assert "estimated, not run" in done.output
    assert "no-such-data" in done.output


def test_json() -> None:
    done = run(DATA, "--model", "s2n+0:gcn", *QUICK, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert [row["model"] for row in found["rows"]] == ["s2n+0 gcn"]
    assert found["rows"][0]["memory_ratio"] is None  # GLASS was not asked for


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_measured(tmp_path: Path, monkeypatch) -> None:
    real, out = library.benchmark, tmp_path / "speed"

    def stopped(data, plan):
        yield next(real(data, plan))
        raise KeyboardInterrupt

    monkeypatch.setattr(library, "benchmark", stopped)
    done = run(DATA, "--model", "s2n+0:gcn,glass", *QUICK, "-o", out)
    assert done.exit_code == 130, done.output
    assert "Stopped: after 1 model" in done.output
    assert "s2n+0 gcn" in (out / "efficiency.csv").read_text()
    assert "interrupted" in (out / "result.json").read_text()

    monkeypatch.setattr(drawing, "save_figure", _interrupted)
    late = run(DATA, "--model", "s2n+0:gcn", *QUICK, "-o", tmp_path / "late")
    assert "while the figure was drawn" in late.output
    assert (tmp_path / "late" / "efficiency.csv").exists()

    def at_once(data, plan):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(library, "benchmark", at_once)
    none = run(DATA, *QUICK, "-o", tmp_path / "other")
    assert none.exit_code == 130
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "s2n+b"), "Did you mean 's2n+a'"),
        (("--model", ","), "one model at least"),
        (("--model", "glass", "--complete", "gcn2"), "no model 'gcn2'"),
        (("--repeats", "1"), "two at least"),
        (("--minutes", "0"), "above 0"),
        (("--seeds", "0"), "one seed"),
        (("--device", "tpu"), "auto, cpu or cuda"),
        (("--compile", "on"), "auto or off"),
        (("--preset", "papers", "--model", "s2n+0:gcn"), "no preset 'papers'"),
    ],
)
def test_bad_options_are_one_sentence(words, said) -> None:
    done = run(DATA, *words)
    assert isinstance(done.exception, Sub2NodeError)
    assert said in str(done.exception)


def test_help_names_the_defaults() -> None:
    done = run("--help")
    assert done.exit_code == 0
    assert "like:NAME" in done.output


@pytest.mark.slow
def test_a_figure_is_drawn_of_what_was_written_before(tmp_path: Path) -> None:
    made = run(DATA, "--model", "s2n+0:gcn,glass", "--complete", "s2n+0:gcn", "--seeds", "2",
               "--complete-minutes", "0", "-o", tmp_path / "speed", *QUICK)  # fmt: skip
    assert made.exit_code == 0, made.output
    written = json.loads((tmp_path / "speed/result.json").read_text())
    assert read_efficiency_table(tmp_path / "speed/result.json").to_dict() == written
    (tmp_path / "speed/efficiency.png").unlink()
    drawn = CliRunner().invoke(app, ["bench", "draw", str(tmp_path / "speed")])
    assert drawn.exit_code == 0, drawn.output
    assert (tmp_path / "speed/efficiency.png").exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"rows": [{}], "machine": {}, "notes": []}', "3"])
def test_nothing_is_drawn_of_another_file(tmp_path: Path, text) -> None:
    (tmp_path / "result.json").write_text(text)
    with pytest.raises(DataError, match="no result of an efficiency benchmark"):
        read_efficiency_table(tmp_path / "result.json")
