"""Splits by groups, by time and at random."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sub2node import ConfigError, DataError, Graph, Split, Subgraphs, SubgraphTask
from sub2node.task import SubgraphAttributes
from sub2node.task.attribute_splits import kept_attributes, split_anew

COUNT = 40


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return SubgraphTask(
        Graph.from_edges(range(COUNT - 1), range(1, COUNT)),
        Subgraphs.from_lists([[node] for node in range(COUNT)]),
        labels=[node % 2 for node in range(COUNT)],
        split=Split.sizes(train=20, val=10, test=10),
        attributes=SubgraphAttributes(
            {
                "paper": [f"p{node // 4}" for node in range(COUNT)],
                "year": [str(2000 + node // 2) for node in range(COUNT)][::-1],
            }
        ),
    )


def parts_of(task: SubgraphTask, name: str) -> dict[str, set[str]]:
    frame = task.to_frame()
    return {str(value): set(rows) for value, rows in frame.groupby(name)["split"]}


def test_no_value_is_in_two_parts(task: SubgraphTask) -> None:
    again = split_anew(task, by="paper")
    assert repr(again.split) == "Split(32 train, 4 val, 4 test)"
    assert all(len(parts) == 1 for parts in parts_of(again, "paper").values())
    assert again.notes == (
        "Split anew at random (seed 0), no value of 'paper' in two parts: 32 train, 4 val, 4 test.",
    )


def test_the_draw_does_not_depend_on_the_split_before(task: SubgraphTask) -> None:
    other = task.with_split(["test", "train", "train", "val"] * (COUNT // 4))
    for by in (None, "paper"):
        one, two = split_anew(task, by=by), split_anew(other, by=by)
        assert one.to_frame()["split"].tolist() == two.to_frame()["split"].tolist()


def test_the_latest_are_test(task: SubgraphTask) -> None:
    again = split_anew(task, time="year", fractions=(0.5, 0.25, 0.25))
    years = again.to_frame().groupby("split")["year"].agg(["min", "max"])
    assert years["max"]["train"] < years["min"]["val"] <= years["max"]["val"]
    assert years["max"]["val"] < years["min"]["test"]


def test_what_cannot_be_split(task: SubgraphTask) -> None:
    with pytest.raises(ConfigError, match="by groups or by time, not by both"):
        split_anew(task, by="paper", time="year")
    with pytest.raises(ConfigError, match=r"no column 'journal'.* Known: paper, year"):
        split_anew(task, by="journal")
    with pytest.raises(DataError, match="has no labels"):
        split_anew(replace(task, labels=None, class_names=()))


def test_attributes_that_a_split_may_go_by(task) -> None:
    assert kept_attributes(task) == ["year"]  # paper 7 has two in val and two in test
    assert kept_attributes(split_anew(task, by="paper")) == ["paper", "year"]
    assert kept_attributes(split_anew(task, seed=1)) == []
    own = {"id": [f"s{node}" for node in range(COUNT)], "all": ["x"] * COUNT}
    assert kept_attributes(replace(task, attributes=SubgraphAttributes(own))) == []
    assert kept_attributes(replace(task, split=None)) == []
