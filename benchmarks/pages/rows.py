"""Rows of ``benchmarks/results``: read, filtered, and summarised."""

from __future__ import annotations

import csv
import json
import math
import statistics
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from scipy import stats

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"
SOURCES = RESULTS / "sources.toml"

Row = dict[str, str]
Condition = str | Sequence[str] | Callable[[str], bool]


class Rows:
    """Rows of one file, or some of them.

    Args:
        rows: Texts by column, as the file has them.
        name: What messages call them.
    """

    def __init__(self, rows: Iterable[Row], name: str) -> None:
        self.rows, self.name = list(rows), name

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, **conditions: Condition) -> Rows:
        """Rows whose columns have a value, one of several values, or pass a test."""
        kept = self.rows
        for column, condition in conditions.items():
            kept = [row for row in kept if _holds(condition, row[column])]
        said = ", ".join(f"{column}={condition}" for column, condition in conditions.items())
        return Rows(kept, f"{self.name} [{said}]")

    def only(self) -> Row:
        """The one row there is."""
        if len(self.rows) != 1:
            raise LookupError(f"{self.name}: one row is expected, {len(self.rows)} are there")
        return self.rows[0]

    def number(self, column: str) -> float:
        """A column of the one row there is."""
        return float(self.only()[column])

    def numbers(self, column: str) -> list[float]:
        """A column of all rows; of no rows is an error."""
        if not self.rows:
            raise LookupError(f"{self.name}: no such row")
        return [float(row[column]) for row in self.rows]

    def distinct(self, column: str) -> list[str]:
        """The values of a column in the order in which they first occur."""
        return list(dict.fromkeys(row[column] for row in self.rows))


def _holds(condition: Condition, value: str) -> bool:
    if callable(condition):
        return condition(value)
    return value == condition if isinstance(condition, str) else value in condition


@cache
def read(file: str) -> Rows:
    """All rows of a CSV file of ``benchmarks/results``."""
    with (RESULTS / file).open(encoding="utf-8", newline="") as stream:
        return Rows(csv.DictReader(stream), file)


@cache
def _seed_scores() -> dict[str, list[float]]:
    """Test scores of every seed of a cell of the reproduction, in points, by the cell's key."""
    path = RESULTS / "reproduction" / "cells.jsonl"
    cells = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {cell["key"]: [100 * value for value in cell["values"]] for cell in cells}


def cell(table: str, row: str, column: str) -> Rows:
    """The one cell of a table of the reproduction, such as ``real``, ``GLASS``, ``PPI-BP``."""
    return read(f"reproduction/{table}.csv").where(row=row, column=column)


def cell_scores(table: str, row: str, column: str) -> list[float]:
    """Test scores of each seed of such a cell, in points."""
    return seed_scores(cell(table, row, column))


def seed_scores(selected: Rows) -> list[float]:
    """Test scores of each seed of the one cell there is, in points."""
    return _seed_scores()[selected.only()["key"]]


def mean(values: Sequence[float]) -> float:
    """Their mean."""
    return statistics.fmean(values)


def deviation(values: Sequence[float]) -> float:
    """Their standard deviation (n - 1); 0 for one value."""
    return statistics.stdev(values) if len(values) > 1 else 0.0


def welch(first: Sequence[float], second: Sequence[float]) -> float:
    """The p-value of Welch's t-test; 1 where neither varies and both are the same."""
    if deviation(first) == deviation(second) == 0:
        return float(mean(first) == mean(second))
    sides = [(mean(values), deviation(values), len(values)) for values in (first, second)]
    return float(stats.ttest_ind_from_stats(*sides[0], *sides[1], equal_var=False).pvalue)


def paired(first: Sequence[float], second: Sequence[float]) -> float:
    """The p-value of a paired t-test."""
    return float(stats.ttest_rel(first, second).pvalue)


def sources() -> list[dict[str, object]]:
    """Where each file of results comes from: files, command, commit, machine, date, note."""
    with SOURCES.open("rb") as stream:
        return list(tomllib.load(stream)["source"])


def files_of(source: dict[str, object]) -> list[Path]:
    """The files that a source names."""
    patterns = source["files"]
    assert isinstance(patterns, list)
    return sorted(path for pattern in patterns for path in RESULTS.glob(pattern))


def machine_of(file: str) -> str:
    """What the rows of a file were measured on."""
    (machine,) = (source["machine"] for source in sources() if RESULTS / file in files_of(source))
    return str(machine)


def p_text(value: float) -> str:
    """A p-value as it is printed: two digits, and small ones as a bound."""
    if value < 0.001:
        return "p < 0.001"
    digits = max(2, 1 - math.floor(math.log10(value)))
    return f"p = {value:.{digits}f}"
