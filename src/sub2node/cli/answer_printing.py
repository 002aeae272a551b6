"""Answers of a file on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from ..base.plural import plural
from ..base.records import JsonObject
from .doubt_lines import null_cells, say_null, say_warned, say_warnings
from .output import console, say, table

if TYPE_CHECKING:
    from rich.table import Table

    from ..base.ragged import Array
    from ..scoring.answer_extras import AnswerExtras
    from ..scoring.answers import Answers
    from ..scoring.positive_alerts import PositiveAlerts

NO_SPREAD = "one model answered, so there is none; networks of several seeds have one."
_MOST_PROBLEMS = 20

Shown = Sequence[tuple["Answers", "Array"]]  # pieces with their ranks


def show_answers(
    facts: JsonObject, shown: Shown, extras: AnswerExtras, *, draws: int | None = None
) -> None:
    """The first answers, or those with the highest ranks, and what there was to say.

    Args:
        facts: Counts, problems and places of files.
        shown: The answers of the table, with their ranks.
        extras: What was asked for beside the answers.
        draws: Number of random sets that each answer was compared with.
    """
    if "path" not in facts:
        _show_table(shown, extras, draws)
        rest = facts["answered"] - sum(len(answers) for answers, _ in shown)
        if rest > 0:
            say("More", f"{rest:,}; -o FILE writes all.", style="dim")
    say("Answered", plural(facts["answered"], "subgraph"), style="bold")
    if extras.positive is not None:
        say("Alerts", f"{facts['alerts']:,}, {describe_alerts(extras.positive)}", style="bold")
    for row in facts.get("problems", [])[:_MOST_PROBLEMS]:
        say("Bad", f"line {row['line']}, {row['name']!r}: {row['problem']}", style="yellow")
    if "path" in facts:
        say("Answers", facts["path"], style="bold")
        say_warned(facts["warned"], facts["answered"])
        for word, key in (("Why", "why"), ("Neighbours", "neighbors")):
            if key in facts:
                say(word, facts[key], style="bold")
        if facts["bad"]:
            count = plural(facts["bad"], "row")
            say("Bad", f"{count} without an answer: {facts['errors']}", style="yellow")
    if "mapping" in facts:
        say("Mapping", f"{facts['mapping']}, what the names of nodes mean", style="bold")


def describe_alerts(positive: PositiveAlerts) -> str:
    """What an alert is."""
    origin = "the model's threshold" if positive.chosen else "one half, since no better is known"
    return f"{positive.target.label} above {positive.threshold:.3f} ({origin})"


def unchosen_note(positive: PositiveAlerts | None) -> list[str]:
    """That the model has no threshold for the class, where that is so."""
    if positive is None or positive.chosen:
        return []
    label = positive.target.label
    return [
        f"the model has no threshold for {label!r}: s2n fit --positive chooses one on validation."
    ]


def _show_table(shown: Shown, extras: AnswerExtras, draws: int | None) -> None:
    has_spread = all(answers.has_spread for answers, _ in shown)
    if extras.positive is not None:
        view = _ranked_table(shown, extras, extras.positive)
    elif extras.top:
        view = table("Answers", "Subgraph", "Likeliest classes", "Members known")
        view.columns[1].justify = "left"
        for row, ranking in zip(_rows(shown), _rankings(shown, extras), strict=True):
            view.add_row(Text(str(row["subgraph_id"])), ranking, f"{row['known']:.0%}")
    else:
        headings = ("Prediction", "Probability", *["Spread"] * has_spread)
        view = table(
            "Answers", "Subgraph", *headings, *["Null"] * (draws is not None), "Members known"
        )
        nulls = (cells for answers, _ in shown for cells in null_cells(answers))
        for row, null in zip(_rows(shown), nulls, strict=True):
            spreads = [f"{row['spread']:.3f}"] if has_spread else []
            cells = (f"{row['probability']:.3f}", *spreads, *null, f"{row['known']:.0%}")
            view.add_row(Text(str(row["subgraph_id"])), _prediction(row), *cells)
    console.print(view)
    if not has_spread:
        say("Spread", NO_SPREAD, style="bold")
    say_null(draws)
    for answers, _ in shown:
        say_warnings(answers.names, answers.warnings)


def _ranked_table(shown: Shown, extras: AnswerExtras, positive: PositiveAlerts) -> Table:
    """Answers by the probability of the positive class."""
    title = f"Answers by the probability of {positive.target.label}"
    last = "Likeliest classes" if extras.top else "Prediction"
    view = table(title, "Rank", "Subgraph", "Probability", "Alert", last, "Members\nknown")
    for place in (1, 4):
        view.columns[place].justify = "left"
    rankings = _rankings(shown, extras) if extras.top else map(_prediction, _rows(shown))
    ranks = (int(rank) for _, own in shown for rank in own)
    for row, rank, answer in zip(_rows(shown), ranks, rankings, strict=True):
        probability = row[f"p {positive.target.label}"]
        alert = "alert" if probability > positive.threshold else ""
        cells = (f"{probability:.3f}", alert, answer, f"{row['known']:.0%}")
        view.add_row(f"{rank:,}", Text(str(row["subgraph_id"])), *cells)
    return view


def _rows(shown: Shown) -> Iterator[JsonObject]:
    from ..scoring.answers import answer_columns

    for answers, _ in shown:
        columns = answer_columns(answers)
        for row in zip(*columns.values(), strict=True):
            yield dict(zip(columns, row, strict=True))


def _rankings(shown: Shown, extras: AnswerExtras) -> Iterator[Text]:
    for answers, _ in shown:
        for ranking in extras.rankings(answers):
            yield Text(", ".join(f"{label} {p:.3f}" for label, p in ranking))


def _prediction(row: JsonObject) -> Text:
    labels = row["prediction"]
    return Text(", ".join(labels) if isinstance(labels, list) else labels)
