"""Shared members against sets, and parts that mix two kinds of question."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from audit_tasks import clean_task, lists_of, make_task
from sub2node.audit.check import Verdict
from sub2node.audit.shared_members import check_shared_members, count_shared_members
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask

sets = st.lists(st.integers(0, 9), min_size=1, max_size=5, unique=True)


@given(st.lists(sets, max_size=4), st.lists(sets, min_size=1, max_size=6))
def test_counts_are_those_of_sets(known: list[list[int]], asked: list[list[int]]) -> None:
    graph = Graph.from_edges([0], [1], num_nodes=10)
    split = Split.sizes(train=len(known), test=len(asked))
    task = SubgraphTask(graph, Subgraphs.from_lists([*known, *asked]), split=split)
    nodes = set().union(*map(set, known)) if known else set()
    row = count_shared_members(task, "test")
    assert row["members"] == sum(map(len, asked))
    assert row["shared_members"] == sum(len(set(one) & nodes) for one in asked)
    assert row["without_any"] == sum(not set(one) & nodes for one in asked)


def test_a_clean_task_is_of_one_kind() -> None:
    check = check_shared_members(clean_task(), ("val", "test"))
    assert check.verdict is Verdict.OK
    assert "known nodes" in check.advice
    assert check_shared_members(clean_task(), ()).verdict is Verdict.NOT_APPLICABLE


def test_a_part_that_mixes_known_and_new_members_is_a_warning() -> None:
    task = clean_task()
    lists = lists_of(task)
    for row in range(180):  # train and val have the first nodes of each class only
        lists[row] = sorted({node // 80 * 80 + node % 40 for node in lists[row]})
    for row in range(180, 240):
        lists[row] = sorted({node // 80 * 80 + node % 40 + 40 * (row % 2) for node in lists[row]})
    check = check_shared_members(make_task(lists, task.labels), ("val", "test"))
    assert check.verdict is Verdict.WARNING
    assert "test with and without known members" in check.advice
    assert check.numbers["parts"]["test"]["without_any"] == 30


def test_val_and_test_that_share_different_amounts_are_a_warning() -> None:
    task = clean_task()
    lists = lists_of(task)
    for row in range(180):
        lists[row] = sorted({node // 80 * 80 + node % 40 for node in lists[row]})
    for row in range(180, 240):  # every test subgraph has one known member at least
        own = {node // 80 * 80 + node % 40 + 40 for node in lists[row]}
        lists[row] = sorted({*own, lists[0][0]})
    check = check_shared_members(make_task(lists, task.labels), ("val", "test"))
    assert check.verdict is Verdict.WARNING
    assert "alike" in check.advice
