"""What looking up subgraphs omitted or merged."""

from __future__ import annotations

import numpy as np

from sub2node import Graph, SubgraphClassifier
from sub2node.base.notes import NoteKind
from sub2node.scoring.node_index import NodeIndex
from sub2node.scoring.query import IdLists, look_up
from sub2node.scoring.query_changes import QueryChanges
from sub2node.task import Names

GRAPH = Graph.from_edges([0, 1, 2], [1, 2, 3], names=Names(["a", "b", "c", "d"]))


def test_counts_and_examples_over_batches() -> None:
    changes = QueryChanges()
    for sets in ({"one": ["a", "x", "y", "a"]}, {"two": ["b"], "three": ["c", "x", "z", "c", "c"]}):
        lists = IdLists.of(list(sets.values()), list(sets))
        query, problems = look_up(NodeIndex(GRAPH), lists, "drop")
        assert not problems
        changes.add(query, lists)
    dropped, merged = changes.notes()
    assert dropped == (
        "4 unknown nodes in 2 subgraphs dropped: 'x' in subgraph 'one', 'y' in subgraph 'one', 'x'"
        " in subgraph 'three' and 1 more."
    )
    assert merged == (
        "3 repeated nodes merged: 'a' in subgraph 'one', 'c' in subgraph 'three', 'c' in subgraph"
        " 'three'."
    )
    assert (dropped.kind, merged.kind) == (NoteKind.DROPPED, NoteKind.CHANGED)


def test_nothing_happened() -> None:
    changes = QueryChanges()
    lists = IdLists.of([["a", "b"]], ["one"])
    changes.add(look_up(NodeIndex(GRAPH), lists, "error")[0], lists)
    assert not list(changes.notes())


def test_a_classifier_says_what_fit_dropped() -> None:
    sets = [["a", "b", "unknown"], ["b"], ["a"], ["c", "d"], ["d"], ["c"]]
    settings = {"epochs": 2, "hidden": 4, "features.kind": "constant"}
    model = SubgraphClassifier(seeds=1, settings=settings, unknown_nodes="drop", validation=0.4)
    model.fit(GRAPH, sets, np.repeat(["left", "right"], 3))
    assert model.notes_[:2] == (
        "1 unknown node in 1 subgraph dropped: 'unknown' in subgraph '0'.",
        "the data came without a validation part; 2 subgraphs of train were drawn for it.",
    )
