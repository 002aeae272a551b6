"""Classes that differ in case only are one, unless that is not wanted."""

from __future__ import annotations

import pytest

import sub2node as s2n

EDGES = {"source": ["a", "b", "c"], "target": ["b", "c", "d"]}


def task_of(labels: list[object], **options: str) -> s2n.SubgraphTask:
    ids = [f"s{i}" for i in range(len(labels))]
    members = {"subgraph_id": ids, "node_id": ["a"] * len(ids)}
    return s2n.SubgraphTask.from_tables(
        EDGES, members, {"subgraph_id": ids, "label": labels}, **options
    )


def test_the_spelling_of_most_counts() -> None:
    labels = ["fraud", "Fraud", "fraud", "LEGIT", "Legit", "Legit"]
    task = task_of(labels)
    assert task.class_names == ("Legit", "fraud")
    assert task.input_labels.tolist() == ["fraud"] * 3 + ["Legit"] * 3
    (note,) = task.notes
    assert "2 labels in another case than the others of their class taken as the same" in note
    assert "--label-case keep" in note
    assert task_of(labels, label_case="keep").class_names == ("Fraud", "LEGIT", "Legit", "fraud")


def test_short_labels_and_numbers_stay() -> None:
    assert task_of(["A", "a", "CO", "Co"]).class_names == ("A", "CO", "Co", "a")
    assert task_of([1, 0, 1]).class_names == ("0", "1")


@pytest.mark.parametrize("labels", [["1", "True", "0"], ["no", "False", "yes"]])
def test_different_words_for_the_same_are_warned_of(labels: list[object]) -> None:
    (note,) = task_of(labels).notes
    assert "may mean the same class" in note
