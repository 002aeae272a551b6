"""Files of tables that are too large to load: found, and rewritten as Parquet piece by piece."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from ..base import progress
from ..base.errors import DataError
from ..base.files import new_file
from ..io.elliptic2 import BACKGROUND_COLUMNS
from ..io.table_layout import TableLayout
from ..io.tables import DELIMITERS, PARQUET, suffix
from ..io.text_files import opened
from ..task.column_names import column_in

_BLOCK = 1 << 24  # bytes of text that are parsed together
_IDS = {"edges": ("source", "target"), "nodes": ("node_id",)}
_ELLIPTIC2 = {"background_edges": "edges", "background_nodes": "nodes"}


def find_large(folder: Path, stem: str) -> Path | None:
    """The table of this name: Parquet, a folder of Parquet files, or text; two are an error."""
    names = [stem, *(f"{stem}{end}" for end in (*PARQUET, *DELIMITERS))]
    matches = [folder / name for name in names if (folder / name).exists()]
    if len(matches) > 1:
        raise DataError(
            f"both {matches[0].name} and {matches[1].name} are in the folder; keep one.",
            path=folder,
        )
    return matches[0] if matches else None


def parquet_files(path: Path) -> list[Path]:
    """The files of a Parquet table: itself, or those of a folder."""
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*.parquet") if file.is_file())
    if not files:
        raise DataError("the folder has no Parquet files.", path=path)
    return files


def parquet_schema(path: Path) -> pa.Schema:
    """The columns of a Parquet table."""
    try:
        return pq.read_schema(parquet_files(path)[0])
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"this is no whole Parquet file ({reason}).", path=path) from error


def as_parquet(path: Path, work: Path, what: str, columns: Mapping[str, str]) -> Path:
    """The table as Parquet: the file itself, or what its text is rewritten to, in little memory.

    Args:
        path: A table that :func:`find_large` found.
        work: A folder to write into.
        what: What the rows are: "edges" or "nodes".
        columns: The user's column for ours.
    """
    if path.is_dir() or suffix(path) in PARQUET:
        return path
    return _rewritten(path, work / f"{what}.parquet", what, columns)


def _rewritten(path: Path, out: Path, what: str, columns: Mapping[str, str]) -> Path:
    """Text as Parquet; ids become numbers where all are plain ones, as in data that are loaded."""
    if out.exists():  # from before an interruption
        return out
    layout = TableLayout.sniff(path, DELIMITERS.get(suffix(path), ","), what, columns)
    ids = {column_in(layout.names, ours, what, columns) for ours in _IDS[what]}
    first = _types_of_first_block(layout)
    types = {name: pa.string() if name in ids else _lasting(first[name]) for name in first}
    try:
        try:
            _copy(layout, out, types, dict.fromkeys(filter(None, ids), pa.int64()))
        except _NotPlainError:
            _copy(layout, out, types, dict.fromkeys(filter(None, ids), pa.string()))
    except pa.ArrowInvalid as error:
        reason = " ".join(str(error).split())
        raise DataError(f"a line does not fit those before it ({reason}).", path=path) from None
    return out


class _NotPlainError(Exception):
    """An id is no number, or is not written as one: ``007`` is text."""


def _as_ids(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Ids as text without white space around them, or as the numbers that they are.

    Args:
        column: What the file says.
        kind: Text, or int64 where all ids so far were plain numbers.
    """
    text = pc.utf8_trim_whitespace(column)
    text = pc.if_else(pc.equal(text, ""), pa.scalar(None, text.type), text)
    if pa.types.is_string(kind):
        return text
    try:
        numbers = text.cast(pa.int64())
    except pa.ArrowInvalid:
        raise _NotPlainError from None
    if not numbers.cast(text.type).equals(text):
        raise _NotPlainError
    return numbers


def _lasting(kind: pa.DataType) -> pa.DataType:
    """The type of a column of which some values are known."""
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    return pa.float64() if number else pa.string()


@contextmanager
def _batches(
    layout: TableLayout, types: Mapping[str, pa.DataType] | None
) -> Iterator[pacsv.CSVStreamingReader]:
    options = pacsv.ReadOptions(
        column_names=list(layout.names), skip_rows=layout.header_line, block_size=_BLOCK
    )
    parsing = pacsv.ParseOptions(delimiter=layout.delimiter)
    converting = pacsv.ConvertOptions(column_types=types, decimal_point=layout.decimal)
    with opened(layout.path) as stream:
        yield pacsv.open_csv(
            stream, read_options=options, parse_options=parsing, convert_options=converting
        )


def _types_of_first_block(layout: TableLayout) -> dict[str, pa.DataType]:
    try:
        with _batches(layout, None) as reader:
            return {field.name: field.type for field in reader.schema}
    except pa.ArrowInvalid as error:
        reason = " ".join(str(error).split())
        raise DataError(f"this is no table of text ({reason}).", path=layout.path) from None


def _copy(
    layout: TableLayout,
    out: Path,
    types: Mapping[str, pa.DataType],
    ids: Mapping[str, pa.DataType],
) -> None:
    """Write the rows of a file, batch by batch.

    Args:
        layout: The file.
        out: What to write.
        types: The types of its columns; ids are text.
        ids: The types that ids get.
    """
    with _batches(layout, types) as reader, new_file(out) as part:
        schema = pa.schema([(name, ids.get(name, types[name])) for name in reader.schema.names])
        with pq.ParquetWriter(part, schema, compression="zstd", compression_level=1) as writer:
            for batch in reader:
                columns = [
                    _as_ids(column, ids[name]) if name in ids else column
                    for name, column in zip(schema.names, batch.columns, strict=True)
                ]
                writer.write_batch(pa.record_batch(columns, schema=schema))


def unpacked_archive(path: Path, work: Path, columns: Mapping[str, str]) -> Path:
    """The folder of a zip archive: large tables of text become Parquet on the way.

    Args:
        path: The archive.
        work: A folder to write into.
        columns: The user's column for ours.
    """
    if not zipfile.is_zipfile(path):
        raise DataError("an engine reads a folder of tables, or a zip archive of one.", path=path)
    out = work / "unpacked"
    out.mkdir(exist_ok=True)
    with zipfile.ZipFile(path) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        # Of no folder: nothing lands elsewhere.
        names = [PurePosixPath(entry.filename).name for entry in entries]
        if repeated := [name for name in names if names.count(name) > 1]:
            raise DataError(f"the archive has several files {repeated[0]!r}.", path=path)
        large = {what: what for what in _IDS}
        if any(_stem(name) in _ELLIPTIC2 for name in names):
            large, columns = _ELLIPTIC2, BACKGROUND_COLUMNS
        for number, (entry, name) in enumerate(zip(entries, names, strict=True)):
            progress.item("Unpacking", number, len(entries), name)
            stem = _stem(name)
            if stem in large and suffix(Path(name)) in DELIMITERS:
                _rewritten(path / entry.filename, out / f"{stem}.parquet", large[stem], columns)
            elif not (out / name).exists():
                with archive.open(entry) as packed, new_file(out / name) as part:
                    _copy_bytes(packed, part)
        progress.item("Unpacking", len(entries), len(entries))
    return out


def _stem(name: str) -> str:
    return name.partition(".")[0]


def _copy_bytes(source: IO[bytes], path: Path) -> None:
    with path.open("wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
