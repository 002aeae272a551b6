"""Some columns of a large delimited file."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sub2node import DataError
from sub2node.io.csv_columns import IDS, common_codes, header_of, read_columns

TEXT = '#a,"b",a\n1,"x,y",2\n3,z,4\n'


@pytest.mark.parametrize("packed", [False, True])
def test_only_what_is_asked_for(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(TEXT.encode()) if packed else TEXT.encode())
    assert header_of(path, ",") == ["a", "b", "a"]
    types = {"b": pa.string(), "c": pa.float32()}
    table = read_columns(path, ",", ["b", "c"], types, header=["a", "b", "c"], quoted=True)
    assert table.to_pydict() == {"b": ["x,y", "z"], "c": [2.0, 4.0]}
    assert table.schema.types == [pa.string(), pa.float32()]


def test_what_does_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3\n")
    with pytest.raises(DataError, match="a line does not fit the header"):
        read_columns(path, ",", ["a"], {"a": pa.int64()})
    with pytest.raises(DataError, match="the file has no column 'c'"):
        read_columns(path, ",", ["c"], {"c": pa.int64()})
    path.write_text("a,b\n")
    assert read_columns(path, ",", ["a"], {"a": pa.int64()}).schema.types == [pa.int64()]


def test_texts_of_several_columns_have_common_numbers() -> None:
    columns = [
        pa.chunked_array([pa.array(chunk, IDS) for chunk in chunks])
        for chunks in ([["b", "a"], ["c", "b"]], [["d"], ["a", "d"]])
    ]
    ids, codes = common_codes(columns)
    assert ids.to_pylist() == ["a", "b", "c", "d"]
    for column, numbers in zip(columns, codes, strict=True):
        assert np.array(ids.to_pylist())[numbers].tolist() == column.to_pylist()
