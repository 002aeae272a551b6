"""A session: which targets, which jobs, and why nothing can be done."""

from __future__ import annotations

from pathlib import Path

import pytest

from paper_data import tiny
from sub2node.base.errors import ConfigError
from sub2node.reproduce.cell_journal import Record
from sub2node.reproduce.cell_sheet import read_sheet
from sub2node.reproduce.paper_targets import TARGETS
from sub2node.reproduce.reproduction_session import parse_targets, session


def test_targets_are_in_the_order_of_the_paper() -> None:
    assert parse_targets(["synthetic", "real", "real"]) == ["real", "synthetic"]
    assert parse_targets(["all"]) == list(TARGETS)
    with pytest.raises(ConfigError, match=r"no target 'rael'.* Did you mean 'real'"):
        parse_targets(["rael"])


def test_a_session_knows_what_is_done(tmp_path: Path, monkeypatch) -> None:
    tiny(tmp_path / "data" / "ppi_bp")
    monkeypatch.setenv("S2N_DATA", str(tmp_path / "data"))
    options = {"quick": True, "data": ["ppi_bp"], "device": "cpu"}
    first = session(["table1"], tmp_path / "out", **options)
    assert first.known == 0
    assert {job.job.what for job in first.todo} == {"statistics", "compression"}
    assert len(first.todo) == len(first.jobs) == 2  # many cells, two jobs
    assert first.plan.seeds == (10, 11)
    assert read_sheet(tmp_path / "out").targets == ["table1"]
    (key,) = (job.key for job in first.jobs if job.job.what == "statistics")
    first.journal.add(Record(key, "done before"))
    again = session(["table1"], tmp_path / "out", **options)
    assert again.known == 1
    (record,) = again.run()
    assert record.done
    assert again.todo == []


def test_without_data_nothing_can_be_done(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("S2N_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match="nothing could be done: PPI-BP is not at hand"):
        session(["real"], tmp_path / "out", data=["ppi_bp"], device="cpu")
