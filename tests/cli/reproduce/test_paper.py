"""``s2n reproduce TARGET`` on tiny data: cells, tables, page, going on, and what goes wrong."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from paper_data import tiny
from sub2node.base.errors import ConfigError, DataError
from sub2node.cli import output
from sub2node.cli.app import app
from sub2node.efficiency.measure import Efficiency, Timing
from sub2node.report.drawing import new_figure
from sub2node.reproduce import job_execution, job_measures, jobs, session, theory

pytestmark = pytest.mark.usefixtures("rough_timing", "few_candidates")
QUICK = ("--quick", "--device", "cpu")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    """Where results go; PPI-BP, a stand-in and Density are at hand, all tiny."""
    for number, name in enumerate(("ppi_bp", "hpo_orpha_metab", "density")):
        tiny(tmp_path / "data" / name, seed=number)
    monkeypatch.setenv("S2N_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(output.console, "_width", 150)
    monkeypatch.setattr(jobs, "QUICK_EPOCHS", 3)  # of the plan, when it is asked for
    return tmp_path / "out"


def reproduce(*words: str | Path) -> Any:
    return CliRunner().invoke(app, ["reproduce", *map(str, words)])


def cells(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for path in sorted(folder.glob("cells*.jsonl"))
            for line in path.read_text().splitlines()]  # fmt: skip


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / "tables" / f"{table}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_a_table_beside_the_published_one_and_going_on(folder) -> None:
    done = reproduce("real", *QUICK, "-o", folder)
    assert done.exit_code == 0, done.output
    for text in ("PPI-BP", "stand-in", "not at hand", "QUICK", "n = 2 seeds", "3 epochs",
                 "S2N+A GCNII, RWPE", "bag of nodes", "(64.3 ± 1.8∗)", "Welch", "Missing: EM-User",
                 "left out"):  # fmt: skip
        assert text in done.output
    last = done.output.strip().splitlines()[-1]
    assert re.match(r"Done: \d+ cells of 1 table, \d+ missing, \d+ left out; open ", last)
    table = {(row["row"], row["column"]): row for row in rows(folder, "real")}
    ours = table["S2N+A GCNII", "PPI-BP"]
    assert ours["published"] == "63.7"
    assert ours["published_spread_kind"] == "sd"
    assert float(ours["difference"]) == pytest.approx(float(ours["ours"]) - 63.7)
    assert (ours["n"], ours["quick"], ours["epochs"]) == ("2", "True", "3")
    assert ours["settings"] in ("tuned", "paper")
    assert table["GLASS", "PPI-BP"]["published_spread_kind"] == "se"
    assert table["GLASS", "PPI-BP"]["status"] == "left out"
    assert table["S2N+A GCNII", "HPO-Metab"]["kind"] == "stand-in"
    assert table["S2N+A GCNII", "EM-User"]["status"] == "missing"
    found = next(cell for cell in cells(folder) if cell["key"] == ours["key"])
    assert 100 * sum(found["values"]) / 2 == pytest.approx(float(ours["ours"]))
    # All of it is there: nothing is run again, whatever the target.
    before = cells(folder)
    again = reproduce("real", *QUICK, "-o", folder, "--json")
    assert again.exit_code == 0, again.output
    assert cells(folder) == before
    listed = json.loads(again.stdout)
    assert listed["finished"]
    assert [cell["ours"] for cell in listed["tables"][0]["cells"]] == [
        float(row["ours"]) if row["ours"] else None for row in rows(folder, "real")
    ]
    assert reproduce("encoding", *QUICK, "-o", folder).exit_code == 0
    assert len(cells(folder)) <= len(before) + 2  # RWPE and none are those of the first table
    # Other seeds are other results.
    one = reproduce("encoding", *QUICK, "-o", folder, "--seeds", "1", "--data", "ppi_bp")
    assert one.exit_code == 0, one.output
    assert {cell["key"] for cell in before} < {cell["key"] for cell in cells(folder)}


@pytest.mark.slow
def test_the_page_has_everything_and_nothing_from_outside(folder) -> None:
    words = (*QUICK, "--seeds", "1", "-o", folder, "--data", "ppi_bp,density")
    assert reproduce("table1", *words).exit_code == 0
    few = reproduce("data-scarce", *words)
    assert few.exit_code == 0, few.output
    assert "fresh subset" in few.output
    assert reproduce("ratio", *words).exit_code == 0
    assert reproduce("readout", *words, "--data", "ppi_bp").exit_code == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    for name in ("datasets-real", "datasets-synthetic", "s2n-real", "data-scarce-ppi_bp",
                 "ratio-ppi_bp", "readout", "data", "missing", "machine"):  # fmt: skip
        assert f'id="{name}"' in page
    assert not re.findall(r'(?:src|href)="(?!#|data:)', page)
    assert "<script" not in page
    assert "Quick look" in page
    assert page.count("<svg") >= 4
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(set(ids)) == len(ids)
    assert "var(--k2)" in page
    assert "17,080" in page  # published
    assert {row["status"] for row in rows(folder, "s2n-real")} == {"done"}
    (folder / "report.html").unlink()
    for path in folder.parent.joinpath("data").iterdir():  # a page needs no data
        for file in path.iterdir():
            file.unlink()
    anew = reproduce("all", "-o", folder, "--only-report")
    assert anew.exit_code == 0, anew.output
    assert (folder / "report.html").read_text(encoding="utf-8") == page


@pytest.mark.slow
def test_what_fails_is_said_and_the_rest_goes_on(folder, monkeypatch) -> None:
    assess = job_execution.assess

    def picky(task, model, **options):
        if model.name.startswith("s2n+0"):
            raise DataError("the weather is bad.")
        return assess(task, model, **options)

    monkeypatch.setattr(job_execution, "assess", picky)
    words = ("real", *QUICK, "--seeds", "1", "--data", "ppi_bp", "-o", folder)
    done = reproduce(*words)
    assert done.exit_code == 0, done.output
    assert "ppi_bp: s2n+0 gcn2: the weather is bad." in done.output
    table = {row["row"]: row for row in rows(folder, "real")}
    assert (table["S2N+0 GCNII"]["status"], table["S2N+0 GCNII"]["why"]) == (
        "failed", "the weather is bad.")  # fmt: skip
    assert table["S2N+A GCNII"]["status"] == "done"
    assert "the weather is bad" in (folder / "report.html").read_text(encoding="utf-8")
    count = len(cells(folder))
    monkeypatch.setattr(job_execution, "assess", assess)
    assert reproduce(*words).exit_code == 0  # tried again
    assert len(cells(folder)) == count + 4
    assert "failed" not in {row["status"] for row in rows(folder, "real")}


@pytest.mark.slow
def test_ctrl_c_loses_one_cell_at_most(folder, monkeypatch) -> None:
    assess, calls = job_execution.assess, []

    def stopped(*arguments, **options):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return assess(*arguments, **options)

    monkeypatch.setattr(job_execution, "assess", stopped)
    words = ("synthetic", *QUICK, "--seeds", "1", "-o", folder)
    done = reproduce(*words)
    assert done.exit_code == 130
    assert "Stopped: 3 cells done" in done.output
    assert len(cells(folder)) == 3
    assert "not yet" in {row["status"] for row in rows(folder, "synthetic")}
    with (folder / "cells.jsonl").open("a") as file:  # killed while it wrote
        file.write('{"key": "half')
    again = reproduce(*words)
    assert again.exit_code == 0, again.output
    assert "1 line of the journal cut off" in again.output
    assert "3 of" in again.output
    assert len([1 for line in (folder / "cells.jsonl").read_text().splitlines()
                if line.endswith("}")]) == len(calls) - 1  # fmt: skip


def _measured(task, model, **_: Any) -> Efficiency:
    """Made-up times: GLASS takes a second an epoch, all others a hundredth."""
    each = 1.0 if model.name.startswith("glass") else 0.01
    times = [Timing(each * share, each * share, each * share, 2, 2) for share in (1.0, 0.5)]
    return Efficiency(*times, 40, 10, 4 if each == 1 else 1, 1, 1000, 10**6 if each == 1 else 10**5,
                      "cpu")  # fmt: skip


@pytest.mark.slow
def test_efficiency_is_a_ratio_to_glass(folder, monkeypatch) -> None:
    monkeypatch.setattr(job_measures, "efficiency", _measured)
    done = reproduce("efficiency", *QUICK, "--data", "ppi_bp", "-o", folder)
    assert done.exit_code == 0, done.output
    assert "×183 … ×711" in done.output
    table = {row["row"]: row for row in rows(folder, "efficiency")}
    assert float(table["Training throughput"]["ours"]) == pytest.approx(100)
    assert float(table["Training latency"]["ours"]) == pytest.approx(0.01 / 0.25)
    assert float(table["Memory"]["ours"]) == pytest.approx(0.1)
    assert table["Memory"]["published_text"] == "×0.2 … ×1.05"
    assert {row["model"] for row in rows(folder, "efficiency-all")} >= {"glass", "s2n+a gcn2"}
    assert (folder / "report.html").read_text(encoding="utf-8").count("<svg") == 6
    shared = reproduce("efficiency", *QUICK, "-o", folder, "--shard", "1/2")
    assert "without --shard" in str(shared.exception)  # times are measured alone


@pytest.mark.slow
def test_theory_stands_beside_the_rest(folder, monkeypatch) -> None:
    asked: list[set[str]] = []

    def verify(*, skip, tasks, **_: Any):
        (name,) = set(theory.CLAIMS) - set(skip)
        asked.append(set(tasks))
        yield theory.Claim(name, f"Title of {name}", "It holds.", 20, 20, 18,
                           theory.Slack(1.5, 3.0, 9.0), None, ("A step is loose.",), (),
                           {})  # fmt: skip

    monkeypatch.setattr(theory, "verify", verify)
    monkeypatch.setattr(
        "sub2node.reproduce.theory_figures.claim_figure", lambda _: new_figure(300, 200)[0]
    )
    done = reproduce("theory", *QUICK, "-o", folder)
    assert done.exit_code == 0, done.output
    found = rows(folder, "theory")
    assert {row["row"] for row in found} == {f"Title of {name}" for name in theory.CLAIMS}
    assert [row["ours"] for row in found[:5]] == ["20.0", "20.0", "18.0", "1.5", "3.0"]
    assert asked[0] == {"density"}
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.count('role="img"') == page.count("<svg") == len(theory.CLAIMS)
    for name in theory.CLAIMS:
        assert f">Title of {name}</title>" in page


@pytest.mark.slow
def test_claims_that_are_no_longer_checked_are_still_read(folder, monkeypatch) -> None:
    """Version 0.1 had operations and times, which benchmarks/complexity.py took over."""

    def verify(*, skip, **_: Any):
        (name,) = set(theory.CLAIMS) - set(skip)
        yield theory.Claim(name, f"Title of {name}", "It holds.", 20, 20, None, None, None, (), (),
                           {"points": [["s2n+0", 4, 5]]})  # fmt: skip

    monkeypatch.setattr(theory, "verify", verify)
    with monkeypatch.context() as patch:
        patch.setattr(theory, "CLAIMS", ("lemma", "operations", "time"))
        patch.setattr("sub2node.reproduce.theory_figures._FIGURES", {})
        assert reproduce("theory", *QUICK, "-o", folder).exit_code == 0
    monkeypatch.setattr(theory, "CLAIMS", ("lemma",))
    monkeypatch.setattr("sub2node.reproduce.theory_figures._FIGURES", {})
    done = reproduce("theory", *QUICK, "-o", folder, "--only-report")
    assert done.exit_code == 0, done.output
    assert {row["row"] for row in rows(folder, "theory")} == {
        f"Title of {name}" for name in ("lemma", "operations", "time")
    }
    assert "no figure shows" in (folder / "report.html").read_text(encoding="utf-8")
    done = reproduce("theory", *QUICK, "-o", folder)
    assert done.exit_code == 0, done.output
    assert len({row["row"] for row in rows(folder, "theory")}) == len(cells(folder)) == 3


@pytest.mark.slow
def test_several_processes_share_one_folder(folder) -> None:
    words = ("real", *QUICK, "--seeds", "1", "--data", "ppi_bp", "-o", folder)
    for number in (1, 2, 3):
        done = reproduce(*words, "--shard", f"{number}/3")
        assert done.exit_code == 0, done.output
        assert "without --shard" in " ".join(done.output.split())
    files = sorted(path.name for path in folder.glob("cells*.jsonl"))
    assert files == [f"cells-00{number}-of-003.jsonl" for number in (1, 2, 3)]
    assert not (folder / "report.html").exists()
    keys = [cell["key"] for cell in cells(folder)]
    assert len(keys) == len(set(keys))
    whole = reproduce(*words)
    assert whole.exit_code == 0
    assert sorted(cell["key"] for cell in cells(folder)) == sorted(keys)
    assert {row["status"] for row in rows(folder, "real")} == {"done", "left out"}


def test_without_any_data_one_sentence(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("S2N_DATA", str(tmp_path))
    done = reproduce("real", *QUICK, "-o", tmp_path / "out")
    assert isinstance(done.exception, ConfigError)
    assert "nothing could be done: PPI-BP is not at hand" in str(done.exception)


def _without(monkeypatch, *names: str) -> None:
    for name in names:
        monkeypatch.setitem(sys.modules, name, None)
    for name in [name for name in sys.modules if name.startswith("sub2node.report")]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.slow
def test_tables_need_no_extra_packages(folder, monkeypatch) -> None:
    _without(monkeypatch, "jinja2", "matplotlib", "optuna")
    done = reproduce("real", *QUICK, "--seeds", "1", "--data", "ppi_bp", "-o", folder)
    assert done.exit_code == 0, done.output
    assert "no page was written" in done.output
    assert "tables are in" in done.output
    assert rows(folder, "real")


@pytest.mark.slow
def test_cells_need_no_command_line(folder, monkeypatch) -> None:
    _without(monkeypatch, "jinja2", "matplotlib", "optuna", "pydantic", "typer", "rich")
    found = session(["gnns"], folder, quick=True, seeds=1, data=["ppi_bp"], device="cpu",
                    worker=(2, 4))  # fmt: skip
    records = list(found.run())
    assert records
    assert all(record.done for record in records), records
    assert not found.todo
    assert [cell["key"] for cell in cells(folder)] == [record.key for record in records]
    with pytest.raises(ConfigError, match="no target 'reel'"):
        session(["reel"], folder)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("real", "--shard", "4/3"), "I from 1 to N"),
        (("real", "--shard", "three"), "I from 1 to N"),
        (("real", "--data", "ppi"), "no dataset 'ppi'"),
        (("real", "--seeds", "0"), "at least one seed"),
        (("real", "--only-report"), "nothing to report"),
        (("data-scarce", "--sizes", "4"), "--sizes goes with DATA"),
        (("data-scarce", "generate:density", "--quick"), "--quick is for the paper's figures"),
    ],
)
def test_bad_options_are_one_sentence(tmp_path, words, said) -> None:
    done = reproduce(*words, "-o", tmp_path / "out")
    assert done.exception is not None
    assert said in str(done.exception)


@pytest.mark.slow
def test_one_dataset_at_a_time(folder) -> None:
    """A later run on another dataset does not take the first one out of the report."""
    words = ("real", *QUICK, "--seeds", "1", "-o", folder)
    assert reproduce(*words, "--data", "ppi_bp").exit_code == 0
    first = {row["column"] for row in rows(folder, "real") if row["ours"]}
    assert reproduce(*words, "--data", "hpo_metab").exit_code == 0
    both = {row["column"] for row in rows(folder, "real") if row["ours"]}
    assert first < both
