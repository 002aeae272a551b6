"""How commands print: consoles, tables and progress."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import AbstractContextManager

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..base.notes import NoteKind, has_kind
from ..base.plural import plural
from ..base.shown_text import clip_names, escape_controls, escape_controls_in_json
from .progress_rows import show_progress
from .safe_console import SafeConsole, SafeTable

_WARNINGS = (NoteKind.DROPPED, NoteKind.DOUBTFUL, NoteKind.NO_EFFECT)
console = SafeConsole(emoji=False)
errors = SafeConsole(stderr=True, emoji=False)


def progress() -> AbstractContextManager[None]:
    """Show the progress that the work inside reports: a row with time left, after one second."""
    return show_progress(errors)


def say(word: str, text: str, *, style: str, to: Console | None = None) -> None:
    """A line like 'Note: text'; the text is printed literally, whatever brackets it has.

    Control characters are escaped, and names longer than 200 characters clipped.
    """
    line = Text.assemble((f"{word}:", style), " ", escape_controls(clip_names(text)))
    (to or console).print(line, highlight=False, soft_wrap=True)


def warn(text: str, *, to: Console | None = errors) -> None:
    """A line 'Warning: text', by default on stderr."""
    say("Warning", text, style="yellow", to=to)


def show_notes(
    notes: Iterable[str], *, to: Console | None = None, except_for: Iterable[str] = ()
) -> None:
    """Notes one per line: what was omitted or looks wrong as a warning, the rest as notes.

    Args:
        notes: Sentences that go along with data or results; each is shown once.
        to: Where to print; None: stdout.
        except_for: Notes that were shown before.
    """
    shown = set(except_for)
    for note in dict.fromkeys(notes):
        if note in shown:
            continue
        if any(has_kind(note, kind) for kind in _WARNINGS):
            warn(note, to=to or console)
        else:
            say("Note", note, style="dim", to=to)


def report_cut_lines(count: int) -> None:
    """Say on stderr how many lines of a journal could not be read, if there are some."""
    if count:
        text = f"{plural(count, 'line')} of the journal cut off and ignored."
        say("Note", text, style="dim", to=errors)


def print_json(value: object) -> None:
    """One JSON document on stdout: control characters escaped, null for what is no number."""
    try:
        text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    except ValueError:
        plain = json.loads(json.dumps(value), parse_constant=lambda name: None)
        text = json.dumps(plain, indent=2, ensure_ascii=False)
    typer.echo(escape_controls_in_json(text))


def table(title: str, *columns: str) -> Table:
    """An empty table in the house style; the first column is text, the others are numbers."""
    shown = Text(escape_controls(clip_names(title)), style="bold")
    result = SafeTable(
        title=shown,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        min_width=min(shown.cell_len, console.width),  # else a long title breaks over few columns
    )
    for position, column in enumerate(columns):
        result.add_column(column, justify="right" if position else "left")
    return result
