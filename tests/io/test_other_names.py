"""Members given by other names of nodes: which node is meant, and when none is."""

from __future__ import annotations

import pyarrow as pa

from sub2node.io.other_names import OtherNames

NODES = pa.array(["n1", "n2", "n3"])
NAMES = OtherNames.of_pairs(
    {
        "by symbol": [("n1", "CAT"), ("n2", "Cat"), ("n3", "dog"), ("n9", "bird")],
        "by a synonym": [("n2", "dog"), ("n1", "pet"), ("n3", "pet"), ("n1", "pet")],
    }
)


def resolve(*members: str) -> tuple[list[str], list[str]]:
    column, notes = NAMES.resolve(pa.array(members), NODES)
    return column.to_pylist(), list(notes)


def test_ids_stay_as_they_are() -> None:
    assert resolve("n1", "n3", "n1") == (["n1", "n3", "n1"], [])
    assert NAMES.resolve(pa.array([], pa.string()), NODES)[0].to_pylist() == []


def test_the_spelling_that_is_the_same_counts_first() -> None:
    assert resolve("CAT", "Cat", "cat", "DOG")[0] == ["n1", "n2", "cat", "n3"]


def test_the_first_kind_counts_first_and_ambiguous_names_stay() -> None:
    members, notes = resolve("dog", "n2", "pet", "bird", "dog")
    assert members == ["n3", "n2", "pet", "bird", "n3"]
    assert notes == ["2 members given by symbol found: 'dog' is 'n3'."]
