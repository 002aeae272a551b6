"""The page in a real browser, on the real application with a model that learns nothing."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("selenium")
pytest.importorskip("fastapi")
if not (shutil.which("chromium") and shutil.which("chromedriver")):
    pytest.skip("chromium or chromedriver is not installed", allow_module_level=True)

from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from page_browser import Page, browsing, serving
from page_scorer import CLASSES, ODD, SMALL, PageScorer


@pytest.fixture(scope="module")
def scorer() -> PageScorer:
    return PageScorer()


@pytest.fixture(scope="module")
def home(scorer: PageScorer) -> Iterator[str]:
    yield from serving(scorer)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    yield from browsing(tmp_path_factory.mktemp("browser"))


@pytest.fixture
def page(browser: Page, home: str) -> Page:
    browser.open(home)
    browser.ready()
    return browser


def test_it_says_what_the_model_is(page: Page) -> None:
    assert page.text("#model-name") == "genes <b>"
    facts = dict(zip(page.texts("#facts dt"), page.texts("#facts dd"), strict=True))
    assert facts == {"nodes": "308", "edges": "307", "known subgraphs": "3", "classes": "12",
                     "right on validation": "62.5%"}  # fmt: skip
    assert page.texts(".example .title") == ["tumours", "<u>odd</u>", "third"]
    assert "press Predict" in page.text("#lead")
    assert page.complaints() == []


def test_nothing_comes_from_elsewhere(page: Page) -> None:
    page.driver.get_log("performance")
    page.open(page.home)
    page.ready()
    page.all(".example")[0].click()
    page.answered()
    events = [json.loads(line["message"])["message"] for line in page.driver.get_log("performance")]
    asked = [event["params"]["request"]["url"] for event in events
             if event["method"] == "Network.requestWillBeSent"]  # fmt: skip
    assert {urlsplit(address).netloc for address in asked} == {urlsplit(page.home).netloc}
    assert len(asked) < 20
    assert page.complaints() == []
    for part in ("stale", "welcome", "token-form", "ask-note"):
        assert not page.one(f"#{part}").text


def test_it_is_small() -> None:
    """A fifth of it reads tables, gene sets and phenopackets here, so that only ids are sent."""
    folder = files("sub2node.serve") / "page"
    contents = [file.read_bytes() for file in folder.iterdir()]
    assert sum(map(len, contents)) < 100_000
    assert sum(len(gzip.compress(content)) for content in contents) < 36_000


def test_search_and_pick_with_keys(page: Page) -> None:
    box = page.one("#search")
    box.send_keys("tp")
    page.wait(lambda: box.get_attribute("aria-expanded") == "true", "the list")
    assert page.texts("#options .title") == ["tumor protein p53", "tumor protein p63"]
    assert page.text("#options .degree") == "4 links"
    box.send_keys(Keys.ARROW_DOWN)
    active = page.one(f"#{box.get_attribute('aria-activedescendant')}")
    assert "TP63" in active.text
    assert active.get_attribute("aria-selected") == "true"
    box.send_keys(Keys.ENTER)
    assert page.texts("#chips .name") == ["tumor protein p63"]
    assert page.text("#search-note") == "Added tumor protein p63."
    box.send_keys(Keys.BACKSPACE)
    assert page.texts("#chips li") == []
    box.send_keys("egfr", Keys.ENTER)  # taken as soon as it is found
    page.wait(lambda: page.texts("#chips .id") == ["EGFR"])
    box.send_keys("g1")
    page.wait(lambda: len(page.all("#options li")) == 20)
    box.send_keys(Keys.ESCAPE)
    assert not page.one("#options").is_displayed()
    box.send_keys(Keys.ENTER)
    page.wait(lambda: "g1" not in box.get_attribute("value"))
    assert page.texts("#chips .name")[1] == "G1"
    box.send_keys(Keys.ENTER)
    page.answered()
    box.send_keys(Keys.ARROW_LEFT)
    page.press(Keys.ARROW_LEFT, Keys.DELETE)
    assert page.texts("#chips .name") == ["G1"]
    assert page.js("return document.activeElement.textContent").startswith("G1")
    assert page.one("#stale").is_displayed()
    page.press(Keys.DELETE)
    assert page.js("return document.activeElement.id") == "search"
    box.send_keys("nosuchnode")
    page.wait(lambda: page.text("#search-note").startswith("No node has “nosuchnode”"))


def test_a_pasted_list(page: Page) -> None:
    page.paste('TP53, EGFR;"a, b; c"\tG7\n\nnot here\nTP53\n')
    assert page.text("#set-count") == "5 nodes"
    assert page.text("#search-note") == "5 added, 1 in the set already."
    page.one("#ask").click()
    page.answered()
    assert page.text(".known p").startswith("4 of 5 nodes are in the graph.")
    assert page.texts(".lost") == ["not here"]
    assert page.texts(".doubt") == []  # unknown nodes are listed above
    page.one(".lost").click()
    assert page.one("#search").get_attribute("value") == "not here"
    page.one("#clear").click()
    assert page.text("#set-count") == "0 nodes"
    assert not page.one("#ask").is_enabled()


def test_an_example_is_answered(page: Page) -> None:
    page.all(".example")[0].click()
    page.answered()
    assert page.text(".verdict strong") == "class 3"
    assert page.text("#said").startswith("class 3 ")
    assert page.text(".verdict span") == "class 3 36.2% "
    assert page.text("#answer .bar .value") == "36.2% ± 4.5"
    assert len(page.all("#answer .bar")) == 10
    page.one("#answer .more").click()
    assert len(page.all("#answer .bar")) == 12
    assert page.texts("#similar .title")[0] == "known 0"
    assert len(page.all("#similar tbody tr")) == 5
    sections = page.js("return [...document.querySelectorAll('.results > section')].map(e => e.id)")
    assert sections == ["answer", "similar", "why", "graph"]
    assert page.texts("#chips .name")[0] == "tumor protein p53"


def test_a_link_holds_the_set(page: Page) -> None:
    page.ask("TP53", "a, b; c", ODD)
    link = page.driver.current_url
    assert unquote(link.partition("#nodes=")[2]) == f"TP53,a, b; c,{ODD}"
    page.open(link)
    page.answered()
    assert page.js("return [...document.querySelectorAll('#chips li')].map(e => e.dataset.id)") == [
        "TP53", "a, b; c", ODD]  # fmt: skip
    page.ask(*(f"G{i}" for i in range(150)))
    assert "#nodes" in page.driver.current_url
    page.paste("\n".join(f"{'x' * 40}{i}" for i in range(100)))
    page.one("#share").click()
    assert "too long" in page.text("#ask-note")
    assert "#" not in page.driver.current_url


# How many pairs of names in the picture overlap.
OVERLAPS = """const boxes = [...document.querySelectorAll('.stage text')]
  .filter(e => getComputedStyle(e).display !== 'none').map(e => e.getBoundingClientRect());
