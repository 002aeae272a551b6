"""Delimited text files as Arrow tables."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow as pa

from ..base.errors import DataError
from ..base.notes import dropped
from ..base.plural import examples, plural
from ..task.problems import Problem
from ..task.reading_options import Reading
from .table_layout import TableLayout
from .text_files import delimited, lines, opened
from .white_space import StrippedValues, has_white_space, read_quoted

_BLOCK = 1 << 24


def text_table(
    layout: TableLayout,
    *,
    text: Collection[str] | None = None,
    stripped: StrippedValues | None = None,
    reading: Reading | None = None,
    notes: list[str] | None = None,
) -> pa.Table:
    """A CSV or TSV file.

    Args:
        layout: The file.
        text: Columns to keep as the text that the file has, blank fields as ''; default all.
        stripped: Counts the values that lose the white space around them; quoted ones keep it.
        reading: Whether lines of another length may be dropped; takes the problem. None: they are
            an error.
        notes: Takes the sentence that lines were dropped.
    """
    names = list(layout.names)
    text_columns = names if text is None else [name for name in names if name in text]
    uneven = list[object]()

    def skip(row: object) -> str:
        uneven.append(row)
        return "skip"

    try:
        table = delimited(
            layout.path,
            layout.delimiter,
            columns=names,
            skip=layout.header_line,
            types=dict.fromkeys(text_columns, pa.string()),
            decimal=layout.decimal,
            on_uneven=skip,
        )
    except pa.ArrowException as error:
        if str(error).startswith(("Empty CSV", "Could not skip")):  # the header and no more
            return pa.table({name: pa.array([], pa.string()) for name in names})
        for _ in lines(layout.path):  # raises for the one that is no text, if that is the cause
            pass
        raise DataError(" ".join(str(error).split()), path=layout.path) from error
    if uneven:
        _report_uneven(layout, reading, notes)
    padded = [name for name in text_columns if has_white_space(table[name])]
    return _strip_columns(table, padded, layout, stripped or StrippedValues()) if padded else table


def _report_uneven(layout: TableLayout, reading: Reading | None, notes: list[str] | None) -> None:
    """Lines with another number of fields than the header, which are not in the table."""
    width, uneven = len(layout.names), layout.uneven_lines()
    number, line = uneven[0] if uneven else (0, "")
    message = (
        f"this line has {layout.count_fields(line)} fields, the header has {width}: {line[:60]!r}."
    )
    if reading is None:
        raise DataError(message, path=layout.path, line=number)
    allowed = reading.options.bad_rows == "drop"
    numbers = np.array([number for number, _ in uneven], np.int64)
    problem = reading.problems.add(
        Problem(
            "uneven line",
            message,
            str(layout.path),
            numbers - 1,
            numbers,
            pa.array([text[:200] for _, text in uneven], pa.large_string()),
            option="--bad-rows drop",
            outcome="dropped" if allowed else "",
        )
    )
    if allowed and notes is not None:
        shown = examples((f"line {n}" for n in numbers[:3]), problem.count)
        count = plural(problem.count, "line")
        notes.append(dropped(f"{count} of {layout.path.name} of another length dropped: {shown}."))


def _strip_columns(
    table: pa.Table, padded: list[str], layout: TableLayout, stripped: StrippedValues
) -> pa.Table:
    """A table without white space around the values of some columns, except quoted ones."""
    with opened(layout.path) as stream:
        has_quotes = any(b'"' in block for block in iter(lambda: stream.read(_BLOCK), b""))
    values = {}
    if has_quotes:
        with opened(layout.path) as stream:
            text = stream.read().decode("utf-8-sig")
        values = read_quoted(
            text,
            layout.delimiter,
            path=layout.path,
            names=layout.names,
            header_lines=layout.header_line,
        )
        if len(values[padded[0]][0]) != len(table):
            raise DataError("the quotes of this table do not match up.", path=layout.path)
    for name in padded:
        column, quoted = table[name].combine_chunks(), None
        if has_quotes:
            column, quoted = pa.array(values[name][0], pa.string()), values[name][1]
        place = table.column_names.index(name)
        table = table.set_column(place, name, stripped.strip_column(column, keep=quoted))
    return table
