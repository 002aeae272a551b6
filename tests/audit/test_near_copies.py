"""Near copies against the definition of the Jaccard similarity, and planted ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit_tasks import clean_task, task_with_copies
from sub2node.audit import near_copies
from sub2node.audit.check import Verdict
from sub2node.audit.near_copies import check_near_copies, nearest_in
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask

sets = st.lists(st.integers(0, 7), min_size=1, max_size=6, unique=True)
rows = st.lists(st.tuples(sets, st.integers(0, 2), st.sampled_from([0, 2, 3])), min_size=1)


def dense(table: np.ndarray, other: np.ndarray) -> np.ndarray:
    """|A ∩ B| / |A ∪ B| of all pairs of rows of two tables of memberships."""
    common = (table[:, None] & other[None]).sum(axis=2)
    return common / (table[:, None] | other[None]).sum(axis=2)


@given(
    rows, st.booleans(), st.booleans(), st.sampled_from([1, 7, 1 << 22]),
    st.sampled_from(["train", "val"]),
)  # fmt: skip
def test_the_nearest_is_that_of_the_dense_definition(
    found, several: bool, weighted: bool, piece: int, other: str
) -> None:
    subgraphs = Subgraphs.from_lists([row[0] for row in found])
    if weighted:
        weights = np.linspace(0.5, 2, len(subgraphs.nodes))
        subgraphs = replace(subgraphs, weights=weights)
    labels = np.array([row[1] for row in found])
    if several:
        labels = np.stack([labels > 0, labels == 2], axis=1)
    graph = Graph.from_edges([0], [1], num_nodes=8)
    names = ("a", "b") if several else ("a", "b", "c")
    codes = [row[2] for row in found]
    task = SubgraphTask(graph, subgraphs, labels=labels, class_names=names, split=Split(codes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_copies, "_CHUNK", piece)
        nearest = nearest_in(other, task, "test")
    members = task.subgraphs.membership(8).toarray() > 0
    test, train = task.split.mask("test"), task.split.mask(other)
    expected = dense(members[test], members[train])
    truth = task.labels if several else task.labels[:, None]
    alike = (truth[test][:, None] == truth[train][None]).all(axis=2)
    np.testing.assert_allclose(nearest.similarity, expected.max(axis=1, initial=0))
    assert nearest.same_label is not None
    np.testing.assert_allclose(nearest.same_label, (expected * alike).max(axis=1, initial=0))


def test_planted_copies_are_found_and_counted() -> None:
    check = check_near_copies(task_with_copies(6), ("val", "test"))
    assert check.verdict is Verdict.PROBLEM
    row = check.numbers["parts"]["test"]
    assert (row["equal"], row["near"], row["near_same_label"], row["largest"]) == (6, 6, 6, 1.0)
    assert check.numbers["parts"]["val"]["near"] == 0
    assert "6 of 60 test subgraphs" in check.found
    assert check_near_copies(task_with_copies(2), ("val", "test")).verdict is Verdict.WARNING


def test_a_near_copy_counts_from_four_fifths_on() -> None:
    graph = Graph.from_edges([0], [1], num_nodes=12)
    lists = [[0, 1, 2, 3], [0, 1, 2, 3, 4], [0, 1, 2, 9]]
    split = Split.sizes(train=1, test=2)
    check = check_near_copies(
        SubgraphTask(graph, Subgraphs.from_lists(lists), split=split), ("test",)
    )
    row = check.numbers["parts"]["test"]
    assert (row["near"], row["equal"]) == (1, 0)
    assert "same_label" not in " ".join(row)


def test_copies_between_val_and_test_are_a_warning() -> None:
    graph = Graph.from_edges([0], [1], num_nodes=12)
    lists = [[0, 1], [4, 5, 6, 7], [4, 5, 6, 7], [8, 9]]
    task = SubgraphTask(
        graph, Subgraphs.from_lists(lists), split=Split.sizes(train=1, val=1, test=2)
    )
    check = check_near_copies(task, ("val", "test"))
    assert check.verdict is Verdict.WARNING
    assert [row["near"] for row in check.numbers["parts"].values()] == [0, 0]
    assert check.numbers["test_near_val"]["equal"] == 1
    assert check.found.endswith("1 of 2 test subgraphs near a val one (Jaccard ≥ 0.8), 1 equal.")


def test_a_clean_task_has_none() -> None:
    check = check_near_copies(clean_task(), ("val", "test"))
    assert check.verdict is Verdict.OK
    assert check_near_copies(clean_task(), ()).verdict is Verdict.NOT_APPLICABLE
