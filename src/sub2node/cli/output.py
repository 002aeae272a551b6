"""What the commands share: consoles, tables, progress, and the options that name data."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from .. import progress as reports
from ..errors import ConfigError

if TYPE_CHECKING:
    from ..task import SubgraphTask

console = Console(emoji=False)
errors = Console(stderr=True, emoji=False)

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A benchmark's name, generate:NAME, like:NAME, a folder, or a file of subgraphs.",
        show_default=False,
    ),
]
GraphFile = Annotated[
    Path | None, typer.Option("--graph", help="Edges, where DATA is a file of subgraphs only.")
]
LabelFile = Annotated[
    Path | None, typer.Option("--labels", help="Labels, where DATA is a file of subgraphs only.")
]
Columns = Annotated[
    list[str] | None,
    typer.Option("--column", help="Your column for ours, as source=from_account; repeatable."),
]
UnknownNodesOption = Annotated[
    str,
    typer.Option(
        "--unknown-nodes", help="Members not in the graph: error, drop or ignore-subgraph."
    ),
]
Repeated = Annotated[
    str, typer.Option("--repeated", help="Weight of an edge given again: same, sum or max.")
]
Variant = Annotated[
    str | None,
    typer.Option("--variant", help="Another split, as split1 for subgraphs.split1.pth."),
]
Swap = Annotated[
    bool | None,
    typer.Option(
        "--swap/--no-swap",
        help="Exchange val and test if val is smaller. Default: only for ppi_bp.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def load(
    data: str,
    *,
    graph: Path | None = None,
    labels: Path | None = None,
    column: list[str] | None = None,
    unknown_nodes: str = "error",
    repeated: str = "same",
    variant: str | None = None,
    swap: bool | None = None,
) -> SubgraphTask:
    """Load the task that the options name, showing progress."""
    from ..datasets import load_task

    with progress():
        return load_task(
            data,
            graph=graph,
            labels=labels,
            columns=_mapping(column or []),
            unknown_nodes=unknown_nodes,  # type: ignore[arg-type]  # checked where it is used
            repeated=repeated,  # type: ignore[arg-type]
            variant=variant,
            swap=swap,
        )


def _mapping(pairs: list[str]) -> Mapping[str, str]:
    columns = {}
    for pair in pairs:
        ours, equals, theirs = pair.partition("=")
        if not (ours and equals and theirs):
            raise ConfigError(f"--column wants OURS=YOURS, as source=from_account, found {pair!r}.")
        columns[ours] = theirs
    return columns


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


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))


def table(title: str, *columns: str) -> Table:
    """An empty table in the house style; the first column is text, the others are numbers."""
    result = Table(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD)
    for position, column in enumerate(columns):
        result.add_column(column, justify="right" if position else "left")
    return result
