"""Tables written piece by piece: Parquet, CSV, TSV, JSONL or Excel."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..base.errors import ConfigError
from .xlsx_writer import open_workbook

ENDINGS = (".parquet", ".csv", ".tsv", ".jsonl", ".xlsx")
TableWriter = Callable[[pa.Table], None]
RowWriter = Callable[[Any], object]


@contextmanager
def open_table(path: Path, ending: str, schema: pa.Schema) -> Iterator[TableWriter]:
    """A file to write tables of one schema to, one after the other.

    In formats without lists, these are joined by semicolons.

    Args:
        path: The file to write.
        ending: The format, one of :data:`ENDINGS`.
        schema: Names and types of the columns; a file without rows has them too.
    """
    if ending not in ENDINGS:
        raise ConfigError(f"tables are written as {', '.join(ENDINGS)}, not {ending!r}.")
    with ExitStack() as stack:
        if ending == ".parquet":
            yield stack.enter_context(pq.ParquetWriter(path, schema)).write_table
        elif ending == ".xlsx":
            write_rows = stack.enter_context(open_workbook(path)).write_rows
            write_rows([schema.names])
            yield lambda table: write_rows(_flat_rows(table, truth=bool))
        else:
            text = stack.enter_context(path.open("w", encoding="utf-8", newline=""))
            if ending == ".jsonl":
                yield lambda table: text.writelines(
                    json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist()
                )
                return
            writer = csv.writer(text, delimiter="\t" if ending == ".tsv" else ",")
            writer.writerow(schema.names)
            yield lambda table: writer.writerows(_flat_rows(table, truth=_truth_word))


def _flat_rows(table: pa.Table, *, truth: Callable[[bool], object]) -> Iterator[tuple[Any, ...]]:
    """Rows without lists; true and false as ``truth`` has them."""
    columns = []
    for column in table.columns:
        values = column.to_pylist()
        if pa.types.is_list(column.type):
            values = [None if value is None else ";".join(map(str, value)) for value in values]
        elif pa.types.is_boolean(column.type):
            values = [None if value is None else truth(value) for value in values]
        columns.append(values)
    return zip(*columns, strict=True)


def _truth_word(value: bool) -> str:
    """True and false as every language writes them, not as Python does."""
    return "true" if value else "false"
