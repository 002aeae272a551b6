"""Sentences about what reading did: counts, examples, and the kind of each."""

from __future__ import annotations

import numpy as np
import pytest

from sub2node.base.notes import NoteKind
from sub2node.task import reading_notes as notes
from sub2node.task.edges import undirected
from sub2node.task.frames import Frame


def by_letter(position: int) -> str:
    return "abcdefgh"[position]


@pytest.mark.parametrize(
    ("weights", "repeated", "how"),
    [
        (None, "sum", "merged"),
        ([1, 2, 3, 4, 5], "sum", "merged, their weights added up"),
        ([1, 2, 3, 4, 5], "max", "merged, the largest weight kept"),
    ],
)
def test_repeated_edges_and_self_loops_are_named(weights, repeated, how) -> None:
    edges = undirected([0, 1, 0, 2, 3], [1, 0, 1, 2, 3], weights=weights, repeated=repeated)
    merged, loops = notes.edge_notes(edges, repeated, by_letter)
    assert merged.startswith(f"2 repeated edges {how}: a to b")
    assert loops == "2 self-loops kept, but not counted as edges: c, d."
    assert merged.kind is loops.kind is NoteKind.CHANGED
    plain = undirected([0, 1], [1, 2])
    assert list(notes.edge_notes(plain, "same")) == []


def test_columns_that_nothing_reads_are_named() -> None:
    tables = [
        Frame.of({"from": [0], "to": [1], "colour": ["red"]}, "edges", {"target": "to"}),
        Frame.of({"subgraph": [0], "node": [1]}, "members", {}),
        Frame.of({"node_id": [0], "x": [1.0]}, "nodes", {}),
    ]
    (note,) = notes.unused_columns(tables)
    assert note == "1 column of the edges table not used: 'colour'."
    assert note.kind is NoteKind.UNUSED
    assert list(notes.unused_features(["a", "b"], "no numbers")) == [
        "2 node columns not used (no numbers): 'a', 'b'."
    ]


def test_what_is_omitted_is_counted_with_examples() -> None:
    lost = [("s", "x"), ("s", "y"), ("t", 7), ("t", 8)]
    note = notes.members_dropped(lost, 5, 2)
    assert note == (
        "5 unknown members in 2 subgraphs dropped: 'x' in subgraph 's', 'y' in subgraph 's',"
        " 7 in subgraph 't' and 2 more."
    )
    assert note.kind is NoteKind.DROPPED
    assert notes.subgraphs_omitted(["s"], "without a known member") == (
        "1 subgraph without a known member omitted: s."
    )
    assert list(notes.classes_omitted(("a", "b", "c"), ("b",))) == [
        "2 classes without a subgraph omitted: 'a', 'c'."
    ]
    assert list(notes.classes_omitted(("a",), ("a",))) == []


def test_members_that_come_twice_are_named_once_each_time_again() -> None:
    subgraph, node = np.array([0, 1, 0, 0, 1]), np.array([2, 2, 2, 2, 3])
    (note,) = notes.members_merged(
        subgraph, node, subgraph_names=lambda i: "st"[i], node_names=by_letter
    )
    assert note == "2 repeated members merged: c in subgraph s, c in subgraph s."
    once = notes.members_merged(subgraph[:2], node[:2], subgraph_names=str, node_names=str)
    assert list(once) == []


def test_edges_of_subgraphs_and_exchanged_parts() -> None:
    dropped, merged = notes.own_edges_changed(1, 2)
    assert dropped == "1 edge of subgraphs with unknown ends dropped."
    assert merged == "2 repeated edges of subgraphs merged."
    assert (dropped.kind, merged.kind) == (NoteKind.DROPPED, NoteKind.CHANGED)
    assert list(notes.own_edges_changed(0, 0)) == []
    assert notes.parts_swapped({"val": 3, "test": 5}).startswith("Val (3) and test (5) swapped")
