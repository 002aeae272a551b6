"""All tables of a sheet: their notes, their CSV files, and what is missing or failed."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from paper_cells import record, score_cell, sheet_of, table_cell
from sub2node.base.notes import NoteKind, has_kind
from sub2node.reproduce.table_collection import (
    failed,
    missing,
    records_of,
    tables_of,
    theory_table,
    write_csv,
)

ROWS = ("glass", "s2n+a gcn2", "s2n+0 gcn2")
RECORDS = {
    "glass": record("glass", values=(0.6, 0.62), val=(0.6, 0.6), preset="paper"),
    "s2n+a gcn2": record("s2n+a gcn2", values=(0.7, 0.72), val=(0.7, 0.7), preset="tuned:ppi_bp"),
    "s2n+0 gcn2": record("s2n+0 gcn2", status="failed", why="no memory."),
}


@pytest.mark.parametrize("quick", [False, True])
def test_notes_say_how_a_table_was_made(quick: bool) -> None:
    sheet = sheet_of("real", [score_cell(row, row) for row in ROWS], quick=quick)
    (table,) = tables_of(sheet, RECORDS)
    assert has_kind(table.notes[0], NoteKind.QUICK) == quick
    assert ("n = 2 seeds and at most 20 epochs" in table.notes[0]) == quick
    assert any(
        note.startswith("Ours: the epoch that is best on validation") for note in table.notes
    )
    assert table.notes[-1].startswith("Settings of cells: 1 tuned (chosen by searches")
    assert "1 paper (published with the paper" in table.notes[-1]
    assert failed([table]) == ["S2N+0 GCNII, PPI-BP: no memory."]


def test_every_cell_is_a_line_of_csv(tmp_path: Path) -> None:
    sheet = sheet_of("real", [score_cell(row, row) for row in ROWS])
    tables = tables_of(sheet, RECORDS)
    write_csv(tables, sheet, RECORDS, tmp_path)
    with (tmp_path / "real.csv").open(encoding="utf-8") as file:
        rows = {row["row"]: row for row in csv.DictReader(file)}
    assert float(rows["S2N+A GCNII"]["ours"]) == pytest.approx(71)
    assert float(rows["S2N+A GCNII"]["difference"]) == pytest.approx(71 - 63.7)
    assert rows["S2N+A GCNII"]["settings"] == "tuned:ppi_bp"
    assert (rows["S2N+0 GCNII"]["status"], rows["S2N+0 GCNII"]["why"]) == ("failed", "no memory.")
    assert rows["GLASS"]["published_spread_kind"] == "se"
    assert [path.name for path in tmp_path.iterdir()] == ["real.csv"]


def test_claims_stand_with_how_often_they_held() -> None:
    claim = {"title": "Lemma", "cases": 10, "held": 9, "printed_held": None,
             "slack": {"low": 1.0, "median": float("inf")}}  # fmt: skip
    cells = [table_cell("theory", name, "", data="", what="theory") for name in ("lemma", "links")]
    sheet = sheet_of("theory", cells)
    table = theory_table(sheet, {cells[0].key: record("a", facts={"claims": [claim]})})
    lemma, links = table.lines
    assert [entry.ours for entry in lemma.entries[:2]] == [10, 9]
    assert lemma.entries[2].text == "-"
    assert {entry.status for entry in links.entries} == {"not yet"}
    assert table.more["claims"] == [claim]
    assert records_of(table)[4]["ours"] is None  # JSON has no infinity


def test_what_is_not_at_hand_is_said_once() -> None:
    sheet = sheet_of("real", [score_cell("glass", "glass")])
    sheet.data["em_user"] = {"word": "", "kind": "missing", "about": "EM-User is not at hand."}
    assert missing(sheet) == ["EM-User is not at hand."]
