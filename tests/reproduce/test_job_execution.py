"""Jobs: another key for another result, and what goes wrong is recorded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from paper_data import tiny
from sub2node.reproduce.job_execution import PreparedJob, prepare, run_job
from sub2node.reproduce.jobs import Job, ReproductionPlan
from sub2node.reproduce.paper_data import DatasetCache

FULL = ReproductionPlan(tuple(range(10, 20)), device="cpu")
QUICK = replace(FULL, seeds=(10, 11), quick=True)


@pytest.mark.slow
def test_keys_change_with_data_settings_seeds_and_quick(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("S2N_DATA", str(tmp_path))
    tiny(tmp_path / "ppi_bp")
    job = Job("train", "ppi_bp", "", "s2n+0", "gcn2")

    def key(job=job, plan=QUICK) -> str:
        ready = prepare(job, DatasetCache(), plan)
        assert isinstance(ready, PreparedJob)
        return ready.key

    first = key()
    assert key() == first
    others = [
        key(plan=replace(QUICK, seeds=(10,))),
        key(plan=replace(QUICK, quick=False)),
        key(job=replace(job, changes=(("model.layers", 4),))),
        key(job=replace(job, encoding="rwpe")),
        key(job=replace(job, what="scarce", n=2)),
    ]
    edges = tmp_path / "ppi_bp" / "edge_list.txt"
    edges.write_text(edges.read_text() + "0 45\n1 45\n")
    others.append(key())
    assert len({first, *others}) == 7
    same = replace(job, changes=(("model.layers", 2),))  # what the settings say anyway
    assert key(job=same) == others[-1]


def failing(error: BaseException):
    def work():
        raise error

    return work


def test_what_goes_wrong_is_recorded_and_ctrl_c_passes() -> None:
    job = PreparedJob(Job("train", "ppi_bp", "glass"), "k", "data", "paper", ("a.",), 5, 1.0, dict)
    record = run_job(job, QUICK)
    assert (record.key, record.status, record.preset, record.notes) == (
        "k",
        "done",
        "paper",
        ("a.",),
    )
    assert (record.quick, record.epochs, record.device) == (True, 5, "cpu")
    lost = run_job(replace(job, work=failing(MemoryError())), QUICK)
    assert (lost.status, lost.values) == ("failed", ())
    assert "memory" in lost.why
    fields = {"values": (0.5,), "val": (0.6,), "notes": ("b.",)}
    done = run_job(replace(job, work=lambda: dict(fields)), QUICK)
    assert (done.values, done.notes) == ((0.5,), ("a.", "b."))
    with pytest.raises(KeyboardInterrupt):
        run_job(replace(job, work=failing(KeyboardInterrupt())), QUICK)


def test_only_times_are_measured_alone() -> None:
    job = PreparedJob(Job("train", "ppi_bp"), "k", "", "", (), None, 1.0, dict)
    assert not job.alone
    assert replace(job, job=Job("speed", "ppi_bp")).alone
