"""Which training subgraphs are asked about, against plain sets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sub2node.scoring import known_sets
from sub2node.scoring.card_words import CardWords
from sub2node.scoring.known_sets import KnownSets
from sub2node.task import Graph, Names, Subgraphs, SubgraphTask

SETS = st.lists(st.sets(st.integers(0, 5), min_size=1), min_size=1, max_size=12)
GRAPH = Graph.from_edges(np.arange(5), np.arange(1, 6))


def known_of(sets, labels=None, *, count=None) -> KnownSets:
    labels = np.arange(len(sets)) % 2 if labels is None else np.array(labels)
    task = SubgraphTask(GRAPH, Subgraphs.from_lists(map(sorted, sets)), labels, ("red", "blue"))
    return KnownSets(task, len(sets) if count is None else count)


@given(SETS, SETS, st.integers(0, 12))
def test_pairs_of_equal_sets(known, asked, count) -> None:
    count = min(count, len(known))  # the others are virtual
    found = known_of(known, count=count).find(Subgraphs.from_lists(map(sorted, asked)))
    expected = {row: [i for i in range(count) if known[i] == one] for row, one in enumerate(asked)}
    assert {row: numbers.tolist() for row, numbers in found.items()} == {
        row: numbers for row, numbers in expected.items() if numbers
    }


def test_equal_keys_are_no_proof(monkeypatch) -> None:
    monkeypatch.setattr(known_sets, "set_keys", lambda ptr, _: np.zeros(len(ptr) - 1, np.uint64))
    found = known_of([{0, 1}]).find(Subgraphs.from_lists([[0, 2], [0, 1, 2], [], [0, 1]]))
    assert list(found) == [3]


def test_what_is_said_of_them() -> None:
    known = known_of([{0, 1}] * 4)
    words = CardWords(member="gene", subgraph="gene set", label="process")
    assert known.describe(np.array([0]), words) == (
        "its genes are those of the training gene set '0' (red), whose process the model has"
        " learned"
    )
    assert known.describe(np.arange(4), CardWords()) == (
        "its nodes are those of the training subgraphs '0' (red), '1' (blue), '2' (red) and 1 more,"
        " whose classes the model has learned"
    )
    several = replace(known.task, labels=np.array([[True, True], [False, False]] * 2))
    titled = replace(several.subgraphs, titles=Names(["One", "", "", ""]))
    text = KnownSets(replace(several, subgraphs=titled), 4).describe(np.arange(2), CardWords())
    assert "'One' (red, blue), '1' (none), whose" in text
