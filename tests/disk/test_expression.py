"""The queries do what their definitions say, on a few rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

pytest.importorskip("ibis")
import ibis

from sub2node.disk import expression
from sub2node.disk.source_tables import LargeTable

Load = Callable[..., Any]


@pytest.fixture(scope="module")
def load() -> Load:
    """Makes a table of rows."""
    connection = ibis.duckdb.connect()
    numbers = iter(range(99))

    def make(*rows: dict[str, object]) -> Any:
        return connection.create_table(f"t{next(numbers)}", pa.Table.from_pylist(list(rows)))

    return make


def rows_of(query: Any) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in query.to_pyarrow().to_pylist()]


EDGES = [
    {"a": 2, "b": 1, "w": 3, "fee": 1},
    {"a": 1, "b": 2, "w": 2, "fee": 2},
    {"a": 3, "b": 3, "w": 5, "fee": 3},
]
LARGE = LargeTable(Path(), {"source": "a", "target": "b", "weight": "w"}, ("fee",))


def neighbours(edges: Any, *, directed: bool) -> Any:
    return expression.neighbours(expression.usable(edges, LARGE), directed=directed)


def test_what_cannot_be_used_is_null(load: Load) -> None:
    weights = [1, 0, -1, float("nan"), 1e300, float("inf"), 1e-50, None]
    rows = [{"a": 1, "b": 2, "w": weight, "fee": weight} for weight in weights]
    found = rows_of(expression.usable(load(*rows), LARGE))
    assert [row[2] for row in found] == [1, *[None] * 7]
    assert [row[3] for row in found] == [1, 0, -1, None, None, None, 0, None]


def test_each_edge_stands_at_both_ends_and_a_loop_once(load: Load) -> None:
    edges = load(*EDGES)
    table = neighbours(edges, directed=False).drop("f0")
    assert rows_of(table) == [(1, 2, 2), (1, 2, 3), (2, 1, 2), (2, 1, 3), (3, 3, 5)]
    table = neighbours(edges, directed=True)
    assert table.columns == ("node", "other", "leaving", "weight", "f0")
    assert rows_of(table)[:2] == [(1, 2, False, 3, 1), (1, 2, True, 2, 2)]
    assert rows_of(table)[-1] == (3, 3, True, 5, 3)


def test_repeated_edges_are_added_up_or_the_largest_counts(load: Load) -> None:
    table = neighbours(load(*EDGES), directed=False)
    assert sorted(rows_of(expression.merged(table, repeated="sum"))) == [(1, 2, 5), (2, 1, 5)]
    assert sorted(rows_of(expression.merged(table, repeated="max"))) == [(1, 2, 3), (2, 1, 3)]
    plain = expression.merged(table.drop("weight"), repeated="same")
    assert sorted(rows_of(plain)) == [(1, 2), (2, 1)]
    assert sorted(rows_of(expression.degrees(table, repeated="sum"))) == [(1, 1, 5), (2, 1, 5)]


def test_inner_edges_are_those_with_both_ends_inside_each_as_often_as_given(load: Load) -> None:
    ids = load({"node_id": 1}, {"node_id": 2}, {"node_id": 3})
    for directed, first in ((False, (1, 2)), (True, (2, 1))):
        table = neighbours(load(*EDGES), directed=directed)
        near = expression.of_nodes(table, ids)
        rows = sorted(rows_of(expression.inner_edges(near, ids).select("source", "target")))
        assert rows == sorted([(1, 2), first, (3, 3)])


def test_values_stand_in_the_order_of_a_border() -> None:
    columns = ["weight", "f1", "f0", "n0", "x10", "x2", "node", "number", "leaving"]
    assert expression.value_columns(columns) == ["x2", "x10", "n0", "f0", "f1", "weight"]
