"""Arguments of fit and predict: tasks, graphs, lists of ids and frames mean the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sub2node.base.errors import ConfigError, DataError
from sub2node.scoring.arguments import build_query, build_task, order_labels, task_labels
from sub2node.scoring.node_index import NodeIndex
from sub2node.task import Graph, Names, Split, Subgraphs, SubgraphTask

GRAPH = Graph.from_edges([0, 1, 2], [1, 2, 3], names=Names(list("abcd")))
SETS = {"s": ["a", "b"], "t": ["c"], "u": ["d", "c"]}
LABELS = ["x", "y", "x"]


def task_of(*, labelled: bool = True) -> SubgraphTask:
    sets = Subgraphs.from_lists([[0, 1], [2], [2, 3]], names=Names(list("stu")))
    split = Split.given(["test", "train", "val"])  # so the order of rows is t, u, s
    labels = [0, 1, 0] if labelled else None
    return SubgraphTask(GRAPH, sets, labels, ("x", "y") if labelled else (), split)


def content(task: SubgraphTask) -> dict[str, tuple[list[str], str]]:
    """Members and label by the name of a subgraph."""
    return {
        name: (task.members(name), task.class_names[task.labels[row]])
        for row, name in enumerate(task.subgraph_ids)
    }


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((SETS, LABELS, None), {"graph": GRAPH}),
        ((GRAPH, SETS, LABELS), {}),
        ((GRAPH, SETS, pd.DataFrame({"subgraph_id": list("uts"), "label": list("xyx")})), {}),
        ((SETS, {"subgraph_id": list("tus"), "label": list("yxx")}, None), {"graph": GRAPH}),
        ((task_of(), None, None), {}),
        ((task_of(), LABELS, None), {}),  # in the order of the input
        ((task_of(labelled=False), LABELS, None), {}),
    ],
)
def test_every_way_to_name_the_data_is_the_same_task(arguments, options) -> None:
    task, classes = build_task(*arguments, **{"graph": None, "unknown": "error", **options})
    assert content(task) == {
        "s": (["a", "b"], "x"), "t": (["c"], "y"), "u": (["c", "d"], "x")
    }  # fmt: skip
    assert classes.tolist() == ["x", "y"]


def test_what_is_missing_is_said() -> None:
    with pytest.raises(ConfigError, match="the global graph is missing"):
        build_task(SETS, LABELS, None, graph=None, unknown="error")
    with pytest.raises(DataError, match="no labels to learn"):
        build_task(task_of(labelled=False), None, None, graph=None, unknown="error")
    with pytest.raises(DataError, match="no labels to compare"):
        task_labels(task_of(labelled=False))


@pytest.mark.parametrize("sets", [SETS, list(SETS.values()), task_of(), task_of().input_subgraphs])
def test_queries_are_in_the_order_in_which_they_are_given(sets) -> None:
    query = build_query(NodeIndex(GRAPH), sets, "error")
    assert query.subgraphs.nodes.tolist() == [0, 1, 2, 2, 3]
    assert np.diff(query.subgraphs.ptr).tolist() == [2, 1, 2]
    assert build_query(NodeIndex(GRAPH), query, "error") is query


def test_subgraphs_of_another_graph_are_refused() -> None:
    index = NodeIndex(GRAPH)
    other = Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(DataError, match="another graph"):
        build_query(index, SubgraphTask(other, Subgraphs.from_lists([[0]])), "error")
    with pytest.raises(DataError, match="node 7 is not in the graph"):
        build_query(index, Subgraphs.from_lists([[7]]), "error")
    with pytest.raises(DataError, match="subgraph '1' is empty"):
        build_query(index, Subgraphs.from_lists([[0], []]), "error")


def test_labels_of_a_task_are_in_the_order_of_its_input() -> None:
    assert task_labels(task_of()) == LABELS
    table = np.array([[True, False], [True, True], [False, False]])
    several = replace(task_of(labelled=False), labels=table, class_names=("x", "y"))
    assert several.subgraph_ids == ["t", "u", "s"]  # rows of the table are rows of the task
    assert task_labels(several) == [[], ["x"], ["x", "y"]]
    assert order_labels(LABELS, list("stu")) is LABELS
