"""A task in a notebook."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from report_runs import NASTY, small_task
from sub2node import DataError, Split, SubgraphTask
from sub2node.task import Graph, Names, Subgraphs


def test_a_frame_has_a_row_per_subgraph() -> None:
    task = small_task(12)
    frame = task.to_frame()
    assert list(frame) == ["subgraph_id", "label", "split", "size", "title"]
    assert frame["subgraph_id"].tolist() == [f"set {number}" for number in range(12)]
    assert frame["label"].tolist() == [task.class_names[label] for label in task.labels]
    assert frame["split"].tolist() == task.split.words()
    assert frame["size"].tolist() == task.subgraphs.sizes.tolist()


def test_a_frame_has_the_columns_that_the_task_has() -> None:
    task = SubgraphTask(Graph.from_edges([0, 1], [1, 2]), Subgraphs.from_lists([[0, 1], [2]]))
    assert task.to_frame().to_dict("list") == {"subgraph_id": ["0", "1"], "size": [2, 1]}
    page = task._repr_html_()
    assert "1 to 2 nodes" in page
    assert page.count("none<") == 2  # labels and split


def test_labels_of_several_and_of_none() -> None:
    task = small_task(8, multilabel=True)
    names = np.array(task.class_names, object)
    rows = [names[row].tolist() for row in task.labels]
    assert task.to_frame()["label"].tolist() == rows
    split = Split.given(["train", "train", "virtual"])
    sets = Subgraphs.from_lists([[0], [1], [2]])
    virtual = SubgraphTask(Graph.from_edges([0, 1], [1, 2]), sets, np.array([0, 1, -1]), (), split)
    frame = virtual.to_frame()
    assert frame["label"].isna().tolist() == [False, False, True]
    assert frame["label"].tolist()[:2] == ["0", "1"]
    assert "labels, several per subgraph" in task._repr_html_()


def test_html_and_repr_are_short_and_safe() -> None:
    task = small_task(500, names=[f"{NASTY} {number}" for number in range(500)])
    task = replace(task, name=NASTY, notes=(NASTY,))
    page = task._repr_html_()
    assert "<script" not in page
    assert "300 more rows" in page
    assert "80 nodes" in page
    assert len(repr(task).splitlines()) == 1
    plain = replace(task, subgraphs=replace(task.subgraphs, titles=Names([NASTY] * 500)))
    assert "<script" not in plain._repr_html_()


def test_labels_of_the_input_are_names_in_its_order() -> None:
    words = ["test", "train", "virtual", "val"]
    sets = Subgraphs.from_lists([[0], [1], [2], [0, 1]])
    names, split = ("left", "right"), Split.given(words)
    graph = Graph.from_edges([0, 1], [1, 2])
    task = SubgraphTask(graph, sets, [1, 0, -1, 0], names, split)
    assert task.labels.tolist() == [0, -1, 0, 1]  # train, virtual, val, test
    assert task.input_labels.tolist() == ["right", "left", "", "left"]
    rows = np.array([[1, 1], [0, 1], [0, 0], [1, 0]], bool)
    several = SubgraphTask(graph, sets, rows, names, split)
    assert several.input_labels.dtype == np.int64
    assert several.input_labels.tolist() == rows.astype(int).tolist()
    with pytest.raises(DataError, match="no labels"):
        SubgraphTask(graph, sets).input_labels  # noqa: B018