const apart = (a, b) =>
  a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
return boxes.filter((a, i) => boxes.some((b, k) => k < i && !apart(a, b))).length"""
# Whether the table of a file is cut off, and the cue for that.
CUE = """const box = document.querySelector('.scroll');
return [box.scrollWidth > box.clientWidth, getComputedStyle(box, '::after').visibility]"""


def number(text: str) -> float:
    return float(re.sub("[^0-9.−]", "", text).replace("−", "-"))


def test_contributions_add_up_for_every_class(page: Page) -> None:
    page.ask("TP53", "EGFR", "G1", "G2")
    choices = [option.text for option in page.all("#why-class option")]
    assert choices[0].startswith("class 4 (")
    assert len(choices) == len(CLASSES)
    for place in (0, 3):
        name = choices[place].partition(" (")[0]
        page.all("#why-class option")[place].click()
        page.wait(lambda name=name: page.text(".sum").endswith(f" for {name}."))
        baseline, total = map(float, re.findall(r"([\d.]+)%", page.text(".sum")))
        bars = list(map(number, page.texts(".sides .value")))
        assert len(bars) == 8
        assert baseline + sum(bars) == pytest.approx(total, abs=0.1 + 0.005 * len(bars))
        assert f"({total}%)" in choices[place]
    assert "An empty set has 10.0%." in page.text("#why .body")
    assert "no label" not in page.text("#why .sides")  # nodes have none to show
    assert page.all(".sides .plus")
    assert page.all(".sides .minus")


def test_the_graph(page: Page) -> None:
    page.ask("TP53", "EGFR")
    page.js("document.getElementById('graph').scrollIntoView()")
    time.sleep(0.25)  # the wheel belongs to the page while it moves
    stage, dots = page.one(".stage svg"), page.all(".stage g.node[tabindex]")
    assert len(dots) == 8  # what is joined to the set; the four behind come on demand
    assert page.text("#graph .sethead p").startswith("8 known subgraphs joined to your set.")
    named = page.js("return document.querySelectorAll('.node.named').length")
    assert named == 8
    assert page.js(OVERLAPS) == 0
    ActionChains(page.driver, duration=50).move_to_element(dots[2]).perform()
    tip = page.wait(lambda: page.one(".tip").text)
    assert [word in tip for word in ("known <2>", "K2", "class 2", "class 4", "weight 7")] == [
        True
    ] * 5
    page.js("arguments[0].focus()", dots[0])
    page.press(Keys.ARROW_RIGHT)
    assert "known <1>" in page.one(".tip").text
    assert "weight 8" in dots[1].get_attribute("aria-label")

    def zoom() -> float:
        return float(stage.get_attribute("data-zoom"))

    page.press("+")
    assert zoom() == 1.5
    page.press("-")
    page.one("[aria-label='Zoom in']").click()
    assert zoom() == 1.5
    page.one("[aria-label='Show all']").click()
    wheel = "arguments[0].dispatchEvent(new WheelEvent('wheel', {deltaY: -100, cancelable: true}))"
    page.js(wheel, stage)
    assert zoom() > 1.3
    before = page.one(".stage svg > g").get_attribute("transform")
    ActionChains(page.driver, duration=50).drag_and_drop_by_offset(stage, -40, -30).perform()
    assert page.one(".stage svg > g").get_attribute("transform") != before
    assert len(page.texts(".around tbody tr")) == 8
    assert page.text(".legend").startswith("your set")
    page.js("document.querySelector('.behind').click()")
    assert len(page.all(".stage g.node[tabindex]")) == 12
    assert len(page.all(".stage line")) == 12
    assert len(page.texts(".around tbody tr")) == 12
    assert "8 known subgraphs joined to your set, and 4 more behind." in page.text("#graph")
    assert page.js(OVERLAPS) == 0
    page.js("document.querySelector('.behind').click()")
    assert len(page.all(".stage g.node[tabindex]")) == 8


def test_one_seed_has_no_spread(browser: Page) -> None:
    for home in serving(PageScorer(seeds=1)):
        browser.open(home, 400, 800)
        browser.ready()
        browser.ask("TP53", "EGFR")
        assert browser.text("#answer .bar .value") == "37.4%"
        assert not browser.all(".whisker")
        assert browser.text("#answer .hint").startswith("One seed: no spread")
        browser.give("a.csv", FILES["a.csv"])
        assert {row["spread"] for row in browser.saved("a-predictions.csv")} == {""}
        assert "one seed" in browser.text(".answers tbody")
        assert browser.js(CUE) == [True, "visible"]  # the table is cut off, and says so


def test_an_address_that_does_not_exist_is_a_page_for_people(browser: Page, home: str) -> None:
    browser.open(f"{home}no/such/page", 400, 800)
    assert browser.text("h1") == "There is no page here"
    assert browser.fits()
    browser.one("main .button").click()
    browser.ready()
    browser.open(f"{home}docs", 400, 800)
    assert browser.fits()
    cut = "return [...document.querySelectorAll('pre, table')].some(e => e.scrollWidth > 400)"
    assert not browser.js(cut)
    assert browser.js("return document.querySelectorAll('nav a').length") == 9


ROWS = [("s1", "TP53"), ("s1", "EGFR"), ('two, "2"', "a, b; c"), ("=1+1", "G1"), ("=1+1", "zz")]
LISTS: dict[str, list[str]] = {}
for owner, node in ROWS:
    LISTS.setdefault(owner, []).append(node)
QUOTED = "\ufeffnode_id,subgraph_id\r\n" + "".join(
    '"{}","{}"\r\n'.format(*(cell.replace('"', '""') for cell in (node, owner)))
    for owner, node in ROWS
)
FILES = {
    "a.csv": QUOTED,
    "a.tsv": "subgraph_id\tnode_id\n" + "".join(f"{o}\t{n}\n" for o, n in ROWS if '"' not in o)
    + '"two, ""2"""\ta, b; c\n',
    "a.jsonl": "\n".join(json.dumps({"id": o, "nodes": n}) for o, n in LISTS.items()),
    "a.gmt": "\n".join("\t".join([o, "about it", *n]) for o, n in LISTS.items()),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_of_every_format(page: Page, name: str) -> None:
    page.give(name, FILES[name])
    rows = {row["subgraph_id"]: row for row in page.saved("a-predictions.csv")}
    assert set(rows) == {"s1", 'two, "2"', "'=1+1"}
    first = rows["s1"]
    assert first["prediction"] == "class 2"
    assert float(first["probability"]) == float(first["p class 2"])
    assert float(first["spread"]) == pytest.approx(float(first["probability"]) / 8, abs=2e-6)
    assert sum(float(first[f"p {label}"]) for label in CLASSES) == pytest.approx(1, abs=1e-5)
    assert (rows["'=1+1"]["known"], rows["'=1+1"]["unknown_nodes"]) == ("0.5", "zz")
    assert rows["'=1+1"]["warnings"] == f"some nodes are unknown; {SMALL.text}"
    assert first["warnings"] == ""
    assert {row["error"] for row in rows.values()} == {""}
    assert len(page.all(".answers tbody tr")) == 3


