"""Labels as people write them: one each, tables, lists, frames; weights of classes."""

from __future__ import annotations

import numpy as np
import pytest

from communities import GRAPH
from sub2node.base.errors import ConfigError, DataError
from sub2node.scoring.label_encoding import (
    class_weights,
    encode_labels,
    ordered_labels,
    truth_table,
)
from sub2node.task import Split, Subgraphs, SubgraphTask


def test_balanced_weights_are_those_of_the_books() -> None:
    labels = np.array([0] * 12 + [1] * 3 + [2] * 5)
    sets = Subgraphs.from_lists([[0]] * 20)
    task = SubgraphTask(GRAPH, sets, labels, (), Split.sizes(train=20))
    found = class_weights("balanced", task, np.arange(3))
    wanted = 20 / (3 * np.bincount(labels))
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    table = np.stack([labels == 1, labels < 2], axis=1)
    task = SubgraphTask(GRAPH, sets, table, (), Split.sizes(train=20))
    np.testing.assert_allclose(class_weights("balanced", task, np.arange(2)), [17 / 3, 5 / 15])
    assert class_weights(None, task, np.arange(2)) is None
    assert class_weights({1: 2.5}, task, np.arange(2)) == (1.0, 2.5)


@pytest.mark.parametrize(
    ("y", "values", "classes"),
    [
        (["b", "a", "b"], [1, 0, 1], ["a", "b"]),
        (np.array([7, 3, 7]), [1, 0, 1], [3, 7]),
        ([1.0, 2.0, 1.0], [0, 1, 0], [1.0, 2.0]),
        ([True, False, True], [1, 0, 1], [False, True]),
        (np.array([["a"], ["b"], ["a"]]), [0, 1, 0], ["a", "b"]),
        ([[0, 1], [1, 1], [0, 0]], [[0, 1], [1, 1], [0, 0]], [0, 1]),
        (np.eye(3), np.eye(3).tolist(), [0, 1, 2]),
        ([["b"], [], ["a", "b"]], [[0, 1], [0, 0], [1, 1]], ["a", "b"]),
        ([{"b"}, ("a",), ["a"]], [[0, 1], [1, 0], [1, 0]], ["a", "b"]),
    ],
)
def test_labels_become_numbers_or_a_table(y, values, classes) -> None:
    encoded, names = encode_labels(y, 3)
    assert encoded.astype(int).tolist() == np.array(values).astype(int).tolist()
    assert names.tolist() == classes


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "labels are missing"),
        ("aba", "labels are a list"),
        (["a", "b"], "3 subgraphs but 2 labels"),
        (["a", 1, "b"], r"of different kinds \(int and str\)"),
        (["a", None, "b"], "label 1 is missing"),
        ([1.0, float("nan"), 2.0], "label 1 is missing"),
        ([0.5, 1.0, 2.0], "Unknown label type: continuous"),
        ([2**70, 1, 2], r"below 2\^63"),
        ([b"a", b"b", b"c"], "found bytes"),
        ([["a"], "b", ["c"]], "some labels are lists"),
        ([[], [], []], "no subgraph has a label"),
        (np.array([[0, 2], [1, 0], [0, 1]]), "zeros and ones"),
        (np.zeros((3, 2, 2)), "3 dimensions"),
    ],
)
def test_labels_that_are_none(y, words) -> None:
    with pytest.raises(DataError, match=words):
        encode_labels(y, 3)


def test_truth_is_in_the_order_of_the_model() -> None:
    classes = np.array(["b", "a", "c"])
    assert truth_table(["a", "b"], 2, classes).astype(int).tolist() == [[0, 1, 0], [1, 0, 0]]
    assert truth_table([["c", "a"], []], 2, classes).astype(int).tolist() == [[0, 1, 1], [0] * 3]
    table = np.array([[1, 0, 1], [0, 0, 0]])
    assert truth_table(table, 2, classes).astype(int).tolist() == table.tolist()
    with pytest.raises(DataError, match="'z' is no class of this model"):
        truth_table(["a", "z"], 2, classes)
    with pytest.raises(DataError, match="2 label columns for 3 classes"):
        truth_table(table[:, :2], 2, classes)


def test_labels_of_a_frame_follow_the_subgraphs() -> None:
    frame = {"subgraph_id": ["t", "s", "t"], "label": ["x", "y", "z"]}
    assert ordered_labels(frame, ["s", "t"]) == [["y"], ["x", "z"]]
    once = {"subgraph_id": [2, 1], "label": ["x", "y"]}
    assert ordered_labels(once, ["1", "2"]) == ["y", "x"]
    with pytest.raises(DataError, match="subgraph 'z' has a label but no members"):
        ordered_labels({"subgraph_id": ["z"], "label": ["x"]}, ["s"])
    with pytest.raises(DataError, match="the label of subgraph 's' is missing"):
        ordered_labels({"subgraph_id": ["t"], "label": ["x"]}, ["s", "t"])


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ("even", "None, 'balanced' or a dict, not 'even'"),
        ([1, 2], "None, 'balanced' or a dict"),
        ({"z": 1.0}, "names 'z', which is no class"),
        ({"a": 0.0}, "the weight of class 'a' is above 0"),
        ({"a": True}, "the weight of class 'a' is above 0"),
    ],
)
def test_weights_that_are_none(weights, words) -> None:
    task = SubgraphTask(
        GRAPH, Subgraphs.from_lists([[0]] * 2), [0, 1], ("a", "b"), Split.sizes(train=2)
    )
    with pytest.raises(ConfigError, match=words):
        class_weights(weights, task, np.array(["a", "b"]))
