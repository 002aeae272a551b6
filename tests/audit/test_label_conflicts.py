"""Equal subgraphs against sets, and what conflicts leave to be right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from audit_tasks import as_multilabel, clean_task, task_with_conflicts
from strategies import tasks
from sub2node.audit.check import Verdict
from sub2node.audit.label_conflicts import check_label_conflicts, equal_sets
from sub2node.task import Subgraphs

sets = st.lists(st.integers(0, 4), max_size=4, unique=True)


@given(st.lists(sets, min_size=1, max_size=12))
def test_sets_are_equal_where_their_nodes_are(lists: list[list[int]]) -> None:
    numbers = equal_sets(Subgraphs.from_lists(lists), 5)
    for i, one in enumerate(lists):
        for j, other in enumerate(lists):
            assert (numbers[i] == numbers[j]) == (set(one) == set(other))


@given(tasks())
def test_edges_of_their_own_count_too(task) -> None:
    numbers = equal_sets(task.subgraphs, task.graph.num_nodes)
    keys = []
    for i in range(len(task)):
        nodes = task.subgraphs.nodes[task.subgraphs.ptr[i] : task.subgraphs.ptr[i + 1]]
        edges = ()
        if task.subgraphs.edges is not None:
            ptr = task.subgraphs.edge_ptr
            edges = tuple(map(tuple, task.subgraphs.edges[ptr[i] : ptr[i + 1]].tolist()))
        keys.append((tuple(nodes.tolist()), edges))
    assert len(set(numbers.tolist())) == len(set(keys))


def test_planted_conflicts_are_found_with_their_ceiling() -> None:
    check = check_label_conflicts(task_with_conflicts(6))
    assert check.verdict is Verdict.PROBLEM
    assert check.numbers["in_conflict"] == check.numbers["equal_to_another"] == 12
    assert check.numbers["test_ceiling"] == 0.9
    assert "such as 180, 181, 182 and 9 more" in check.found
    few = check_label_conflicts(task_with_conflicts(1))
    assert few.verdict is Verdict.WARNING
    several = check_label_conflicts(as_multilabel(task_with_conflicts(6)))
    assert several.numbers["in_conflict"] > 0


def test_copies_of_the_same_label_are_no_conflict() -> None:
    task = task_with_conflicts(6)
    check = check_label_conflicts(replace(task, labels=np.zeros(240, int), class_names=("a",)))
    assert check.verdict is Verdict.OK
    assert (check.numbers["in_conflict"], check.numbers["test_ceiling"]) == (0, 1.0)


def test_a_clean_task_has_none() -> None:
    assert check_label_conflicts(clean_task()).verdict is Verdict.OK
    bare = replace(clean_task(), labels=None, class_names=())
    assert check_label_conflicts(bare).verdict is Verdict.NOT_APPLICABLE
