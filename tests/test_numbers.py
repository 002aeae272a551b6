"""Numbers on the pages are those of the rows in benchmarks/results."""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from scipy import stats

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "benchmarks"))

from pages import claims, markdown  # noqa: E402
from pages.catalogue import outdated_tables, problems, written  # noqa: E402
from pages.claims import claim, with_claims, wrong_claims  # noqa: E402
from pages.conclusions import unbacked_conclusions  # noqa: E402
from pages.markdown import name_of, pages, with_tables  # noqa: E402
from pages.rows import RESULTS, SOURCES, Rows, files_of, sources, welch  # noqa: E402
from pages.scanner import ALLOWED, unexplained  # noqa: E402


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_a_page_and_the_rows_agree(page: Path) -> None:
    assert not problems(page), "python benchmarks/tables.py --write, or add rows"


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_writing_changes_nothing_where_they_agree(page: Path) -> None:
    assert written(page) == page.read_text(encoding="utf-8")


def test_every_table_stands_on_some_page() -> None:
    texts = [page.read_text(encoding="utf-8") for page in pages()]
    shown = {name for text in texts for name, _, _ in markdown.blocks(text)}
    assert set(markdown.TABLES) == shown


def test_every_file_of_results_has_one_source() -> None:
    known = [path for source in sources() for path in files_of(source)]
    there = {path for path in RESULTS.glob("**/*") if path.is_file()} - {SOURCES}
    assert sorted(known) == sorted(there), "each file once, in benchmarks/results/sources.toml"


def test_every_table_of_results_has_rows() -> None:
    tables = sorted(RESULTS.glob("**/*.csv"))
    empty = [name_of(path) for path in tables if len(path.read_text("utf-8").splitlines()) < 2]
    assert len(tables) > 30
    assert not empty, "measure first: a header alone says nothing"


@pytest.mark.parametrize("source", sources(), ids=lambda source: source["files"][0])
def test_a_source_says_all(source: dict[str, object]) -> None:
    assert all(list(RESULTS.glob(pattern)) for pattern in source["files"])
    assert all(source[key].strip() for key in ("what", "command", "machine"))
    assert re.fullmatch(r"[0-9a-f]{7}", source["commit"])
    assert isinstance(source["date"], datetime.date)
    script = re.match(r"python ((?:benchmarks|tests)/\S+\.py)", source["command"])
    target = re.match(r"make (\w+)", source["command"])
    assert script is None or (ROOT / script[1]).is_file()
    assert target is None or f"\n{target[1]}: " in (ROOT / "Makefile").read_text(encoding="utf-8")
    if source.get("elsewhere"):
        assert "measured elsewhere" in source["note"]
        return
    assert script or target or source["command"].startswith("s2n ")


