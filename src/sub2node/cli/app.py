"""The command line as a whole: its commands, and how an error leaves it."""

from __future__ import annotations

import io
import os
import sys
from typing import NoReturn

import typer

from .. import __version__
from ..errors import Sub2NodeError
from . import (
    advise,
    bench,
    cite,
    coarsen,
    convert,
    datasets,
    describe,
    doctor,
    encode,
    fit,
    predict,
    report,
    reproduce,
    run,
    serve,
    translate,
    tune,
)
from .ctrl_c import interruptible
from .output import errors, say

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
app.command("advise")(advise.advise)
app.command("convert")(convert.convert)
app.command("encode")(encode.encode)
app.command("coarsen")(coarsen.coarsen)
app.command("translate")(translate.translate)
app.command("run")(run.run)
app.command("tune")(tune.tune)
app.command("fit")(fit.fit)
app.command("predict")(predict.predict)
app.command("report")(report.report)
app.command("cite")(cite.cite)
app.add_typer(reproduce.app, name="reproduce")
app.add_typer(bench.app, name="bench")
app.command("serve")(serve.serve)
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
    # Threads that wait for each other in a loop slow a busy machine down thirtyfold; a short wait
    # costs nothing. Must be set before torch is loaded.
    os.environ.setdefault("GOMP_SPINCOUNT", "10000")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without '±' shows '?'
    with interruptible() as interruption:
        try:
            app()
        except Exception as error:
            if interruption.wished:  # whatever a library made of it
                errors.print("Aborted.")
                sys.exit(130)
            _explain(error)
            raise


def _explain(error: Exception) -> None:
    """Leave with a sentence, where there is one for it."""
    if isinstance(error, Sub2NodeError):
        _leave(str(error))
    if isinstance(error, MemoryError):
        _leave("out of memory; nothing was written.")
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        _leave(f"{place}{error.strerror or error}.")


def _leave(message: str) -> NoReturn:
    say("Error", " ".join(message.split()), style="bold red", to=errors)
    sys.exit(2)