def test_warnings_stand_beside_the_answer(page: Page) -> None:
    page.paste("EGFR")
    page.one("#ask").click()
    page.answered()
    assert page.texts(".doubt") == [f"Warning: {SMALL.text}."]


def test_bad_sets_leave_good_ones_alone(page: Page) -> None:
    lines = [json.dumps({"id": f"ok {i}", "nodes": [f"G{i}"]}) for i in range(45)]
    lines[3:3] = ['{"id": "lost", "nodes": ["zz"]}', "{no json", '{"id": 1, "nodes": []}',
                  '{"id": "of none"}', '{"id": "x", "nodes": [1.5]}']  # fmt: skip
    lines.append(json.dumps({"id": "large", "nodes": [f"G{i}" for i in range(201)]}))
    page.give("many.jsonl", "\n".join(lines))
    rows = page.saved("many-predictions.csv")
    assert len(rows) == 51
    errors = {row["subgraph_id"]: row["error"] for row in rows if row["error"]}
    assert set(errors) == {"lost", "line 5", "1", "line 7", "line 8", "large"}
    assert "no node that the graph has" in errors["lost"]
    assert errors["line 5"] == "Line 5 is not JSON."
    assert "201 nodes; at most 200" in errors["large"]
    assert page.text("#batch .line") == "45 of 51 sets answered, 6 with an error."
    assert [row["subgraph_id"] for row in rows[:4]] == ["ok 0", "ok 1", "ok 2", "lost"]
    page.give("bad.csv", "subgraph_id,node_id\ns1,TP53\ns1,\n,EGFR\n")
    assert [(row["subgraph_id"], row["error"]) for row in page.saved("bad-predictions.csv")] == [
        ("s1", "Line 3 has no node_id."), ("line 4", "Line 4 has no subgraph_id."),
    ]  # fmt: skip
    for text, words in (("gene\na\n", "This file has one column"), ("  \n", "The file is empty.")):
        page.give("wrong.csv", text)
        page.wait(lambda words=words: words in page.text("#batch .trouble"))


