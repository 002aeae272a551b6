"""Links between test and train by label, against counts over pairs of subgraphs."""

from __future__ import annotations

import numpy as np
import pytest

from audit_tasks import as_multilabel, clean_task, task_without_signal
from sub2node.audit.check import Verdict
from sub2node.audit.edge_origins import edge_origins
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


def task_with_planted_edges() -> tuple[SubgraphTask, dict[str, list[object]]]:
    """Sixty sets of three nodes; edges at random, and others between sets of one label."""
    rng, labels = np.random.default_rng(5), np.tile([0, 1], 30)
    pairs = rng.integers(0, 180, (600, 2))
    alike = labels[pairs[:, 0] // 3] == labels[pairs[:, 1] // 3]
    origin = np.where(alike & (np.arange(600) >= 300), "annotation", "screen")
    kept = (origin == "annotation") | (np.arange(600) < 300)
    ends = np.unique(np.sort(pairs[kept], axis=1), axis=0, return_index=True)
    (low, high), origin = ends[0].T, origin[kept][ends[1]]
    inside = low != high
    table = {"source": low[inside], "target": high[inside], "origin": origin[inside]}
    graph = Graph.from_edges(table["source"], table["target"], num_nodes=180)
    sets = Subgraphs.from_lists(np.arange(180).reshape(60, 3).tolist())
    split = Split.sizes(train=20, test=40)
    return SubgraphTask(graph, sets, labels=labels, split=split), table


def test_an_origin_that_knew_the_labels_is_named() -> None:
    task, rows = task_with_planted_edges()
    scores = {task.graph.num_edges: 0.9}
    check = check_label_links(
        task, edge_origins(task, rows), lambda asked: scores.get(asked.graph.num_edges, 0.4)
    )
    origins = check.numbers["origins"]
    assert check.verdict is Verdict.PROBLEM
    assert origins["annotation"]["z"] > 5 > abs(origins["screen"]["z"])
    assert origins["annotation"]["score_without"] == 0.4
    assert "score_without" not in origins["screen"]
    assert "Links of annotation follow" in check.advice
    same = check_label_links(task, edge_origins(task, rows), lambda asked: 0.9)
    assert same.verdict is Verdict.WARNING


def test_origins_without_a_trace_of_labels_are_in_order() -> None:
    task = task_without_signal()
    low, high, _ = task.graph.edges()
    rows = {"source": low, "target": high, "origin": ["screen"] * len(low)}
    check = check_label_links(task, edge_origins(task, rows))
    assert check.verdict is Verdict.OK
    whole = check.numbers
    assert whole["origins"]["screen"]["z"] == pytest.approx(whole["z"])
    assert whole["origins"]["screen"]["same_label"] == pytest.approx(whole["same_label"])
