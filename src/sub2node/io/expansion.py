"""Compressed inputs: how much they may expand to, before it is in memory."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..base.errors import ConfigError, DataError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_EXPANSION = 200.0  # ordinary tables reach 5 to 30, and repetitive ones 100
ALWAYS_ALLOWED = 1 << 30  # bytes that any input may expand to
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 12}
_times: ContextVar[float] = ContextVar("max_expansion", default=MAX_EXPANSION)


@contextmanager
def expansion_limit(times: float | None) -> Iterator[None]:
    """Inputs that are read inside may expand to so many times their size; None: as usual."""
    if times is not None and not 1 <= times < float("inf"):
        raise ConfigError(f"--max-expansion is a number from 1, found {times:g}.")
    token = _times.set(_times.get() if times is None else times)
    try:
        yield
    finally:
        _times.reset(token)


def allowed_bytes(size: int, *, least: int = ALWAYS_ALLOWED) -> int:
    """Bytes to which a file of this size may expand."""
    return max(least, int(_times.get() * size))


def _too_large(path: Path | None, most: int) -> DataError:
    return DataError(
        f"this file expands to more than {most:,} bytes ({_times.get():g} times its size); if you"
        " trust it, allow more with --max-expansion (max_expansion=…).",
        path=path,
    )


class ExpansionReader(io.RawIOBase):
    """Unpacked bytes of a file, which raises where they are too many."""

    def __init__(self, unpacked: IO[bytes], path: Path, size: int) -> None:
        self._unpacked, self._path = unpacked, path
        self._most = self._left = allowed_bytes(size)
        self._error = _too_large(path, self._most)  # here: Arrow reads on other threads

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read on."""
        view = memoryview(buffer)
        data = self._unpacked.read(len(view))
        self._left -= len(data)
        if self._left < 0:
            raise self._error
        view[: len(data)] = data
        return len(data)


def check_archive(path: Path, size: int) -> None:
    """Raise where the members of a zip archive (.npz) are too large together."""
    with zipfile.ZipFile(path) as archive:
        total = sum(member.file_size for member in archive.infolist())
    if total > allowed_bytes(size):
        raise _too_large(path, allowed_bytes(size))


def check_parquet(
    source: Path | pa.NativeFile,
    size: int,
    *,
    path: Path | None = None,
    least: int = ALWAYS_ALLOWED,
) -> None:
    """Raise where the columns of a Parquet file are too large in memory, before they are read.

    Args:
        source: The file, of which mostly the end is read.
        size: Its number of bytes.
        path: Its path, for the message.
        least: Bytes that are always allowed.
    """
    most = allowed_bytes(size, least=least)
    with pq.ParquetFile(source) as file:
        chunks = [
            file.metadata.row_group(group).column(column)
            for group in range(file.metadata.num_row_groups)
            for column in range(file.metadata.num_columns)
        ]
    total = sum(_least_bytes(chunk) for chunk in chunks)
    if total > most:
        raise _too_large(path, most)
    text = {
        chunk.path_in_schema
        for chunk in chunks
        if chunk.physical_type not in _WIDTHS
        and chunk.num_values * chunk.total_uncompressed_size > most - total
    }
    if text and total + _text_bytes(source, sorted(text)) > most:
        raise _too_large(path, most)


def _least_bytes(chunk: pq.ColumnChunkMetaData) -> int:
    """Bytes of the values of a column in memory; of text, at least."""
    width = _WIDTHS.get(chunk.physical_type, 4)
    return int(max(chunk.num_values * width, chunk.total_uncompressed_size))


def _text_bytes(source: Path | pa.NativeFile, columns: list[str]) -> int:
    """Bytes of columns of text, of which only the distinct values and their places are read."""
    total = 0
    with pq.ParquetFile(source, read_dictionary=columns) as file:
        for group in range(file.metadata.num_row_groups):
            for column in file.read_row_group(group, columns=columns).columns:
                total += sum(map(_dense_bytes, column.chunks))
    return total


def _dense_bytes(values: pa.Array) -> int:
    """Bytes of the text of an array whose distinct values are stored once."""
    while isinstance(values, pa.ListArray | pa.LargeListArray):
        values = values.flatten()
    if not isinstance(values, pa.DictionaryArray):
        return int(values.nbytes)
    lengths = np.asarray(pc.binary_length(values.dictionary).fill_null(0), np.int64)
    places = np.asarray(values.indices.drop_null(), np.int64)
    return int(lengths[places].sum())
