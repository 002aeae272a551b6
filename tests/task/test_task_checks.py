"""What must hold of a task, and the order of the input beside that of the rows."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sub2node import DataError, Split, SubgraphTask, load_task, save_task
from sub2node.coarsen.virtual import with_virtual, without_virtual
from sub2node.io.save import FORMATS, Format
from sub2node.task import Graph, Names, Subgraphs
from sub2node.task.task_checks import renumber_order

GRAPH = Graph.from_edges(np.arange(9), np.arange(1, 10), num_nodes=10)
WORDS = ["test", "train", "val", "train", "train", "test"]
IDS = ["f", "b", "d", "a", "c", "e"]
LABELS = [1, 0, 1, 1, 0, 0]


def interleaved(words: list[str] | None = None, **more: object) -> SubgraphTask:
    """Six subgraphs whose parts alternate."""
    sets = Subgraphs.from_lists([[k, k + 1] for k in range(6)], names=Names(IDS))
    split = Split.given(words or WORDS)
    return SubgraphTask(GRAPH, sets, np.array(LABELS), ("no", "yes"), split, **more)  # type: ignore[arg-type]


def order_of(task: SubgraphTask) -> list[str]:
    return task.in_input_order(task.subgraph_ids).tolist()


def test_rows_are_by_part_and_the_input_is_remembered() -> None:
    task = interleaved()
    assert task.subgraph_ids == ["b", "a", "c", "d", "f", "e"]
    assert order_of(task) == IDS
    assert task.in_input_order(task.labels).tolist() == LABELS
    assert [task.input_subgraphs.name_of(i) for i in range(6)] == IDS
    assert task.input_subgraphs.nodes.reshape(6, 2)[:, 0].tolist() == list(range(6))
    with pytest.raises(ValueError, match="read-only"):
        task.input_order[0] = 3


def test_data_in_order_has_the_order_of_its_rows() -> None:
    task = interleaved(sorted(WORDS, key=["train", "val", "test"].index))
    assert task.input_order.tolist() == list(range(6))
    assert task.input_subgraphs is task.subgraphs


def test_the_order_is_no_part_of_the_content() -> None:
    task = interleaved()
    rows = SubgraphTask(GRAPH, task.subgraphs, task.labels, ("no", "yes"), task.split)
    assert rows.hash == task.hash
    assert order_of(rows) == task.subgraph_ids


def test_a_new_split_keeps_the_order_of_the_input() -> None:
    task = interleaved()
    new = ["train", "test", "train", "val", "train", "val"]
    again = task.with_split(new)  # words are in the order of the input
    assert order_of(again) == IDS
    frame = dict(zip(again.subgraph_ids, again.split.words(), strict=True))
    assert [frame[name] for name in IDS] == new
    assert again == task.with_split(dict(zip(IDS, new, strict=True)))
    few = task.with_split(task.split.per_class(task.labels, n=1))
    assert order_of(few) == [name for name in IDS if name in few.subgraph_ids]
    assert len(few) == 5
    with pytest.raises(DataError, match="subgraph 'a' has no split word"):
        task.with_split({"b": "train"})
    with pytest.raises(DataError, match="2 split words for 6 subgraphs"):
        task.with_split(["train", "test"])


def test_a_subset_has_the_order_in_which_it_is_asked_for() -> None:
    task = interleaved()
    assert order_of(task.subset(["e", "a", "d"])) == ["e", "a", "d"]
    for which in (np.array([4, 0, 3]), task.split.mask("train"), task.labels == 1):
        part = task.subset(which)
        assert part.in_input_order(part.labels).tolist() == task.labels[which].tolist()
        assert order_of(part) == np.array(task.subgraph_ids)[which].tolist()
    kept = task.subset(task.labels == 1, keep_input_order=True)
    assert order_of(kept) == ["f", "d", "a"]


def test_virtual_subgraphs_come_last() -> None:
    task = interleaved()
    both = with_virtual(task, Subgraphs.from_lists([[0, 1], [2, 3]]))
    assert order_of(both) == [*IDS, "virtual 0", "virtual 1"]
    assert order_of(without_virtual(both)) == IDS


@pytest.mark.parametrize(
    "order", [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 4], [1, 2, 3, 4, 5, 6], [[0, 1, 2], [3, 4, 5]]]
)
def test_an_order_that_is_none_is_refused(order: list[int]) -> None:
    with pytest.raises(DataError, match="input_order must have each of the rows"):
        interleaved(input_order=order)


@pytest.mark.parametrize("values", [[1, 2], 3, np.zeros((2, 6))])
def test_values_must_be_one_per_subgraph(values: object) -> None:
    with pytest.raises(DataError, match=r"values? for 6 subgraphs"):
        interleaved().in_input_order(values)  # type: ignore[arg-type]


def frames(order: list[int], words: list[str], labels: list[int]) -> list[dict[str, list[object]]]:
    """Edges, members and labels of subgraphs 0, 1, … in these orders."""
    count = len(words)
    members = {"subgraph_id": [], "node_id": []}
    for k in range(count):
        members["subgraph_id"] += [f"s{k}", f"s{k}"]
        members["node_id"] += [k, k + 1]
    edges = {"source": list(range(count)), "target": list(range(1, count + 1))}
    table = {
        "subgraph_id": [f"s{k}" for k in order],
        "label": [f"c{labels[k]}" for k in order],
        "split": [words[k] for k in order],
    }
    return [edges, members, table]


@st.composite
def interleavings(draw: st.DrawFn) -> tuple[list[int], list[str], list[int]]:
    """An order of the labels table, parts and labels; every class is in train."""
    count = draw(st.integers(3, 9))
    words = draw(
        st.lists(st.sampled_from(["train", "val", "test"]), min_size=count, max_size=count)
    )
    labels = draw(st.lists(st.integers(0, 1), min_size=count, max_size=count))
    words[:2], labels[:2] = ["train", "train"], [0, 1]
    return draw(st.permutations(range(count))), words, labels


@pytest.mark.slow
@settings(max_examples=25)
@given(interleavings(), st.integers(0, 3), st.sampled_from(FORMATS))
def test_tables_in_any_order_come_back_in_that_of_the_labels(
    drawn: tuple[list[int], list[str], list[int]], seed: int, format: Format
) -> None:
    order, words, labels = drawn
    task = SubgraphTask.from_tables(*frames(order, words, labels))
    expected = [f"s{k}" for k in order]
    for one in (task, task.with_split(Split.random(task.labels, seed=seed))):
        frame = one.to_frame()
        assert frame["subgraph_id"].tolist() == expected
        assert frame["label"].tolist() == [f"c{labels[k]}" for k in order]
        assert frame["size"].tolist() == [2] * len(order)
        with tempfile.TemporaryDirectory() as place:
            again = load_task(save_task(one, Path(place) / format, format=format))
            assert again.to_frame().equals(frame)
            assert again == one or format != "parquet"
    members = frames(order, words, labels)[:2]
    assert order_of(SubgraphTask.from_tables(*members)) == [f"s{k}" for k in range(len(order))]


SETS = Subgraphs.from_lists([[0, 1], [1, 2], [2, 3], [3]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": [0, 1]}, "4 subgraphs but labels for 2"),
        ({"labels": [0, 1, -1, 0]}, "subgraph 2 has no label"),
        ({"labels": [0, 1, 2, 0], "class_names": ("a", "b")}, "only 2 class names"),
        ({"labels": np.ones((4, 2), bool), "class_names": ("a",)}, "2 label columns"),
        ({"labels": None, "class_names": ("a",)}, "no labels"),
        ({"split": Split.given(["train"])}, "the split for 1"),
        ({"subgraphs": Subgraphs.from_lists([[0], [], [1], [2]])}, "subgraph 1 is empty"),
        ({"subgraphs": Subgraphs.from_lists([[0], [10], [1], [2]])}, "has node 10, but the graph"),
    ],
)
def test_bad_tasks(change: dict[str, object], message: str) -> None:
    parts: dict[str, object] = {"graph": GRAPH, "subgraphs": SETS, "labels": [0, 1, 0, 1]}
    with pytest.raises(DataError, match=message):
        SubgraphTask(**{**parts, **change})  # type: ignore[arg-type]


def test_edges_of_subgraphs_must_be_edges() -> None:
    sets = Subgraphs(
        np.array([0, 2]), np.array([0, 2]), edge_ptr=np.array([0, 1]), edges=np.array([[0, 2]])
    )
    with pytest.raises(DataError, match="edge 0-2, which the graph does not have"):
        SubgraphTask(GRAPH, sets)


@given(st.permutations(range(6)), st.lists(st.integers(0, 5), unique=True))
def test_an_order_of_some_rows_is_the_order_among_them(order: list[int], rows: list[int]) -> None:
    renumbered = renumber_order(np.array(order), np.array(rows, dtype=np.int64))
    assert [rows[row] for row in renumbered] == [row for row in order if row in rows]
