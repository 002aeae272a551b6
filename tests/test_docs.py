"""The documentation is true: code runs, commands exist, and the site is built without a warning."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.main import get_command
from typer.testing import CliRunner

import sub2node as s2n
from code_blocks import PAGES, ROOT, Block, blocks, commands, name_of, parse, spans
from forked import fork_code
from small_ensembles import short_plans
from sub2node.cli import output
from sub2node.cli.app import app
from sub2node.cli.help_text import read_examples
from sub2node.models import best, candidates

LANGUAGES = {"python", "console", "bash", "text", "toml", "json", "csv", "", "indented"}
EXACT = {"convert", "describe", "datasets", "translate"}  # print the same on every machine


def given() -> dict[str, Any]:
    """What a page may take as known: small frames of your own data, and new subgraphs."""
    return {
        "edges": pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]}),
        "members": pd.DataFrame({"subgraph_id": ["s", "t"], "node_id": ["a", "c"]}),
        "labels": pd.DataFrame({"subgraph_id": ["s", "t"], "label": ["x", "y"]}),
        "new_subgraphs": s2n.Subgraphs.from_lists([[0, 1]]),
    }


def with_code(language: str) -> list[Path]:
    """Pages with code of a language; that of the README is one session, in test_readme.py."""
    pages = [page for page in PAGES if page != ROOT / "README.md"]
    return [page for page in pages if any(b.language == language for b in blocks(page))]


def left_out(block: Block) -> bool:
    """Whether a block is not run here, which its page must say with a reason."""
    return block.mark == "not run" or (
        block.mark == "with S2N_DATA" and not os.environ.get("S2N_DATA")
    )


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_block_is_left_out_without_a_reason(page: Path) -> None:
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{block.page}:{block.line}: {block.language!r}"
        assert not block.mark or len(block.reason.split()) > 2, f"{block.page}:{block.line}: why?"
    said = page.read_text(encoding="utf-8").count("<!-- not run")
    assert said == sum(block.mark == "not run" for block in blocks(page)), "right above the block"


@pytest.fixture
def short_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Networks learn for ten epochs, and ``best`` has three members.

    What is printed is compared without its numbers.
    """
    fit = candidates.fit

    def shorter(networks: Any, stages: Any, labels: Any, training: Any, **options: Any) -> Any:
        few = replace(training, epochs=min(training.epochs, 10))
        return fit(networks, stages, labels, few, **options)

    monkeypatch.setattr(candidates, "fit", shorter)
    monkeypatch.setattr(best, "member_plans", lambda *_, **__: short_plans())


