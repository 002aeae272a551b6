"""Virtual subgraphs put into tasks, and taken out again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sub2node as s2n
from strategies import graphs, node_sets, tasks
from sub2node import DataError, Split, Subgraphs, SubgraphTask
from sub2node.coarsen import coarsen, with_virtual, without_virtual
from sub2node.io import read_task, save_task
from sub2node.task import Graph, Names

RING = Graph.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0])
VIRTUAL = Subgraphs.from_lists([[0, 1], [2, 3, 4]])


def plain_task(names: list[str] | None = None) -> SubgraphTask:
    sets = Subgraphs.from_lists(
        [[0, 1, 2], [3, 4], [2, 3], [4, 5]], names=None if names is None else Names(names)
    )
    split = Split.given(["train", "train", "val", "test"])
    return SubgraphTask(RING, sets, labels=np.array([0, 1, 0, 1]), split=split)


@st.composite
def cases(draw: st.DrawFn) -> tuple[SubgraphTask, Subgraphs]:
    """A task with all that a task may have, with a split, and node sets of its graph."""
    task = draw(tasks())
    if task.split is None:
        task = replace(task, split=Split.sizes(train=len(task)))
    return task, Subgraphs.from_lists(draw(node_sets(task.graph.num_nodes)))


def row(sets: Subgraphs, i: int) -> list[int]:
    return sets.nodes[sets.ptr[i] : sets.ptr[i + 1]].tolist()


@given(cases())
def test_they_stand_between_train_and_val(case: tuple[SubgraphTask, Subgraphs]) -> None:
    task, virtual = case
    assert task.split is not None
    both = with_virtual(task, virtual)
    assert both.split is not None
    train, count = task.split.count("train"), len(virtual)
    assert both.split.words() == [
        *task.split.words()[:train],
        *["virtual"] * count,
        *task.split.words()[train:],
    ]
    for i in range(count):
        assert row(both.subgraphs, train + i) == row(virtual, i)
        assert both.subgraphs.name_of(train + i).startswith("virtual")
    old = [*range(train), *range(train + count, len(both))]
    for mine, theirs in enumerate(old):
        assert row(both.subgraphs, theirs) == row(task.subgraphs, mine)
        assert both.subgraphs.name_of(theirs) == task.subgraphs.name_of(mine)
    assert both.split.visible("train") == train + count
    assert both.class_names == task.class_names
    if task.labels is not None:
        assert both.labels is not None
        assert np.array_equal(both.labels[old], task.labels)
        assert not (both.labels[train : train + count] != (0 if task.multilabel else -1)).any()
        assert np.array_equal(both.label_counts()[[0, 2, 3]], task.label_counts()[[0, 2, 3]])
        assert both.label_counts()[1].sum() == 0


@given(cases())
def test_weights_edges_and_titles(case: tuple[SubgraphTask, Subgraphs]) -> None:
    task, virtual = case
    both = with_virtual(task, virtual)
    assert both.split is not None
    mine, theirs = both.subgraphs, task.subgraphs
    where = both.split.mask("virtual")
    assert (mine.weights is None) == (theirs.weights is None)
    assert (mine.edges is None) == (theirs.edges is None)
    assert (mine.titles is None) == (theirs.titles is None)
    if mine.weights is not None:
        assert (mine.weights[where[mine.owner]] == 1).all()
        assert np.array_equal(mine.weights[~where[mine.owner]], theirs.weights)
    if mine.titles is not None:
        assert all(not title for title, new in zip(mine.titles, where, strict=True) if new)
    ptr, ends = both.internal_edges()
    own, nodes = virtual.induced_edges(task.graph)
    for i, place in enumerate(np.flatnonzero(where)):
        found = mine.nodes[ends[:, ptr[place] : ptr[place + 1]]]
        assert np.array_equal(found, virtual.nodes[nodes[:, own[i] : own[i + 1]]])


@given(cases())
def test_taking_them_out_gives_the_task_back(case: tuple[SubgraphTask, Subgraphs]) -> None:
    task, virtual = case
    again = without_virtual(with_virtual(task, virtual))
    assert again == task
    assert (again.name, again.notes) == (task.name, task.notes)
    assert again.subgraphs.names == task.subgraphs.names


def test_a_task_without_virtual_subgraphs_stays_as_it_is() -> None:
    task = plain_task()
    assert without_virtual(task) is task
    unsplit = replace(task, split=None)
    assert without_virtual(unsplit) is unsplit


def test_none_to_put_in_is_the_task() -> None:
    assert with_virtual(plain_task(), Subgraphs.from_lists([])) == plain_task()


TAKEN = [
    ["virtual 0", "a", "b", "virtual 1"],
    ["virtual 1", "virtual' 0", "virtual'' 1", "x"],
    ["virtual 2", "a", "b", "c"],
    ["0", "1", "2", "x"],
]


@pytest.mark.parametrize("names", TAKEN)
def test_names_are_unique(names: list[str]) -> None:
    task = plain_task(names)
    both = with_virtual(task, VIRTUAL)
    assert both.subgraphs.names is not None
    assert len(set(both.subgraphs.names)) == 6
    assert [name for name in both.subgraphs.names if name in names] == names
    assert without_virtual(both) == task


def test_a_task_that_is_not_split_is_refused() -> None:
    with pytest.raises(DataError, match="split the task first"):
        with_virtual(replace(plain_task(), split=None), VIRTUAL)


def test_twice_is_refused() -> None:
    with pytest.raises(DataError, match="already"):
        with_virtual(with_virtual(plain_task(), VIRTUAL), VIRTUAL)


def test_nodes_that_the_graph_does_not_have_are_refused() -> None:
    with pytest.raises(DataError, match="subgraph virtual 0 has node 6"):
        with_virtual(plain_task(), Subgraphs.from_lists([[5, 6]]))


def test_an_empty_set_is_refused() -> None:
    with pytest.raises(DataError, match="virtual 1 is empty"):
        with_virtual(plain_task(), Subgraphs.from_lists([[5], []]))


def test_a_new_split_may_leave_them_out() -> None:
    both = with_virtual(plain_task(), VIRTUAL)
    assert both.split is not None
    codes = both.split.codes.copy()
    codes[both.split.mask("virtual")] = -1
    assert replace(both, split=Split(codes)) == plain_task()


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(case=cases())
def test_files_keep_them(case: tuple[SubgraphTask, Subgraphs], tmp_path: Path) -> None:
    both = with_virtual(*case)
    save_task(both, tmp_path / "task", overwrite=True)
    again = read_task(tmp_path / "task")
    assert again == both
    assert without_virtual(again) == case[0]


@pytest.mark.parametrize("format", ["csv", "tsv", "parquet"])
def test_tables_keep_them(format: str, tmp_path: Path) -> None:
    both = with_virtual(plain_task(), VIRTUAL)
    save_task(both, tmp_path / "task", format=format)  # type: ignore[arg-type]
    again = read_task(tmp_path / "task")
    assert again.split is not None
    assert again.split.count("virtual") == 2
    assert again == both


@given(cases(), st.booleans())
def test_statistics_count_their_rows(
    case: tuple[SubgraphTask, Subgraphs], self_loops: bool
) -> None:
    task, virtual = case
    both = with_virtual(task, virtual)
    members = both.subgraphs.membership(task.graph.num_nodes, dtype=np.float64).toarray()
    operator = task.graph.adjacency(loops=True, dtype=np.float64).toarray()
    if self_loops:
        missing = operator.diagonal() == 0
        operator[missing, missing] = 1
    dense = members @ operator @ members.T
    graph = s2n.translate(both, self_loops=self_loops)
    assert graph.weights.toarray() == pytest.approx(dense)
    train = int(task.split.count("train")) + len(virtual)  # type: ignore[union-attr]
    block = dense[:train, :train]
    assert graph.statistics.subgraphs == train
    assert graph.statistics.mean == pytest.approx(block.mean())
    if block.size > 1:
        assert graph.statistics.std == pytest.approx(block.std(ddof=1), abs=1e-6)
    assert graph.stage("train").toarray() == pytest.approx(block)


@given(graphs(edges=1, weighted=False, plain=True))
def test_the_sets_of_a_coarsening_fit(graph: Graph) -> None:
    found = coarsen(graph, "ego_nets", 0.5)
    task = SubgraphTask(graph, Subgraphs.from_lists([[0], [1]]), split=Split.sizes(train=1, test=1))
    both = with_virtual(task, found.subgraphs)
    assert both.split is not None
    assert both.split.count("virtual") == len(found)
    assert without_virtual(both) == task
