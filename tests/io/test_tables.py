"""Single tables in every format: what is read, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from bad_files import assert_refused
from sub2node import DataError
from sub2node.io import read_task


def test_headers_with_spaces_and_nothing_below(tables: Path) -> None:
    expected = read_task(tables)
    text = (tables / "edges.csv").read_text()
    (tables / "edges.csv").write_text(text.replace("source,target", "source, target"))
    assert read_task(tables) == expected
    (tables / "edges.csv").write_text("\n\n" + text)
    assert read_task(tables) == expected
    (tables / "edges.csv").write_text("source,target")
    with pytest.raises(DataError, match="no edges"):
        read_task(tables)
    (tables / "edges.csv").write_text("source,target,target\na,b,c\n")
    with pytest.raises(DataError, match="two columns called 'target'"):
        read_task(tables)


def test_broken_parquet(tables: Path) -> None:
    (tables / "edges.csv").unlink()
    path = tables / "edges.parquet"
    for data, message in ((b"", "the file is empty"), (b"PAR1 nope", "no whole Parquet file")):
        path.write_bytes(data)
        assert_refused(tables, message)
    path.unlink()
    assert_refused(tables, "the folder has no edges table")


def invalid_text(count: int) -> pa.Array:
    """Text of which the last value is not UTF-8, as only a Parquet file can hold it."""
    offsets = np.arange(count + 1, dtype=np.int32)
    content = b"abcdefgh"[: count - 1] + b"\xff"
    return pa.Array.from_buffers(
        pa.string(), count, [None, pa.py_buffer(offsets), pa.py_buffer(content)]
    )


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("edges", "source"), ("members", "subgraph_id"), ("members", "node_id"),
        ("labels", "subgraph_id"), ("labels", "label"), ("labels", "split"), ("labels", "title"),
    ],
)  # fmt: skip
def test_parquet_text_that_is_not_utf_8(tables: Path, table: str, column: str) -> None:
    rows = pacsv.read_csv(tables / f"{table}.csv")
    rows = rows.drop_columns([column]) if column in rows.column_names else rows
    pq.write_table(rows.append_column(column, invalid_text(len(rows))), tables / f"{table}.parquet")
    (tables / f"{table}.csv").unlink()
    message = f"the column '{column}' of the {table} table is damaged: its text is not UTF-8"
    assert_refused(tables, message)


def test_parquet_with_a_column_name_that_is_not_utf_8(tables: Path) -> None:
    from sub2node.io.sets import read_sets

    path = tables / "members.parquet"
    pq.write_table(pacsv.read_csv(tables / "members.csv"), path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"subgraph_id", b"subgraph_\xe9d"))
    (tables / "members.csv").unlink()
    assert_refused(tables, "this is no whole Parquet file")
    with pytest.raises(DataError, match="this is no whole Parquet file"):
        list(read_sets(path))
