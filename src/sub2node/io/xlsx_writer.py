"""Tables as Excel workbooks (.xlsx, ECMA-376) with one sheet, row by row.

A workbook is a zip archive of XML files. Texts stand in their cells, so that nothing is kept in
memory until the end.
"""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from xml.sax.saxutils import escape

from ..base.errors import DataError

MOST_ROWS, MOST_COLUMNS, _LONGEST = 1_048_576, 16_384, 32_767
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)"
)
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_KIND}.worksheet+xml"/>'
        "</Types>"
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1"'
        f' Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1"'
        f' Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'
    ),
}


@contextmanager
def open_workbook(path: Path) -> Iterator[XlsxWriter]:
    """A workbook to write rows to.

    Args:
        path: The file to write.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _PARTS.items():
            archive.writestr(zipfile.ZipInfo(name), _HEAD + content)
        with archive.open(
            zipfile.ZipInfo("xl/worksheets/sheet1.xml"), "w", force_zip64=True
        ) as sheet:
            sheet.write(f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            yield XlsxWriter(sheet, path)
            sheet.write(b"</sheetData></worksheet>")


class XlsxWriter:
    """Writes rows of a sheet.

    Args:
        sheet: The sheet, open for writing.
        path: Its workbook, for errors.
    """

    def __init__(self, sheet: IO[bytes], path: Path) -> None:
        self._sheet, self._path, self._count = sheet, path, 0

    def write_rows(self, rows: Iterable[Sequence[object]]) -> None:
        """Write rows of texts, numbers, truths and None (an empty cell)."""
        for row in rows:
            self._count += 1
            if self._count > MOST_ROWS or len(row) > MOST_COLUMNS:
                limit = f"{MOST_ROWS:,} rows and {MOST_COLUMNS:,} columns"
                raise DataError(
                    f"a sheet of Excel has at most {limit}; write .csv or .parquet.",
                    path=self._path,
                )
            cells = "".join(map(self._cell, row))
            self._sheet.write(f"<row>{cells}</row>".encode())

    def _cell(self, value: object) -> str:
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            return "<c/>"
        if isinstance(value, bool):
            return f'<c t="b"><v>{int(value)}</v></c>'
        if isinstance(value, int | float):
            return f"<c><v>{value!r}</v></c>"
        text = _FORBIDDEN.sub(lambda match: f"_x{ord(match[0]):04X}_", str(value))
        if len(text) > _LONGEST:
            raise DataError(
                f"a cell of Excel has at most {_LONGEST:,} characters, found {len(text):,}; write"
                " .csv or .parquet.",
                path=self._path,
            )
        return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'
