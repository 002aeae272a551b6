"""Single tables in every format: what is read, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from bad_files import assert_refused
from sub2node import ConfigError, DataError
from sub2node.io import read_task


@pytest.mark.parametrize(
    "line",
    [
        '{"nodes": [true, 0]}',
        '{"nodes": [1180591620717411303424]}',
        '{"nodes": ["a"], "weights": 5}',
        '{"nodes": ["a"], "weights": ["x"]}',
        '{"nodes": ["a"], "weights": [1]}',  # the line before has none
        "[" * 100_000,
        '{"nodes": ["a"], "id": "\\ud800"}',
        '{"nodes": ["a"], "label": [{"q": 1}]}',
    ],
)
def test_jsonl_that_cannot_be(tables: Path, line: str) -> None:
    (tables / "members.csv").unlink()
    (tables / "labels.csv").unlink()
    (tables / "subgraphs.jsonl").write_text('{"nodes": ["a"]}\n' + line + "\n")
    with pytest.raises(DataError, match=r"subgraphs\.jsonl"):
        read_task(tables)


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


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"subgraphs\.jsonl:2: this is not JSON"),
        ("[1]", r"subgraphs\.jsonl:2: expected an object"),
        ('{"id": "t"}', r"subgraphs\.jsonl:2: 'nodes' must be a list"),
        ('{"id": "t", "nodes": "ab"}', r"subgraphs\.jsonl:2: 'nodes' must be a list"),
        ('{"id": "t", "nodes": []}', r"subgraphs\.jsonl:2: the subgraph is empty"),
        ('{"id": "t", "nodes": ["a"], "color": 1}', r"subgraphs\.jsonl:2: unknown field 'color'"),
        ('{"id": "t", "nodes": ["a"], "weights": []}', "differ in length"),
        ('{"id": 1.5, "nodes": ["a"]}', "'id' must be text"),
        ('{"id": "t", "nodes": ["a"], "label": {}}', "'label' must be a class"),
        ('{"id": "t", "nodes": ["a"], "attributes": [1]}', "'attributes' must be an object"),
        ('{"id": "t", "nodes": ["a"], "attributes": {"p": []}}', "must be an object of texts"),
        ('{"id": "t", "nodes": ["a"], "attributes": {"split": "x"}}', "be called 'split'"),
        ('{"id": "s", "nodes": ["a"]}', "'s' is there twice"),
    ],
)
def test_bad_jsonl(tables: Path, line: str, message: str) -> None:
    (tables / "members.csv").unlink()
    (tables / "labels.csv").unlink()
    path = tables / "subgraphs.jsonl"
    path.write_text('{"id": "s", "nodes": ["a", "b"], "label": "x"}\n' + line + "\n")
    assert_refused(tables, message)


def test_gmt_with_labels_and_graph_in_files(tables: Path, tmp_path: Path) -> None:
    gmt = tmp_path / "sets" / "sets.gmt"
    gmt.parent.mkdir()
    gmt.write_text("s1\tfirst\ta\tb\t\ns2\tsecond\tc\td\ns3\tna\ta\ns4\tna\tc\n")
    task = read_task(gmt, graph=tables / "edges.csv", labels=tables / "labels.csv")
    assert task.subgraphs.titles is not None
    assert list(task.subgraphs.titles) == ["first", "second", "na", "na"]
    assert np.array_equal(task.subgraphs.nodes, read_task(tables).subgraphs.nodes)
    with pytest.raises(ConfigError, match="holds subgraphs only; name the edges"):
        read_task(gmt)
    with pytest.raises(DataError, match="no such file"):
        read_task(gmt, graph=tables / "nope.csv")
    for text, message in (
        ("s1\tx\ta\ns1\tx\tb\n", "'s1' is there twice"),
        ("s1\tx\n", r"sets\.gmt:1: the set 's1' is empty"),
        ("\tx\ta\n", r"sets\.gmt:1: the set has no name"),
        ("", "the file is empty"),
    ):
        gmt.write_text(text)
        assert_refused(gmt, message, graph=tables / "edges.csv")


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
