"""White space around values of text files: stripped and counted, unless the value is quoted."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import DataError
from ..base.notes import Note, changed
from ..base.plural import examples, plural
from ..base.ragged import Array

_WHITE = "".join(c for c in map(chr, range(0x3001)) if c.isspace())  # what str.strip removes
_QUOTED = "\ud800"  # begins a quoted value while it is parsed; no text file can hold it
_KEPT = 3  # examples
_REST_OF_QUOTED = re.compile(r'(?:[^"]++|"")*+"')


@dataclass
class StrippedValues:
    """Values that lost the white space around them, counted over the files of an input."""

    count: int = 0
    _examples: list[str] = field(default_factory=list)

    def add(self, value: str) -> None:
        """Count a value, as it was before."""
        self.count += 1
        if len(self._examples) < _KEPT:
            self._examples.append(repr(value))

    def strip(self, value: str) -> str:
        """The value without white space around it, counted if there was some."""
        stripped = value.strip()
        if len(stripped) != len(value):
            self.add(value)
        return stripped

    def strip_column(self, column: pa.Array, *, keep: Array | None = None) -> pa.Array:
        """A text column without white space around its values.

        Args:
            column: Arrow text.
            keep: Values to leave as they are, where some are quoted; (n,).
        """
        stripped = pc.utf8_trim(column, characters=_WHITE)
        if _num_bytes(stripped) == _num_bytes(column):
            return column
        differs = np.asarray(pc.not_equal(stripped, column).fill_null(False))
        if keep is not None:
            differs &= ~keep
            stripped = pc.if_else(pa.array(keep), column, stripped)
        rows = np.flatnonzero(differs)
        for row in rows[:_KEPT].tolist():
            self.add(column[row].as_py())
        self.count += len(rows[_KEPT:])
        return stripped

    def notes(self) -> Iterator[Note]:
        """One sentence with the count and examples, if something was stripped."""
        if self.count:
            shown = examples(self._examples, self.count)
            yield changed(
                f"White space around {plural(self.count, 'value')} stripped: {shown}; double quotes"
                " around a value keep it."
            )


def _num_bytes(column: pa.Array) -> int:
    return pc.sum(pc.binary_length(column)).as_py() or 0


def has_white_space(column: pa.Array) -> bool:
    """Whether a value of a text column begins or ends with white space."""
    return _num_bytes(pc.utf8_trim(column, characters=_WHITE)) != _num_bytes(column)


def needed_quoting(table: pa.Table) -> str:
    """How Arrow is to quote a table, so that white space around values is kept when it is read."""
    kinds = (pa.string(), pa.large_string())
    texts = (column for column in table.columns if column.type in kinds)
    return "all_valid" if any(map(has_white_space, texts)) else "needed"


def mark_quoted(lines: Iterable[str], delimiter: str) -> Iterator[str]:
    """Lines for the csv module in which a mark begins each quoted value.

    White space between the quotes of a value and the delimiters goes.

    Args:
        lines: Lines with their ends, cut after every kind of line end.
        delimiter: The character between fields.
    """
    white = re.escape("".join(c for c in _WHITE if c not in delimiter + "\r\n"))
    opening, gap = re.compile(f'[{white}]*"'), re.compile(f"[{white}]*(?=[\r\n{delimiter}]|$)")
    inside = False
    for line in lines:
        if '"' not in line:
            yield line
            continue
        place, parts = 0, []
        while place < len(line):
            if not inside and (begin := opening.match(line, place)):
                parts.append('"' + _QUOTED)
                inside, place = True, begin.end()
            if inside:
                closing = _REST_OF_QUOTED.match(line, place)
                if closing is None:
                    break
                parts.append(closing[0])
                inside, place = False, closing.end()
                if after := gap.match(line, place):
                    place = after.end()
            end = line.find(delimiter, place) + 1 or len(line)
            parts.append(line[place:end])
            place = end
        yield "".join(parts) + line[place:]


def split_mark(value: str) -> tuple[str, bool]:
    """A value of a line that :func:`mark_quoted` gave, and whether it was quoted."""
    return (value[1:], True) if value.startswith(_QUOTED) else (value, False)


def read_quoted(
    text: str, delimiter: str, *, path: Path, names: Sequence[str], header_lines: int
) -> dict[str, tuple[list[str], Array]]:
    """Values of each column of a delimited text, and which of them are quoted.

    Args:
        text: The whole file.
        delimiter: The character between fields.
        path: The file, for error messages.
        names: Names of the columns.
        header_lines: Lines up to the end of the header.
    """
    lines = io.StringIO(text, newline="")
    for _ in range(header_lines):
        next(lines, "")
    rows = csv.reader(mark_quoted(lines, delimiter), delimiter=delimiter)
    values: list[list[str]] = [[] for _ in names]
    quoted: list[list[bool]] = [[] for _ in names]
    try:
        for row in rows:
            if len(row) != len(names):
                continue  # Arrow skipped it too, and said so
            for column, mark, value in zip(values, quoted, row, strict=True):
                plain, is_quoted = split_mark(value)
                column.append(plain)
                mark.append(is_quoted)
    except csv.Error as error:
        line = header_lines + rows.line_num
        raise DataError(f"this row cannot be read: {error}.", path=path, line=line) from None
    columns = zip(values, map(np.array, quoted), strict=True)
    return dict(zip(names, columns, strict=True))
