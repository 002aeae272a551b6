"""``s2n predict --report``: answers with their reasons as a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigError
from .output import say

if TYPE_CHECKING:
    from ..scoring import Answers, Query, Scorer
    from ..scoring.answer_extras import AnswerExtras
    from ..scoring.positive_alerts import PositiveAlerts
    from .prediction_request import PredictionRequest

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


@dataclass
class CaseCollector:
    """Takes questions with their answers, as many as a report has sections.

    With a positive class all are held, since the highest ranks come first.

    Args:
        positive: Which answers are alerts; None: there is no positive class.
    """

    positive: PositiveAlerts | None
    count: int = 0
    pieces: list[tuple[Query, Answers]] = field(default_factory=list)

    def add(self, query: Query, answers: Answers) -> None:
        """Take a piece."""
        from ..report.html.case_page import MOST_CASES

        if self.positive is not None or self.count < MOST_CASES:
            self.pieces.append((query, answers))
        self.count += len(answers)

    def clear(self) -> None:
        """Forget all."""
        self.count = 0
        self.pieces.clear()

    def chosen(self) -> list[tuple[Query, Answers]]:
        """The subgraphs that have a section, one at a time and in their order."""
        from ..report.html.case_page import MOST_CASES

        places = [(p, row) for p, (_, a) in enumerate(self.pieces) for row in range(len(a))]
        if self.positive is not None:
            import numpy as np

            shares = np.concatenate([self.positive.probabilities(a) for _, a in self.pieces])
            places = [places[i] for i in np.argsort(-shares, kind="stable").tolist()]
        found = []
        for piece, row in places[:MOST_CASES]:
            query, answers = self.pieces[piece]
            part = answers.part(range(row, row + 1), [answers.names[row]])
            found.append((query.take([row]), part))
        return found


def write_cases(
    collector: CaseCollector | None,
    report: Path,
    scorer: Scorer,
    extras: AnswerExtras,
    *,
    request: PredictionRequest,
    notes: Sequence[str],
) -> None:
    """Write the page.

    Args:
        collector: What was asked and answered.
        report: The file to write.
        scorer: The model.
        extras: What was asked for beside the answers.
        request: Where the subgraphs come from.
        notes: What reading them omitted or changed.
    """
    from ..base.notes import NoteKind, has_kind
    from ..report.html import collect_cases, write_case_report

    assert collector is not None
    cases = [
        case
        for query, answers in collector.chosen()
        for case in collect_cases(scorer, query, answers=answers, positive=extras.positive)
    ]
    write_case_report(
        scorer,
        cases,
        report,
        left=collector.count - len(cases),
        notes=[note for note in notes if has_kind(note, NoteKind.CHANGED)],
        overwrite=request.overwrite,
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
