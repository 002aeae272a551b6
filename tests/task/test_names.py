"""Names: positions by text, and what is no name."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node import DataError
from sub2node.task import Graph, Names
from sub2node.task.names import check_names, is_positions


@given(st.lists(st.text(st.sampled_from("ab\x00ü"), max_size=2), max_size=6))
def test_names_are_a_list_of_text(texts) -> None:
    names = Names(texts)
    assert [names[i] for i in range(len(names))] == names[:] == list(names) == texts
    assert names.find(texts).tolist() == [texts.index(text) for text in texts]
    repeated = names.first_repeated()
    assert (repeated is None) == (len(set(texts)) == len(texts))
    assert repeated is None or texts.count(repeated) > 1
    assert names.first_match("b") == next((text for text in texts if "b" in text), None)


@given(*[st.lists(st.text("ab", max_size=2), max_size=3)] * 2)
def test_names_are_equal_if_their_content_is(one, two) -> None:
    assert (Names(one) == Names(two)) == (one == two)
    assert (Names(one).content() == Names(two).content()) == (one == two)
    assert hash(Names(one)) == hash(Names(list(one)))


def test_checks_of_names() -> None:
    check_names(Names(["", ""]), 2, "titles", unique=False)
    with pytest.raises(DataError, match="titles has 2 entries, expected 3"):
        check_names(Names(["a", "b"]), 3, "titles", unique=False)
    with pytest.raises(DataError, match="an empty name"):
        check_names(Names([""]), 1, "ids", unique=True)
    with pytest.raises(DataError, match="single lines"):
        check_names(Names(["a\n"]), 1, "titles", unique=False)
    assert is_positions(Names(["0", "1"]))
    for names in (None, Names([]), Names(["0", "01"]), Names(["1", "1"])):
        assert not is_positions(names)


def test_names_that_are_positions_are_omitted() -> None:
    assert Graph.from_edges([0], [1], names=Names(["0", "1"])).names is None
    assert Graph.from_edges([0], [1], names=Names(["1", "0"])).names is not None
    assert Graph.from_edges([0], [1], names=["a", "b"]).names == Names("ab")  # type: ignore[arg-type]


def test_names_find_their_way_back() -> None:
    names = Names(["b", "a", "ü"])
    assert names.find(["ü", "x", "b"]).tolist() == [2, -1, 0]
    assert names.take(np.array([2, 0])) == Names(["ü", "b"])
    assert list(names) == ["b", "a", "ü"]
    assert repr(Names("abcd")).startswith("Names('a', 'b', 'c', …; 4")
    with pytest.raises(DataError, match="name 1 is missing"):
        Names(["a", None])  # type: ignore[list-item]
