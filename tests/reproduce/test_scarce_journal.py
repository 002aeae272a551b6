"""Findings are kept line by line, and gone on with only where they belong."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sub2node as s2n
from sub2node.base.errors import ConfigError, DataError
from sub2node.reproduce.scarce import ScarcePlan, ScarceRun, ScarceSpeed, models_of
from sub2node.reproduce.scarce_journal import ScarceJournal
from sub2node.task import SubgraphTask

QUICK = {"epochs": 3, "features.kind": "random"}
PLAN = ScarcePlan((2, 4), ("s2n+0", "cos2n+0"), ("variation_edges:0.1", "heavy_edge:0.1"), (10, 11))


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=60,seed=3")


def test_findings_are_kept_line_by_line(tmp_path, task) -> None:
    models, _ = models_of(task, PLAN, settings=QUICK, preset="fast")
    key = models["s2n+0", ""].key
    row = ScarceRun("s2n+0", "", 2, 10, 0.5, 0.4, 0.3, key)
    speed = ScarceSpeed("s2n+0", "", 2, 1.5, 2.5, 100, "cpu", key)
    out = tmp_path / "scarce"
    log = ScarceJournal(out)
    assert log.open(PLAN, task, models) == []
    log.add(row)
    log.add(speed)
    with (out / "rows.jsonl").open("a") as file:
        file.write('{"structure": "s2n+0", "coa')  # killed while it was writing
    with pytest.raises(ConfigError, match="--resume"):
        ScarceJournal(out)
    again = ScarceJournal(out, resume=True)
    assert again.open(PLAN, task, models) == [row, speed]
    again.add(row)
    assert ScarceJournal(out, resume=True).open(PLAN, task, models) == [row, speed, row]
    others, _ = models_of(task, PLAN, settings={**QUICK, "lr": 0.5}, preset="fast")
    with pytest.raises(ConfigError, match=r"s2n\+0 with other settings"):
        ScarceJournal(out, resume=True).open(PLAN, task, others)
    with pytest.raises(ConfigError, match="other subsets"):
        ScarceJournal(out, resume=True).open(replace(PLAN, subsets="published"), task, models)
    for damage in ('{"a": 1}\nnonsense\n', "[]\n", '{"data": 1}\n', "\xff\xfe\n"):
        (out / "rows.jsonl").write_bytes(damage.encode("latin-1"))
        with pytest.raises(DataError, match="not what a run left"):
            ScarceJournal(out, resume=True).open(PLAN, task, models)
    for lost in ("", '{"data": "cut'):
        (out / "rows.jsonl").write_text(lost)
        assert ScarceJournal(out, resume=True).open(PLAN, task, models) == []


def test_findings_are_numbers(tmp_path, task) -> None:
    log = ScarceJournal(tmp_path / "out")
    log.open(ScarcePlan(), task, {})
    log.add(ScarceRun("s2n+0", "", 2, 10, None, "x", 0.5))  # type: ignore[arg-type]
    log.add(ScarceRun("s2n+0", "", 2, 11, 0.5, 0.25, 0.25))
    again = ScarceJournal(tmp_path / "out", resume=True)
    assert [row.seed for row in again.open(ScarcePlan(), task, {})] == [11]
    assert again.broken == 1  # said to the user, and run again
