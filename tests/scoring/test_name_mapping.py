"""The mapping table: what was meant by the names of members."""

from __future__ import annotations

import numpy as np

from sub2node.scoring.name_mapping import MappedName, NameMapping
from sub2node.scoring.node_index import NodeIndex
from sub2node.scoring.query import IdLists, Query, look_up
from sub2node.task import Graph, Names

GRAPH = Graph.from_edges(
    [0, 1], [1, 2], names=Names(["n1", "n2", "n3"]), titles=Names(["Cat", "Gait ataxia", "Dog"])
).with_other_names({"alias": ["pet", "pet"], "node_id": ["n1", "n3"]})
INDEX = NodeIndex(GRAPH)
ATAXIA = MappedName("GAIT ataxia", "n2", "Gait ataxia", "title")
PET = MappedName("pet", "", "", "ambiguous", ("n1", "n3"), ("Cat", "Dog"))


def test_what_was_not_given_by_its_id() -> None:
    lists = IdLists.of([["n1", "GAIT ataxia"], ["n1"], ["zz", "pet", "n3", "pet"]], list("abc"))
    query, problems = look_up(INDEX, lists, "drop")
    assert problems == {}
    assert query.mapping == ((ATAXIA,), (), (MappedName("zz", "", "", "unknown"), PET))
    assert query.unknown == ((), (), ("zz", "pet"))
    assert query.take([2, 0]).mapping == (query.mapping[2], query.mapping[0])
    plain = look_up(INDEX, IdLists.of([["n1"]], ["d"]), "error")[0]
    assert plain.mapping == ()
    assert Query.join([query, plain]).mapping == (*query.mapping, ())
    assert PET.to_json()["candidates"] == ["n1", "n3"]
    assert PET.to_json()["candidate_titles"] == ["Cat", "Dog"]


def test_a_node_that_is_given_twice_counts_once() -> None:
    query, _ = look_up(INDEX, IdLists.of([["n2", "gait ataxia", "N2"]], ["a"]), "error")
    assert query.subgraphs.nodes.tolist() == [1]
    assert query.known.tolist() == [1]
    assert [row.how for row in query.mapping[0]] == ["title", "case"]


def test_problems_name_choices_and_suggestions() -> None:
    lists = IdLists.of([["pet"], ["Gate ataxia", "n1"], ["zz"]], list("abc"))
    problems = look_up(INDEX, lists, "error")[1]
    assert problems[0] == ("subgraph 'a': 'pet' may mean n1 (Cat) or n3 (Dog); give the id of one.")
    assert "'Gate ataxia' (did you mean 'Gait ataxia', n2?); unknown_nodes=" in problems[1]
    assert "graph: 'zz';" in problems[2]


def test_an_excluded_node_that_may_be_several_is_asked_about() -> None:
    lists = IdLists.of([["n2"]], ["a"], excluded=[["pet", "zz"]])
    assert "'pet' may mean n1 (Cat) or n3" in look_up(INDEX, lists, "error")[1][0]
    query, problems = look_up(INDEX, lists, "drop")
    assert problems == {}
    assert query.unknown == (("pet", "zz"),)


def test_few_names_are_compared_with_all_others() -> None:
    names = [f"Gait ataxia{i}" for i in range(30)]
    mapping = NameMapping(INDEX, names, INDEX.match(names))
    hints = [mapping.describe_like(name) for name in names]
    assert np.count_nonzero(hints) == 20
    assert mapping.describe_choice(names) == ""
