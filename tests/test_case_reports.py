"""Case reports of every kind in a real browser: wide and narrow, light and dark."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

pytest.importorskip("selenium")
pytest.importorskip("jinja2")
if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
    pytest.skip("chromium or chromedriver is not installed", allow_module_level=True)

from case_scorers import SCORERS
from page_browser import Page, browsing
from sub2node.report.html import collect_cases, write_case_report


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    yield from browsing(tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="module", params=sorted(SCORERS))
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of the case report of two subgraphs, one with an unknown and an excluded member."""
    folder = tmp_path_factory.mktemp("case")
    scorer = SCORERS[request.param](folder)
    first = [scorer.index.name(node) for node in (1, 2, 3, 4)]
    absent = [[scorer.index.name(9)], []]
    sets = [[*first, "unknown-" + "x" * 40], first[:1]]
    query = scorer.ask(sets, names=["one", "two"], excluded=absent, unknown_nodes="drop")
    return write_case_report(scorer, collect_cases(scorer, query), folder / "case.html").as_uri()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
def test_it_is_readable(browser: Page, report: str, width: int, *, dark: bool) -> None:
    browser.prefer(dark=dark)
    browser.open(report, width)
    assert browser.complaints() == []
    assert browser.fits()
    assert browser.cut_texts() == []
    assert browser.least_contrast() >= 4.5
    assert len(browser.all(".case")) == 2
    assert all(bar.size["width"] > 30 for bar in browser.all(".ranks svg, .reasons svg"))
    assert browser.is_dark() is dark
