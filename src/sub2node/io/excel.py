"""Excel workbooks (.xlsx, ECMA-376): one sheet as a table. XML with entities is refused."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import compress
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element, ParseError, fromstring

import pyarrow as pa

from ..base.errors import DataError
from ..base.notes import doubtful
from ..base.plural import examples
from ..base.regular_files import require_regular_file
from ..task.column_names import NEEDED, column_in
from .expansion import check_archive
from .header_names import count_title_lines, title_note, unique_columns

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_DATES = {*range(14, 23), 45, 46, 47}  # number formats of dates that every workbook has
_LITERAL = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')  # what a number format shows as it is
_HEAD = 20  # rows among which the header is
_Row = list["str | float | None"]
_ERRORS = (zipfile.BadZipFile, zlib.error, ParseError, LookupError, ValueError, RuntimeError)


def read_excel(
    path: Path,
    what: str,
    columns: Mapping[str, str] | None = None,
    *,
    is_text: Callable[[str, Sequence[str]], bool],
    notes: list[str] | None = None,
    lines: list[int] | None = None,
) -> pa.Table:
    """The sheet that is called as a table, else the first with its columns, else the first.

    The header is its first row, below lines of a title. Merged cells have one value.

    Args:
        path: The workbook.
        what: What the rows are, as "edges".
        columns: The user's column for ours.
        is_text: Says of a column, by its name and those of all, whether it stays text.
        notes: Takes what is not as one may expect.
        lines: Takes the number of each row in its sheet, from 1.
    """
    columns, notes = columns or {}, [] if notes is None else notes
    try:
        check_archive(path, require_regular_file(path))
        with zipfile.ZipFile(path) as archive:
            workbook = _Workbook.opened(archive)
            numbers, rows = _choose_sheet(workbook, what, columns, notes, path)
    except (*_ERRORS, ArithmeticError) as error:
        raise DataError(f"this is no whole Excel workbook ({error}).", path=path) from error
    if not rows:
        raise DataError("the sheet is empty.", path=path)
    texts = [["" if value is None else _text(value) for value in row] for row in rows[:_HEAD]]
    if count := count_title_lines(texts):
        notes.append(title_note(path, texts[:count]))
    width = max(len(row) for row in rows[count:])
    header = [*texts[count], *[""] * width][:width]
    names, name_notes = unique_columns(header, what, columns, path)
    notes += name_notes
    if lines is not None:
        lines += numbers[count + 1 :]
    values = [(row + [None] * width)[:width] for row in rows[count + 1 :]]
    cells = list(zip(*values, strict=True)) if values else [()] * width
    used = [bool(title) or any(v is not None for v in column)
            for title, column in zip(header, cells, strict=True)]  # fmt: skip
    names, cells = list(compress(names, used)), list(compress(cells, used))
    kinds = [is_text(name, names) for name in names]
    return pa.table(list(map(_column, cells, kinds)), names=names)


def tables_of_workbook(path: Path, columns: Mapping[str, str] | None = None) -> set[str]:
    """The tables that a workbook has a sheet for: one that is called so, or has its columns.

    Edges, members and labels are found by their columns too. None where the workbook is damaged.

    Args:
        path: The workbook.
        columns: The user's column for ours.
    """
    try:
        check_archive(path, require_regular_file(path))
        with zipfile.ZipFile(path) as archive:
            workbook = _Workbook.opened(archive)
            found = {name.lower() for name in workbook.targets} & NEEDED.keys()
            sheets = [workbook.filled_rows(name)[1] for name in workbook.targets]
    except (*_ERRORS, ArithmeticError):
        return set()
    by_columns = ("edges", "members", "labels")
    return found | {what for what in by_columns
                    if any(_fits(rows, what, columns or {}) for rows in sheets)}  # fmt: skip


def _choose_sheet(
    workbook: _Workbook, what: str, columns: Mapping[str, str], notes: list[str], path: Path
) -> tuple[list[int], list[_Row]]:
    """The rows that have a value of the sheet of a table, and their numbers."""
    names = list(workbook.targets)
    called = [name for name in names if name.lower() == what]
    if called or len(names) == 1:
        return workbook.filled_rows((called or names)[0])
    read = {name: workbook.filled_rows(name) for name in names}
    fitting = [name for name in names if _fits(read[name][1], what, columns)]
    name = (fitting or names)[0]
    others = [repr(other) for other in names if other != name]
    shown = examples(others, len(others))
    text = f"the {what} are read from the sheet {name!r} of {path.name}, not from {shown}"
    notes.append(doubtful(f"{text}; call a sheet '{what}' to choose it."))
    return read[name]


def _fits(rows: Sequence[_Row], what: str, columns: Mapping[str, str]) -> bool:
    """Whether the header of a sheet has the columns that a table needs."""
    texts = [["" if value is None else _text(value) for value in row] for row in rows[:_HEAD]]
    count = count_title_lines(texts)
    needed = NEEDED.get(what, ())
    header = texts[count] if len(texts) > count else []
    return bool(header) and all(column_in(header, ours, what, columns) for ours in needed)


def _column(values: Sequence[object], text: bool) -> pa.Array:
    if not text and all(value is None or isinstance(value, float) for value in values):
        return pa.array(values, pa.float64())
    return pa.array([None if value is None else _text(value) for value in values], pa.string())


def _text(value: object) -> str:
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return str(int(value)) if whole else str(value).strip()  # type: ignore[call-overload]


def _parse(archive: zipfile.ZipFile, name: str) -> Element:
    content = archive.read(name)
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content or b"\0" in content:
        raise ValueError(f"{name} declares entities, which no workbook needs")
    return fromstring(content)


def _texts(item: Element | None) -> str:
    """The text of an item, plain or in runs, without phonetic hints."""
    parts = [] if item is None else [item, *item.findall(f"{_MAIN}r")]
    return "".join(part.findtext(f"{_MAIN}t") or "" for part in parts)


class _Workbook(NamedTuple):
    """An open workbook: the file of each sheet by its name, texts, formats of dates."""

    archive: zipfile.ZipFile
    targets: dict[str, str]
    shared: list[str]
    dates: set[int]
    day_zero: datetime

    @classmethod
    def opened(cls, archive: zipfile.ZipFile) -> _Workbook:
        """The workbook of an archive."""
        root = _parse(archive, "xl/workbook.xml")
        links = {one.get("Id"): one for one in _parse(archive, "xl/_rels/workbook.xml.rels")}
        targets = {}
        for one in root.findall(f"{_MAIN}sheets/{_MAIN}sheet"):
            target = links[one.get(_LINK)].get("Target", "")
            file = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
            targets[one.get("name", "").strip()] = file
        shared, dates, there = list[str](), set[int](), archive.namelist()
        if "xl/sharedStrings.xml" in there:
            shared = [_texts(one) for one in _parse(archive, "xl/sharedStrings.xml")]
        if "xl/styles.xml" in there:
            styles, kinds = _parse(archive, "xl/styles.xml"), set(_DATES)
            for one in styles.iter(f"{_MAIN}numFmt"):
                if re.search("[dmyhDMYH]", _LITERAL.sub("", one.get("formatCode", ""))):
                    kinds.add(int(one.get("numFmtId", 0)))
            cells = styles.findall(f"{_MAIN}cellXfs/{_MAIN}xf")
            dates = {i for i, cell in enumerate(cells) if int(cell.get("numFmtId", 0)) in kinds}
        facts = root.find(f"{_MAIN}workbookPr")
        since_1904 = facts is not None and facts.get("date1904") in ("1", "true")
        day_zero = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30)
        return cls(archive, targets, shared, dates, day_zero)

    def filled_rows(self, name: str) -> tuple[list[int], list[_Row]]:
        """The rows of a sheet that have a value, and their numbers."""
        root = _parse(self.archive, self.targets[name])
        numbers, rows = list[int](), list[_Row]()
        for row in root.iter(f"{_MAIN}row"):
            number = int(row.get("r") or (numbers[-1] + 1 if numbers else 1))
            values = _Row()
            for cell in row.findall(f"{_MAIN}c"):
                place = _column_number(cell.get("r", ""))
                values += [None] * (place - 1 - len(values))
                values.append(_value(cell, self))
            numbers.append(number)
            rows.append(values)
        _fill_merged(root, dict(zip(numbers, rows, strict=True)))
        filled = [at for at, row in enumerate(rows) if any(value is not None for value in row)]
        return [numbers[at] for at in filled], [rows[at] for at in filled]


def _column_number(reference: str) -> int:
    """The number of the column of a cell, from 1, as 28 for AB7; 0 where there is no reference."""
    place = 0
    for letter in re.findall("[A-Z]", reference[:3]):
        place = 26 * place + ord(letter) - 64
    return place


def _fill_merged(root: Element, rows: Mapping[int, _Row]) -> None:
    """Give the cells below the first one of a merged column its value; titles stay as they are."""
    for merged in root.iter(f"{_MAIN}mergeCell"):
        first, _, last = merged.get("ref", "").partition(":")
        place, top, bottom = (
            _column_number(first),
            *(int(re.sub("[^0-9]", "", cell) or 0) for cell in (first, last)),
        )
        if _column_number(last) != place or top not in rows or len(rows[top]) < place:
            continue
        for number in range(top + 1, min(bottom, max(rows)) + 1):
            if (row := rows.get(number)) is not None and any(value is not None for value in row):
                row += [None] * (place - len(row))
                row[place - 1] = rows[top][place - 1] if row[place - 1] is None else row[place - 1]


def _value(cell: Element, workbook: _Workbook) -> str | float | None:
    kind, text = cell.get("t", "n"), cell.findtext(f"{_MAIN}v") or ""
    if kind == "inlineStr":
        text = _texts(cell.find(f"{_MAIN}is"))
    if not text or kind == "e":  # an error, as #N/A
        return None
    if kind == "s":
        text = workbook.shared[int(text)]
    elif kind == "b":
        text = "true" if text == "1" else "false"
    elif kind == "n" and int(cell.get("s", 0)) not in workbook.dates:
        return float(text)
    elif kind == "n":
        text = (workbook.day_zero + timedelta(days=float(text))).isoformat()
    return text.removesuffix("T00:00:00") or None
