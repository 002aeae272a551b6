"""Text files as they come: packed or not, any line ends, a byte-order mark, or not text at all."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import pyarrow as pa
import pyarrow.csv as pacsv

from ..base import progress
from ..base.errors import DataError
from ..base.regular_files import require_regular_file
from .encodings import as_utf8
from .expansion import ExpansionReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from _typeshed import WriteableBuffer

_BLOCK = 1 << 24  # bytes parsed together; no field may be longer
_OLD_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ZSTD = b"\x28\xb5\x2f\xfd"
PACKED = (".gz", ".zst")  # endings of packed text files
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


class _ZstdReader:
    """Unpacked bytes of a Zstandard file."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._stream = pa.CompressedInputStream(pa.PythonFile(packed, mode="r"), "zstd")

    def read(self, size: int) -> bytes:
        """Up to so many bytes."""
        try:
            return bytes(self._stream.read(size))
        except OSError as error:
            raise EOFError(str(error)) from error


@contextmanager
def opened(path: Path, content: bytes | None = None) -> Iterator[IO[bytes]]:
    """The bytes of a text file as UTF-8, unpacked; errors of the file become a DataError.

    Args:
        path: The file to read; one inside of a zip archive follows the path of the archive.
        content: Its unpacked bytes, where they have been read already; the file is not opened.
    """
    if content is not None:
        yield io.BytesIO(content)
        return
    archive = next((p for p in path.parents if p.suffix.lower() == ".zip" and p.is_file()), None)
    if archive is not None:
        with _opened_inside(archive, path) as inside:
            yield inside
        return
    size = require_regular_file(path)
    try:
        with path.open("rb") as raw:
            stream = io.BufferedReader(_ProgressReader(raw, path), buffer_size=1 << 20)
            if (packed := _unpacked(stream)) is None:
                yield as_utf8(stream, path)
            else:
                limited = io.BufferedReader(ExpansionReader(packed, path, size), 1 << 20)
                yield as_utf8(limited, path)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"the {_packing(path)} file is truncated or damaged.", path=path) from error
    except PermissionError as error:
        raise DataError("the file may not be read.", path=path) from error


def _unpacked(stream: io.BufferedReader[Any]) -> IO[bytes] | None:
    """The unpacked bytes of a stream, None where it is not packed."""
    head = stream.peek(4)[:4]
    if head[:2] == b"\x1f\x8b":
        return cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
    return cast("IO[bytes]", _ZstdReader(stream)) if head == _ZSTD else None


def _buffered(stream: IO[bytes]) -> io.BufferedReader[Any]:
    return io.BufferedReader(cast("io.RawIOBase", stream), 1 << 20)


@contextmanager
def _opened_inside(archive: Path, path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file of a zip archive, which are not limited: they are read piece by piece."""
    try:
        with zipfile.ZipFile(archive) as files, files.open(str(path.relative_to(archive))) as file:
            stream = _buffered(file)
            unpacked = _unpacked(stream)
            yield as_utf8(stream if unpacked is None else _buffered(unpacked), path)
    except (zipfile.BadZipFile, KeyError, EOFError, zlib.error, NotImplementedError) as error:
        raise DataError("the zip archive is truncated or damaged.", path=archive) from error
    except RuntimeError as error:  # of zipfile, where a password is needed
        raise DataError("the zip archive is encrypted.", path=archive) from error


def _packing(path: Path) -> str:
    return "zstd" if path.suffix.lower() == ".zst" else "gzip"


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
    decimal: str = ".",
    on_uneven: Callable[[object], str] | None = None,
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
        decimal: The decimal mark of numbers.
        on_uneven: Called for a line of another length than the header; says "skip" or "error".

    Raises:
        pyarrow.ArrowInvalid: The lines do not fit; the caller finds out which.
    """
    with opened(path, content) as stream:
        # A single block has no use for threads, and Arrow's may abort a process that has torch
        # loaded and ends right after, as one does that refuses the next file.
        threads = path.stat().st_size > _BLOCK or path.suffix in PACKED
        options = {"column_names": columns, "skip_rows": skip, "block_size": _BLOCK}
        return pacsv.read_csv(
            stream,
            read_options=pacsv.ReadOptions(use_threads=threads, **options),
            parse_options=pacsv.ParseOptions(
                delimiter=delimiter,
                quote_char='"' if quoted else False,
                invalid_row_handler=on_uneven,
            ),
            convert_options=pacsv.ConvertOptions(column_types=types, decimal_point=decimal),
        )
