"""JSON and TOML that are too deep or too long are a ValueError, as all that is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import refused, s2n
from sub2node.base.files import read_card
from sub2node.base.structured_text import parse_json, parse_toml
from sub2node.runs.journal import LineJournal

DEEP = 100_000


@pytest.mark.parametrize(
    "text", ["[" * DEEP, '{"a":' * DEEP, "[" * DEEP + "]" * DEEP, "nope", "1" * 5000]
)
def test_json_that_cannot_be_read(text: str) -> None:
    with pytest.raises(ValueError, match=r"nested too deeply|Expecting|digits"):
        parse_json(text)


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * DEEP,
        "a = " + "[" * 100 + "]" * 100,
        ".".join("a" * 2000) + " = 1",
        "[" + ".".join("a" * 2000) + "]",
        "a = " + "1" * 5000,
    ],
)
def test_toml_that_cannot_be_read(text: str) -> None:
    with pytest.raises(ValueError, match=r"nested too deeply|digits"):
        parse_toml(text)


def test_what_is_read_is_as_the_parsers_give_it() -> None:
    assert parse_json('{"a": [1, {"b": null}]}') == {"a": [1, {"b": None}]}
    assert parse_toml("[a]\nb = [1, [2]]") == {"a": {"b": [1, [2]]}}


@pytest.mark.slow
def test_files_of_every_kind_are_refused_in_one_line(tables: Path, tmp_path: Path) -> None:
    deep_json, deep_toml = "[" * DEEP, ".".join("a" * 2000) + " = 1"
    (tables / "task.json").write_text(deep_json)
    refused(s2n("describe", tables), "this is not JSON (it is nested too deeply)")
    (tables / "task.json").unlink()
    path = tmp_path / "deep.toml"
    path.write_text(deep_toml)
    refused(s2n("run", tables, "--preset", path), "this is not TOML (it is nested too deeply)")
    refused(s2n("run", tables, "--set", "lr=" + "1" * 5000), "the value of lr is too long")
    refused(s2n("run", tables, "--set", "lr=" + "[" * DEEP), "the value of lr is too long")
    run = tmp_path / "run"
    run.mkdir()
    (run / "result.json").write_text(deep_json)
    refused(s2n("run", tables, "--against", run), "result.json")
    with pytest.raises(Exception, match="nested too deeply"):
        read_card(run / "result.json", "x", 1)


def test_a_deep_line_of_a_journal_is_a_broken_line(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n' + "[" * DEEP + "\n")
    assert LineJournal(tmp_path, "x").read(lambda record: record) == ([{"a": 1}], 1)