def test_a_file_can_be_stopped(page: Page, scorer: PageScorer, tmp_path: Path) -> None:
    file = tmp_path / "slow.csv"
    file.write_text("subgraph_id,node_id\n" + "".join(f"s{i},G{i}\n" for i in range(60)))
    page.one("#tab-one").send_keys(Keys.ARROW_RIGHT)
    scorer.may_run.clear()
    page.one("#file").send_keys(str(file))
    cancel = page.wait(lambda: page.all("#batch .row button:not([hidden])"))[0]
    assert page.one("progress").get_attribute("max") == "60"
    cancel.click()
    page.wait(lambda: "Stopped before the end." in page.text("#batch .line"))
    scorer.may_run.set()


@pytest.mark.parametrize("width", [360, 768])
def test_no_sideways_scrolling(browser: Page, home: str, width: int) -> None:
    browser.open(home, width, 740)
    browser.ready()
    assert browser.fits()
    browser.ask("TP53", "x" * 150, ODD, "y " * 60, *(f"G{i}" for i in range(100)))
    for summary in browser.all("summary"):
        browser.js("arguments[0].parentNode.open = true", summary)
    for more in browser.all(".more"):
        browser.js("arguments[0].click()", more)
    assert browser.fits()
    browser.give("a.csv", "subgraph_id,node_id\n" + "long" * 50 + ",TP53\nb,none\n")
    browser.wait(lambda: len(browser.all(".answers tbody tr")) == 2)
    assert browser.fits()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