@pytest.mark.slow
@pytest.mark.usefixtures("short_training")
@pytest.mark.parametrize("page", with_code("python"), ids=name_of)
def test_python_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a page, one after the other, as a reader would type them."""
    monkeypatch.chdir(tmp_path)
    names = given()
    for block in blocks(page):
        if block.language == "python" and not left_out(block):
            code = "\n" * (block.line - 1) + block.text  # so that errors name the line of the page
            exec(compile(code, block.page, "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_is_one_that_the_program_has(page: Path) -> None:
    for block in blocks(page):
        for words in commands(block):
            try:
                parse(words, whole=True)
            except Exception as error:
                raise AssertionError(
                    f"{block.page}:{block.line}: s2n {' '.join(words)}: {error}"
                ) from error
    for words in spans(page):
        try:
            parse(words, whole=False)
        except Exception as error:
            raise AssertionError(f"{name_of(page)}: s2n {' '.join(words)}: {error}") from error


@pytest.mark.slow
def test_examples_in_help_texts_are_commands_too() -> None:
    def examples(command: Any) -> Iterator[str]:
        yield from read_examples(command.help)
        for child in getattr(command, "commands", {}).values():
            yield from examples(child)

    found = [Block("help", 1, "bash", text) for text in examples(get_command(app))]
    assert len(found) > 10
    for block in found:
        assert [parse(words, whole=True) for words in commands(block)], block.text


def test_raw_tables_are_named_on_their_page() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    home = ROOT / "benchmarks" / "results"
    tables = [path.relative_to(home) for path in home.glob("**/*.csv")]
    assert tables
    assert not [path for path in tables if path.parts[0] not in page], "say what made them"


@pytest.mark.slow
@pytest.mark.usefixtures("short_training")
@pytest.mark.parametrize("page", with_code("console"), ids=name_of)
def test_what_is_shown_with_its_output_is_what_is_printed(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A console block is a session: each command is run in the folder of the ones before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(output.console, "_width", 100)
    for block in blocks(page):
        if block.language != "console" or left_out(block):
            continue
        for session in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            line, _, shown = session.partition("\n")
            (words,) = commands(replace(block, text=f"$ {line}"))
            printed = run(words)
            where = f"{block.page}:{block.line}: {line}"
            expected = [text.rstrip() for text in shown.split("\n") if text.strip()]
            # What a model of few epochs is unsure of differs, and so does whether it is the best.
            expected, printed = (without_remarks(lines) for lines in (expected, printed))
            if words[0] in EXACT:
                assert expected == printed, where
            else:
                assert numberless(expected) == numberless(printed), where


def without_remarks(lines: list[str]) -> list[str]:
    better = re.compile("Warning: |Note: .* is better on validation than the model that was kept")
    return [line for line in lines if not better.match(line)]


def run(words: list[str]) -> list[str]:
    """What a command prints, in this process: PyTorch need not be loaded anew."""
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    return [line.rstrip() for line in done.output.split("\n") if line.strip()]


def numberless(lines: list[str]) -> list[str]:
    """Lines, in any order, without what training may change on another machine."""
    text = re.sub(r".* learned to tell .*", "#", "\n".join(lines))
    text = re.sub(r"against .*?, the best", "against #, the best", text)
    text = re.sub(r"; \w+ is not better than \w+ by a standard error, [0-9.]+", "", text)
    text = re.sub(r"; \w+ is not better than \w+ by a standard error, [0-9.]+", "", text)
    text = re.sub(r"\bbest\b|\bpredicted\b|[∗∼?─+-]", "", text)
    text = re.sub(r"[0-9][0-9.,]*", "#", text)
    return sorted(" ".join(line.split()) for line in text.split("\n") if line.split())


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/**/*.md")), ids=name_of)
def test_a_page_begins_with_a_sentence_for_its_reader(page: Path) -> None:
    text = re.sub(r"\A---\n.*?\n---\n", "", page.read_text(encoding="utf-8"), flags=re.S)
    title, first = text.strip().split("\n\n")[:2]
    assert title.startswith("# ")
    assert re.match(r"[A-Z]", first), "not code, a table or a picture"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_in_the_repository_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for link in re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", text):
        if "://" not in link and name_of(page) != "docs/reference/api.md":
            generated = name_of(page) == "docs/index.md" and link == "reference/commands.md"
            assert generated or (page.parent / link).exists(), link


@pytest.mark.process
def test_the_site_is_built_without_a_warning_and_needs_nothing_from_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mkdocs")
    monkeypatch.chdir(ROOT)
    built = fork_code(
        *("build", "--strict", "-d", tmp_path),
        code="from mkdocs.__main__ import cli; cli()",
        env={"NO_MKDOCS_2_WARNING": "1"},
    )
    _, errors = built.communicate()
    assert built.returncode == 0, errors
    assert "WARNING" not in errors
    assert (tmp_path / "index.html").is_file()
    for page in tmp_path.glob("**/*.html"):
        check_page(page.read_text(encoding="utf-8"), page.relative_to(tmp_path).as_posix())
    for sheet in tmp_path.glob("**/*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet
    concepts = (tmp_path / "concepts.html").read_text(encoding="utf-8")
    assert concepts.count("<math") > 30
    check_commands((tmp_path / "reference" / "commands.html").read_text(encoding="utf-8"))
    python = (tmp_path / "reference" / "api.html").read_text(encoding="utf-8")
    for name in set(s2n.__all__) - {"__version__", "datasets"}:
        assert re.search(rf'id="sub2node[\w.]*\.{name}"', python), name
    assert ":class:" not in python
    for table in ROOT.glob("benchmarks/results/**/*.csv"):
        assert (tmp_path / table.relative_to(ROOT)).read_bytes() == table.read_bytes()


def check_page(text: str, name: str) -> None:
    """Nothing is loaded from another host, and every equation is drawn."""
    loaded = re.findall(r"<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=\"([^\"]+)", text)
    assert not [place for place in loaded if re.match(r"(https?:)?//", place)], name
    assert "arithmatex" not in text, name
    assert not re.search(r"<m\w+[^>]*>\\\w", text), name  # a word of LaTeX that is not known


def check_commands(text: str) -> None:
    """Every command and every option is on the page."""
    words = html.unescape(re.sub(r"<[^>]+>", "", text))

    def check(command: Any, name: str) -> None:
        assert name in words
        for child, below in getattr(command, "commands", {}).items():
            check(below, f"{name} {child}")
        if not hasattr(command, "commands"):
            for option in (o for p in command.params if not p.hidden for o in p.opts):
                assert option == "--help" or option.lower() in words.lower(), (name, option)

    check(get_command(app), "s2n")
