"""The page of a report: whole, harmless, readable on a phone and without a network."""

from __future__ import annotations

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from report_runs import NASTY, made_result, simple_result, small_task
from sub2node.base.errors import ConfigError
from sub2node.evaluate import compare
from sub2node.report.html import ReportFindings, collect_findings, read_study, write_report
from sub2node.report.html.report_page import render
from sub2node.runs import save_comparison, save_run

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update",
         "--disable-sync")  # fmt: skip
SECTIONS = ("summary", "results", "data", "leakage", "classes", "confusion", "reliability",
            "errors", "graph", "training", "efficiency", "notes", "settings")  # fmt: skip
# Of every table: whether it is cut off, and whether the cue for that is to be seen.
CUES = """return [...document.querySelectorAll('.wide')].map(box => {
  const cue = getComputedStyle(box, '::after');
  return [box.scrollWidth > box.clientWidth + 1, cue.visibility === 'visible' && cue.opacity > 0];
})"""


class Page(HTMLParser):
    """Tags that are open, ids, links and text of a page; raises where tags do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs) -> None:
        self.tags.append((tag, dict(attrs)))
        assert self.open[-1:] != ["dl"] or tag in ("div", "dt", "dd")
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style",):
            self.text += data

    @property
    def ids(self) -> list[str]:
        return [str(given["id"]) for _, given in self.tags if "id" in given]


@pytest.fixture(scope="module")
def nasty(tmp_path_factory) -> Path:
    """A comparison with names that would break a careless page."""
    names = [f"{NASTY}\"' & {number} \u202e" for number in range(60)]
    names[-1] = "long" * 60
    task = small_task(names=names)
    results = [simple_result(task), made_result(task), made_result(task, 2, model=NASTY)]
    return save_comparison(compare(results), task, tmp_path_factory.mktemp("runs") / "both")


@pytest.fixture(scope="module")
def found(nasty) -> ReportFindings:
    """What the report on it says."""
    return collect_findings(read_study([nasty]))


@pytest.fixture(scope="module")
def text(found) -> str:
    """The page of it."""
    return render(found)


@pytest.mark.slow
def test_all_sections_are_there_and_in_the_contents(text) -> None:
    page = Page(text)
    assert [name for name in page.ids if name in SECTIONS] == list(SECTIONS)
    assert len(set(page.ids)) == len(page.ids)
    links = [given["href"] for tag, given in page.tags if tag == "a"]
    assert set(links) == {f"#{name}" for name in SECTIONS}
    for tag, given in page.tags:
        if tag == "th":
            assert given["scope"] in ("row", "col", "colgroup")
        if tag == "svg":
            assert given["role"] == "img"
            assert set(str(given["aria-labelledby"]).split()) <= set(page.ids)


@pytest.mark.slow
def test_names_are_harmless(text) -> None:
    page = Page(text)
    assert NASTY in page.text
    assert "<script" not in text.lower()
    assert "<b>of the run" not in text
    assert not [tag for tag, given in page.tags if any(key.startswith("on") for key in given)]
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "iframe", "object", "img", "form"})


@pytest.mark.slow
def test_nothing_comes_from_outside(text) -> None:
    assert len(text) < 1e6
    assert not re.findall(r"(?:https?:)?//[a-z]", text)
    for _, given in Page(text).tags:
        for key in ("src", "href", "xlink:href", "action"):
            assert (given.get(key) or "#").startswith(("#", "data:"))
    assert "url(" not in text.replace("url(#", "")
    assert "@import" not in text


@pytest.mark.slow
def test_pictures_follow_dark_mode(text) -> None:
    pictures = re.findall("<svg.*?</svg>", text, re.DOTALL)
    assert len(pictures) == 5
    names = set(re.findall(r"--([\w-]+): ", text.partition("prefers-color-scheme: dark")[2]))
    for picture in pictures:
        assert not re.search("#[0-9a-f]{3,6};|rgb", picture)
        used = set(re.findall(r"var\(--([\w-]+)\)", picture))
        assert used
        assert used <= names


@pytest.mark.slow
def test_the_same_runs_give_the_same_page(nasty, text) -> None:
    assert render(collect_findings(read_study([nasty]))) == text


@pytest.mark.slow
def test_numbers_stand_in_the_page(found, text) -> None:
    text = " ".join(Page(text).text.split())
    for model in found.numbers["models"]:
        score = model["test"]["micro_f1"]
        spread = f" ± {100 * score['sd']:.1f}" if score["n"] > 1 else ""
        assert f"{100 * score['mean']:.1f}{spread}" in text
    for sentence in found.numbers["summary"]:
        assert sentence in text
    assert found.numbers["leakage"]["text"] in text
    assert found.numbers["commands"][found.numbers["main"]] in text


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["multi", "single seed", "simple", "splits", "interrupted", "old",
                                  "bare", "many classes", "perfect", "leaderboard"])  # fmt: skip
def test_every_kind_of_run_has_a_report(kind: str, tmp_path: Path) -> None:
    task = small_task(90, 30) if kind == "many classes" else small_task(multilabel=kind == "multi")
    result = made_result(task, 1 if kind == "single seed" else 3)
    says = {
        "multi": ("By label", "predicted ", "missed "),
        "single seed": ("one seed: no spread",),
        "simple": (
            "no training loop",
            "No network was run on this data",
            "one run; 95 % interval over test subgraphs",
        ),
        "splits": ("3 random splits", "keeps no predictions", "keeps no curves", "all others"),
        "interrupted": ("The run was interrupted",),
        "old": ("older version", "no facts on overlap"),
        "bare": ("no predictions.parquet", "no epochs.parquet"),
        "many classes": ("too many for a matrix", "Most confused pairs", "20 more"),
        "perfect": ("No test subgraph was answered wrong",),
        "leaderboard": ("Members of", "not tried"),
    }[kind]
    if kind == "simple":
        result = simple_result(task)
    if kind == "splits":
        result = made_result(task, outputs={}, history={}, thresholds=(), best_epoch=())
        result.data["splits"] = 3
    if kind == "interrupted":
        result = made_result(task, ended="interrupted")
    if kind == "leaderboard":
        result = made_result(task, leaderboard=({"name": "bag", "state": "not tried"},))
    if kind == "perfect":
        result = made_result(task, signal=50.0)
    folder = save_run(result, task, tmp_path / "run")
    if kind == "old":
        (folder / "checksums.json").unlink()
        file = folder / "result.json"
        facts = json.loads(file.read_text())
        for key in ("overlap", "class_counts", "sizes", "picture", "parameters"):
            del facts[key]
        file.write_text(json.dumps(facts))
        for name in ("subgraphs.parquet", "links.parquet"):
            (folder / name).unlink()
    if kind == "bare":
        for name in ("predictions.parquet", "epochs.parquet"):
            (folder / name).unlink()
    page = Page(render(collect_findings(read_study([folder]))))
    for text in says:
        assert text in page.text


@pytest.mark.slow
def test_a_graph_without_links_is_not_drawn(tmp_path: Path) -> None:
    from sub2node.config import Config

    task = small_task()
    config = Config().with_settings({"translation.a": 500.0}).to_dict()
    folder = save_run(made_result(task, config=config), task, tmp_path / "run")
    page = Page(render(collect_findings(read_study([folder]))))
    assert "60 without a link" in page.text


@pytest.mark.slow
def test_only_a_report_of_ours_is_replaced(found, tmp_path: Path) -> None:
    place = write_report(found, tmp_path / "a" / "report.html")
    with pytest.raises(ConfigError, match="exists already"):
        write_report(found, place)
    before = place.read_bytes()
    write_report(found, place, overwrite=True)
    assert place.read_bytes() == before
    place.write_text("my thesis")
    with pytest.raises(ConfigError, match="not a report of ours"):
        write_report(found, place, overwrite=True)
    with pytest.raises(ConfigError, match="is a folder"):
        write_report(found, tmp_path)
    assert sorted(path.name for path in place.parent.iterdir()) == ["report.html"]


@pytest.mark.slow
def test_a_run_folder_with_a_report_can_be_replaced(tmp_path: Path) -> None:
    task = small_task()
    folder = save_run(made_result(task), task, tmp_path / "run")
    write_report(collect_findings(read_study([folder])), folder / "report.html")
    save_run(made_result(task), task, folder, overwrite=True)
    assert not (folder / "report.html").exists()


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium that logs what it asks the network for."""
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    places = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if None in places:
        pytest.skip("chromium and chromedriver are not installed")
    options = selenium.ChromeOptions()
    options.binary_location = places[0]
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = selenium.Chrome(options, selenium.ChromeService(places[1]))
    yield driver
    driver.quit()


