"""Tasks: their order, their parts, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import tasks
from sub2node import DataError, Graph, Split, Subgraphs, SubgraphTask
from sub2node.task import Names

GRAPH = Graph.from_edges([0, 1, 2, 3, 0], [1, 2, 3, 0, 0])
SETS = Subgraphs.from_lists([[0, 1], [1, 2], [2, 3], [3]])


def make(**changes: object) -> SubgraphTask:
    parts: dict[str, object] = {
        "labels": [0, 1, 0, 1],
        "split": Split.given(["test", "train", "val", "train"]),
    }
    return SubgraphTask(GRAPH, SETS, **{**parts, **changes})  # type: ignore[arg-type]


def test_subgraphs_are_put_in_stage_order() -> None:
    task = make(labels=[0, 1, 0, 0])
    assert [task.subgraphs.name_of(i) for i in range(4)] == ["1", "3", "2", "0"]
    assert task.labels is not None
    assert task.labels.tolist() == [1, 0, 0, 0]
    assert task.split is not None
    assert task.split.words() == ["train", "train", "val", "test"]
    assert task.class_names == ("0", "1")


@given(tasks(), st.data())
def test_subset_takes_what_it_names(task: SubgraphTask, data: st.DataObject) -> None:
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(task), max_size=len(task))))
    part = task.subset(mask)
    kept = np.flatnonzero(mask)
    assert len(part) == mask.sum()
    assert [part.subgraphs.name_of(i) for i in range(len(part))] == [
        task.subgraphs.name_of(int(i)) for i in kept
    ]
    if task.labels is not None and part.labels is not None:
        assert np.array_equal(part.labels, task.labels[kept])
    assert part == task.subset(kept)
    if task.subgraphs.names is not None and len(kept):
        assert part == task.subset([task.subgraphs.names[int(i)] for i in kept])
    assert task.subset(np.arange(len(task))) == task


def test_subset_refuses_what_is_not_there() -> None:
    task = make(split=None)
    for which, message in (
        ([9], "lie in 0…3"),
        ([0, 0], "at most once"),
        ([True], "a mask of 1"),
        (["x"], "no subgraph is named 'x'"),
    ):
        with pytest.raises(DataError, match=message):
            task.subset(which)


def test_with_split_and_data_scarce() -> None:
    task = make(split=None).with_split(["train", "train", "train", "test"])
    assert repr(task.split) == "Split(3 train, 1 test)"
    assert task.labels is not None
    assert task.split is not None
    few = task.with_split(task.split.per_class(task.labels, 1))
    assert len(few) == 3
    assert few.hash != task.hash


def test_a_class_only_in_test_cannot_be_learned() -> None:
    with pytest.raises(DataError, match="class '1' has 2 in test but no subgraph in train"):
        make(split=None).with_split(["train", "test", "train", "test"])


def test_hash_names_the_content() -> None:
    task = make()
    assert task == make(name="other", notes=("read twice",))
    assert task.hash != make(labels=[0, 0, 0, 1]).hash
    assert task.hash != make(class_names=("x", "y")).hash
    assert task.hash != make(split=None).hash


@pytest.mark.slow
def test_to_pyg_agrees_with_the_task() -> None:
    pytest.importorskip("torch_geometric")
    task = SubgraphTask(
        Graph.from_edges([0, 1, 0], [1, 2, 0], weights=[2, 3, 4], features=np.eye(3)),
        Subgraphs.from_lists([[0, 1], [2]]),
        labels=np.array([[True, False], [True, True]]),
        split=Split.given(["train", "test"]),
    )
    data = task.to_pyg()
    assert data.validate()
    dense = np.zeros((3, 3))
    dense[tuple(data.edge_index.numpy())] = data.edge_weight.numpy()
    assert np.array_equal(dense, task.graph.adjacency(loops=True).toarray())
    assert data.membership_index.tolist() == [[0, 0, 1], [0, 1, 2]]
    assert data.y.tolist() == [[True, False], [True, True]]
    assert data.part.tolist() == [0, 3]
    assert data.x.shape == (3, 3)


def test_members_by_position_and_name() -> None:
    graph = Graph.from_edges([0, 1], [1, 2], names=Names(["a", "b", "c"]))
    sets = Subgraphs.from_lists([[0, 2], [1]], names=Names(["x", "y"]))
    task = SubgraphTask(graph, sets)
    assert task.members(0) == task.members("x") == ["a", "c"]
    assert graph.names[1:] == ["b", "c"]
    with pytest.raises(DataError, match="no subgraph is named 'z'"):
        task.members("z")


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (
            lambda: SubgraphTask(GRAPH, SETS, labels=[0.5, 1.7, 0, 0]),
            "labels .* must be whole numbers, found '0.5'",
        ),
        (
            lambda: SubgraphTask(GRAPH, SETS, labels=["a", "b", "a", "b"]),
            "labels .* must be whole numbers, found 'a'",
        ),
        (lambda: make(class_names=("a", "a")), "class_names has 'a' twice"),
        (lambda: make().subset([1.7]), "positions of subgraphs must be whole numbers, found '1.7'"),
        (lambda: make().subset(1), "a subset is a flat list of positions, names, or a mask"),
        (lambda: make().subset([[0], [1]]), "a subset is a flat list of positions"),
    ],
)
def test_nothing_is_rounded_or_guessed(attempt, message: str) -> None:
    with pytest.raises(DataError, match=message):
        attempt()
