"""Excel workbooks (.xlsx, ECMA-376): one sheet as a table. XML with entities is refused."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, fromstring

import pyarrow as pa

from ..base.errors import DataError
from ..base.regular_files import require_regular_file
from ..task.frames import check_unique_columns
from .expansion import check_archive

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_DATES = {*range(14, 23), 45, 46, 47}  # number formats of dates that every workbook has
_LITERAL = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')  # what a number format shows as it is
_ERRORS = (zipfile.BadZipFile, zlib.error, ParseError, LookupError, ValueError, RuntimeError)


def read_excel(
    path: Path, sheet: str, *, is_text: Callable[[str, Sequence[str]], bool]
) -> pa.Table:
    """The sheet of this name (in any case), else the first one; its first row is the header.

    ``is_text`` says of a column, by its name and those of all, whether it stays text.
    """
    size = require_regular_file(path)
    try:
        check_archive(path, size)
        with zipfile.ZipFile(path) as archive:
            rows = [row for row in _rows(archive, sheet) if any(v is not None for v in row)]
    except (*_ERRORS, ArithmeticError) as error:
        raise DataError(f"this is no whole Excel workbook ({error}).", path=path) from error
    if not rows:
        raise DataError("the sheet is empty.", path=path)
    names = ["" if name is None else _text(name) for name in rows[0]]
    check_unique_columns(names, path.stem, path)
    width = len(names)
    values = [(row + [None] * width)[:width] for row in rows[1:]]
    columns = zip(*values, strict=True) if values else [()] * width
    kinds = [is_text(name, names) for name in names]
    return pa.table(list(map(_column, columns, kinds)), names=names)


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


def _rows(archive: zipfile.ZipFile, sheet: str) -> Iterator[list[str | float | None]]:
    """The values of each row, None where a cell is empty."""
    sheets = _parse(archive, "xl/workbook.xml").findall(f"{_MAIN}sheets/{_MAIN}sheet")
    named = [one for one in sheets if one.get("name", "").strip().lower() == sheet] or sheets
    links = {one.get("Id"): one for one in _parse(archive, "xl/_rels/workbook.xml.rels")}
    target = links[named[0].get(_LINK)].get("Target", "")
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
    file = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
    for row in _parse(archive, file).iter(f"{_MAIN}row"):
        values: list[str | float | None] = []
        for cell in row.findall(f"{_MAIN}c"):
            place = 0
            for letter in re.findall("[A-Z]", cell.get("r", "")[:3]):
                place = 26 * place + ord(letter) - 64
            values += [None] * (place - 1 - len(values))
            values.append(_value(cell, shared, dates))
        yield values


def _value(cell: Element, shared: Sequence[str], dates: set[int]) -> str | float | None:
    kind, text = cell.get("t", "n"), cell.findtext(f"{_MAIN}v") or ""
    if kind == "inlineStr":
        text = _texts(cell.find(f"{_MAIN}is"))
    if not text or kind == "e":  # an error, as #N/A
        return None
    if kind == "s":
        text = shared[int(text)]
    elif kind == "b":
        text = "true" if text == "1" else "false"
    elif kind == "n" and int(cell.get("s", 0)) not in dates:
        return float(text)
    elif kind == "n":
        text = (datetime(1899, 12, 30) + timedelta(days=float(text))).isoformat()
    return text.removesuffix("T00:00:00") or None
