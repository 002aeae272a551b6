"""Parts of a task that advice may read, and tasks that can be timed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sub2node.advice.task_parts import check_size, timing_part, why_not_probed, without_test_part
from sub2node.base.errors import DataError
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask


def test_tasks_to_time_on() -> None:
    """Without labels or split, some are made up; the shape stays."""
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    bare = SubgraphTask(graph, Subgraphs.from_lists([[i % 5, (i + 1) % 5] for i in range(10)]))
    made = timing_part(bare)
    assert (made.split.count("train"), made.split.count("val")) == (8, 2)
    assert why_not_probed(bare) == "the data has no labels, so nothing was trained."
    assert why_not_probed(made) is None
    alone = made.with_split(Split.sizes(train=10))
    assert "10 train and 0 val" in why_not_probed(alone)
    assert timing_part(alone).split.count("val") == 2
    same = replace(made, labels=np.zeros(10, int), class_names=("x",))
    assert "the same class" in why_not_probed(same)
    strange = replace(made, labels=np.r_[np.arange(8) % 2, 2, 2], class_names=("a", "b", "c"))
    assert "class 'c' is in val but not in train" in why_not_probed(strange)
    part = replace(bare, split=Split.sizes(train=4, val=4, test=2))
    assert len(timing_part(part)) == 8


def test_the_test_part_is_gone() -> None:
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    sets = Subgraphs.from_lists([[i % 5] for i in range(6)])
    split = Split.given(["test", "train", "val", "train", "test", "val"])
    task = SubgraphTask(graph, sets, labels=np.arange(6) % 2, split=split)
    part = without_test_part(task)
    assert part.split.words() == ["train", "train", "val", "val"]
    assert [part.subgraphs.name_of(i) for i in range(4)] == ["1", "3", "2", "5"]


def test_too_few_subgraphs_are_refused() -> None:
    graph = Graph.from_edges([0], [1])
    check_size(SubgraphTask(graph, Subgraphs.from_lists([[0]] * 4)))
    virtual = Split.given(["train", "train", "train", "virtual"])
    few = SubgraphTask(graph, Subgraphs.from_lists([[0]] * 4), [0, 1, 0, -1], split=virtual)
    with pytest.raises(DataError, match="at least 4 are needed; the data has 3"):
        check_size(few)
