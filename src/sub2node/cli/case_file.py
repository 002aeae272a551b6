"""``s2n predict --report``: answers with their reasons as a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigError
from .output import say

if TYPE_CHECKING:
    from ..scoring import Answers, Query, Scorer
    from ..scoring.answer_extras import AnswerExtras

CaseReport = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Also write a case report, an HTML page to read or print: ranked classes, doubt, what"
        " each member speaks for, similar known subgraphs. Of a file, those of the first 20.",
    ),
]


def check_case_report(
    report: Path, source: Path | None, out: Path | None, *, mode: str, overwrite: bool
) -> None:
    """Raise what can be known before the model is loaded.

    Args:
        report: The page to write.
        source: The file that is read.
        out: The file that the answers go to.
        mode: How subgraphs are asked about.
        overwrite: Whether a report that is there may be replaced.
    """
    from ..report.html.page_file import check_report

    if report.suffix.lower() not in (".html", ".htm"):
        raise ConfigError(f"--report writes a page; {report} must end in .html.")
    if mode == "joint":
        raise ConfigError("--report is for --mode independent: reasons are those of one subgraph.")
    for other in (source, out):
        if other is not None and report.resolve() == other.resolve():
            raise ConfigError(f"{report} is named twice; choose another name for the report.")
    check_report(report, overwrite=overwrite)


def write_cases(
    report: Path,
    scorer: Scorer,
    queries: Sequence[Query],
    shown: Sequence[Answers],
    extras: AnswerExtras,
    *,
    source: Path | None,
    notes: Sequence[str],
    overwrite: bool,
) -> None:
    """Write the page.

    Args:
        report: The file to write.
        scorer: The model.
        queries: All subgraphs that were asked about.
        shown: The answers that have a section, in their order.
        extras: What was asked for beside the answers.
        source: The file that the subgraphs come from.
        notes: What reading them omitted or changed.
        overwrite: Whether a report that is there may be replaced.
    """
    from ..base.notes import NoteKind, has_kind
    from ..io.phenopackets import is_phenopackets, read_excluded
    from ..report.html.case_findings import collect_cases
    from ..report.html.case_page import write_case_report
    from ..scoring.query import Query

    everything = Query.join(queries)
    places = {name: place for place, name in reversed(list(enumerate(everything.names)))}
    excluded = {}
    if source is not None and is_phenopackets(source):
        excluded = read_excluded(source)
    cases = []
    for answers in shown:
        chosen = everything.take([places[name] for name in answers.names])
        cases += collect_cases(
            scorer, chosen, answers=answers, excluded=excluded, positive=extras.positive
        )
    write_case_report(
        scorer,
        cases,
        report,
        left=len(everything) - len(cases),
        notes=[note for note in notes if has_kind(note, NoteKind.CHANGED)],
        overwrite=overwrite,
    )


def say_report(report: Path | None, answered: int, *, as_json: bool) -> None:
    """Where the page is, and how much of a file it has.

    Args:
        report: The page; None: there is none.
        answered: Number of answers.
        as_json: Whether the output is JSON, which says so itself.
    """
    from ..report.html.case_page import MOST_CASES

    if report is None or as_json:
        return
    of_many = f" (the first {MOST_CASES} of {answered:,})" if answered > MOST_CASES else ""
    say("Case report", f"{report}{of_many}", style="green")
