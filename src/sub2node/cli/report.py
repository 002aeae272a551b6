"""``s2n report``: a run, or several on the same data, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from .output import AsJson, console, print_json, say


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN…",
            help="Folders that s2n run -o wrote, all on the same data; also comparisons.",
            show_default=False,
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="Which one the details are of.",
            show_default="best on validation, simple models aside",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", help="HTML file to write.", show_default="report.html in the first RUN"
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a report that opens anywhere: scores against simple models, errors, leakage, curves.

    With --json the numbers are printed, and the file is written only where -o names one.

    Example: s2n report density-run
    """
    from ..report.html import find, read_study, write_report
    from ..report.html.page import check_report

    study = read_study(runs, model=model)
    place = out or (None if as_json else _home(runs[0]) / "report.html")
    if place is not None:
        check_report(place, overwrite=overwrite)
    found = find(study)
    if place is not None:
        write_report(found, place, overwrite=overwrite)
    if as_json:
        print_json(found.numbers)
        return
    console.print(Text(" ".join(found.numbers["summary"])), soft_wrap=True)
    say("Wrote", str(place), style="green")


def _home(run: Path) -> Path:
    return run if run.is_dir() else run.parent
