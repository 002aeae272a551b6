"""Cells of tables, their results and a sheet of them, without any data."""

from __future__ import annotations

from typing import Any

from sub2node.reproduce.cell_journal import Record
from sub2node.reproduce.cell_sheet import Sheet, TableCell

PLAN = {"seeds": [10, 11], "quick": False, "epochs": None}


def score_cell(row: str, key: str, column: str = "ppi_bp") -> TableCell:
    """A cell of the table of real data."""
    return TableCell("real", row, column, key, ("", ""), column, row, row, 0, "", "train")


def table_cell(table: str, row: str, column: str, **more: Any) -> TableCell:
    """A cell of any table; its key is its place."""
    fields = {
        "key": f"{table} {row} {column}", "why": ("", ""), "data": column, "job": row,
        "model": row, "n": 0, "coarsen": "", "what": "train", **more,
    }  # fmt: skip
    return TableCell(table, row, column, **fields)


def sheet_of(target: str, cells: list[TableCell], *, quick: bool = False) -> Sheet:
    """A sheet of one target on authentic data."""
    data = {cell.data: {"word": cell.data, "kind": "authentic", "about": ""} for cell in cells}
    return Sheet({target: cells}, data, {target: {**PLAN, "quick": quick, "epochs": 20}})


def record(key: str, **more: Any) -> Record:
    """A result of a job."""
    return Record(key, key, **{"device": "cpu", "data": "ppi_bp", **more})
