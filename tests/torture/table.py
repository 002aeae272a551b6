"""The table of a torture script, and its command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import Any

COUNTS = ("lost", "wrong", "tracebacks", "hangs")
Row = dict[str, Any]


def make_row(what: str, tried: int, note: str = "", **counts: int) -> Row:
    """A row of the table; counts that are not given are 0."""
    return {"what": what, "tried": tried, **dict.fromkeys(COUNTS, 0), **counts, "note": note}


def print_rows(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print a table for people."""
    print(f"{'what':38} {'tried':>7} " + " ".join(f"{name:>10}" for name in COUNTS) + "  note")
    for row in rows:
        counts = " ".join(f"{row[name]:>10,}" for name in COUNTS)
        print(f"{row['what']:38} {row['tried']:>7,} {counts}  {row['note']}")


def has_failures(rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether any count of any row is not 0."""
    return any(row[name] for row in rows for name in COUNTS)


def run_script(main: Callable[[int, int], list[Row]], count: int) -> int:
    """Run a script with its options; the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=24)
    parser.add_argument("--count", type=int, default=count)
    options = parser.parse_args()
    rows = main(options.seed, options.count)
    print_rows(rows)
    return int(has_failures(rows))
