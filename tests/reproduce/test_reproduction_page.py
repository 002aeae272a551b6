"""The page of a reproduction: colours, tips and gaps of its cells, and everything on it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from paper_cells import record, score_cell, sheet_of
from sub2node.reproduce import reproduction_page as page
from sub2node.reproduce.paper_tables import Entry
from sub2node.reproduce.published import Published
from sub2node.reproduce.table_collection import tables_of

ROWS = ("glass", "s2n+a gcn2", "s2n+0 gcn2")
RECORDS = {
    "glass": record("glass", values=(0.619, 0.621), val=(0.6, 0.6), preset="paper", notes=("a.",)),
    "s2n+a gcn2": record("s2n+a gcn2", values=(0.5, 0.52), val=(0.7, 0.7), notes=("a.", "<b>.")),
    "s2n+0 gcn2": record("s2n+0 gcn2", status="failed", why="no <memory>."),
}


def entry(ours: float | None, *, spread: float = 1.0, **more) -> Entry:
    printed = Published("60.0 ± 2.0", 60.0, 2.0, "sd", "", "tab:x")
    fields = {"published": printed, "record": record("k"), "n": 10, **more}
    return Entry("done", ours, spread, **fields)


@pytest.mark.parametrize(
    ("cell", "level"),
    [
        (entry(61.0), "good"),
        (entry(58.5), "good"),  # within the larger spread
        (entry(57.0), "warn"),
        (entry(55.0), "bad"),
        (entry(55.0, spread=6.0), "good"),
        (entry(55.0, record=record("k", quick=True)), ""),
        (entry(55.0, style="count"), ""),
        (entry(None), ""),
        (Entry("failed"), "bad"),
        (Entry("missing"), "none-yet"),
    ],
)
def test_colours_follow_the_gap(cell: Entry, level: str) -> None:
    assert page._colour_level(cell) == level


def test_gaps_are_of_the_same_data_only() -> None:
    (table,) = tables_of(sheet_of("real", [score_cell(row, row) for row in ROWS]), RECORDS)
    gaps = page._measure_gaps([table])
    assert gaps["count"] == 2
    assert gaps["median"] == pytest.approx(((62.0 - 61.9) + (51.0 - 63.7)) / 2)
    assert gaps["near"] == 1
    assert page._measure_gaps([replace(table, quick=True)]) is None
    assert page._measure_gaps([replace(table, kinds=("stand-in",))]) is None


def test_the_page_says_everything_and_is_safe(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    sheet = sheet_of("real", [score_cell(row, row) for row in ROWS])
    tables = tables_of(sheet, RECORDS)
    path = page.write_reproduction(sheet, RECORDS, tables, tmp_path / "page.html")
    text = path.read_text(encoding="utf-8")
    assert page.OURS in text
    for words in ("S2N+A GCNII", "62.0", "61.9", "PPI-BP", "no &lt;memory&gt;."):
        assert words in text
    assert "<memory>" not in text
    assert not re.search(r"""(?:src|href)\s*=\s*["']?https?://""", text)
    remarks = page._collect_remarks(tables[0])
    assert remarks[0] == ("a.", ["GLASS, PPI-BP", "S2N+A GCNII, PPI-BP"])


def test_a_tip_says_where_a_number_comes_from() -> None:
    cell = entry(61.0, val=59.0, p=0.01, record=record("k", preset="paper", seconds=12.0))
    assert page._tip_text(cell) == (
        "on ppi_bp, paper settings, n = 10, validation 59.0, p = 0.01, 12 s on cpu"
    )
    assert page._tip_text(Entry("missing", why="no data.")) == "no data."
