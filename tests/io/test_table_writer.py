"""Tables piece by piece in every format."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sub2node.base.errors import ConfigError
from sub2node.io.table_writer import ENDINGS, open_table

SCHEMA = pa.schema(
    {"id": pa.string(), "labels": pa.list_(pa.string()), "p": pa.float64(), "yes": pa.bool_()}
)
ROWS = [
    {"id": 'a,"b"', "labels": ["x", "y"], "p": 0.1, "yes": True},
    {"id": "ü\nz", "labels": [], "p": None, "yes": False},
]
TABLE = pa.Table.from_pylist(ROWS, schema=SCHEMA)


def write(path: Path, pieces: int) -> Path:
    with open_table(path, path.suffix, SCHEMA) as write_piece:
        for _ in range(pieces):
            write_piece(TABLE)
    return path


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_text(tmp_path: Path, ending: str) -> None:
    with write(tmp_path / f"a{ending}", 2).open(encoding="utf-8", newline="") as text:
        rows = list(csv.reader(text, delimiter="\t" if ending == ".tsv" else ","))
    pieces = [['a,"b"', "x;y", "0.1", "true"], ["ü\nz", "", "", "false"]]
    assert rows == [SCHEMA.names, *pieces, *pieces]


def test_formats_with_lists(tmp_path: Path) -> None:
    assert pq.read_table(write(tmp_path / "a.parquet", 2)).to_pylist() == ROWS * 2
    lines = write(tmp_path / "a.jsonl", 2).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == ROWS * 2


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_without_rows_is_a_file(tmp_path: Path, ending: str) -> None:
    path = write(tmp_path / f"a{ending}", 0)
    assert path.stat().st_size > 0 or ending == ".jsonl"


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"written as \.parquet, .*\.xlsx, not '\.xls'"):
        write(tmp_path / "a.xls", 0)
