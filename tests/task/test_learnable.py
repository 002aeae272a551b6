"""The one check whether a model can learn from a task."""

from __future__ import annotations

import numpy as np
import pytest

from sub2node.base.errors import DataError
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask, require_learnable


def make(labels, words) -> SubgraphTask:
    graph = Graph.from_edges(np.array([0, 1, 2]), np.array([1, 2, 3]))
    sets = Subgraphs.from_lists([[i % 4] for i in range(len(words or labels))])
    split = None if words is None else Split.given(words)
    values = None if labels is None else np.array(labels)
    return SubgraphTask(graph, sets, values, (), split)


@pytest.mark.parametrize(
    ("labels", "words", "parts", "sentence"),
    [
        (None, ["train", "val"], ("train",), "the task has no labels to learn"),
        ([0, 1], None, ("train",), "the task is not split; use task.with_split"),
        ([0, 1, 0], ["train", "train", "val"], ("train", "val", "test"), r"no test .*--splits 10"),
        ([0, 1, 0], ["train", "train", "test"], ("train", "val"), r"no val subgraph.*labels\)\)\."),
        ([0, 0], ["train", "val"], ("train", "val"), "all subgraphs have the class '0'"),
        ([0, 1], ["train", "val"], ("train", "val"), "1 training subgraph, fewer than the 2"),
        ([0, 0, 1], ["train", "train", "val"], ("train", "val"), "class '1' has 1 in val but no"),
        ([0, 0, 1], ["train", "train", "test"], (), "class '1' has 1 in test but no"),
        ([[False], [False]], ["train", "val"], ("train", "val"), "no subgraph has a label"),
    ],
)
def test_what_cannot_be_learned_is_said(labels, words, parts, sentence) -> None:
    with pytest.raises(DataError, match=sentence):
        require_learnable(make(labels, words), parts)


@pytest.mark.parametrize(
    ("labels", "words", "parts", "lacking"),
    [
        ([0, 1, 0, 1], ["train", "train", "val", "test"], ("train", "val", "test"), None),
        ([0, 1, 0], ["train", "train", "val"], ("train", "val"), "no test subgraph"),
        ([0, 0], None, (), "not split"),
        (None, ["train", "val"], (), "no labels"),
    ],
)
def test_only_what_is_asked_for_must_be_there(labels, words, parts, lacking) -> None:
    task = make(labels, words)
    require_learnable(task, parts)
    if lacking is not None:
        with pytest.raises(DataError, match=lacking):
            require_learnable(task)
