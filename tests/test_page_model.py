"""The page over a small model that was trained: from names to the case report."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import unquote

import pytest

pytest.importorskip("selenium")
pytest.importorskip("fastapi")
if not (shutil.which("chromium") and shutil.which("chromedriver")):
    pytest.skip("chromium or chromedriver is not installed", allow_module_level=True)

from selenium.webdriver.common.keys import Keys

from page_browser import Page, browsing, serving
from small_models import save_model
from sub2node.scoring import Scorer, load_scorer

ALIASES = {
    "alias": ["kinase", "pet", "pet", "old1"],
    "node_id": ["g1", "g3", "g4", "g2"],
    "kind": ["symbol", "synonym", "synonym", "former id"],
}


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> Scorer:
    """A network of a few epochs, of whose nodes some have other names."""
    scorer = load_scorer(save_model(tmp_path_factory.mktemp("page")))
    task = replace(scorer.task, graph=scorer.graph.with_other_names(ALIASES))
    known = replace(scorer.known_subgraphs, task=task)  # type: ignore[attr-defined]
    return replace(scorer, known_subgraphs=known)  # type: ignore[type-var]


@pytest.fixture(scope="module")
def home(scorer: Scorer) -> Iterator[str]:
    yield from serving(scorer)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    yield from browsing(tmp_path_factory.mktemp("browser"))


@pytest.fixture
def page(browser: Page, home: str) -> Page:
    browser.open(home)
    browser.wait(lambda: browser.texts("#facts dd"), "the model")
    return browser


def pick(page: Page, text: str, *, absent: bool = False) -> None:
    """Search a name and take what is found first."""
    if absent != page.one("#absent").is_selected():
        page.one("#absent").click()
    before = len(page.texts("#chips li, #excluded li"))
    page.one("#search").send_keys(text, Keys.ENTER)
    page.wait(lambda: len(page.texts("#chips li, #excluded li")) > before, text)


@pytest.mark.slow
def test_from_a_synonym_to_the_case_report(page: Page, scorer: Scorer) -> None:
    page.one("#search").send_keys("KINAS")
    page.wait(lambda: page.texts("#options .id") == ["g1"], "a node by its synonym")
    page.one("#search").send_keys(Keys.ENTER)
    page.wait(lambda: page.texts("#chips .name") == ["gene 1"])
    pick(page, "gene 9", absent=True)
    assert "does not read what is absent" in page.one("#not-read").text
    page.one("#absent").click()
    page.paste("PET, Gene 7, OLD1, nowhere")
    page.one("#ask").click()
    page.answered()
    known = page.text(".known")
    assert known.startswith("4 of 6 ")
    assert "“Gene 7” is gene 7 g7 (title)" in known
    assert "“OLD1” is gene 2 g2 (former id)" in known
    assert page.texts(".known .lost") == ["nowhere"]
    assert "“PET” may mean one of several. Which?" in known
    meant = [chip for chip in page.all(".known .chip") if chip.text.startswith("gene ")]
    assert [" ".join(chip.text.split()) for chip in meant] == ["gene 3 g3", "gene 4 g4"]
    meant[1].click()
    page.wait(lambda: page.text(".known").startswith("5 of 6 "), "the answer with the choice")
    page.answered()
    ids = page.js("return [...document.querySelectorAll('#chips li')].map(e => e.dataset.id)")
    assert ids == ["g1", "Gene 7", "OLD1", "nowhere", "g4"]

    query = scorer.ask([["g1", "g2", "g4", "g7"]])
    answer = scorer.predict(query)
    assert page.text(".verdict strong") == answer.labels[0]
    near = scorer.neighbors(query, count=5)[0]
    wanted = [f"{len(one.shared)} of {one.size} shared" for one in near]
    assert page.texts("#similar .shared .soft") == wanted
    shared = next(place for place, one in enumerate(near) if one.shared)
    assert page.texts("#similar .shared")[shared].endswith(": " + ", ".join(near[shared].shared))
    assert page.texts(".stage .node")
    assert page.texts("#why .value")

    link = page.driver.current_url
    assert unquote(link.partition("#")[2]) == "nodes=g1,Gene 7,OLD1,nowhere,g4&excluded=g9"
    page.open(link)
    page.answered()
    assert page.js("return document.querySelector('#excluded li').dataset.id") == "g9"
    page.wait(lambda: page.texts("#excluded .name") == ["gene 9"], "the title of an excluded id")

    page.one("#report").click()
    file = page.downloads / "case-report.html"
    page.wait(lambda: file.exists() and file.stat().st_size, "the report")
    page.open(file.as_uri())
    text = page.text("main")
    assert "Looked for and absent; this model does not read such nodes." in text
    assert "gene 9" in text
    assert f"{answer.labels[0]}: {100 * answer.probabilities.max():.1f} %" in page.text(".best")


@pytest.mark.slow
def test_a_set_of_ambiguous_names_is_asked_about(page: Page) -> None:
    page.paste("nowhere")
    page.one("#ask").click()
    page.wait(lambda: page.text("#answer .trouble"), "the refusal")
    assert page.text("#answer .trouble") == "No node of your set is in the graph: 'nowhere'."
    page.one("#clear").click()
    page.paste("pet")
    page.one("#ask").click()
    page.wait(lambda: page.texts("#answer .chip"), "the choice")
    assert page.text("#answer .known") == "“pet” may mean one of several. Which?gene 3 g3gene 4 g4"
    assert not page.all("#answer .trouble")
    page.all("#answer .chip")[0].click()
    page.answered()
    assert page.texts("#chips .id") == ["g3"]
    assert page.text(".known") == "The node is in the graph."


@pytest.mark.slow
def test_a_file_says_which_names_are_ambiguous(page: Page) -> None:
    page.give("a.csv", "set,node\ns,pet\ns,kinase\ns,nowhere\n")
    (row,) = page.saved("a-predictions.csv")
    assert (row["unknown_nodes"], row["ambiguous_names"]) == ("nowhere", "pet (g3 or g4)")
    assert page.texts(".answers .number")[-1].endswith(" (1 unknown, 1 ambiguous)")
