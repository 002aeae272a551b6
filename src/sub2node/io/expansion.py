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
_allowed: ContextVar[int] = ContextVar("always_allowed", default=ALWAYS_ALLOWED)


@contextmanager
def expansion_limit(times: float | None, *, least: int | None = None) -> Iterator[None]:
    """Inputs that are read inside may expand to so many times their size; None: as usual.

    Args:
        times: How many times.
        least: Bytes that any of them may expand to; None: as usual.
    """
    if times is not None and not 1 <= times < float("inf"):
        raise ConfigError(f"--max-expansion is a number from 1, found {times:g}.")
    token = _times.set(_times.get() if times is None else times)
    least_token = _allowed.set(_allowed.get() if least is None else least)
    try:
        yield
    finally:
        _times.reset(token)
        _allowed.reset(least_token)


def allowed_bytes(size: int, *, least: int | None = None) -> int:
    """Bytes to which a file of this size may expand; ``least`` in any case."""
    return max(_allowed.get() if least is None else least, int(_times.get() * size))


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
    least: int | None = None,
) -> None:
    """Raise where the columns of a Parquet file are too large in memory, before they are read.

    Args:
        source: The file, of which mostly the end is read.
        size: Its number of bytes.
        path: Its path, for the message.
        least: Bytes that are always allowed; None: as usual.
    """
    most = allowed_bytes(size, least=least)
    with pq.ParquetFile(source) as file:
        # Not the metadata of columns: Arrow ends the process where those are damaged.
        groups = [file.metadata.row_group(g).num_rows for g in range(file.num_row_groups)]
        leaves = [file.schema.column(number) for number in range(file.metadata.num_columns)]
    rows = max(sum(groups), file.metadata.num_rows)
    is_plain = [leaf.physical_type in _WIDTHS and not leaf.max_repetition_level for leaf in leaves]
    plain = [leaf for leaf, fixed in zip(leaves, is_plain, strict=True) if fixed]
    others = [leaf.path for leaf, fixed in zip(leaves, is_plain, strict=True) if not fixed]
    total = rows * sum(_WIDTHS[leaf.physical_type] for leaf in plain)
    if total > most or (others and _is_larger(source, others, most - total)):
        raise _too_large(path, most)


def _is_larger(source: Path | pa.NativeFile, columns: list[str], most: int) -> bool:
    """Whether columns of text or lists need more bytes than this.

    One long text may stand in many rows: only the distinct texts and their places are read.
    """
    total = 0
    with pq.ParquetFile(source, read_dictionary=columns) as file:
        for batch in file.iter_batches(columns=columns):
            total += sum(map(_dense_bytes, batch.columns))
            if total > most:
                return True
    return False


def _dense_bytes(values: pa.Array) -> int:
    """Bytes of an array of text or lists without its sharing of equal texts."""
    while isinstance(values, pa.ListArray | pa.LargeListArray):
        values = values.flatten()
    if not isinstance(values, pa.DictionaryArray):
        return int(values.nbytes)
    lengths = np.asarray(pc.binary_length(values.dictionary).fill_null(0), np.int64)
    places = np.asarray(values.indices.drop_null(), np.int64)
    if not (places.view(np.uint64) < len(lengths)).all():
        raise pa.ArrowInvalid("a value is outside of the dictionary of its column")
    return int(lengths[places].sum()) + 4 * len(places)
