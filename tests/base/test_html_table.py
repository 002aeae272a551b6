"""HTML for notebooks: text stays text, long tables are cut, nothing is loaded."""

from __future__ import annotations

import pytest

from sub2node.base.html_table import MAX_ROWS, cell_text, html_view

NASTY = '<script>alert("1")</script>'


def test_every_text_is_escaped() -> None:
    page = html_view(
        NASTY, {NASTY: NASTY, "none": None, "empty": ""}, columns=[NASTY], rows=[(NASTY,)],
        caption=NASTY,
    )  # fmt: skip
    assert "<script" not in page
    assert page.count("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;") == 6
    assert "none" not in page.replace(": none", "")
    assert "empty" not in page


def test_a_long_table_says_how_much_is_left() -> None:
    rows = ((number, "x") for number in range(10**9))  # only those that are shown are read
    page = html_view("long", {}, columns=["n", "x"], rows=rows, count=1234)
    assert page.count("<tr") == 1 + MAX_ROWS
    assert "1,034 more rows" in page
    assert "max-height" in page
    assert "more row" not in html_view("short", {}, columns=["n"], rows=[(1,)], count=1)


def test_numbers_stand_to_the_right_and_colours_are_inherited() -> None:
    page = html_view("mixed", {}, columns=["a", "b"], rows=[(1, "x"), (2.5, "y")])
    assert page.count("text-align: right") == 3
    assert "#" not in page  # no colour of its own


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, ""),
        (0.41, "0.410"),
        (1.0, "1"),
        (-0.0, "0"),
        (-0.25, "-0.250"),
        (1e-7, "1e-07"),
        (123456.75, "1.235e+05"),
        (12345, "12,345"),
        (True, "True"),
        (["a", "b"], "a, b"),
        ("x", "x"),
    ],
)
def test_cells(cell: object, text: str) -> None:
    assert cell_text(cell) == text
