"""Frames as people really have them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given

from saved_tasks import same_labels
from strategies import tasks
from sub2node import ConfigError, DataError, SubgraphTask
from sub2node.io.save import tables_of

EDGES = {"source": ["a", "b", "c"], "target": ["b", "c", "d"]}
MEMBERS = {"subgraph_id": ["s", "s", "t"], "node_id": ["a", "b", "c"]}
make = SubgraphTask.from_tables


def _polars_categories(frame: dict[str, list[str]]) -> object:
    pl = pytest.importorskip("polars")
    return pl.DataFrame(frame).with_columns(pl.all().cast(pl.Categorical))


def test_a_pandas_index_is_no_feature() -> None:
    nodes = pd.DataFrame({"node_id": list("aqbcd"), "f": [9.0, 1, 2, 3, 4]})
    task = make(EDGES, MEMBERS, nodes=nodes[nodes.node_id != "q"])
    assert task.graph.features is not None
    assert task.graph.features.tolist() == [[9], [2], [3], [4]]


@pytest.mark.parametrize(
    "convert",
    [
        _polars_categories,
        lambda frame: pd.DataFrame(frame).astype("category"),
        lambda frame: pd.DataFrame(frame).astype("string[pyarrow]"),
        lambda frame: pa.table(frame).cast(
            pa.schema([(name, pa.dictionary(pa.int32(), pa.string())) for name in frame])
        ),
    ],
)
def test_categories_are_text(convert: object) -> None:
    assert make(convert(EDGES), convert(MEMBERS)) == make(EDGES, MEMBERS)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"label": "diagnosis"}, "no table has the column 'diagnosis'"),
        ({"sorce": "x"}, "Did you mean 'source'"),
    ],
)
def test_mappings_are_checked(columns: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make(EDGES, MEMBERS, columns=columns)


@pytest.mark.parametrize(
    ("edges", "members", "message"),
    [
        (
            {**EDGES, "weight": pd.to_datetime(["2020-01-01"] * 3)},
            MEMBERS,
            "weights must be numbers",
        ),
        ({**EDGES, "weight": [[1.0]] * 3}, MEMBERS, "weights must be numbers"),
        ({**EDGES, "weight": [0.0, 1, 1]}, MEMBERS, "the weight in row 1 of the edges table is 0"),
        (
            {"source": ["a", "a"], "target": ["b", "b"], "weight": [1, 2]},
            MEMBERS,
            "2 conflicting edge weights",
        ),
        ({"source": np.array([2**63], np.uint64), "target": [0]}, MEMBERS, r"above 2\^63"),
        ({"source": [2**70], "target": [0]}, MEMBERS, "edges: expected a data frame"),
        ({"source": [1e300], "target": [0.0]}, MEMBERS, "ids are integers or text"),
        (
            EDGES,
            {**MEMBERS, "weight": [1.0, -1, 1]},
            "the weight in row 2 of the members table is -1",
        ),
        (
            EDGES,
            {"subgraph_id": ["s", "s"], "node_id": ["a", "a"], "weight": [1, 2]},
            "node 'a' with two different weights",
        ),
        (pa.table([[1], [2], [3]], names=["source", "target", "target"]), MEMBERS, "two columns"),
    ],
)
def test_bad_columns(edges: object, members: object, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        make(edges, members)
    assert "\n" not in str(caught.value)


def test_frames_that_are_none() -> None:
    with pytest.raises(DataError, match="edges: expected a data frame"):
        SubgraphTask.from_tables(7, MEMBERS)
    with pytest.raises(DataError, match="ids are integers or text"):
        SubgraphTask.from_tables({"source": [1.5], "target": [2.0]}, MEMBERS)
    with pytest.raises(DataError, match=r"the type bool|ids are integers or text"):
        SubgraphTask.from_tables({"source": [True], "target": [False]}, MEMBERS)


@pytest.mark.slow
@given(tasks())
def test_frames_of_any_make(task: SubgraphTask) -> None:
    tables = tables_of(task)
    assert same_frames(task, tables, lambda t: t)
    if task.graph.features is None and not task.multilabel:  # lists are not every frame's thing
        assert same_frames(task, tables, lambda t: t.to_pandas())
        assert same_frames(task, tables, pytest.importorskip("polars").from_arrow)


def same_frames(task: SubgraphTask, tables: dict[str, pa.Table], convert: object) -> bool:
    made = {name: convert(table) for name, table in tables.items()}  # type: ignore[operator]
    again = SubgraphTask.from_tables(
        made["edges"],
        made["members"],
        made.get("labels"),
        nodes=made["nodes"],
        subgraph_edges=made.get("subgraph_edges"),
    )
    return (
        again.graph == task.graph and again.subgraphs == task.subgraphs and same_labels(again, task)
    )
