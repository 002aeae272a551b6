"""Counts with their noun, and lists with a few examples."""

from __future__ import annotations

import pytest

from sub2node.base.plural import examples, plural, plural_of


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 nodes"), (1, "1 node"), (2, "2 nodes"), (1591, "1,591 nodes")]
)
def test_one_is_singular(count: int, text: str) -> None:
    assert plural(count, "node") == text


def test_a_class_has_its_own_plural() -> None:
    assert [plural(count, "class") for count in (1, 2)] == ["1 class", "2 classes"]


@pytest.mark.parametrize(
    ("noun", "several"),
    [
        ("phenotype", "phenotypes"),
        ("family", "families"),
        ("survey", "surveys"),
        ("diagnosis", "diagnoses"),
        ("process", "processes"),
        ("branch", "branches"),
        ("epoch", "epochs"),
        ("gene set", "gene sets"),
        ("term without an id", "terms without an id"),
        ("edge outside of its subgraph", "edges outside of its subgraph"),
    ],
)
def test_plural_of_a_noun(noun: str, several: str) -> None:
    assert plural_of(noun) == several
    assert plural(1, noun) == f"1 {noun}"


@pytest.mark.parametrize(
    ("items", "count", "text"),
    [
        (["a"], 1, "a"),
        (["a", "b", "c"], 3, "a, b, c"),
        (["a", "b", "c", "d"], 4, "a, b, c and 1 more"),
        (iter("abcdefg"), 1234, "a, b, c and 1,231 more"),
    ],
)
def test_three_examples(items, count: int, text: str) -> None:
    assert examples(items, count) == text
