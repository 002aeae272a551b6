"""Groups that are in several parts, by id and in the order of the input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from audit_tasks import as_multilabel, clean_task
from sub2node.audit.check import Verdict
from sub2node.audit.group_leaks import check_groups, group_numbers
from sub2node.base.errors import DataError
from sub2node.task import Graph, Names, Split, Subgraphs, SubgraphTask

PARTS = ("val", "test")


def test_groups_go_by_id_or_by_the_order_of_the_input() -> None:
    subgraphs = Subgraphs.from_lists([[0], [1], [2], [3]], names=Names("abcd"))
    split = Split.given(["test", "train", "val", "train"])
    task = SubgraphTask(Graph.from_edges([0], [1], num_nodes=4), subgraphs, split=split)
    by_order = group_numbers(task, ["x", "y", "", "x"])
    by_id = group_numbers(task, {"a": "x", "b": "y", "c": None, "d": "x"})
    np.testing.assert_array_equal(by_order, by_id)
    groups = dict(zip(task.subgraph_ids, by_order.tolist(), strict=True))
    assert groups["a"] == groups["d"] != groups["b"]
    assert groups["c"] == -1


def test_groups_that_do_not_fit_are_refused() -> None:
    with pytest.raises(DataError, match="3 groups for 240 subgraphs"):
        group_numbers(clean_task(), ["a", "b", "c"])
    with pytest.raises(DataError, match="subgraph '0' has no group"):
        group_numbers(clean_task(), {})


def test_planted_groups_are_found_with_what_they_tell() -> None:
    task = clean_task()
    assert task.labels is not None
    groups = np.arange(240)
    groups[180:200] = [int(np.flatnonzero(task.labels[:120] == y)[0]) for y in task.labels[180:200]]
    check = check_groups(task, PARTS, groups)
    assert check.verdict is Verdict.PROBLEM
    row = check.numbers["parts"]["test"]
    assert (row["in_groups_of_train"], row["right_by_group"]) == (20, 1.0)
    assert check.numbers["parts"]["val"]["in_groups_of_train"] == 0
    assert (
        "right_by_group"
        not in check_groups(as_multilabel(task), PARTS, groups).numbers["parts"]["test"]
    )


def test_the_commonest_class_of_a_group_is_its_guess() -> None:
    task = replace(clean_task(), labels=np.arange(240) % 3)
    groups = np.full(240, -1)
    groups[[0, 3, 1]] = 5  # classes 0, 0 and 1
    groups[[180, 181]] = 5
    row = check_groups(task, PARTS, groups).numbers["parts"]["test"]
    assert (row["in_groups_of_train"], row["right_by_group"]) == (2, 0.5)
    assert check_groups(task, PARTS, groups).verdict is Verdict.WARNING


def test_groups_within_parts_are_fine_and_missing_ones_are_said() -> None:
    groups = np.repeat([0, 1, 2, -1], 60)
    groups[60:120] = -1
    assert check_groups(clean_task(), PARTS, groups).verdict is Verdict.OK
    assert check_groups(clean_task(), PARTS, None).verdict is Verdict.NOT_APPLICABLE
