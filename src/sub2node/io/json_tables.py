"""Tables as JSON lines: one object per row, its fields are the columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..base.errors import DataError
from ..base.ragged import Array
from .bad_lines import BadLines
from .text_files import PACKED, first_line, lines

JSONL = tuple(f"{kind}{packed}" for packed in ("", *PACKED) for kind in (".jsonl", ".ndjson"))


def read_json_table(
    path: Path, is_text: Callable[[str, Sequence[str]], bool], bad: BadLines
) -> tuple[pa.Table, Array]:
    """A table of JSON lines, and the line of each row.

    Line by line, because a columnar JSON reader guesses types and would turn ids into dates.

    Args:
        path: The file, plain or packed.
        is_text: Says of a column, by its name and those of all, whether it stays text.
        bad: Takes lines that are no object.
    """
    first_line(path)
    rows, numbers = list[dict[str, Any]](), list[int]()
    for number, line in lines(path):
        row = _parse_object(line)
        if row is None:
            reason = f"expected an object {{…}} of texts and numbers, found {line[:60]!r}."
            bad.add("unusable line", number, reason)
            continue
        rows.append(row)
        numbers.append(number)
    if not rows:
        bad.raise_first()
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [
        _column([row.get(name) for row in rows], text=is_text(name, names)) for name in names
    ]
    return pa.table(dict(zip(names, columns, strict=True))), np.array(numbers, np.int64)


def is_json_table(path: Path) -> bool:
    """Whether a file of JSON lines has one member per row, instead of a subgraph with ``nodes``."""
    try:
        row = _parse_object(first_line(path))
    except DataError:
        return False
    return row is not None and "nodes" not in row and len(row) > 1


def _parse_object(line: str) -> dict[str, Any] | None:
    """The object of a line; None where it is none, or holds others."""
    try:
        row = json.loads(line)
        json.dumps(row, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except (RecursionError, ValueError):
        return None
    if (
        not isinstance(row, dict)
        or not row
        or any(isinstance(value, dict) for value in row.values())
    ):
        return None
    return row


def _column(values: list[Any], *, text: bool) -> pa.Array:
    """Values as text, or as numbers where all are; lists stay lists, of texts or of numbers."""
    if any(isinstance(value, list) for value in values):
        lists = [value if isinstance(value, list | None) else [value] for value in values]
        plain = all(_is_number(one) for value in lists for one in value or ())
        if plain and not text and (numbers := _numbers(lists, pa.list_(pa.float64()))) is not None:
            return numbers
        texts = [None if v is None else [_text(one) for one in v if one is not None] for v in lists]
        return pa.array(texts, pa.list_(pa.string()))
    plain = all(value is None or _is_number(value) for value in values)
    if plain and not text and (numbers := _numbers(values)) is not None:
        return numbers
    return pa.array([None if value is None else _text(value) for value in values], pa.string())


def _numbers(values: list[Any], kind: pa.DataType | None = None) -> pa.Array | None:
    """Numbers as an Arrow column; None where they are too large, or true and false among them."""
    try:
        return pa.array(values, kind)
    except (OverflowError, pa.ArrowException):
        return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)  # bool is one, too


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
