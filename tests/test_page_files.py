"""Files of every kind on the page: excluded nodes, columns, several at once, binary formats."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

pytest.importorskip("selenium")
pytest.importorskip("fastapi")
if not (shutil.which("chromium") and shutil.which("chromedriver")):
    pytest.skip("chromium or chromedriver is not installed", allow_module_level=True)

from page_browser import Page, browsing, serving
from page_scorer import PageScorer
from sub2node.io.table_writer import open_table
from sub2node.task.column_names import ALIASES, WORDS
from sub2node.task.member_pairs import read_signs


@pytest.fixture(scope="module")
def scorer() -> PageScorer:
    return PageScorer(card={"reads_excluded": True})


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


SIGNED = [("s1", "TP53", "no"), ("s1", "EGFR", "yes"), ("s2", "EGFR", ""), ("s1", "TP63", "-")]


def delimited(header: str, mark: str) -> str:
    rows = ["".join([mark.join(row), "\n"]) for row in SIGNED]
    return header.replace(",", mark) + "\n" + "".join(rows)


def packet(name: str, nodes: str, absent: str = "") -> str:
    features = [{"type": {"id": id}} for id in nodes.split()]
    features += [{"type": {"id": id}, "excluded": True} for id in absent.split()]
    return json.dumps({"id": name, "phenotypicFeatures": features})


def binary(folder: Path, header: tuple[str, ...], ending: str) -> bytes:
    path = folder / f"a{ending}"
    table = pa.table(dict(zip(header, zip(*SIGNED, strict=True), strict=True)))
    with open_table(path, ending, table.schema) as write:
        write(table)
    return path.read_bytes()


def zipped(**files: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.json", text)
    return stream.getvalue()


def answers_to(page: Page, scorer: PageScorer, name: str) -> dict[str, tuple[str, list[str]]]:
    """By set: its prediction, which tells how many members it has, and its excluded nodes."""
    page.wait(lambda: page.text("#batch .file") == name and page.all("#batch progress"), name)
    rows = page.saved(f"{name.rpartition('.')[0]}-predictions.csv")
    absent = scorer.excluded or [[]] * len(rows)
    return {
        row["subgraph_id"]: (row["prediction"] or row["error"], list(own))
        for row, own in zip(rows, absent, strict=True)
    }


WANTED = {"s1": ("class 1", ["EGFR", "TP63"]), "s2": ("class 1", [])}
TEXTS = {
    "a.csv": delimited("subgraph_id,node_id,excluded", ","),
    "b.csv": delimited("patient,term,excluded", ";"),
    "c.tsv": delimited("gene_set,Symbol,Excluded", "\t"),
    "d.txt": delimited("alert,account,excluded", "\t"),
    "e.jsonl": '{"id": "s1", "nodes": ["TP53"], "excluded": ["EGFR", "TP63"]}\n'
    '{"id": "s2", "nodes": ["EGFR"]}\n',
    "f.json": f"[{packet('s1', 'TP53', 'EGFR TP63')}, {packet('s2', 'EGFR')}]",
}


@pytest.mark.parametrize("name", TEXTS)
def test_excluded_nodes_are_no_members(page: Page, scorer: PageScorer, name: str) -> None:
    page.give(name, TEXTS[name])
    assert answers_to(page, scorer, name) == WANTED
    assert ", 2 excluded" in page.text("#batch .soft")


@pytest.mark.parametrize("ending", [".parquet", ".xlsx"])
def test_binary_tables_are_read_by_the_service(
    page: Page, scorer: PageScorer, tmp_path: Path, ending: str
) -> None:
    page.give(f"a{ending}", binary(tmp_path, ("patient", "term", "excluded"), ending))
    assert answers_to(page, scorer, f"a{ending}") == WANTED
    assert "'patient' as subgraph_id" in page.text("#batch .hint")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_columns_are_chosen_where_they_are_unclear(
    page: Page, scorer: PageScorer, tmp_path: Path, name: str
) -> None:
    header = ("note", "who", "excluded")
    content = (
        delimited(",".join(header), ",")
        if name == "a.csv"
        else binary(tmp_path, header, ".parquet")
    )
    page.give(name, content)
    page.wait(lambda: page.all(".columns select"), "the choice")
    first = page.texts(".columns select:first-of-type option")[0]
    assert first == ("note (as s1)" if name == "a.csv" else "note")
    values = page.js("return [...document.querySelectorAll('.columns select')].map(e => e.value)")
    assert values == ["0", "1", "2"]
    page.one(".columns button").click()
    assert answers_to(page, scorer, name) == WANTED


def test_tables_without_a_header_and_gene_sets_as_columns(page: Page, scorer: PageScorer) -> None:
    page.give("a.csv", "s1,TP53\ns1,EGFR\ns2,TP53\n")
    assert answers_to(page, scorer, "a.csv") == {"s1": ("class 2", []), "s2": ("class 1", [])}
    page.give("a.gmx", "s1\ts2\nabout\tna\nTP53\tEGFR\nTP63\t\n")
    assert answers_to(page, scorer, "a.gmx") == {"s1": ("class 2", []), "s2": ("class 1", [])}


def test_a_word_that_says_neither_makes_its_set_bad(page: Page, scorer: PageScorer) -> None:
    page.give("a.csv", "set,node,excluded\ns1,TP53,maybe\ns1,EGFR,\ns2,TP53,no\n")
    rows = {row["subgraph_id"]: row["error"] for row in page.saved("a-predictions.csv")}
    assert rows == {"s1": "Line 2 has “maybe” as excluded; it says true or false.", "s2": ""}


@pytest.mark.parametrize("kind", ["files", "zip"])
def test_several_phenopackets_at_once(page: Page, scorer: PageScorer, kind: str) -> None:
    one, two = packet("s1", "TP53", "EGFR TP63"), packet("s2", "EGFR")
    if kind == "zip":
        page.give("all.zip", zipped(a=one, b=two))
        assert answers_to(page, scorer, "all.zip") == WANTED
    else:
        page.give("a.json", one, b_json=two, c_csv="one\nx\n")
        page.wait(lambda: page.text("#batch .file") == "3 files")
        rows = {r["subgraph_id"]: r for r in page.saved("3 files-predictions.csv")}
        assert "This file has one column" in rows["c.csv"]["error"]
        assert scorer.excluded == [["EGFR", "TP63"], []]
    page.one(".answers tbody th button").click()  # opens it where one set is explained
    page.answered()
    assert page.texts("#chips .id") == ["TP53"]
    titles = ["epidermal growth factor receptor", "tumor protein p63"]
    page.wait(lambda: page.texts("#excluded .name") == titles, "titles of excluded ids")


def test_what_cannot_be_read_is_said_in_one_sentence(page: Page) -> None:
    page.give("a.doc", b"\xd0\xcf\x11\xe0\0\0")
    page.wait(lambda: "This file is no text. Give CSV" in page.text("#batch .trouble"))
    page.give("a.parquet", b"PAR1\x15\x04")
    page.wait(lambda: "This is no whole Parquet file" in page.text("#batch .trouble"))
    page.give("a.parquet", b"PAR1" + bytes(1_100_000))
    page.wait(lambda: "s2n predict MODEL FILE" in page.text("#batch .trouble"))
    assert "1.1 MB, and the service reads at most 1.0 MB" in page.text("#batch .trouble")


def test_words_are_those_of_python(page: Page) -> None:
    script = "return import('./static/parse.js').then((parse) => parse.{})"
    known = page.js(script.format("COLUMNS"))
    assert set(known) == {"subgraph_id", "node_id", "excluded"}
    for ours, (names, words) in known.items():
        assert names == [ours, *ALIASES[ours]]
        assert words == list(WORDS.get(ours, ()))
    present, absent = (page.js(script.format(name)) for name in ("PRESENT", "ABSENT"))
    signs = read_signs(pa.array([*present, *absent]))
    assert signs.to_pylist() == [False] * len(present) + [True] * len(absent)
    assert pc.count_distinct(signs).as_py() == 2