def test_a_browser_shows_it_without_complaint(browser, found, tmp_path: Path) -> None:
    for scheme in ("light", "dark"):
        place = write_report(found, tmp_path / f"{scheme}.html")
        media = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
        for width in (360, 1280):
            browser.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600},
            )
            browser.get(place.as_uri())
            root = "document.documentElement"
            across = browser.execute_script(f"return [{root}.scrollWidth, {root}.clientWidth]")
            assert across[0] <= across[1] <= width
            assert browser.execute_script("return document.scripts.length") == 0
            shown = browser.execute_script(
                "return [...document.querySelectorAll('section')].every(s => s.offsetHeight > 40)"
            )
            assert shown
            pictures = browser.execute_script(
                "return [...document.querySelectorAll('figure svg')].map(s => s.clientWidth)"
            )
            assert len(pictures) == 5
            assert min(pictures) > 250
            cues = browser.execute_script(CUES)
            assert all(cut == shown for cut, shown in cues)  # "scroll" where there is more to see
            assert any(shown for _, shown in cues) == (width == 360)
    assert browser.get_log("browser") == []
    asked = [json.loads(row["message"])["message"] for row in browser.get_log("performance")]
    urls = [
        row["params"]["request"]["url"]
        for row in asked
        if row["method"] == "Network.requestWillBeSent"
    ]
    assert urls
    assert all(url.startswith(("file:", "data:")) for url in urls)
