"""Links between test and train by label, against counts over pairs of subgraphs."""

from __future__ import annotations

import numpy as np
import pytest

from audit_tasks import as_multilabel, clean_task, task_without_signal
from sub2node.audit.check import Verdict
from sub2node.audit.label_links import check_label_links
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask


def test_ratios_are_those_of_a_count_over_pairs() -> None:
    task = clean_task()
    assert task.labels is not None
    members = task.subgraphs.membership(task.graph.num_nodes).toarray()
    adjacency = task.graph.adjacency().toarray()
    degrees = adjacency.sum(axis=1)
    links = members[180:] @ adjacency @ members[:120].T
    expected = np.outer(members[180:] @ degrees, members[:120] @ degrees) / degrees.sum()
    same = task.labels[180:, None] == task.labels[None, :120]
    found = check_label_links(task).numbers
    assert found["same_label"] == pytest.approx(links[same].sum() / expected[same].sum())
    assert found["other_label"] == pytest.approx(links[~same].sum() / expected[~same].sum())


def test_links_that_follow_labels_are_information_only() -> None:
    for task in (clean_task(), as_multilabel(clean_task())):
        check = check_label_links(task)
        assert check.verdict is Verdict.INFORMATION
        assert check.numbers["same_label"] > 1.2 > check.numbers["other_label"]
        assert check.numbers["z"] > 5
        assert "where the edges come from" in check.advice


def test_random_labels_have_no_links_of_their_own() -> None:
    check = check_label_links(task_without_signal())
    assert abs(check.numbers["z"]) < 3
    assert "do not follow" in check.advice


def test_a_graph_without_edges_has_nothing_to_compare() -> None:
    graph = Graph.from_edges([], [], num_nodes=4)
    split = Split.sizes(train=2, test=2)
    sets = Subgraphs.from_lists([[0], [1], [2], [3]])
    task = SubgraphTask(graph, sets, labels=np.array([0, 1, 0, 1]), split=split)
    assert check_label_links(task).verdict is Verdict.NOT_APPLICABLE
