"""Ids: integers or text, never rounded."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node import DataError, SubgraphTask, save_task
from sub2node.io import read_task
from sub2node.task.ids import IdSpace, concat, id_column

make = SubgraphTask.from_tables


def test_ids_that_mix_numbers_and_text() -> None:
    edges = pd.DataFrame({"source": [0, "a", 2], "target": ["a", 2, "b"]}, dtype=object)
    members = {"subgraph_id": ["s", "t"], "node_id": ["a", "2"]}
    task = make(edges, members)
    assert list(task.graph.names or ()) == ["0", "2", "a", "b"]


def test_nullable_integers_and_floats() -> None:
    edges = pd.DataFrame({"source": pd.array([0, 1], "Int64"), "target": [1.0, 2.0]})
    members = pd.DataFrame({"subgraph_id": [0, 1], "node_id": pd.array([0, None], "Int64")})
    with pytest.raises(DataError, match="members column 'node_id' is missing in row 2"):
        make(edges, members)
    assert make(edges, {"subgraph_id": [0], "node_id": [2]}).graph.names is None


@pytest.mark.parametrize(
    ("values", "ids"),
    [
        (["7", "10"], [7, 10]),
        (["7", "010"], ["7", "010"]),
        (["-0"], ["-0"]),
        (["7", " 8"], ["7", " 8"]),
        ([7.0, -1.0], [7, -1]),
        (pa.array([2**62], pa.uint64()), [2**62]),
        ([], []),
    ],
)
def test_ids_are_integers_only_if_nothing_is_lost(values, ids) -> None:
    column = id_column(pa.array(values) if isinstance(values, list) else values, "ids")
    assert column.to_pylist() == ids
    text = bool(ids) and isinstance(ids[0], str)
    assert column.type == (pa.large_string() if text else pa.int64())


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["a", ""], "ids is missing in row 2"),
        (["a", None], "ids is missing in row 2"),
        ([1.0, 1.5], r"row 2 is 1\.5"),
        ([2.0**60], "row 1 is"),
        ([float("nan")], "row 1 is nan"),
        ([True], "has the type bool"),
    ],
)
def test_what_is_no_id(values, words) -> None:
    with pytest.raises(DataError, match=words):
        id_column(pa.array(values), "ids")


@given(
    st.lists(st.integers(-3, 9), min_size=1),
    st.lists(st.integers(-3, 12)),
    st.booleans(),
)
def test_positions_of_ids_are_those_of_a_list(values, wanted, text) -> None:
    kind = pa.large_string() if text else pa.int64()
    column = pa.array(values).cast(kind)
    in_order = list(dict.fromkeys(column.to_pylist()))
    for space, ids in (
        (IdSpace.in_order(column), in_order),
        (IdSpace.sorted(column), sorted(in_order)),
    ):
        assert list(space.text()) == [str(value) for value in ids]
        assert space.is_range == (ids == list(range(len(ids))))
        assert (space.names() is None) == space.is_range
        for other in (pa.int64(), pa.large_string()):  # 7 is the node '7' and the other way round
            positions = space.find(pa.array(wanted, pa.int64()).cast(other))
            texts = [str(value) for value in ids]
            assert positions.tolist() == [
                texts.index(str(value)) if str(value) in texts else -1 for value in wanted
            ]


def test_columns_under_one_another_are_text_if_one_is() -> None:
    numbers, text = pa.array([1, 2]), pa.array(["a"], pa.large_string())
    assert concat([numbers, numbers]).to_pylist() == [1, 2, 1, 2]
    assert concat([numbers, text]).to_pylist() == ["1", "2", "a"]
    assert IdSpace(np.arange(0)).find(numbers).tolist() == [-1, -1]


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        yield Path(place) / "task"


def test_string_ids_survive() -> None:
    edges = pd.DataFrame({"source": ["TP53", "007", "NA"], "target": ["007", "NA", "ü β"]})
    members = pd.DataFrame({"subgraph_id": ["s", "s", "t"], "node_id": ["007", "NA", "ü β"]})
    task = SubgraphTask.from_tables(edges, members)
    assert task.graph.names is not None
    assert list(task.graph.names) == ["007", "NA", "TP53", "ü β"]
    with folder() as path:
        for format in ("parquet", "csv", "tsv", "jsonl", "gmt"):
            save_task(task, path, format=format, overwrite=True)  # type: ignore[arg-type]
            assert read_task(path) == task


def test_integer_ids_mean_the_same_everywhere(tmp_path: Path) -> None:
    edges = pd.DataFrame({"source": [7, 10], "target": [10, 3]})
    members = pd.DataFrame({"subgraph_id": [5, 5, 9], "node_id": [7.0, 3.0, 10.0]})
    task = SubgraphTask.from_tables(edges, members)
    assert task.graph.names is not None
    assert list(task.graph.names) == ["3", "7", "10"]
    edges.to_csv(tmp_path / "edges.csv", index=False)
    members.astype({"node_id": int}).to_csv(tmp_path / "members.csv", index=False)
    assert read_task(tmp_path) == task
