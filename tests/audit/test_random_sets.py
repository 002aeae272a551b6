"""Random sets keep sizes and degrees, and sizes that tell the label are found."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from audit_tasks import as_multilabel, clean_task, make_task, task_with_telling_sizes
from strategies import graphs, node_sets
from sub2node.audit import random_sets as module
from sub2node.audit.check import Check, Verdict
from sub2node.audit.quick_models import QuickScore, labels_of_part, quick_models, truth_of_part
from sub2node.audit.random_sets import check_random_sets, random_sets
from sub2node.task import Subgraphs, SubgraphTask


def check(task: SubgraphTask) -> Check:
    truth, labels = truth_of_part(task, "test"), labels_of_part(task, "train")
    bag = quick_models(task)[0]
    scores = [QuickScore.of(truth, bag.predict(labels, classes=3))]
    return check_random_sets(task, scores, draws=1, seed=0)


@given(st.data(), st.integers(0, 5))
def test_random_sets_have_the_same_sizes(data: st.DataObject, seed: int) -> None:
    graph = data.draw(graphs(plain=True))
    sets = Subgraphs.from_lists(data.draw(node_sets(graph.num_nodes)))
    drawn = random_sets(graph, sets, seed=seed)
    np.testing.assert_array_equal(drawn.sizes, sets.sizes)
    assert drawn.nodes.max() < graph.num_nodes
    assert random_sets(graph, sets, seed=seed) == drawn


def test_random_sets_are_others_of_about_the_same_degrees(monkeypatch) -> None:
    monkeypatch.setattr(module, "_BIN", 20)
    task = clean_task()
    drawn, degrees = random_sets(task.graph, task.subgraphs, seed=1), task.graph.degrees
    rank = np.argsort(np.argsort(degrees, kind="stable"))
    own, other = (
        [np.sort(rank[s.nodes[s.ptr[i] : s.ptr[i + 1]]]) for i in range(len(s))]
        for s in (task.subgraphs, drawn)
    )
    for mine, theirs in zip(own, other, strict=True):
        np.testing.assert_array_equal(mine // 20, theirs // 20)
    assert (drawn.nodes == task.subgraphs.nodes).mean() < 0.2


def test_sizes_that_tell_the_label_are_a_problem() -> None:
    found = check(task_with_telling_sizes())
    assert found.verdict is Verdict.PROBLEM
    assert found.numbers["size"] > 0.95
    assert "match sizes" in found.advice


def test_a_clean_task_falls_to_what_size_gives() -> None:
    for task in (clean_task(), as_multilabel(clean_task(7))):
        found = check(task)
        assert found.verdict is Verdict.OK
        assert max(found.numbers["random_sets"]) < 0.7 < found.numbers["true_sets"]


def test_degrees_that_tell_the_label_are_a_warning() -> None:
    task = clean_task()
    order = np.argsort(task.graph.degrees, kind="stable")
    lists = [
        order[nodes].tolist() for nodes in np.split(task.subgraphs.nodes, task.subgraphs.ptr)[1:-1]
    ]
    found = check(make_task(lists, task.labels))  # each class has nodes of its own degrees
    assert found.numbers["size_and_degree"] > 0.8
    assert found.verdict is Verdict.WARNING
    assert "sizes and degrees" in found.advice


def test_random_sets_that_still_tell_the_label_are_a_problem(monkeypatch) -> None:
    monkeypatch.setattr(module, "random_sets", lambda graph, subgraphs, seed: subgraphs)
    found = check(clean_task())
    assert found.verdict is Verdict.PROBLEM
    assert "random sets still tell" in found.advice
