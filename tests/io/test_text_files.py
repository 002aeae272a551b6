"""Text files as they come: gzip, binary, cut short; small ones on one thread."""

from __future__ import annotations

import gzip
import io
import pickle
from pathlib import Path

import numpy as np
import pytest

from bad_files import assert_refused
from sub2node import DataError
from sub2node.io import read_task
from sub2node.io import text_files as reader
from sub2node.io.table_layout import TableLayout
from sub2node.io.text_tables import text_table


def test_gzip_and_plain_are_the_same(small: Path) -> None:
    expected = read_task(small)
    for name in ("edge_list.txt", "subgraphs.pth"):
        data = (small / name).read_bytes()
        (small / name).unlink()
        (small / f"{name}.gz").write_bytes(gzip.compress(data))
    assert read_task(small) == expected


def test_truncated_and_damaged_gzip(small: Path) -> None:
    packed = gzip.compress((small / "edge_list.txt").read_bytes() * 1000)
    (small / "edge_list.txt").unlink()
    path = small / "edge_list.txt.gz"
    for data in (packed[: len(packed) // 2], packed[:-6], packed[:20] + b"\xff" * 30 + packed[50:]):
        path.write_bytes(data)
        assert_refused(small, r"edge_list\.txt\.gz: the gzip file is truncated or damaged")


def test_binary_files_are_not_opened(small: Path) -> None:
    path = small / "subgraphs.pth"
    archive = io.BytesIO()
    np.savez(archive, x=np.arange(3))
    for data, message in (
        (pickle.dumps({"a": 1}), "this is a pickle, expected plain text; it was not opened"),
        (archive.getvalue(), r"zip archive \(PyTorch files are such\)"),
        (b"\x89HDF\r\n", "HDF5"),
        (b"0-1\x00\tred\ttrain\n", "binary file"),
        (b"", "the file is empty"),
        (b"0-1\tr\x81d\ttrain\n", "subgraphs.pth:1: this line is not UTF-8"),
    ):
        path.write_bytes(data)
        assert_refused(small, message)


def test_a_small_table_is_read_on_one_thread(tmp_path: Path, monkeypatch) -> None:
    """Arrow's threads may abort a process that has torch loaded and refuses the next file."""
    asked = []
    read = reader.pacsv.read_csv

    def watched(stream, read_options, **options):
        asked.append(read_options.use_threads)
        return read(stream, read_options=read_options, **options)

    monkeypatch.setattr(reader.pacsv, "read_csv", watched)
    monkeypatch.setattr(reader, "_BLOCK", 1 << 10)
    for size in (1, 1000):
        (tmp_path / "some.csv").write_text("a,b\n" + "1,2345678\n" * size)
        reader.delimited(tmp_path / "some.csv", ",")
    assert asked == [False, True]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_lines_have_their_numbers(tmp_path: Path, pack) -> None:
    path = tmp_path / "some.txt"
    path.write_bytes(pack("\ufeff\r\n first\r\n\n  \nsecond\u2028half".encode()))
    assert list(reader.lines(path)) == [(2, " first"), (5, "second\u2028half")]
    assert reader.first_line(path) == "first"
    assert list(reader.lines(path, content=b"a\n")) == [(1, "a")]


def test_text_stays_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text("id, weight,note\n007,1.50,\n8,2,x\n")
    table = text_table(TableLayout.of_header(path, ","), text={"id", "note"})
    assert table.to_pydict() == {"id": ["007", "8"], "weight": [1.5, 2.0], "note": ["", "x"]}
    assert text_table(TableLayout.of_header(path, ","))["weight"].to_pylist() == ["1.50", "2"]
    path.write_text("id,weight")
    assert text_table(TableLayout.of_header(path, ",")).to_pydict() == {"id": [], "weight": []}
    path.write_text("id,weight\n1,2\n1,2,3\n")
    with pytest.raises(DataError, match="csv:3: this line has 3 fields, the header has 2"):
        text_table(TableLayout.of_header(path, ","))


def test_line_ends_of_old_macs(tables: Path) -> None:
    expected = read_task(tables).hash
    for path in tables.iterdir():
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r"))
    assert read_task(tables).hash == expected
    (tables / "members.csv").unlink()
    (tables / "subgraphs.jsonl").write_bytes(
        b'{"id": "s1", "nodes": ["a"]}\r{"id": "s2", "nodes": ["b"]}\r'
        b'{"id": "s3", "nodes": ["c"]}\r{"id": "s4", "nodes": ["d"]}\r'
    )
    assert len(read_task(tables)) == 4
    (tables / "labels.csv").write_bytes(b"subgraph_id,label\rs1,x\rs2\rs3,y\r")
    assert_refused(tables, "csv:3: this line has 1 fields, the header has 2")
