"""Sorted tables are searched without reading them whole, and counted in one pass."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node.base.errors import DataError
from sub2node.disk.neighbour_tables import IndexCard, SortedTable, cast_ids, count_edges

pairs_of_nodes = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40)


def write_sorted(path: Path, pairs: list[tuple[int, int]], *, text: bool, files: int = 1) -> Path:
    """Both directions of edges, sorted, in groups of three rows; each id at its size by letters."""
    both = sorted([*pairs, *((b, a) for a, b in pairs if a != b)])
    ids = [[f"n{one}" if text else one for one in row] for row in both]
    columns = {"node": [row[0] for row in ids], "other": [row[1] for row in ids]}
    table = pa.table({**columns, "row": np.arange(len(ids))})
    if files == 1:
        pq.write_table(table, path, row_group_size=3)
        return path
    path.mkdir()
    for number in range(files):
        part = table.slice(number * len(table) // files, (number + 1) * len(table) // files)
        part = part.slice(0, (number + 1) * len(table) // files - number * len(table) // files)
        pq.write_table(part, path / f"part-{files - number}.parquet", row_group_size=3)
    return path


@given(pairs_of_nodes, st.lists(st.integers(-1, 11)), st.booleans(), st.integers(1, 3))
def test_rows_of_ids_are_those_of_a_filter(
    tmp_path_factory: pytest.TempPathFactory,
    pairs: list[tuple[int, int]],
    wanted: list[int],
    text: bool,
    files: int,
) -> None:
    folder = tmp_path_factory.mktemp("sorted")
    path = write_sorted(folder / "table.parquet", pairs, text=text, files=files)
    table = SortedTable(path, "node")
    ids = pa.array([f"n{one}" if text else str(one) for one in wanted], pa.large_string())
    rows = table.rows(ids)
    whole = pq.read_table(path).sort_by("row")
    mask = [str(node) in ids.to_pylist() for node in whole["node"].to_pylist()]
    assert rows.sort_by("row").equals(whole.filter(pa.array(mask, pa.bool_())))


@given(pairs_of_nodes, st.booleans(), st.integers(1, 3))
def test_counts_are_those_of_sets(
    tmp_path_factory: pytest.TempPathFactory,
    pairs: list[tuple[int, int]],
    text: bool,
    files: int,
) -> None:
    folder = tmp_path_factory.mktemp("counted")
    counts = count_edges(write_sorted(folder / "table.parquet", pairs, text=text, files=files))
    assert counts.num_nodes == len({node for pair in pairs for node in pair})
    assert counts.num_edges == len({frozenset(pair) for pair in pairs if pair[0] != pair[1]})


def test_a_table_that_is_not_sorted_is_told(tmp_path: Path) -> None:
    pq.write_table(pa.table({"node": [5, 6, 1, 2]}), tmp_path / "t.parquet", row_group_size=2)
    with pytest.raises(DataError, match="the table is not sorted by 'node'; make it anew"):
        SortedTable(tmp_path / "t.parquet", "node").rows(pa.array([1]))
    pq.write_table(pa.table({"node": [1, 2]}), tmp_path / "s.parquet", write_statistics=False)
    with pytest.raises(DataError, match="has no ranges of ids"):
        SortedTable(tmp_path / "s.parquet", "node").rows(pa.array([1]))


def test_ids_that_cannot_be_in_a_table_are_in_none() -> None:
    texts = pa.array(["7", "07", "-3", "x", "", "1.5", "9" * 30])
    assert cast_ids(texts, pa.int32()).to_pylist() == [7, -3]
    assert cast_ids(pa.array([7, 8]), pa.string()).to_pylist() == ["7", "8"]


def test_a_card_comes_back_and_damage_is_told(tmp_path: Path) -> None:
    card = IndexCard(True, "sum", 2, True, ("amount",), 3, nodes=True)
    path = tmp_path / IndexCard.FILE
    path.write_text(json.dumps(card.to_json()), "utf-8")
    assert IndexCard.read(tmp_path) == card
    path.write_text(json.dumps({**card.to_json(), "hops": "x"}), "utf-8")
    with pytest.raises(DataError, match="the card is damaged"):
        IndexCard.read(tmp_path)
