"""Attributes of subgraphs: columns of text that follow the rows."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node import ConfigError, DataError, Graph, Split, Subgraphs, SubgraphTask
from sub2node.coarsen import with_virtual
from sub2node.task import Names, SubgraphAttributes

EDGES = {"source": ["a", "b", "c"], "target": ["b", "c", "d"]}
MEMBERS = {"subgraph_id": ["s", "t", "u"], "node_id": ["a", "b", "c"]}


def labelled(**columns: list[object]) -> dict[str, list[object]]:
    return {"subgraph_id": ["s", "t", "u"], "label": ["x", "y", "x"], **columns}


def test_attributes_follow_the_rows_of_the_task() -> None:
    task = SubgraphTask(
        Graph.from_edges([0, 1, 2], [1, 2, 3]),
        Subgraphs.from_lists([[0], [1], [2], [3]]),
        labels=[0, 1, 0, 1],
        split=Split.given(["test", "train", "train", "val"]),
        attributes={"paper": Names(["w", "x", "y", "z"])},  # type: ignore[arg-type]
    )
    assert list(task.attributes["paper"]) == ["x", "y", "z", "w"]
    assert list(task.subset([3, 0]).attributes["paper"]) == ["x", "w"]
    again = task.with_split(["val", "train", "train", "test"])
    assert list(again.attributes["paper"]) == ["x", "y", "w", "z"]
    assert task.to_frame()["paper"].tolist() == ["w", "x", "y", "z"]
    more = with_virtual(task, Subgraphs.from_lists([[0, 1]]))
    assert list(more.attributes["paper"]) == ["x", "y", "", "z", "w"]


def test_attributes_are_not_part_of_the_content_hash() -> None:
    plain = SubgraphTask.from_tables(EDGES, MEMBERS, labelled())
    more = SubgraphTask.from_tables(EDGES, MEMBERS, labelled(paper=["1", "2", "3"]))
    assert plain == more
    assert not plain.attributes
    assert repr(more.attributes) == "SubgraphAttributes(paper)"


def test_columns_that_are_none_of_ours_are_kept_as_text() -> None:
    days = [date(2020, 1, 2), None, date(2021, 3, 4)]
    table = labelled(year=[1999, 2001, 2000], day=days, note=["a\tb\nc", "", "d"])
    task = SubgraphTask.from_tables(EDGES, MEMBERS, table)
    assert {name: list(values) for name, values in task.attributes.items()} == {
        "year": ["1999", "2001", "2000"],
        "day": ["2020-01-02", "", "2021-03-04"],
        "note": ["a b c", "", "d"],
    }
    assert task.notes == ()


def test_what_cannot_be_kept_is_said() -> None:
    table = labelled(spans=[[1], [2], [3]])
    task = SubgraphTask.from_tables(EDGES, MEMBERS, table, columns={"label": "spans"})
    assert task.notes == ("1 column of the labels table not used: 'label'.",)
    task = SubgraphTask.from_tables(EDGES, MEMBERS, labelled(spans=[[1], [2], [3]]))
    assert task.notes == ("1 column of the labels table not used: 'spans'.",)


def test_of_several_rows_the_first_counts() -> None:
    table = {"subgraph_id": list("sttu"), "label": list("xxyx"), "paper": list("1232")}
    task = SubgraphTask.from_tables(EDGES, MEMBERS, table)
    assert list(task.attributes["paper"]) == ["1", "2", "2"]
    assert task.notes == ("1 subgraph with several values of 'paper', the first kept: 't'.",)


def test_omitted_subgraphs_take_their_attributes_along() -> None:
    members = {"subgraph_id": ["s", "t", "u"], "node_id": ["a", "zz", "c"]}
    table = labelled(paper=["1", "2", "3"])
    task = SubgraphTask.from_tables(EDGES, members, table, unknown_nodes="drop")
    assert list(task.attributes["paper"]) == ["1", "3"]


def test_groups_have_one_number_for_equal_values() -> None:
    attributes = SubgraphAttributes({"paper": ["p", "", "q", "p", ""]})
    groups = attributes.groups("paper")
    assert groups[0] == groups[3]
    assert len(np.unique(groups)) == 4
    with pytest.raises(ConfigError, match=r"no column 'papr' .*Did you mean 'paper'"):
        attributes.require("papr")
    with pytest.raises(ConfigError, match="has no such columns"):
        SubgraphAttributes().require("paper")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"label": ["x"]}, "cannot be called 'label'"),
        ({"": ["x"]}, "cannot be called ''"),
        ({"paper": ["x\ny"]}, "values are single lines"),
        ({"paper": ["x", "y"]}, "'paper' has 2 values for 1 subgraph"),
    ],
)
def test_bad_attributes(columns: dict[str, list[str]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        SubgraphTask(
            Graph.from_edges([0], [1]),
            Subgraphs.from_lists([[0]]),
            attributes=SubgraphAttributes(columns),
        )


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["10", "9", "-1.5"], [2, 1, 0]),
        (["2021-03-04", "2020-12-31T23:59:00Z", "2020"], [2, 1, 0]),
        (["1.3.2021", "31.12.2020 23:59", "2020-12-31"], [2, 1, 0]),
        (["2022/09/01 00:07", "2022/09/01 00:06", "2022/08"], [2, 1, 0]),
        (["2024-05-31T01:30:00+02:00", "2024-05-30T23:15Z", "2024-05-30 18:00:00-0500"], [2, 1, 0]),
    ],
)
def test_times_ascend(texts: list[str], order: list[int]) -> None:
    assert np.argsort(SubgraphAttributes({"t": texts}).times("t")).tolist() == order


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(-14 * 60, 14 * 60)), min_size=1))
def test_zones_count(moments: list[tuple[int, int]]) -> None:
    times = [
        datetime.fromtimestamp(60 * minute, timezone(timedelta(minutes=east)))
        for minute, east in moments
    ]
    found = SubgraphAttributes({"t": [time.isoformat() for time in times]}).times("t")
    assert found.tolist() == [60e6 * minute for minute, _ in moments]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["2020-01-01", "12/31/2020"], "1 value that is no time: '12/31/2020' of row 2; times"),
        (["2020-13-01", "5.6.2020", "31.13.20"], "2 values that are no time: '2020-13-01', '31.13"),
        (["1.2.2020", "31.13.2020"], "1 value that is no time: '31.13.2020' of row 2"),
        (["1", "", ""], "of 2 subgraphs is missing: row 2, row 3; every"),
    ],
)
def test_bad_times(texts: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        SubgraphAttributes({"t": texts}).times("t")
