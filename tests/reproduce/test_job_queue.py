"""Jobs without a result are run; every record is on disk before it comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node.reproduce.cell_journal import Journal, Record
from sub2node.reproduce.job_execution import PreparedJob
from sub2node.reproduce.job_queue import pending, run_pending
from sub2node.reproduce.jobs import Job, ReproductionPlan

PLAN = ReproductionPlan((10,), device="cpu")


def prepared(key: str, work=lambda: {"values": (0.5,)}) -> PreparedJob:
    return PreparedJob(Job("train", "ppi_bp", key), key, "", "", (), None, 1.0, work)


def test_what_has_a_result_is_not_run_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.add(Record("a", "a", values=(0.1,)))
    journal.add(Record("b", "b", "failed", "no luck"))
    jobs = [prepared(key) for key in "abc"]
    assert [job.key for job in pending(jobs, journal)] == ["b", "c"]  # failures are tried again
    for record in run_pending(jobs, PLAN, journal):
        assert Journal(tmp_path).done(record.key)
        assert record.values == (0.5,)
    assert pending(jobs, journal) == []


def test_ctrl_c_loses_one_job_at_most(tmp_path: Path) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    jobs = [prepared("a"), prepared("b", interrupted), prepared("c")]
    journal = Journal(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        list(run_pending(jobs, PLAN, journal))
    assert [job.key for job in pending(jobs, Journal(tmp_path))] == ["b", "c"]


def test_processes_run_different_jobs(tmp_path: Path) -> None:
    jobs = [prepared(str(number)) for number in range(10)]
    parts = [pending(jobs, Journal(tmp_path, (number, 3))) for number in (1, 2, 3)]
    keys = [job.key for part in parts for job in part]
    assert sorted(keys, key=int) == [job.key for job in jobs]
