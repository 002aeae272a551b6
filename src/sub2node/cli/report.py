"""``s2n report``: a run, or several on the same data, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ..base.progress import activity
from .options import AsJson, DataName, Overwrite, out_option
from .output import console, print_json, progress, say


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN…",
            help="Folders that s2n run -o wrote, all on the same data; also comparisons.",
            show_default=False,
        ),
    ],
    *,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="Which one the details are of.",
            show_default="best on validation",
        ),
    ] = None,
    name: DataName = "",
    out: Annotated[
        Path | None,
        out_option("HTML file to write.", show_default="report.html in the first RUN"),
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write a run as one HTML page: scores, simple models, errors.

    Examples:
        s2n report my-run
        s2n report my-run my-other-run -o report.html

    With --json the numbers are printed, and the file is written only where -o names one.
    """
    from ..report.html import collect_findings, read_study, write_report
    from ..report.html.page_file import check_report

    study = read_study(runs, model=model, name=name)
    file = out or (None if as_json else _folder_of(runs[0]) / "report.html")
    if file is not None:
        check_report(file, overwrite=overwrite)
    with progress():
        with activity("Collecting findings"):
            findings = collect_findings(study)
        if file is not None:
            with activity(f"Writing {file}"):
                write_report(findings, file, overwrite=overwrite)
    if as_json:
        print_json(findings.numbers)
        return
    console.print(Text(" ".join(findings.numbers["summary"])), soft_wrap=True)
    say("Wrote", str(file), style="green")


def _folder_of(run: Path) -> Path:
    return run if run.is_dir() else run.parent
