"""Control characters are shown, not sent; names in sentences have an end."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node.base.shown_text import (
    clip_names,
    escape_controls,
    escape_controls_in_json,
    has_controls,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ü ½ 漢 …", "plain ü ½ 漢 …"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("a\nError: b\r\t", "a\\nError: b\\r\\t"),
        ("\x9b31m\x7f", "\\x9b31m\\x7f"),
        ("\u202eabc\u2066", "\\u202eabc\\u2066"),
    ],
)
def test_escapes(text: str, shown: str) -> None:
    assert escape_controls(text) == shown


def test_lines_can_be_kept() -> None:
    assert escape_controls("a\n\tb\r\x1b", keep_lines=True) == "a\n\tb\\r\\x1b"
    assert not has_controls("a\n\tb")
    assert has_controls("a\x1b")


@pytest.mark.slow
@given(st.text())
def test_nothing_is_left_to_obey(text: str) -> None:
    shown = escape_controls(text)
    assert all(character.isprintable() or ord(character) > 0x9F for character in shown)
    assert escape_controls(shown) == shown


def test_long_names_are_clipped_and_paths_are_not() -> None:
    long, path = "x" * 500, "/a/" + "b" * 300 + "/c.csv"
    short = "x" * 200 + "…"
    for quote in "'\"":
        sentence = f"{path}: node {quote}{long}{quote} and {quote}y y{quote} are not {long}."
        expected = f"{path}: node {quote}{short}{quote} and {quote}y y{quote} are not {short}"
        assert clip_names(sentence) == expected
    spaced = "'" + "a b " * 100 + "'"
    assert len(clip_names(f"subgraph {spaced} is empty.")) < 230
    prose = "It's the graph's own. " * 30
    assert clip_names(prose) == prose


@given(st.text())
def test_json_means_the_same_and_has_nothing_to_obey(text: str) -> None:
    written = json.dumps({text: [text + "\x9b\u2066"]}, indent=2, ensure_ascii=False)
    shown = escape_controls_in_json(written)
    assert json.loads(shown) == json.loads(written)
    assert not has_controls(shown)