def test_an_answer_is_readable(browser: Page, home: str, width: int, *, dark: bool) -> None:
    browser.prefer(dark=dark)
    browser.open(home, width)
    browser.ready()
    browser.ask("TP53", "G1", "unknown-" + "x" * 40)
    assert browser.fits()
    assert browser.cut_texts() == []
    assert browser.least_contrast() >= 4.5
    assert browser.is_dark() is dark
    browser.prefer(dark=False)


def test_names_are_never_markup(page: Page) -> None:
    page.ask(ODD, "TP53")
    page.one("#search").send_keys("<img")
    page.wait(lambda: page.texts("#options .id") == [ODD])
    page.give("a.jsonl", json.dumps({"id": ODD, "nodes": [ODD, "<script>1</script>"]}))
    page.wait(lambda: page.texts(".answers tbody th") == [ODD])
    assert page.js("return document.querySelectorAll('img, main b b, main u, main i').length") == 0
    assert page.text("#chips .name") == '<b>bold</b> & "quoted"'
    assert page.driver.title == "genes <b> – sub2node"
    assert page.complaints() == []


def test_a_token_is_asked_for(browser: Page) -> None:
    for home in serving(PageScorer(), token="open-sesame"):
        browser.open(home)
        browser.wait(lambda: browser.one("#token-form").is_displayed(), "the form")
        assert not browser.one("#work").is_displayed()
        browser.one("#token").send_keys("wrong", Keys.ENTER)
        browser.wait(lambda: "does not accept" in browser.text("#token-note"))
        browser.one("#token").send_keys("open-sesame", Keys.ENTER)
        browser.ready()
        assert not browser.one("#token-form").is_displayed()
        browser.ask("TP53")
        assert browser.js("return [localStorage.length, sessionStorage.length]") == [0, 1]
        assert "sesame" not in browser.driver.current_url


WORDS = {"title": "Rare <i>things</i>", "question": "Which family is it?", "subgraph": "disease",
         "member": "phenotype", "label": "family", "caution": "No medical device."}  # fmt: skip


def test_from_the_search_to_the_case_report(browser: Page) -> None:
    """The page speaks in the words of the card, and gives the report of what it shows."""
    for home in serving(PageScorer(words=WORDS)):
        browser.open(home)
        browser.wait(lambda: browser.text("#question") == "Which family is it?")
        assert browser.text("#model-name") == "Rare <i>things</i>"
        assert browser.texts("#facts dt")[:4] == [
            "phenotypes",
            "edges",
            "known diseases",
            "families",
        ]
        assert browser.text("#ask-form h2") == "Your phenotypes"
        assert browser.one("#absent-box").is_displayed()
        assert browser.one("#not-read").text.startswith("This model does not read what is absent")
        browser.one("#search").send_keys("tumor protein p53", Keys.ENTER)
        browser.wait(lambda: browser.texts("#chips .id") == ["TP53"])
        browser.one("#search").send_keys("egfr", Keys.ENTER)
        browser.wait(lambda: len(browser.texts("#chips .id")) == 2)
        assert browser.text("#set-count") == "2 phenotypes"
        browser.one("#ask").click()
        browser.answered()
        assert browser.text("#similar-title") == "Most similar known diseases"
        assert browser.text(".known") == "All 2 phenotypes are in the graph."
        assert browser.text("#caution") == "No medical device."
        assert re.search(r"Doubt 0\.\d\d, between 0", browser.text("#answer .body > .hint"))
        browser.one("#report").click()
        open_report(browser)
        assert browser.text("h1") == "Which family is it?"
        assert browser.text(".best") == "class 2: 37.4 %"
        assert browser.text(".caution") == "No medical device."
        assert "Rare <i>things</i>" in browser.text("header p")
        assert browser.texts(".reasons tbody th")[:2] != []


