"""The command line as a whole: its commands, and how an error leaves it."""

from __future__ import annotations

import sys

import typer

from .. import __version__
from ..errors import Sub2NodeError
from . import convert, datasets, describe, doctor
from .output import errors

app = typer.Typer(
    name="s2n",
    help="Learn on subgraphs of one large graph by translating each to a node.",
    epilog="Example: s2n describe generate:density",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command("datasets")(datasets.datasets)
app.command("describe")(describe.describe)
app.command("convert")(convert.convert)
app.command("doctor")(doctor.doctor)


def _version(show: bool) -> None:
    if show:
        typer.echo(f"sub2node {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and leave."
    ),
) -> None:
    """Learn on subgraphs of one large graph by translating each to a node."""


def main() -> None:
    """Run the command; an error of ours is one line on stderr and exit code 2."""
    try:
        app()
    except Sub2NodeError as error:
        errors.print(f"[bold red]Error:[/] {_plain(str(error))}", highlight=False, soft_wrap=True)
        sys.exit(2)
    except MemoryError:
        errors.print("[bold red]Error:[/] out of memory; nothing was written.", soft_wrap=True)
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output has left, as `head` does
        sys.stderr.close()
        sys.exit(0)


def _plain(text: str) -> str:
    """Text with the brackets that Rich would read as markup made harmless, on one line."""
    return " ".join(text.split()).replace("[", "\\[")
