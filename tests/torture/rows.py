"""Rows of the table that the attacks make."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]
FAULTS = ("lost", "wrong", "tracebacks", "hangs")
COLUMNS = ("what", "tried", *FAULTS, "note")


def new_row(what: str, tried: int = 0, note: str = "", **counts: int) -> Row:
    """A row of the table; faults that are not counted yet are 0."""
    return {"what": what, "tried": tried, **dict.fromkeys(FAULTS, 0), **counts, "note": note}


def tally(row: Row, column: str, note: str = "") -> None:
    """Count something in a row, and keep the first note."""
    row[column] += 1
    row["note"] = row["note"] or " ".join(note.split())[-300:]


def has_faults(rows: list[Row]) -> bool:
    """Whether something happened that must not."""
    return any(row[name] for row in rows for name in FAULTS)


def print_table(rows: list[Row]) -> None:
    """Print the rows for people."""
    cells = [COLUMNS, *([str(row[name]) for name in COLUMNS] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(COLUMNS))]
    for line in cells:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join(padded).rstrip())
