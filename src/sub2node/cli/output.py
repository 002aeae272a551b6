"""What the commands share: consoles, tables and progress."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from .. import progress as reports

console = Console(emoji=False)
errors = Console(stderr=True, emoji=False)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Structure = Annotated[
    str | None,
    typer.Option(
        "--structure",
        help="separated, connected, s2n+0, s2n+a, cos2n+0 or cos2n+a.",
        show_default="s2n+a",
    ),
]
Conv = Annotated[
    str | None,
    typer.Option(
        "--conv",
        help="gcn, gcn2, gin, gatv2, sage, or module:Class of another.",
        show_default="gcn2",
    ),
]
Device = Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")]
Compiled = Annotated[
    str,
    typer.Option("--compile", help="auto: kernels and CUDA graphs on a GPU; off: plain PyTorch."),
]


@contextmanager
def progress() -> Iterator[None]:
    """Show the progress that the work inside reports: a bar with time left, after one second."""
    start = time.monotonic()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[detail]}"),
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    ) as bar:
        rows: dict[str, TaskID] = {}

        def show(what: str, done: float, total: float, detail: str) -> None:
            if what not in rows:
                if time.monotonic() - start < 1 or done >= total:
                    return
                rows[what] = bar.add_task(what, total=total, detail=detail)
            bar.update(rows[what], completed=done, detail=detail)

        with reports.listen(show):
            yield


def say(word: str, text: str, *, style: str, to: Console | None = None) -> None:
    """A line like 'Note: text'; the text is shown as it is, whatever brackets it has."""
    line = Text.assemble((f"{word}:", style), " ", text)
    (to or console).print(line, highlight=False, soft_wrap=True)


def given(context: typer.Context, name: str) -> bool:
    """Whether an option was given, rather than left at its default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))


def table(title: str, *columns: str) -> Table:
    """An empty table in the house style; the first column is text, the others are numbers."""
    result = Table(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD)
    for position, column in enumerate(columns):
        result.add_column(column, justify="right" if position else "left")
    return result
