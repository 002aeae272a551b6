"""The sheet: kept, grown, and shared by processes without talking."""

from __future__ import annotations

from dataclasses import replace

import pytest

from paper_cells import score_cell
from sub2node.base.errors import DataError
from sub2node.reproduce.cell_sheet import Sheet, read_sheet, share
from sub2node.reproduce.job_execution import PreparedJob
from sub2node.reproduce.jobs import Job


def test_processes_share_the_jobs_without_talking() -> None:
    jobs = [
        PreparedJob(Job("speed" if n % 5 == 0 else "train", "ppi_bp"), str(n), "", "", (), None,
              float(n % 7), dict)
        for n in range(40)
    ]  # fmt: skip
    parts = [share(jobs, number, 3) for number in (1, 2, 3)]
    keys = [job.key for part in parts for job in part]
    assert len(keys) == len(set(keys)) == 32  # times are measured by nobody
    costs = [sum(job.cost for job in part) for part in parts]
    assert max(costs) - min(costs) <= 7
    assert share(jobs, 1, 1) == jobs


def test_a_sheet_is_kept_and_grows(tmp_path) -> None:
    with pytest.raises(DataError, match="nothing to report"):
        read_sheet(tmp_path)
    first = Sheet({"real": [score_cell("glass", "k")]}, {"ppi_bp": {"kind": "authentic"}})
    first.save(tmp_path)
    Sheet({"gnns": [score_cell("glass", "k")]}, {"em_user": {"kind": "missing"}}).save(tmp_path)
    both = read_sheet(tmp_path)
    assert both.targets == ["real", "gnns"]
    assert both.spots["real"] == first.spots["real"]
    assert set(both.data) == {"ppi_bp", "em_user"}
    score = replace(score_cell("cos2n+0", "a"), what="scarce", coarsen="louvain:0.5")
    same = [score, replace(score, what="speed"), replace(score, coarsen="louvain:0.3")]
    for _ in range(2):  # begun, and gone on with
        Sheet({"data-scarce": list(same)}).save(tmp_path)
    assert read_sheet(tmp_path).spots["data-scarce"] == same
    (tmp_path / "sheet.json").write_text('{"spots": []}')
    with pytest.raises(DataError, match="not what s2n reproduce left"):
        read_sheet(tmp_path)
