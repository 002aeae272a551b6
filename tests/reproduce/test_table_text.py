"""Numbers as reproduced tables write them."""

from __future__ import annotations

import pytest

from sub2node.reproduce.paper_tables import Entry
from sub2node.reproduce.published import Published
from sub2node.reproduce.table_text import (
    difference_text,
    number_text,
    ours_text,
    published_text,
    short_kind,
)


def printed(text: str, value: float | None, spread: float | None = None, **more) -> Published:
    return Published(text, value, spread, **{"kind": "sd", "mark": "", "source": "tab:x", **more})


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (Entry("missing"), "no data"),
        (Entry("failed"), "failed"),
        (Entry("done", text="Multi-label"), "Multi-label"),
        (Entry("done"), "-"),
        (Entry("done", 63.74, 2.26, 10, mark="∗"), "63.7 ± 2.3∗"),
        (Entry("done", 63.74, 0.0, 1), "63.7"),
        (Entry("done", 17080.0, style="count"), "17,080"),
        (Entry("done", 0.123456, 0.0456, style="plain"), "0.123 ± 0.046"),
        (Entry("done", 12.34, 12.0, style="plain"), "12.3 ± 12.0"),
        (Entry("done", 711.4, style="ratio"), "×711"),
    ],
)
def test_our_numbers(entry: Entry, text: str) -> None:
    assert ours_text(entry) == text


@pytest.mark.parametrize(
    ("value", "style", "text"),
    [
        (63.75, "score", "63.8"),
        (1234.5, "count", "1,234"),
        (0.01234, "plain", "0.0123"),
        (12.34, "plain", "12.3"),
        (float("nan"), "score", "-"),
    ],
)
def test_numbers_by_style(value: float, style: str, text: str) -> None:
    assert number_text(value, style) == text


def test_published_numbers_have_their_marks() -> None:
    assert published_text(Entry("done")) == ""
    error = printed("61.9 ± 0.7", 61.9, 0.7, kind="se")
    assert published_text(Entry("done", published=error)) == "61.9 ± 0.7 (e)"
    mark = printed("64.3 ± 1.8", 64.3, 1.8, mark="∗")
    assert published_text(Entry("done", published=mark)) == "64.3 ± 1.8∗"
    large = printed("4573417", 4573417.0)
    assert published_text(Entry("done", published=large, style="count")) == "4,573,417"


@pytest.mark.parametrize(
    ("ours", "value", "style", "text"),
    [
        (63.0, 64.26, "score", "-1.3"),
        (64.26, 64.28, "score", "+0.0"),
        (100.0, 100.2, "count", "="),
        (150.0, 100.0, "count", "×1.50"),
        (0.0, 100.0, "count", ""),
        (None, 100.0, "score", ""),
        (63.0, None, "score", ""),
    ],
)
def test_differences_are_points_or_ratios(ours, value, style: str, text: str) -> None:
    entry = Entry("done", ours, published=printed("x", value), style=style)
    assert difference_text(entry) == text


def test_kinds_of_data_are_short() -> None:
    assert short_kind("random shape") == "random graph of its shape"
    assert short_kind("authentic") == "authentic"
