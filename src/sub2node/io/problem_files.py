"""Every row that something is wrong with, as a table in a file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..base.errors import ConfigError
from ..base.files import new_file, require_writable, written
from ..task.problems import Problem
from .tables import DELIMITERS, PARQUET, write_table

_ENDINGS = (".csv", ".tsv", ".jsonl", *PARQUET)
_SCHEMA = pa.schema(
    [
        ("problem", pa.string()),
        ("file", pa.string()),
        ("row", pa.int64()),
        ("line", pa.int64()),
        ("value", pa.string()),
        ("message", pa.string()),
        ("option", pa.string()),
        ("outcome", pa.string()),
    ]
)


def check_problem_file(path: Path) -> None:
    """Raise where no list of problems can be written."""
    if path.suffix.lower() not in _ENDINGS:
        raise ConfigError(f"{path} must end in {', '.join(_ENDINGS)}.")
    if path.exists() and not _is_list(path):
        raise ConfigError(f"{path} exists and is no list of problems; choose another name.")
    require_writable(path)


def _is_list(path: Path) -> bool:
    """Whether a file is a list of problems, which a newer one may replace."""
    try:
        if path.suffix.lower() in PARQUET:
            return bool(pq.read_schema(path).names == _SCHEMA.names)
        with path.open(encoding="utf-8") as file:
            head = file.readline()
    except (OSError, ValueError, pa.ArrowException):
        return False
    return not head or all(f'"{name}"' in head for name in _SCHEMA.names)


def problem_table(problems: Iterable[Problem]) -> pa.Table:
    """One row for each row of the data that a problem concerns.

    Columns: ``problem`` (its kind), ``file``, ``row`` of the table and ``line`` of the file (from
    1, where there are such), ``value`` (what the row says), ``message``, ``option`` (what goes on)
    and ``outcome`` (what was done; empty: nothing).
    """
    parts = []
    for problem in problems:
        count = problem.count
        rows = pa.nulls(count, pa.int64()) if not len(problem.rows) else pa.array(problem.rows + 1)
        lines, values = pa.nulls(count, pa.int64()), pa.nulls(count, pa.string())
        if problem.lines is not None:
            lines = pa.array(np.asarray(problem.lines, np.int64))
        if problem.values is not None:
            values = problem.values.cast(pa.string())
        texts = (problem.message, problem.option, problem.outcome)
        message, option, outcome = (_repeated(text, count) for text in texts)
        kind = _repeated(problem.kind or "unusable file", count)
        file = _repeated(problem.path or "", count)
        columns = [kind, file, rows, lines, values, message, option, outcome]
        parts.append(pa.table(columns, schema=_SCHEMA))
    return pa.concat_tables(parts) if parts else _SCHEMA.empty_table()


def _repeated(text: str, count: int) -> pa.Array:
    return pa.repeat(pa.scalar(text, pa.string()), count)


def write_problems(problems: Iterable[Problem], path: Path) -> None:
    """Write the table of problems; the ending of the path tells the format.

    Args:
        problems: The problems; with none, the table has no rows.
        path: The file, which is replaced where there is one.
    """
    table = problem_table(problems)
    with written(path), new_file(path, overwrite=True) as part:
        if path.suffix.lower() in (*DELIMITERS, *PARQUET):
            write_table(table, part)
            return
        with part.open("w", encoding="utf-8") as file:
            for row in table.to_pylist():
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
