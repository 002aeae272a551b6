"""Workbooks, read back by the definition of the format."""

from __future__ import annotations

import math
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sub2node.base.errors import DataError
from sub2node.io import xlsx_writer
from sub2node.io.xlsx_writer import open_workbook

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
CELLS = (
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False)
    | st.text(max_size=9) | st.sampled_from(["_x0041_", " a ", "\x07", "<&>\"'", "\n\t\r"])
)  # fmt: skip


def sheet_rows(path: Path) -> list[list[object]]:
    """The cells of the first sheet, as section 18.3.1.4 of ECMA-376 says that they are read."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            ElementTree.fromstring(archive.read(name))
        sheet = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
    return [list(map(cell_value, row)) for row in sheet.iter(f"{MAIN}row")]


def cell_value(cell: ElementTree.Element) -> object:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        text = cell.findtext(f"{MAIN}is/{MAIN}t") or ""
        return re.sub("_x([0-9A-F]{4})_", lambda match: chr(int(match[1], 16)), text)
    value = cell.findtext(f"{MAIN}v")
    if value is None:
        return None
    return value == "1" if kind == "b" else float(value)


def write(path: Path, *rows: list[object]) -> Path:
    with open_workbook(path) as workbook:
        workbook.write_rows(rows)
    return path


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(CELLS, max_size=4), max_size=4))
def test_what_is_written_is_read(tmp_path: Path, rows: list[list[object]]) -> None:
    wanted = [
        [None if isinstance(cell, float) and math.isinf(cell) else cell for cell in row]
        for row in rows
    ]
    assert sheet_rows(write(tmp_path / "a.xlsx", *rows)) == [
        [cell.replace("\r\n", "\n").replace("\r", "\n") if isinstance(cell, str) else cell
         for cell in row]
        for row in wanted
    ]  # fmt: skip


def test_every_part_is_declared(tmp_path: Path) -> None:
    with zipfile.ZipFile(write(tmp_path / "a.xlsx", ["x", math.nan])) as archive:
        names = archive.namelist()
        types = archive.read("[Content_Types].xml").decode()
        target = re.findall('Target="([^"]+)"', archive.read("xl/_rels/workbook.xml.rels").decode())
    assert names[0] == "[Content_Types].xml"
    assert target == ["worksheets/sheet1.xml"]
    for part in ("/xl/workbook.xml", "/xl/worksheets/sheet1.xml"):
        assert part in types
        assert part[1:] in names
    assert sheet_rows(tmp_path / "a.xlsx") == [["x", None]]


def test_what_excel_cannot_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="at most 32,767 characters, found 40,000"):
        write(tmp_path / "a.xlsx", ["x" * 40_000])
    monkeypatch.setattr(xlsx_writer, "MOST_ROWS", 2)
    with pytest.raises(DataError, match=r"at most 2 rows and 16,384 columns; write \.csv"):
        write(tmp_path / "a.xlsx", ["x"], ["x"], ["x"])
