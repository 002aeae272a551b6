"""The options that name data, the same for every command that reads some."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from ..errors import ConfigError
from .output import progress

if TYPE_CHECKING:
    from ..task import SubgraphTask


@dataclass(frozen=True)
class Reading:
    """The data that the command line names; each field is an option of the command."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A benchmark's name, generate:NAME, like:NAME, a folder, or a file of subgraphs.",
            show_default=False,
        ),
    ]
    graph: Annotated[
        Path | None, typer.Option("--graph", help="Edges, where DATA is a file of subgraphs only.")
    ] = None
    labels: Annotated[
        Path | None, typer.Option("--labels", help="Labels, where DATA is a file of subgraphs.")
    ] = None
    column: Annotated[
        list[str] | None,
        typer.Option("--column", help="Your column for ours, as source=from_account; repeatable."),
    ] = None
    unknown_nodes: Annotated[
        str,
        typer.Option(
            "--unknown-nodes", help="Members not in the graph: error, drop or ignore-subgraph."
        ),
    ] = "error"
    repeated: Annotated[
        str, typer.Option("--repeated", help="Weight of an edge given again: same, sum or max.")
    ] = "same"
    variant: Annotated[
        str | None,
        typer.Option("--variant", help="Another split, as split1 for subgraphs.split1.pth."),
    ] = None
    swap: Annotated[
        bool | None,
        typer.Option(
            "--swap/--no-swap",
            help="Exchange val and test if val is smaller. Default: only for ppi_bp.",
            show_default=False,
        ),
    ] = None

    @property
    def plain(self) -> bool:
        """Whether nothing but DATA was given."""
        return self == Reading(self.data)

    def load(self) -> SubgraphTask:
        """Load the task, showing progress."""
        from ..datasets import load_task

        with progress():
            return load_task(
                self.data,
                graph=self.graph,
                labels=self.labels,
                columns=column_mapping(self.column or []),
                unknown_nodes=self.unknown_nodes,  # type: ignore[arg-type]  # checked in use
                repeated=self.repeated,  # type: ignore[arg-type]
                variant=self.variant,
                swap=self.swap,
            )


def column_mapping(pairs: list[str]) -> dict[str, str]:
    """``ours=yours``, as often as given."""
    columns = {}
    for pair in pairs:
        ours, equals, theirs = pair.partition("=")
        if not (ours and equals and theirs):
            raise ConfigError(f"--column wants OURS=YOURS, as source=from_account, found {pair!r}.")
        columns[ours] = theirs
    return columns


def reads_data(command: Callable[..., None]) -> Callable[..., None]:
    """Make ``command(reading, …)`` a command with DATA, its own options, and those of Reading."""
    hints = get_type_hints(Reading, include_extras=True)
    shared = {
        field.name: inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.name == "data" else field.default,
            annotation=hints[field.name],
        )
        for field in fields(Reading)
    }
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    data, *rest = shared.values()

    def run(**values: Any) -> None:
        reading = Reading(**{name: values.pop(name) for name in shared})
        command(reading, **values)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature([data, *own, *rest])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in (data, *own, *rest)}
    return run