def open_report(browser: Page) -> None:
    """Open the case report that the page gives, as a file."""
    file = browser.downloads / "case-report.html"
    browser.wait(lambda: file.exists() and file.stat().st_size, "the report")
    kept = file.rename(file.with_name("kept.html"))
    browser.open(kept.as_uri())
    assert browser.js("return document.querySelectorAll('img, script, main i').length") == 0
    assert browser.complaints() == []


PACKET = {
    "id": "who",
    "phenotypicFeatures": [
        {"type": {"id": "TP53", "label": "x"}},
        {"type": {"id": "EGFR", "label": "x"}},
        {"type": {"id": "TP63", "label": "x"}, "excluded": True},
        {"type": {"id": ODD, "label": "x"}, "excluded": True},
    ],
}


def test_a_phenopacket_is_asked_about_at_once(browser: Page, home: str) -> None:
    browser.open(home)
    browser.ready()
    browser.give("patient.json", json.dumps(PACKET))
    browser.answered()
    assert browser.one("#one").is_displayed()
    assert len(browser.texts("#chips li")) == 2
    browser.wait(lambda: browser.texts("#excluded li .name")[0] == "tumor protein p63")
    assert "does not read what is absent" in browser.text("#not-read")
    browser.one("#report").click()
    open_report(browser)
    text = browser.text("main")
    assert "Looked for and absent; this model does not read such nodes." in text
    assert "TP63" in text
    assert ODD in text


def test_what_is_absent_is_asked_where_the_model_reads_it(browser: Page) -> None:
    for home in serving(PageScorer(card={"reads_excluded": True})):
        browser.open(home)
        browser.ready()
        browser.paste("TP53, TP63")
        browser.one("#absent").click()
        browser.paste("TP63, EGFR")  # nothing is in both
        assert browser.texts("#chips li .id, #chips li .name") == ["TP53"]
        assert len(browser.texts("#excluded li")) == 2
        assert browser.text("#excluded-count") == "2 nodes"
        assert not browser.one("#not-read").is_displayed()
        browser.js(
            "window.fetch = (path, { body }) => { window.sent ??= body; throw Error(path); }"
        )
        browser.one("#ask").click()
        sent = browser.wait(lambda: browser.js("return window.sent"))
        query = {"nodes": ["TP53"], "excluded": ["TP63", "EGFR"], "unknown_nodes": "drop"}
        assert json.loads(sent) == query
        browser.one("#clear").click()
        assert browser.texts("#chips li, #excluded li") == []


def test_several_labels(browser: Page) -> None:
    for home in serving(PageScorer(multilabel=True)):
        browser.open(home)
        browser.ready()
        browser.ask("TP53", "EGFR", "G1", "G2")
        assert browser.texts(".verdict strong") == ["class 4", "class 3", "class 5"]
        assert len(browser.all(".chosen")) == 3
        browser.give("a.csv", FILES["a.csv"])
        first = browser.saved("a-predictions.csv")[0]
        assert first["prediction"] == "class 2;class 1;class 3"  # the likeliest first
        most = max(float(first[f"p class {number}"]) for number in (1, 2, 3))
        assert float(first["probability"]) == most


def test_errors_are_said_where_they_belong(page: Page) -> None:
    page.paste("nothing\nhere")
    page.one("#ask").click()
    page.wait(lambda: "no node that the graph has" in page.text("#answer .trouble"))
    assert not page.one("#why").is_displayed()
    assert not page.one("#report").is_displayed()
    page.one("#clear").click()
    page.paste("CRASH")
    page.one("#ask").click()
    page.wait(lambda: "The service failed" in page.text("#answer .trouble"))
    assert "secret" not in page.text("body")
    page.one("#clear").click()
    page.paste("TP53")
    offline = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    page.cdp("Network.emulateNetworkConditions", offline=True, **offline)
    page.one("#ask").click()
    page.wait(lambda: "does not answer" in page.text("#answer .trouble"))
    page.one("#search").send_keys("tp")
    page.wait(lambda: "does not answer" in page.text("#search-note"))
    page.cdp("Network.emulateNetworkConditions", offline=False, **offline)
    page.one("#search-note button").click()
    page.wait(lambda: len(page.texts("#options li")) == 2)
    page.one("#search").send_keys(Keys.ESCAPE)
    page.one("#answer .trouble button").click()
    page.answered()
    assert page.text(".verdict strong") == "class 1"
