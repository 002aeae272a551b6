"""``s2n audit`` as a person runs it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from audit_tasks import clean_task, task_with_copies
from commands import refused, s2n
from sub2node import save_task
from sub2node.task.attributes import SubgraphAttributes


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("audit") / "copies"
    save_task(task_with_copies(), path)
    return path


@pytest.mark.slow
def test_verdicts_numbers_and_what_to_do(folder: Path, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    done = s2n("audit", folder, "--permutations", "19")
    assert (done.code, done.err) == (0, "")
    for text in ("Audit of ", "Near copies between parts", "problem", "6 of 60 test subgraphs",
                 "Problem: Near copies between parts: Put copies of each other into one part",
                 "Not applicable: Groups across parts: ", "labels of the test part",
                 "Audit: 1 problem and 0 warnings, 5 ok."):  # fmt: skip
        assert text in done.out


@pytest.mark.slow
def test_json_has_every_check(folder: Path) -> None:
    done = s2n("audit", folder, "--permutations", "19", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json["verdict"] == "problem"
    checks = {check["name"]: check for check in done.json["checks"]}
    assert checks["near_copies"]["numbers"]["parts"]["test"]["equal"] == 6
    assert checks["permuted_labels"]["numbers"]["p"] == 0.05


@pytest.mark.slow
def test_groups_are_a_column_of_the_labels(tmp_path: Path) -> None:
    task = clean_task()
    rows = {"source": [str(number % 60) for number in range(240)], "own": map(str, range(240))}
    save_task(replace(task, attributes=SubgraphAttributes(rows)), tmp_path / "data")
    words = ("audit", tmp_path / "data", "--permutations", "1", "--json", "--groups")
    for column, verdict in (("source", "problem"), ("own", "ok")):
        checks = {check["name"]: check for check in s2n(*words, column).json["checks"]}
        assert checks["groups"]["verdict"] == verdict
    refused(s2n(*words, "patient"), "no column 'patient'")


@pytest.mark.slow
def test_origins_of_edges_are_a_table(folder: Path, tmp_path: Path) -> None:
    low, high, _ = clean_task().graph.edges()
    lines = [f"{u},{v},{'screen' if u % 2 else 'papers'}" for u, v in zip(low, high, strict=True)]
    table = tmp_path / "evidence.csv"
    table.write_text("source,target,origin\n" + "\n".join(lines) + "\n")
    words = ("audit", folder, "--permutations", "1", "--json", "--edge-origins")
    checks = {check["name"]: check for check in s2n(*words, table).json["checks"]}
    assert set(checks["label_links"]["numbers"]["origins"]) == {"screen", "papers"}
    table.write_text("source,target\n1,2\n")
    refused(s2n(*words, table), "no column 'origin'")


def test_a_number_of_permutations_that_is_none_is_refused(folder: Path) -> None:
    refused(s2n("audit", folder, "--permutations", "0"), "at least one permutation")


@pytest.mark.slow
def test_an_audit_beside_a_run_is_in_its_report(tmp_path: Path) -> None:
    save_task(clean_task(), tmp_path / "data")
    run, data = tmp_path / "run", tmp_path / "data"
    assert s2n("run", data, "--model", "majority", "-o", run).code == 0
    words = ("audit", data, "--permutations", "1", "-o", run)
    assert s2n(*words).out.endswith(f"Wrote: {run / 'audit.json'}\n")
    refused(s2n(*words), "exists already")
    assert s2n(*words, "--overwrite", "--json").code == 0
    numbers = s2n("report", run, "--json").json
    assert numbers["audit"]["same_data"] is True
    assert len(numbers["audit"]["checks"]) == 8
