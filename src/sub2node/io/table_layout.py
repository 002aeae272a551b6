"""How a delimited text file is laid out: delimiter, header and decimal mark, found by looking."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..base.errors import DataError
from ..base.notes import changed
from ..base.plural import plural
from ..base.ragged import Array
from ..task.column_names import ALIASES, NEEDED, column_in
from ..task.member_pairs import read_signs
from .header_names import common_width, count_title_lines, fit_header, title_note, unique_columns
from .text_files import first_line, lines, opened

_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "'|'", " ": "spaces"}
_SAMPLE = 200  # lines that are looked at
_HEAD = 1 << 16  # bytes of them
# Tables that may come without a header, and what their columns are then.
_HEADLESS = {
    "edges": ("source", "target", "weight"),
    "members": ("subgraph_id", "node_id", "weight", "excluded"),
    "labels": ("subgraph_id", "label"),  # if that is said
}
_COMMENT = "#"
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")
_DECIMAL_POINT = re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d*)?(?:[eE][+-]?\d+)?")


class TableLayout(NamedTuple):
    """A delimited file.

    Args:
        path: The file.
        delimiter: The character between fields.
        names: The columns.
        header_line: The line before that of the first row; 0: there is none.
        decimal: The decimal mark of numbers.
        notes: What is not as the ending of the file says.
        is_plain: Whether it begins with a header as it stands.
    """

    path: Path
    delimiter: str
    names: tuple[str, ...]
    header_line: int
    decimal: str = "."
    notes: tuple[str, ...] = ()
    is_plain: bool = True

    @classmethod
    def of_header(cls, path: Path, delimiter: str) -> TableLayout:
        """A file with a header line, whose delimiter is known."""
        first_line(path)
        line, header = next(lines(path))
        return cls(path, delimiter, tuple(_header_names(header, delimiter, path, line)), line)

    @classmethod
    def sniff(
        cls,
        path: Path,
        delimiter: str,
        what: str,
        columns: Mapping[str, str],
        *,
        no_header: bool = False,
    ) -> TableLayout:
        """The layout of a table, by its first lines.

        Args:
            path: The file.
            delimiter: What its ending says.
            what: What the rows are, as "edges".
            columns: The user's column for ours.
            no_header: Whether a table that names no column of ours has no header.
        """
        first_line(path)
        comments, line = _leading_comments(path)
        sample, notes = _first_lines(path, len(comments)), list[str]()
        titles, sniffed = _split_titles(sample, delimiter, what, columns)
        sample = sample[len(titles) :]
        if sniffed != delimiter:
            notes.append(changed(f"{path.name} is read as separated by {_DELIMITERS[sniffed]}."))
        if header := _commented_header(comments, sniffed, what, columns):
            line, _ = comments.pop()
            sample = [header, *sample]
        if comments:
            count = plural(len(comments), "comment line")
            notes.append(changed(f"{count} at the beginning of {path.name} skipped."))
        if titles:
            line = _number_of_line(path, len(comments) + len(titles))
            notes.append(title_note(path, titles))
        rows = [_fields(text, sniffed) for text in sample]
        names: Sequence[str] = _header_names(sample[0], sniffed, path, line)
        headless = _headless_columns(rows, what, columns, no_header=no_header)
        if headless:
            names, line = headless, comments[-1][0] if comments else 0
            shown = ", ".join(names)
            notes.append(changed(f"{path.name} has no header line; its columns are {shown}."))
        else:
            header_names = names
            names, name_notes = unique_columns(
                fit_header(names, rows[1:], what, columns), what, columns, path
            )
            notes += name_notes
        decimal = "."
        if sniffed != "," and (value := _decimal_comma(rows[not headless :])):
            decimal = ","
            notes.append(changed(f"{path.name} is read with decimal commas, as in {value!r}."))
        is_plain = not (comments or header or headless or titles) and names == header_names
        return cls(path, sniffed, tuple(names), line, decimal, tuple(notes), is_plain)

    def row_lines(self, rows: Array) -> Array:
        """The line of the file of each of these rows of the table, from 1."""
        found, row = {}, -1
        wanted = set(rows.tolist())
        for number, text in self._data_lines():
            if self.count_fields(text) == len(self.names):
                row += 1
                if row in wanted:
                    found[row] = number
                    if len(found) == len(wanted):
                        break
        return np.array([found.get(row, 0) for row in rows.tolist()], np.int64)

    def uneven_lines(self) -> list[tuple[int, str]]:
        """Lines with another number of fields than the header: number and text."""
        width = len(self.names)
        return [(n, text) for n, text in self._data_lines() if self.count_fields(text) != width]

    def _data_lines(self) -> Iterator[tuple[int, str]]:
        return ((n, text) for n, text in lines(self.path) if n > self.header_line)

    def count_fields(self, line: str) -> int:
        """Number of fields of a line."""
        if '"' in line:
            return len(_fields(line, self.delimiter))
        return line.count(self.delimiter) + 1


def find_delimiter(path: Path, delimiter: str) -> str:
    """The delimiter of a file by its first lines; that of its ending where these fit.

    Args:
        path: The file.
        delimiter: What its ending says.
    """
    return _find_delimiter(_first_lines(path), delimiter)


def _leading_comments(path: Path) -> tuple[list[tuple[int, str]], int]:
    """Lines that begin with # before all others, with their numbers, and the line after them.

    A file of nothing else has rows that begin so.
    """
    comments = list[tuple[int, str]]()
    for number, text in lines(path):
        if not text.startswith(_COMMENT):
            return comments, number
        comments.append((number, text))
    return [], comments[0][0]


def _split_titles(
    sample: Sequence[str], delimiter: str, what: str, columns: Mapping[str, str]
) -> tuple[list[list[str]], str]:
    """The values of lines before the header, and the delimiter of those after them.

    Lines are such where they have one value, which is no column of ours, and most lines have more.
    """
    sniffed = _find_delimiter(sample, delimiter)
    names = _fields(sample[0], sniffed)
    if any(column_in(names, ours, what, columns) for ours in NEEDED.get(what, ())):
        return [], sniffed
    for mark in dict.fromkeys((sniffed, *(mark for mark in _DELIMITERS if mark != " "))):
        rows = [_fields(text, mark) for text in sample]
        count = count_title_lines(rows)
        width = len(rows[count])  # without the blank value at the end of rows
        if count and width > 1 and common_width(rows[count:]) in (width, width + 1):
            return rows[:count], _find_delimiter(sample[count:], mark)
    return [], sniffed


def _number_of_line(path: Path, place: int) -> int:
    """The number of the line at this place among those that have something on them."""
    return next(islice(lines(path), place, None))[0]


def _commented_header(
    comments: Sequence[tuple[int, str]], delimiter: str, what: str, columns: Mapping[str, str]
) -> str:
    """The header that the last of some comments is, without its mark; '' if it is none."""
    text = comments[-1][1].lstrip(f"{_COMMENT} ") if comments else ""
    ours = (*NEEDED.get(what, ()), *_HEADLESS.get(what, ()))
    names = _fields(text, delimiter) if text else []
    return text if any(column_in(names, name, what, columns) for name in ours) else ""


def _header_names(header: str, delimiter: str, path: Path, line: int) -> list[str]:
    try:
        return [name.strip() for name in next(csv.reader([header], delimiter=delimiter))]
    except csv.Error as error:
        raise DataError(f"the header cannot be read: {error}.", path=path, line=line) from None


def _fields(line: str, delimiter: str) -> list[str]:
    try:
        return [field.strip() for field in next(csv.reader([line], delimiter=delimiter))]
    except csv.Error:
        return [line]


def _first_lines(path: Path, skipped: int = 0) -> list[str]:
    """Lines with something on them, from the start of a file after some; the first is there."""
    with opened(path) as stream:
        head = stream.read(_HEAD)
    texts = head.decode("utf-8-sig", errors="replace").splitlines()
    if len(head) == _HEAD and len(texts) > 1:
        texts.pop()  # which is cut
    filled = [text for text in texts if text.strip()][skipped : skipped + _SAMPLE]
    if not filled:
        raise DataError(f"it begins with {skipped:,} lines of comments, too many.", path=path)
    return filled


def _find_delimiter(sample: Sequence[str], delimiter: str) -> str:
    """Of the delimiters that cut all lines alike, the one that cuts most; else of the header.

    Spaces are one where nothing else cuts any line.
    """
    candidates = [delimiter, *(mark for mark in _DELIMITERS if mark not in (delimiter, " "))]
    best, most = delimiter, 1
    for mark in candidates:
        widths = {len(_fields(text, mark)) for text in sample}
        if len(widths) == 1 and (width := widths.pop()) > most:
            best, most = mark, width
    if most > 1 or delimiter in sample[0]:
        return best
    spaced = {len(_fields(text, " ")) for text in sample}
    if len(spaced) == 1 and spaced.pop() > 1:
        return " "
    return max(candidates, key=lambda mark: len(_fields(sample[0], mark)))


def _headless_columns(
    rows: Sequence[Sequence[str]], what: str, columns: Mapping[str, str], *, no_header: bool
) -> tuple[str, ...]:
    """The columns of a table that begins with its first row; () where that is a header.

    It is a row where it names no column of ours, and is all numbers or has an id that comes again,
    or that is said. Labels are headless only where it is.
    A third value that is no number, and a fourth one, say whether the node is excluded.
    """
    ours, first = _HEADLESS.get(what, ()), rows[0]
    if not 2 <= len(first) <= len(ours):
        return ()
    named = [column_in(first, name, what, columns) for name in ours]
    exact = {*ours, *columns.values(), *(other for name in ours for other in ALIASES[name])}
    ids = {value for row in rows[1:] for value in row[:2]}
    is_named = all(named[: len(NEEDED[what])]) and not ids & set(first[:2])
    if set(named) & exact or is_named:  # SRC, or U and V, may be genes
        return ()
    seems_row = all(_NUMBER.fullmatch(value) for value in first) or ids & set(first[:2])
    if not (no_header or (seems_row and what != "labels")):
        return ()
    has_weight = len(first) < 3 or bool(_NUMBER.fullmatch(first[2]))
    names = tuple(name for name in ours if has_weight or name != "weight")[: len(first)]
    if len(names) < len(first) or (names[-1] == "excluded" and not _are_signs(rows)):
        return ()
    return names


def _are_signs(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the last values of rows say that nodes are excluded or not."""
    words = pa.array([row[-1] for row in rows], pa.string())
    return not read_signs(words).null_count


def _decimal_comma(rows: Sequence[Sequence[str]]) -> str:
    """A number with a decimal comma, '' where numbers have none or points as well."""
    values = [value for row in rows for value in row]
    if any(_DECIMAL_POINT.fullmatch(value) for value in values):
        return ""
    return next((value for value in values if _DECIMAL_COMMA.fullmatch(value)), "")
