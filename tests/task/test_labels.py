"""Labels of a table as class numbers, with split and titles."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sub2node import ConfigError, DataError, SubgraphTask
from sub2node.task.frames import Frame
from sub2node.task.ids import IdSpace
from sub2node.task.labels import read_labels, used_classes
from sub2node.task.missing_values import NA_WORDS


@pytest.mark.slow
def test_many_classes_need_no_square_table() -> None:
    count = 20_000
    task = SubgraphTask.from_tables(
        {"source": np.arange(count - 1), "target": np.arange(1, count)},
        {"subgraph_id": np.arange(count), "node_id": np.arange(count)},
        {"subgraph_id": np.arange(count), "label": np.arange(count)},
    )
    assert task.num_classes == count
    assert len(task.label_lists()) == count


def labels_of(columns: dict[str, list[object]], names: str = "stu", classes=(), na_words=()):
    space = IdSpace.in_order(pa.array(list(names), pa.large_string()))
    return read_labels(Frame.of(columns, "labels", {}), space, tuple(classes), na_words=na_words)


def task_of(columns: dict[str, list[object]], **options: object) -> SubgraphTask:
    """The task of three subgraphs s, t and u with this table of labels."""
    edges = {"source": ["x", "y"], "target": ["y", "z"]}
    members = {"subgraph_id": list("stu"), "node_id": list("xyz")}
    return SubgraphTask.from_tables(edges, members, columns, **options)


def test_labels_follow_the_order_of_the_subgraphs() -> None:
    labels, classes, split, titles, order, *_ = labels_of(
        {
            "subgraph_id": ["u", "s", "t"],
            "label": ["10", "9", "10"],
            "split": ["test", " train", "val"],
            "title": ["U", None, "T"],
        }
    )
    assert classes == ("9", "10")  # numbers are sorted as numbers
    assert labels.tolist() == [0, 1, 1]
    assert split.words() == ["train", "val", "test"]
    assert list(titles) == ["", "T", "U"]
    assert order.tolist() == [2, 0, 1]  # as the rows of the table came
    assert labels_of({"subgraph_id": list("stu"), "title": list("STU")})[0] is None


@pytest.mark.parametrize(
    "columns",
    [
        {"subgraph_id": list("sstu"), "label": list("abba")},
        {"subgraph_id": list("stu"), "label": [["b", "a"], ["b"], ["a"]]},
    ],
)
def test_several_labels_are_a_table(columns) -> None:
    labels, classes, *_ = labels_of(columns)
    assert classes == ("a", "b")
    assert labels.tolist() == [[True, True], [False, True], [True, False]]


def test_classes_that_are_known_keep_their_order() -> None:
    columns = {"subgraph_id": list("stu"), "label": list("aba")}
    labels, classes, *_ = labels_of(columns, classes="cba")
    assert (labels.tolist(), classes) == ([2, 1, 2], ("c", "b", "a"))
    with pytest.raises(DataError, match="the label 'b' is no class"):
        labels_of(columns, classes="a")


def test_only_virtual_subgraphs_have_no_label() -> None:
    columns = {"subgraph_id": list("stu"), "label": ["a", None, "b"]}
    split = {"split": ["train", "virtual", "val"]}
    assert labels_of({**columns, **split})[0].tolist() == [0, -1, 1]
    task = task_of({**columns, **split, "label": ["a", None, "a"]})
    assert (task.label_counts().sum(), task.unlabelled) == (2, None)
    for label in ([None, "a", "b"], ["", "a", "b"], [np.nan, 1.0, 2.0], [None, ["a"], []]):
        parts = ["val", "train", "train"]
        task = task_of({**columns, "split": parts, "label": label})
        assert (len(task), task.unlabelled.subgraph_ids) == (2, ["s"])


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"subgraph_id": list("stux"), "label": list("aaaa")}, "'x' has a label but no members"),
        ({"subgraph_id": list("su"), "title": list("aa")}, "the label of subgraph 't' is missing"),
        ({"subgraph_id": list("stu"), "label": [None] * 3}, "no subgraph has a label"),
        ({"subgraph_id": list("stu"), "split": ["later"] * 3}, "row 1 has the split word 'later'"),
        (
            {"subgraph_id": list("stus"), "split": ["train"] * 3 + ["val"]},
            "row 4 puts its subgraph in a second part",
        ),
        ({"subgraph_id": list("stu")}, "no column 'label'"),
    ],
)
def test_label_tables_that_are_refused(columns, words) -> None:
    with pytest.raises(DataError, match=words):
        task_of(columns)


def test_classes_that_nobody_has_go() -> None:
    names = ("a", "b", "c")
    labels, left = used_classes(np.array([2, -1, 0]), names, keep_all=False)
    assert (labels.tolist(), left) == ([1, -1, 0], ("a", "c"))
    table = np.array([[True, False, False], [True, False, True]])
    labels, left = used_classes(table, names, keep_all=False)
    assert (labels.tolist(), left) == ([[True, False], [True, True]], ("a", "c"))
    assert used_classes(table, names, keep_all=True) == (table, names)


@pytest.mark.parametrize("word", ["NA", "nan", "NaN", "NULL", "None", "<NA>"])
def test_words_for_missing_values_are_missing_labels(word: str) -> None:
    for label in (["a", word, "b"], [["a"], ["b", word], ["a"]]):
        columns = {"subgraph_id": list("stu"), "label": label}
        task = task_of(columns)
        assert task.unlabelled.subgraph_ids == ["t"]
        assert f"(a label that reads '{word}' is missing; --na-labels keep" in task.notes[0]
    columns = {"subgraph_id": list("stu"), "label": ["a", word, "b"]}
    assert labels_of(columns, classes=("a", "b", word))[0].tolist() == [0, 2, 1]
    columns["split"] = ["train", "virtual", "val"]
    assert labels_of(columns, na_words=NA_WORDS)[0].tolist() == [0, -1, 1]
    with pytest.raises(DataError, match=f"row 1 is missing: it reads '{word}'.*--na-labels keep"):
        task_of({"subgraph_id": list("stu"), "label": [word] * 3})


def test_classes_called_as_missing_values_can_be_kept() -> None:
    labels = {"subgraph_id": list("stu"), "label": ["a", "NA", "a"]}
    assert task_of(labels).class_names == ("a",)
    task = task_of(labels, na_labels="keep")
    assert task.class_names == ("NA", "a")
    assert task.notes == ("1 class kept that reads as a missing value: 'NA'.",)
    with pytest.raises(ConfigError, match="na_labels is one of missing, keep, not 'drop'"):
        task_of(labels, na_labels="drop")
