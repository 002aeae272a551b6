"""How commands print: literally, warnings apart from notes, numbers to the right."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from sub2node.base.notes import changed, dropped
from sub2node.cli.output import print_json, report_cut_lines, say, show_notes, table, warn


def printer(width: int = 40) -> Console:
    return Console(file=io.StringIO(), width=width, emoji=False)


def printed(console: Console) -> list[str]:
    return console.file.getvalue().splitlines()


def test_text_is_printed_literally_and_not_cut() -> None:
    console = printer()
    text = "[red]x[/] :cat: " + 60 * "a"
    say("Note", text, style="dim", to=console)
    warn(text, to=console)
    assert printed(console) == [f"Note: {text}", f"Warning: {text}"]


def test_what_was_omitted_is_a_warning_and_each_note_is_shown_once() -> None:
    console = printer(100)
    notes = [dropped("1 class omitted."), changed("2 edges merged."), "2 edges merged.", "plain."]
    show_notes(notes, to=console)
    assert printed(console) == [
        "Warning: 1 class omitted.", "Note: 2 edges merged.", "Note: plain."
    ]  # fmt: skip
    again = printer(100)
    show_notes(notes, to=again, except_for=notes[:2])
    assert printed(again) == ["Note: plain."]


def test_lines_that_were_cut_off_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    report_cut_lines(0)
    assert capsys.readouterr().err == ""
    report_cut_lines(1)
    assert capsys.readouterr().err == "Note: 1 line of the journal cut off and ignored.\n"


def test_numbers_that_json_does_not_have_are_null(capsys) -> None:
    print_json({"ü": [1.5, float("nan")], "b": (float("inf"), -float("inf"), None)})
    out = capsys.readouterr().out
    assert json.loads(out, parse_constant=str) == {"ü": [1.5, None], "b": [None, None, None]}
    assert "ü" in out


def test_the_first_column_is_text_and_the_others_are_numbers() -> None:
    view = table("A [title]", "Model", "Score")
    view.add_row("a", "1")
    view.add_row("long name", "100.0")
    console = printer()
    console.print(view)
    lines = [line.rstrip() for line in printed(console)]
    assert lines[0] == "A [title]"
    assert lines[-3:-1] == ["  a               1", "  long name   100.0"]
