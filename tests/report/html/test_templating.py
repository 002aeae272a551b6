"""Templates escape what they are given, and miss nothing silently."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("jinja2")
from jinja2 import UndefinedError

from sub2node.base.errors import MissingExtraError
from sub2node.report.html.templating import load_template


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "page.html").write_text("<p>{{ name | twice }}</p>{{ style }}{{ more }}")
    return tmp_path


def test_text_is_escaped_and_html_is_not(home: Path) -> None:
    template, markup, style = load_template(
        "page.html", "a page", {"twice": lambda text: 2 * text}, home=home
    )
    page = template.render(name="<b>", style=style, more=markup("<hr>"))
    assert page.startswith("<p>&lt;b&gt;&lt;b&gt;</p>")
    assert page.endswith("<hr>")
    assert "{" in str(style)  # the style sheet that all pages share


def test_a_name_that_is_missing_is_an_error(home: Path) -> None:
    template, _, _ = load_template("page.html", "a page", {"twice": str}, home=home)
    with pytest.raises(UndefinedError, match="'more' is undefined"):
        template.render(name="x", style="")


def test_without_jinja_the_extra_is_named(home: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"a page needs .*jinja2.*sub2node\[report\]"):
        load_template("page.html", "a page", {}, home=home)