def git(*words: str, given: str = "") -> str:
    """What git says about this repository; the test is skipped where its history is not there."""
    try:
        return subprocess.run(
            ["git", "-C", str(ROOT), *words],
            input=given,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git, or not a clone")


def test_commits_of_sources_are_in_the_history() -> None:
    if git("rev-parse", "--is-shallow-repository").strip() != "false":
        pytest.skip("the history of this clone is cut")
    ours = [source for source in sources() if not source.get("elsewhere")]
    texts = [f"{source['commit']} {source.get('note', '')}" for source in ours]
    named = {word for text in texts for word in re.findall(r"\b[0-9a-f]{7}\b", text)}
    kinds = git("cat-file", "--batch-check", given="\n".join(sorted(named))).splitlines()
    assert len(kinds) == len(named) > 30
    assert [line for line in kinds if " commit " not in line] == []


def test_what_is_allowed_is_of_a_page_and_has_a_reason() -> None:
    for page, listed in tomllib.loads(ALLOWED.read_text(encoding="utf-8")).items():
        assert (ROOT / page).is_file(), page
        for entry in listed["entries"]:
            assert len(entry["why"].split()) > 2, entry


@pytest.mark.parametrize(
    "text",
    [
        "reaches 62.4 ± 0.9",
        "takes 131 s",
        "four minutes on two cores",
        "592 MiB at most",
        "14 times as fast",
        "three points better",
        "(p = 0.003)",
        "4 % of it",
        "a micro-F1 of 68.8",
        "| GLASS | 59.7 |",
        "```text\nmedian 3 ms\n```",
        "```\nerror 0.25\n```",
        "    make demo   # 4 minutes",
    ],
)
def test_a_measured_number_without_a_row_is_found(text: str) -> None:
    (found,) = unexplained(f"# Page\n\n{text}\n", "docs/page.md")
    assert found.startswith(f"docs/page.md:{4 if text.startswith('```') else 3}: ")


@pytest.mark.parametrize(
    "text",
    ["Python 3.11", "10 seeds", "`--minutes 10`", "95 % interval", "```python\nx = 1.5 s\n```"],
)
def test_a_setting_is_not_a_measured_number(text: str) -> None:
    assert not unexplained(f"# Page\n\n{text}\n", "docs/page.md")


def test_a_changed_cell_of_a_table_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(markdown.TABLES, "sample", lambda: "| a |\n|---|\n| 1.5 |")
    text = with_tables("<!-- rows: sample -->\n<!-- end rows -->\n", "page")
    assert not outdated_tables(text, "page")
    assert outdated_tables(text.replace("1.5", "1.6"), "page") == [
        "page: -| 1.6 |",
        "page: +| 1.5 |",
    ]


def test_blocks_that_do_not_end_or_are_unknown_are_refused() -> None:
    with pytest.raises(ValueError, match="1 blocks begin, 0 end"):
        with_tables("<!-- rows: readme-speed -->\n", "page")
    with pytest.raises(ValueError, match="no table is called nonsense"):
        with_tables("<!-- rows: nonsense -->\n<!-- end rows -->\n", "page")


def test_a_wrong_number_in_a_sentence_is_found_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "ROOT", tmp_path)
    said = claim("takes {time:.1f} s for {count} sets, {share:.1f}.", time=1.25, count=10, share=2)
    monkeypatch.setitem(claims.CLAIMS, "page.md", [lambda: [said]])
    page = tmp_path / "page.md"
    page.write_text("It takes 9.9 s\nfor 12 sets, 2.5.\n")
    assert wrong_claims("page.md") == ["takes 1.2 s for 10 sets, 2.0."]
    page.write_text(with_claims(page.read_text(), "page.md"))
    assert page.read_text() == "It takes 1.2 s\nfor 10 sets, 2.0.\n"
    assert not wrong_claims("page.md")
    assert not unexplained(page.read_text(), "page.md")
    page.write_text(page.read_text().replace("2.0.", "2.0.5"))
    assert wrong_claims("page.md")
    page.write_text("It takes a while.\n")
    with pytest.raises(ValueError, match="does not say"):
        with_claims(page.read_text(), "page.md")


def test_one_row_means_one() -> None:
    rows = Rows([{"a": "1"}, {"a": "2"}, {"a": "2"}], "file")
    assert rows.where(a="1").number("a") == 1
    assert rows.where(a=["1", "2"]).numbers("a") == [1, 2, 2]
    with pytest.raises(LookupError, match="2 are there"):
        rows.where(a="2").only()
    with pytest.raises(LookupError, match="no such row"):
        rows.where(a=lambda value: float(value) > 5).numbers("a")


def test_welch_is_the_textbook_formula() -> None:
    first, second = [1.0, 2.0, 3.0], [4.0, 6.0, 8.0, 10.0]
    freedom = (1 / 3 + 5 / 3) ** 2 / ((1 / 3) ** 2 / 2 + (5 / 3) ** 2 / 3)
    expected = 2 * stats.t.sf(5 / (1 / 3 + 5 / 3) ** 0.5, freedom)
    assert welch(first, second) == pytest.approx(expected)
    assert welch([5.0, 5.0], [5.0, 5.0]) == 1
    assert welch([5.0, 5.0], [6.0, 6.0]) == 0


def test_a_conclusion_without_a_claim_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "# Page\n\nS2N+A is better\nthan GLASS. It has (1.5) rows.\n\n| S2N | better |\n"
    page = "docs/results/page.md"
    (found,) = unbacked_conclusions(text, page)
    assert found == f"{page}:3: a conclusion: S2N+A is better than GLASS."
    assert not unbacked_conclusions(text, "CHANGELOG.md")
    for more in ("RWPE lifts S2N", "A forest solves all four", "S2N takes 5 times less memory"):
        assert unbacked_conclusions(f"# Page\n\n{more}.\n", "docs/stories/page.md")
    assert not unbacked_conclusions("# Page\n\nSee the table below. GLASS is a network.\n", page)
    said = claim("S2N+A is better than GLASS")
    monkeypatch.setitem(claims.CLAIMS, page, [lambda: [said]])
    assert not unbacked_conclusions(text, page)
