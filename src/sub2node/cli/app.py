"""The command line as a whole: its commands, and how an error leaves it."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import typer

from .. import __version__
from ..base.errors import Sub2NodeError
from ..base.work_folders import remove_leftovers
from . import (
    advise,
    audit,
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
from .ctrl_c import Interruption
from .former_spellings import CommandGroup, command_class
from .output import errors, say
from .problem_listing import say_problems

app = typer.Typer(
    name="s2n",
    cls=CommandGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
_PANELS: dict[str, dict[str, Callable[..., None] | typer.Typer]] = {
    "Your data": {
        "doctor": doctor.doctor,
        "describe": describe.describe,
        "convert": convert.convert,
        "datasets": datasets.app,
    },
    "Train and compare": {
        "advise": advise.advise,
        "run": run.run,
        "tune": tune.tune,
        "fit": fit.fit,
        "audit": audit.audit,
    },
    "Answer": {
        "predict": predict.predict,
        "serve": serve.serve,
        "report": report.report,
        "cite": cite.cite,
    },
    "Research": {
        "translate": translate.translate,
        "encode": encode.encode,
        "coarsen": coarsen.coarsen,
        "bench": bench.app,
        "reproduce": reproduce.app,
    },
}
for _panel, _commands in _PANELS.items():
    for _name, _command in _commands.items():
        if isinstance(_command, typer.Typer):
            app.add_typer(_command, name=_name, rich_help_panel=_panel)
        else:
            _class = command_class(f"s2n {_name}")
            app.command(_name, cls=_class, rich_help_panel=_panel)(_command)


_WELCOME = f"""\
sub2node {__version__}: classify sets of nodes (subgraphs) of one large graph.

Your data is a folder of tables (CSV, TSV or Parquet):
  edges.csv     source,target         the graph: one edge per row
  members.csv   subgraph_id,node_id   the sets: one member per row
  labels.csv    subgraph_id,label     the class of each set (and its split)

1. Look at it: sizes, classes, overlap, warnings.
     s2n describe my-folder
2. Train with ten seeds and test; --all compares with simple models.
     s2n run my-folder
3. Keep a model, and answer for new sets.
     s2n fit my-folder -o my-model && s2n predict my-model new.csv

Gene sets:   s2n run sets.gmt --graph edges.tsv --labels labels.csv
No data yet: s2n run generate:density --preset fast
Help:        s2n --help lists the commands, s2n run --help explains one.\
"""

_INTERRUPTED = 130  # what Typer makes of a KeyboardInterrupt


def _version(show: bool) -> None:
    if show:
        typer.echo(f"sub2node {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Classify sets of nodes (subgraphs) of one large graph; each becomes a node of a small one.

    Examples:
        s2n describe my-folder
        s2n run my-folder
        s2n fit my-folder -o my-model && s2n predict my-model new.csv

    s2n run --help explains a command; s2n alone says what a folder of data looks like.
    """
    if context.invoked_subcommand is None:
        typer.echo(_WELCOME)


def main(interruption: Interruption) -> None:
    """Run the command; an error of ours is one line on stderr and exit code 2.

    Args:
        interruption: Knows whether Ctrl-C or SIGTERM ended the command.
    """
    # Threads that wait for each other in a loop slow a busy machine down thirtyfold; a short wait
    # costs nothing. Must be set before torch is loaded.
    os.environ.setdefault("GOMP_SPINCOUNT", "10000")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without '±' shows '?'
    remove_leftovers(Path(tempfile.gettempdir()))  # spilled tables of a command that was killed
    try:
        app()
    except SystemExit as leave:
        if interruption.requested and leave.code == _INTERRUPTED:
            leave.code = interruption.exit_code
        raise
    except Exception as error:
        if not interruption.requested:  # else it is what a library made of the interruption
            _explain(error)
        raise


def _explain(error: Exception) -> None:
    """Leave with a sentence, where there is one for it."""
    if isinstance(error, Sub2NodeError):
        problems = getattr(error, "problems", ())  # of a DataProblemsError
        if len(problems) > 1:
            say_problems(error)  # type: ignore[arg-type]
            sys.exit(2)
        if problems and problems[0].count > 1:
            _leave(" ".join([str(error), *error.advice]))  # type: ignore[attr-defined]
        _leave(str(error))
    if isinstance(error, MemoryError) or _is_out_of_memory(error):
        _leave("out of memory; nothing was written.")
    if isinstance(error, RecursionError):
        _leave("the input is nested too deeply.")
    if type(error).__name__ == "LinAlgError":
        _leave(f"a numerical method failed ({error}); are edge weights or features extreme?")
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        _leave(f"{place}{error.strerror or error}.")


def _is_out_of_memory(error: Exception) -> bool:
    """Whether PyTorch could not allocate a tensor, for which it has no error of its own."""
    phrases = ("can't allocate memory", "out of memory", "Storage size calculation overflowed")
    return isinstance(error, RuntimeError) and any(phrase in str(error) for phrase in phrases)


def _leave(message: str) -> NoReturn:
    say("Error", " ".join(message.split()), style="bold red", to=errors)
    sys.exit(2)
