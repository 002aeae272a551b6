"""Every published cell has its place and its job."""

from __future__ import annotations

from dataclasses import replace

from sub2node.reproduce import published_tables
from sub2node.reproduce.jobs import ReproductionPlan
from sub2node.reproduce.paper_data import SYNTHETIC_DATA
from sub2node.reproduce.paper_targets import SOURCES, TARGETS, planned_cells

FULL = ReproductionPlan(tuple(range(10, 20)), device="cpu")
QUICK = replace(FULL, seeds=(10, 11), quick=True)


def test_every_published_cell_has_its_place() -> None:
    for target, table in (("real", "real"), ("synthetic", "synthetic"), ("gnns", "gnns"),
                          ("readout", "readout"), ("layers", "layers"),
                          ("encoding", "encoding")):  # fmt: skip
        rows, columns = published_tables()[SOURCES[table]]
        result = {(place.row, place.column): place for place in planned_cells(target, FULL)}
        assert all((row, column) in result for row in rows for column in columns)
        assert not any(place.why_omitted for place in result.values())
    assert any(place.why_omitted for place in planned_cells("real", QUICK))
    for target in TARGETS:
        jobs = [place.job for place in planned_cells(target, FULL)]
        assert jobs
    simple = {place.row for place in planned_cells("real", QUICK) if not place.why_omitted}
    assert {"majority", "bag", "statistics"} <= simple


def test_quick_leaves_no_synthetic_set_out() -> None:
    for column in SYNTHETIC_DATA:
        assert any(not p.why_omitted and p.row == "s2n+a gcn2" and p.column == column
                   for p in planned_cells("synthetic", QUICK))  # fmt: skip
