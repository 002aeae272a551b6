"""Answers and explanations for notebooks: data frames, and HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.data_frame import make_frame
from ..base.html_table import MAX_ROWS, html_view
from ..base.plural import plural
from .answers import Answers, answer_columns

if TYPE_CHECKING:
    import pandas as pd

    from .explanation import Explanation

_MOST_CLASSES = 8  # whose probabilities HTML shows


def answers_frame(answers: Answers) -> pd.DataFrame:
    """One row per answer."""
    return make_frame(_columns(answers))


def answers_html(answers: Answers) -> str:
    """The answers, first ones first."""
    columns = _columns(answers.part(range(min(len(answers), MAX_ROWS)), answers.names[:MAX_ROWS]))
    if len(answers.classes) > _MOST_CLASSES:
        columns = {
            name: column for name, column in columns.items() if not name.startswith(("p ", "null "))
        }
    kind = "several labels possible" if answers.multilabel else "one class each"
    return html_view(
        f"Answers for {plural(len(answers), 'subgraph')}",
        {"Classes": f"{len(answers.classes)}, {kind}"},
        columns=list(columns),
        rows=zip(*columns.values(), strict=True),
        count=len(answers),
        caption="spread: standard deviation over seeds; doubt: 0 sure, 1 all classes alike; known:"
        " share of the nodes that the graph has.",
    )


def explanation_frame(explanation: Explanation) -> pd.DataFrame:
    """One row per contribution, in percentage points."""
    names = ("what", "kind", "points", "title")
    columns = zip(*contribution_rows(explanation), strict=True)
    return make_frame({name: list(column) for name, column in zip(names, columns, strict=True)})


def explanation_html(explanation: Explanation) -> str:
    """Contributions to the probability of a class."""
    rows = contribution_rows(explanation)
    together = 100 * explanation.probability
    return html_view(
        f"Why {explanation.label}: {explanation.name}",
        {"Probability": f"{together:.1f} %"},
        columns=["what", "kind", "points", "title"],
        rows=rows,
        count=len(rows),
        caption=f"Percentage points; together {together:.1f}.",
    )


def contribution_rows(explanation: Explanation) -> list[tuple[str, str, float, str]]:
    """What contributes, its kind, its percentage points and its title; they add up.

    Kinds are ``baseline`` (an empty subgraph), ``member``, ``excluded``, ``neighbour``,
    ``statistics``, ``border`` and ``rounding``.
    """
    rows = [("an empty subgraph", "baseline", 100 * explanation.baseline, "")]
    rows += [
        (part.id, part.member_kind, 100 * part.value, part.title) for part in explanation.members
    ]
    rows += [(part.id, "neighbour", 100 * part.value, part.title) for part in explanation.neighbors]
    if explanation.statistics is not None:
        rows.append(("its statistics", "statistics", 100 * explanation.statistics, ""))
    if explanation.border is not None:
        rows.append(("what lies around it", "border", 100 * explanation.border, ""))
    rows.append(("rounding", "rounding", 100 * explanation.gap, ""))
    return rows


def _columns(answers: Answers) -> dict[str, list[object]]:
    """The columns of answer files, and the doubt."""
    columns: dict[str, list[object]] = {}
    for name, values in answer_columns(answers).items():
        columns[name] = values
        if name == "spread":
            columns["doubt"] = answers.doubt.tolist()
    return columns
