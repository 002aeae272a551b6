"""Nodes by id, by other names, and by text in any of their names."""

from __future__ import annotations

import pytest

from sub2node.scoring.node_index import NodeIndex
from sub2node.task import Graph, Names

TITLES = Names(["Gait ataxia", "Seizure", "Febrile seizure", ""])
GRAPH = Graph.from_edges([0, 1, 2], [1, 2, 3], names=Names(["a", "b", "c", "d"]), titles=TITLES)
GRAPH = GRAPH.with_other_names(
    {
        "alias": ["Fits", "Ataxia", "seizures", "High-arched foot"],
        "node_id": ["b", "a", "d", "a"],
    }
)
INDEX = NodeIndex(GRAPH)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("fits", [("b", "Fits")]),
        ("ATAX", [("a", "Ataxia")]),  # begins with it, as its title does not
        ("seizure", [("b", ""), ("d", "seizures"), ("c", "")]),
        ("c", [("c", ""), ("a", "High-arched foot")]),
        ("seizure febrile", [("c", "")]),  # all words, in another order
        ("high arched", [("a", "High-arched foot")]),
        ("high-arched", [("a", "High-arched foot")]),
        ("foot high-arched", [("a", "High-arched foot")]),
        ("zz", []),
        (" ", []),
    ],
)
def test_search_in_all_names(text: str, found: list) -> None:
    assert [(node.id, node.alias) for node in INDEX.search(text, 9)] == found
    assert INDEX.search(text, 1) == INDEX.search(text, 9)[:1]
    assert INDEX.search(text, 0) == []


def test_nodes_without_names_are_searched_by_their_numbers() -> None:
    index = NodeIndex(Graph.from_edges([0, 1], [1, 11]))
    assert [node.id for node in index.search("1", 9)] == ["1", "11", "10"]
    assert index.find(["11", "12", "x"]).tolist() == [11, -1, -1]
    assert (index.name(3), index.title(3)) == ("3", "")


def test_texts_are_matched_with_what_is_no_text_among_them() -> None:
    matches = INDEX.match(["a", "\udcff", "FITS"])
    assert matches.positions.tolist() == [0, -1, 1]
    assert list(matches.hows) == ["id", "unknown", "alias"]
