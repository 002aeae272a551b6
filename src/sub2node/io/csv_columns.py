"""Some columns of a large delimited file, read block by block; the others are not parsed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from ..base.errors import DataError
from ..base.ragged import Array
from .text_files import first_line, opened

IDS = pa.dictionary(pa.int32(), pa.string())  # each distinct text once
_BLOCK = 1 << 22  # bytes parsed together, a few blocks at a time


def header_of(path: Path, delimiter: str) -> list[str]:
    """The columns of a file with a header, which may begin with ``#``."""
    line = first_line(path).lstrip("#").rstrip("\r\n")
    return [name.strip().strip('"') for name in line.split(delimiter)]


def read_columns(
    path: Path,
    delimiter: str,
    wanted: Sequence[str],
    types: Mapping[str, pa.DataType],
    *,
    header: Sequence[str] | None = None,
    quoted: bool = False,
) -> pa.Table:
    """Some columns of a delimited file with a header line, plain or gzipped, in bounded memory.

    Args:
        path: The file to read.
        delimiter: The character between fields.
        wanted: The columns to read, in this order.
        types: Arrow types of these columns.
        header: What the columns are called instead of what the header says.
        quoted: Whether double quotes may surround a value.
    """
    names = list(header or header_of(path, delimiter))
    lacking = [name for name in wanted if name not in names]
    if lacking:
        raise DataError(f"the file has no column {lacking[0]!r}.", path=path, line=1)
    try:
        with (
            opened(path) as stream,
            pacsv.open_csv(  # ``read_csv`` would read most of the file ahead
                stream,
                read_options=pacsv.ReadOptions(column_names=names, skip_rows=1, block_size=_BLOCK),
                parse_options=pacsv.ParseOptions(
                    delimiter=delimiter, quote_char='"' if quoted else False
                ),
                convert_options=pacsv.ConvertOptions(
                    include_columns=list(wanted),
                    column_types={name: types[name] for name in wanted},
                    strings_can_be_null=False,
                ),
            ) as batches,
        ):
            return pa.Table.from_batches(batches, batches.schema)
    except pa.ArrowException as error:
        if str(error).startswith("Empty CSV"):  # the header and no more
            return pa.table({name: pa.array([], types[name]) for name in wanted})
        reason = " ".join(str(error).split())
        raise DataError(f"a line does not fit the header ({reason}).", path=path) from None


def common_codes(columns: Sequence[pa.ChunkedArray]) -> tuple[pa.Array, list[Array]]:
    """The distinct texts of some columns, sorted, and each column as positions among them.

    Args:
        columns: Columns of the type :data:`IDS`.
    """
    whole = [column.unify_dictionaries().combine_chunks() for column in columns]
    used = [column.dictionary.take(column.indices.unique()) for column in whole]
    ids = pa.concat_arrays(used).unique().sort()
    codes = []
    for column in whole:
        place = np.asarray(pc.index_in(column.dictionary, value_set=ids).fill_null(-1))
        codes.append(place.astype(np.int64)[np.asarray(column.indices)])
    return ids, codes
