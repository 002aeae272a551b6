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

# Texts that stick out of what holds them, and the least contrast of a text with what is under it.
CUT = """
return [...document.querySelectorAll('h1, h2, h3, p, li, th, td, dt, dd')]
  .filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline')
  .map(e => e.textContent.trim())
"""
CONTRAST = """
const channels = (text) => text.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
  .map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
const under = (e) => {
  for (; e; e = e.parentElement) {
    const colour = getComputedStyle(e).backgroundColor;
    if ((channels(colour)[3] ?? 1) === 1) return colour;
  }
  return 'rgb(255, 255, 255)';
};
const ratios = [...document.querySelectorAll('h1, h2, h3, p, li span, th, td, dt, dd, a')]
  .filter(e => e.textContent.trim())
  .map(e => [getComputedStyle(e).color, under(e)].map(channels).map(light).sort((a, b) => b - a))
  .map(([more, less]) => (more + .05) / (less + .05));
return Math.min(...ratios);
"""


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
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.cdp("Emulation.setEmulatedMedia", features=[scheme])
    browser.open(report, width)
    assert browser.complaints() == []
    assert browser.fits()
    assert browser.js(CUT) == []
    assert browser.js(CONTRAST) >= 4.5
    assert len(browser.all(".case")) == 2
    assert all(bar.size["width"] > 30 for bar in browser.all(".ranks svg, .reasons svg"))
    paper = browser.js("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, paper[4:-1].split(","))) < 200) is dark
