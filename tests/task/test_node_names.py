"""Which node is meant by a text: against the definition, read literally."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node import SubgraphTask
from sub2node.task import Graph, Names
from sub2node.task.node_names import NodeNames, by_kind
from sub2node.task.other_names import KINDS, rank_of

WORDS = ["a", "A", "b", "B", "ab", "Ab", "AB", "c", "0", "1", "2"]
EDGES = {"source": ["n1", "n2"], "target": ["n2", "n3"]}
NODES = {"node_id": ["n1", "n2", "n3"], "title": ["Cat", "Gait ataxia", "Dog"]}
ALIASES = {
    "alias": ["CAT", "kitty", "dog", "pet", "pet", "old:1"],
    "node_id": ["n2", "n1", "n2", "n1", "n3", "n3"],
    "kind": ["symbol", "synonym", "synonym", "nickname", "alias", "former id"],
}


def graph_of(**more) -> Graph:
    members = {"subgraph_id": ["s"], "node_id": ["n1"]}
    return SubgraphTask.from_tables(EDGES, members, nodes=NODES, **more).graph


NAMED = NodeNames(graph_of(aliases=ALIASES))


def meaning(text: str, ids: list[str], titles: list[str], others: list[tuple[str, int, str]]):
    """The definition: all names in one list, by rank, then spelling; the best ones only."""
    if text in ids:
        return ids.index(text), "id"
    names = [(i, node, "case") for node, i in enumerate(ids)]
    names += [(title, node, "title") for node, title in enumerate(titles)] + others
    hits = [
        (rank_of(kind), name != text, node, kind)
        for name, node, kind in names
        if name.lower() == text.strip().lower()
    ]
    if not hits:
        return -1, "unknown"
    best = min(hit[:2] for hit in hits)
    nodes = {node for *order, node, _ in hits if tuple(order) == best}
    if len(nodes) > 1:
        return sorted(nodes), "ambiguous"
    return nodes.pop(), next(kind for *order, _, kind in hits if tuple(order) == best)


@given(st.data())
def test_against_the_definition(data: st.DataObject) -> None:
    word, size = st.sampled_from(WORDS), data.draw(st.integers(2, 5))
    exact = st.lists(word, min_size=size, max_size=size)
    ids = data.draw(exact.filter(lambda some: len(set(some)) == size))
    titles = data.draw(exact)
    kind = st.sampled_from(["synonym", "symbol", "alias"])
    others = data.draw(st.lists(st.tuples(word, st.integers(0, size - 1), kind), max_size=6))
    graph = Graph.from_edges([0], [1], num_nodes=size, names=Names(ids), titles=Names(titles))
    columns = list(zip(*[(n, ids[i], k) for n, i, k in others], strict=True)) or ((), (), ())
    text = [pa.array(c, pa.string()) for c in columns]
    graph = graph.with_other_names(pa.table(text, names=["alias", "node_id", "kind"]))
    others = [row for row in others if row[0] != ids[row[1]]]
    texts = list(dict.fromkeys(data.draw(st.lists(word | st.just(" ab "), min_size=1))))
    matches = NodeNames(graph).match(pa.array(texts, pa.large_string()))
    for place, given_text in enumerate(texts):
        node, how = meaning(given_text, ids, titles, others)
        assert matches.hows[place] == how
        if how == "ambiguous":
            assert list(matches.candidates[place]) == node
            node = -1
        assert matches.positions[place] == node


def match(*texts: str) -> list[str]:
    return list(NAMED.match(pa.array(texts, pa.large_string())).hows)


def test_kinds_are_told() -> None:
    assert match("n1", "N1", "OLD:1", "cat", "Cat", "kitty", "Dog") == [
        "id", "case", "former id", "symbol", "symbol", "synonym", "title",
    ]  # fmt: skip
    assert match("pet", "zebra", " n1 ") == ["ambiguous", "unknown", "case"]
    assert by_kind("case") == "in another case"
    assert [by_kind(kind) for kind in KINDS[2:4]] == ["by a former id", "by a symbol"]
    assert by_kind("alias") == "by an alias"


def test_positions_are_ids_where_nodes_have_no_names() -> None:
    names = NodeNames(Graph.from_edges([0, 1], [1, 2]))
    assert names.positions(pa.array(["2", "02", "x", "3"])).tolist() == [2, -1, -1, -1]
    assert list(names.match(pa.array(["1", "x"], pa.large_string())).hows) == ["id", "unknown"]
    assert names.suggest("12") is None


@pytest.mark.parametrize(
    ("text", "spelling"),
    [("gait ataxa", "Gait ataxia"), ("Gate ataxia", "Gait ataxia"), ("kity", "kitty"), ("zz", None),
     ("gatt ataxai", "Gait ataxia"),  # neither half is in it
     ("xyzzy", None), ("", None)],
)  # fmt: skip
def test_what_is_spelled_alike_is_suggested(text: str, spelling: str | None) -> None:
    found = NAMED.suggest(text)
    assert (found and found[0]) == spelling


def test_choices_in_words() -> None:
    assert NAMED.describe((0, 2)) == "n1 (Cat) or n3 (Dog)"
    assert NAMED.describe((0, 1, 2)) == "n1 (Cat), n2 (Gait ataxia) or n3 (Dog)"
    assert NAMED.describe((0,)) == "n1 (Cat)"
    assert NAMED.describe(tuple([0] * 12)).endswith("n1 (Cat) or others")
    assert NodeNames(Graph.from_edges([0], [1])).call(1) == "1"


def test_members_of_a_task_are_found_by_all_names() -> None:
    members = {
        "subgraph_id": ["s"] * 5,
        "node_id": ["n1", "KITTY", "gait ataxia", "N3", "pet"],
    }
    task = SubgraphTask.from_tables(
        EDGES, members, nodes=NODES, aliases=ALIASES, unknown_nodes="drop"
    )
    assert task.members("s") == ["n1", "n2", "n3"]
    assert task.notes[:3] == (
        "1 member given in another case found: 'N3' is 'n3'.",
        "1 member given by a title found: 'gait ataxia' is 'n2'.",
        "1 member given by a synonym found: 'KITTY' is 'n1'.",
    )
    assert "'pet' in subgraph 's'" in task.notes[3]
    assert np.array_equal(task.subgraphs.nodes, [0, 1, 2])
