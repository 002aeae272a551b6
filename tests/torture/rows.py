"""Rows of the tables that the torture scripts print."""

from __future__ import annotations

Row = dict[str, object]
COLUMNS = ("what", "tried", "lost", "wrong", "tracebacks", "hangs", "note")
BAD = ("lost", "wrong", "tracebacks", "hangs")


def new_row(what: str) -> Row:
    """A row in which nothing has happened yet."""
    return {"what": what, "tried": 0, **dict.fromkeys(BAD, 0), "note": ""}


def tally(row: Row, column: str, note: str = "") -> None:
    """Count something in a row, and keep the first note."""
    row[column] = int(str(row[column])) + 1
    row["note"] = row["note"] or " ".join(note.split())[-300:]


def print_table(rows: list[Row]) -> int:
    """Print the rows; 1 where something happened that must not, else 0."""
    for row in ({name: name for name in COLUMNS}, *rows):
        cells = [f"{row['what']!s:24}", *(f"{row[name]!s:>10}" for name in COLUMNS[1:-1])]
        print("  ".join([*cells, str(row["note"])]))
    return int(any(row[name] for row in rows for name in BAD))
