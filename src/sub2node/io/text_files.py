"""Text files as they come: gzip or not, any line ends, a byte-order mark, or not text at all."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, cast

import pyarrow as pa
import pyarrow.csv as pacsv

from ..base import progress
from ..base.errors import DataError
from ..base.regular_files import require_regular_file
from ..task.frames import check_unique_columns
from .expansion import ExpansionReader
from .white_space import StrippedValues, has_white_space, read_quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from _typeshed import WriteableBuffer

_BLOCK = 1 << 24  # bytes parsed together; no field may be longer
_OLD_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_MAGIC = {
    b"PK\x03\x04": "a zip archive (PyTorch files are such)",
    b"PAR1": "a Parquet file",
    b"\x93NUMPY": "a NumPy file",
    b"\x89HDF": "an HDF5 file",
    b"\x80": "a pickle",
}


class _ProgressReader(io.RawIOBase):
    """A file that reports how much of it has been read."""

    def __init__(self, raw: IO[bytes], path: Path) -> None:
        self._raw, self._what, self._total = raw, f"Reading {path.name}", path.stat().st_size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        data = self._raw.read(len(view))
        view[: len(data)] = data
        progress.step(self._what, self._raw.tell(), self._total)
        return len(data)


@contextmanager
def opened(path: Path, content: bytes | None = None) -> Iterator[IO[bytes]]:
    """The bytes of a text file, unpacked if it is gzip; errors of the file become a DataError.

    Args:
        path: The file to read.
        content: Its unpacked bytes, where they have been read already; the file is not opened.
    """
    if content is not None:
        yield io.BytesIO(content)
        return
    size = require_regular_file(path)
    try:
        with path.open("rb") as raw:
            packed = raw.peek(2)[:2] == b"\x1f\x8b"
            stream: IO[bytes] = io.BufferedReader(_ProgressReader(raw, path), buffer_size=1 << 20)
            if packed:
                unpacked = cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
                stream = io.BufferedReader(ExpansionReader(unpacked, path, size), 1 << 20)
            yield stream
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError("the gzip file is truncated or damaged.", path=path) from error
    except PermissionError as error:
        raise DataError("the file may not be read.", path=path) from error


def first_line(path: Path, *, content: bytes | None = None) -> str:
    """The first line with something on it; raises if the file is empty or not text."""
    with opened(path, content) as stream:
        head = stream.read(1 << 16)
    for magic, what in _MAGIC.items():
        if head.startswith(magic):
            raise DataError(
                f"this is {what}, expected plain text; it was not opened, for safety.", path=path
            )
    if b"\0" in head:
        raise DataError("this is a binary file, expected plain text.", path=path)
    text = head.decode("utf-8-sig", errors="replace").strip()
    if not text:
        raise DataError("the file is empty.", path=path)
    return text.splitlines()[0]


def raw_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Lines with their ends, which may be those of Unix, Windows or an old Mac."""
    for line in stream:
        if b"\r" in line.removesuffix(b"\r\n"):
            yield from _OLD_LINE.findall(line)
        else:
            yield line


def lines(path: Path, *, content: bytes | None = None) -> Iterator[tuple[int, str]]:
    """Every line with something on it, and its number from 1; slow, for what must be explained."""
    with opened(path, content) as stream:
        for number, raw in enumerate(raw_lines(stream), 1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                raise DataError("this line is not UTF-8 text.", path=path, line=number) from None
            if line.strip():
                yield number, line


def delimited(
    path: Path,
    delimiter: str,
    *,
    columns: Sequence[str] | None = None,
    types: dict[str, pa.DataType] | None = None,
    skip: int = 0,
    quoted: bool = True,
    content: bytes | None = None,
) -> pa.Table:
    """A delimited text file as an Arrow table.

    Args:
        path: The file to read.
        delimiter: The character between fields.
        columns: Names of the columns where the file has no header line.
        types: Arrow types by column; others are inferred.
        skip: Number of lines to skip at the start.
        quoted: Whether double quotes may surround a value.
        content: The unpacked bytes of the file, where they have been read already.

    Raises:
        pyarrow.ArrowInvalid: The lines do not fit; the caller finds out which.
    """
    with opened(path, content) as stream:
        # A single block has no use for threads, and Arrow's may abort a process that has torch
        # loaded and ends right after, as one does that refuses the next file.
        threads = path.stat().st_size > _BLOCK or path.suffix == ".gz"
        options = {"column_names": columns, "skip_rows": skip, "block_size": _BLOCK}
        return pacsv.read_csv(
            stream,
            read_options=pacsv.ReadOptions(use_threads=threads, **options),
            parse_options=pacsv.ParseOptions(
                delimiter=delimiter, quote_char='"' if quoted else False
            ),
            convert_options=pacsv.ConvertOptions(column_types=types),
        )


def text_table(
    path: Path,
    delimiter: str,
    *,
    text: Collection[str] | None = None,
    stripped: StrippedValues | None = None,
) -> pa.Table:
    """A CSV or TSV file with a header line.

    Args:
        path: The file to read.
        delimiter: The character between fields.
        text: Columns to keep as the text that the file has, blank fields as ''; default all.
        stripped: Counts the values that lose the white space around them; quoted ones keep it.
    """
    first_line(path)
    skip, header = next(lines(path))
    try:
        names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter))]
    except csv.Error as error:
        raise DataError(f"the header cannot be read: {error}.", path=path, line=skip) from None
    check_unique_columns(names, path.stem, path)
    text_columns = names if text is None else [name for name in names if name in text]
    try:
        table = delimited(
            path,
            delimiter,
            columns=names,
            skip=skip,
            types=dict.fromkeys(text_columns, pa.string()),
        )
    except pa.ArrowException as error:
        if str(error).startswith(("Empty CSV", "Could not skip")):  # the header and no more
            return pa.table({name: pa.array([], pa.string()) for name in names})
        reason = _find_ragged_line(path, delimiter, header) or " ".join(str(error).split())
        raise DataError(reason, path=path) from error
    padded = [name for name in text_columns if has_white_space(table[name])]
    if padded:
        layout = TableLayout(path, delimiter, tuple(names), skip)
        table = _strip_columns(table, padded, layout, stripped or StrippedValues())
    return table


class TableLayout(NamedTuple):
    """A delimited file with a header: its columns, and the line that the header ends with."""

    path: Path
    delimiter: str
    names: tuple[str, ...]
    header_line: int


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


def _find_ragged_line(path: Path, delimiter: str, header: str) -> str | None:
    """Which line has another number of fields than the header, if one has."""
    expected = header.count(delimiter) + 1
    for number, line in lines(path):
        count = line.count(delimiter) + 1
        if count != expected and '"' not in line:
            return f"line {number} has {count} fields, the header has {expected}: {line[:60]!r}."
    return None
