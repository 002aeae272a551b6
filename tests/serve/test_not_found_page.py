"""An address that does not exist: a page for browsers, JSON for programs."""

from __future__ import annotations

import pytest

from sub2node.serve.not_found_page import not_found_page


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
        ("*/*", "application/json"),
        ("application/json, text/html;q=0.5", "application/json"),
        ("", "application/json"),
    ],
)
def test_an_address_that_does_not_exist(client, accept: str, kind: str) -> None:
    """A page for browsers, JSON for programs."""
    answer = client.get("/no/<such>", headers={"Accept": accept})
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["vary"] == "Accept"
    if kind == "text/html":
        assert "There is no page here" in answer.text
        assert "&lt;such&gt;" in answer.text
        assert 'href="../"' in answer.text
        assert client.post("/no", headers={"Accept": accept}).json()["error"]
    else:
        assert "nothing at this address" in answer.json()["error"]


@pytest.mark.parametrize(("path", "home"), [("/x", "./"), ("/a/x", "../"), ("/a/b/x", "../../")])
def test_links_hold_behind_a_prefix(path: str, home: str) -> None:
    page = not_found_page(path)
    assert f'href="{home}static/style.css"' in page
    assert f'href="{home}docs"' in page
    assert 'href="/' not in page


def test_a_long_address_is_cut_and_escaped() -> None:
    page = not_found_page("/<script>" + "x" * 500)
    assert "<script>" not in page
    assert "…</code>" in page
    assert "x" * 100 not in page
