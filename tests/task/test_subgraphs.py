"""Node sets in one flat array: made, taken, checked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node import DataError
from sub2node.task import Graph, Names, Subgraphs, measure

# Of a version without excluded nodes.
HASH_BEFORE = "679340c7426399677512b142b11612b3761ed6f0920bbe52613a7bf147ee7a23"


def test_induced_edges_are_kept_for_one_graph_at_a_time() -> None:
    sets = Subgraphs.from_lists([[0, 1, 2], [1, 3]])
    path = Graph.from_edges(np.array([0, 1]), np.array([1, 2]), num_nodes=4)
    star = Graph.from_edges(np.array([1, 1, 1]), np.array([0, 2, 3]), num_nodes=4)
    ptr, ends = sets.induced_edges(path)
    assert sets.induced_edges(path)[1] is ends
    assert ptr.tolist() == [0, 2, 2]
    assert sets.induced_edges(star)[0].tolist() == [0, 2, 3]
    assert sets.induced_edges(path)[0].tolist() == [0, 2, 2]
    with pytest.raises(ValueError, match="read-only"):
        ends[0, 0] = 1


@given(st.lists(st.lists(st.integers(0, 9), max_size=8), max_size=6))
def test_lists_round_trip_sorted_and_merged(lists: list[list[int]]) -> None:
    sets = Subgraphs.from_lists(lists)
    rows = [sets.nodes[a:b].tolist() for a, b in zip(sets.ptr, sets.ptr[1:], strict=False)]
    assert rows == [sorted(set(nodes)) for nodes in lists]
    dense = np.zeros((len(lists), 10))
    for i, nodes in enumerate(lists):
        dense[i, nodes] = 1
    assert np.array_equal(sets.membership(10).toarray(), dense)


@given(st.data())
def test_take_equals_indexing(data: st.DataObject) -> None:
    lists = data.draw(st.lists(st.lists(st.integers(0, 9), max_size=5), min_size=1, max_size=6))
    which = data.draw(st.permutations(range(len(lists))))[: data.draw(st.integers(0, len(lists)))]
    taken = Subgraphs.from_lists(lists).take(np.array(which, dtype=int))
    assert np.array_equal(
        taken.membership(10).toarray(),
        Subgraphs.from_lists([lists[i] for i in which]).membership(10).toarray(),
    )
    assert [taken.name_of(i) for i in range(len(which))] == [str(i) for i in which]


def test_explicit_edges_are_checked_and_taken() -> None:
    sets = Subgraphs.from_lists([[0, 1, 2], [2, 3]])
    full = Subgraphs(
        sets.ptr, sets.nodes, edge_ptr=np.array([0, 1, 2]), edges=np.array([[0, 2], [2, 3]])
    )
    graph = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3])
    ptr, ends = full.internal_edges(graph)
    assert ptr.tolist() == [0, 1, 2]
    assert full.nodes[ends].T.tolist() == [[0, 2], [2, 3]]
    assert measure(graph, full).edges.tolist() == [1, 1]
    assert measure(graph, full).boundary.tolist() == [1, 2]  # of the graph, not of its own edges
    back = full.take(np.array([1, 0]))
    assert back.edges is not None
    assert back.edges.tolist() == [[2, 3], [0, 2]]


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([[0, 3]], "not both members"),
        ([[2, 0]], "lower end first"),
        ([[1, 1]], "lower end first"),
    ],
)
def test_bad_explicit_edges(edges: list[list[int]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Subgraphs(
            np.array([0, 3]), np.array([0, 1, 2]), edge_ptr=np.array([0, 1]), edges=np.array(edges)
        )


@pytest.mark.parametrize(
    ("ptr", "nodes", "message"),
    [
        ([0, 2], [1, 0], "ascend without duplicates"),
        ([0, 2], [1, 1], "ascend without duplicates"),
        ([0, 2], [-1, 1], "negative node id"),
        ([0, 3], [0, 1], "end at 2"),
        ([1, 2], [0, 1], "start at 0"),
    ],
)
def test_bad_members(ptr: list[int], nodes: list[int], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Subgraphs(np.array(ptr), np.array(nodes))


def test_bad_weights_and_names() -> None:
    with pytest.raises(DataError, match="above 0 for each member"):
        Subgraphs(np.array([0, 1]), np.array([0]), weights=np.array([np.nan]))
    with pytest.raises(DataError, match="twice, with different weights"):
        Subgraphs.from_pairs(np.array([0, 0]), np.array([1, 1]), 1, weights=np.array([1.0, 2.0]))
    with pytest.raises(DataError, match="twice; names must be unique"):
        Subgraphs(np.array([0, 1, 2]), np.array([0, 0]), names=Names(["a", "a"]))


def test_no_subgraphs_at_all() -> None:
    none = Subgraphs.from_lists([])
    graph = Graph.from_edges([0], [1])
    assert len(none) == 0
    assert none.induced_edges(graph)[1].shape == (2, 0)
    assert len(measure(graph, none).components) == 0


def test_frozen_arrays_do_not_change_under_us() -> None:
    frame = pd.DataFrame({"n": np.arange(4, dtype=np.int32)})
    sets = Subgraphs(np.array([0, 2, 4]), frame["n"].to_numpy())
    frame.iloc[0, 0] = 1
    assert sets.nodes.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("nodes", [[0.5, 1.7], ["a"]])
def test_members_are_not_rounded(nodes) -> None:
    with pytest.raises(DataError, match="whole numbers"):
        Subgraphs.from_lists([nodes])


def test_excluded_sets_go_along_and_count_in_the_hash() -> None:
    plain = Subgraphs.from_lists([[0, 1], [2], [3]])
    sets = replace(plain, excluded=Subgraphs.from_lists([[4, 2], [], [0]]))
    taken = sets.take(np.array([2, 0]))
    assert taken.excluded is not None
    assert taken.excluded.nodes.tolist() == [0, 2, 4]
    assert taken.excluded.names is None
    assert sets != plain
    dense = sets.signed_membership(5).toarray()
    assert dense.tolist() == [
        [1, 1, 0, 0, 0, 0, 0, 1, 0, 1],
        [0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 1, 0, 1, 0, 0, 0, 0],
    ]
    assert sets.take(np.array([1])).excluded is None  # none of those that are left has any


def test_without_an_excluded_node_all_is_as_before() -> None:
    plain = Subgraphs.from_lists([[0, 1], [2]])
    empty = replace(plain, excluded=Subgraphs.from_lists([[], []]))
    assert empty.excluded is None
    assert empty.hash == plain.hash == HASH_BEFORE
    with pytest.raises(DataError, match="2 subgraphs but excluded nodes for 1"):
        replace(plain, excluded=Subgraphs.from_lists([[0]]))
