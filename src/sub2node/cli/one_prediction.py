"""The answer for one subgraph: probabilities, reasons, neighbours, and what its names mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from ..base.plural import plural
from ..base.progress import activity
from .answer_printing import NO_SPREAD, describe_alerts
from .case_file import CaseCollector
from .doubt_lines import say_null, say_warnings
from .explanation_table import show_explanation
from .output import console, print_json, say, table
from .prediction_request import PredictionRequest
from .side_files import write_mapping

if TYPE_CHECKING:
    from pathlib import Path

    from ..base.records import JsonObject
    from ..scoring import Answers, Explanation, Neighbor, Query, Scorer
    from ..scoring.answer_extras import AnswerExtras
    from ..scoring.name_mapping import MappedName

_SHOWN = 20


@dataclass(frozen=True, eq=False)
class OnePrediction:
    """The answer for one subgraph.

    Args:
        answers: The answer.
        reasons: Why; None where that was not asked.
        neighbors: Similar known subgraphs; None where they were not asked for.
        draws: Number of random sets that it was compared with.
        models: Number of trained models that the answer is the mean of.
        names: What was meant by members that were not given by their id.
        written: Files that were written, by what they are.
        notes: How the file was read.
    """

    answers: Answers
    reasons: Explanation | None = None
    neighbors: Sequence[Neighbor] | None = None
    draws: int | None = None
    models: int = 1
    names: Sequence[MappedName] = ()
    written: tuple[tuple[str, str], ...] = ()
    notes: Sequence[str] = ()


def answer_one(
    request: PredictionRequest, scorer: Scorer, cases: CaseCollector | None = None
) -> OnePrediction:
    """Answer for the one subgraph of a request, and write what is to be written.

    Args:
        request: The subgraph and what is wanted.
        scorer: The model.
        cases: Takes question and answer for a case report.
    """
    notes = list[str]()
    query, mapping = request.read_one(scorer, notes=notes)
    placed = scorer.place(query, mode=request.mode)  # type: ignore[arg-type]
    answers = request.predict(scorer, placed)
    if cases is not None:
        cases.add(query, answers)
    reasons, neighbors, written = None, None, []
    if request.why or request.export is not None:
        with activity("Explaining the answer"):
            (reasons,) = scorer.explain(placed)
    if request.neighbors:
        (neighbors,) = scorer.neighbors(placed, count=request.neighbors)
    if request.mapping is not None:
        rows = [mapping.row(place) for place in range(len(mapping.names))]
        write_mapping(rows, request.mapping, overwrite=request.overwrite)
        written.append(("Mapping", str(request.mapping)))
    if request.export is not None and reasons is not None:
        written.append(("Network", _export(request.export, request, scorer, query, reasons)))
    return OnePrediction(
        answers,
        reasons if request.why else None,
        neighbors,
        request.draws,
        len(scorer.seeds),
        answers.mapping[0],
        tuple(written),
        notes,
    )


def _export(
    path: Path, request: PredictionRequest, scorer: Scorer, query: Query, reasons: Explanation
) -> str:
    """Write the subgraph with the nodes around it as a network, and say what is in it."""
    from ..base.files import new_file, written
    from ..io.network_files import write_network
    from ..scoring.case_network import case_network

    network, omitted = case_network(scorer, query, reasons)
    with written(path), new_file(path, overwrite=request.overwrite) as part:
        write_network(network, part, ending=path.suffix.lower())
    left = f"; {omitted:,} nodes around it, with fewer links, omitted" if omitted else ""
    return (
        f"{path}, {plural(network.num_nodes, 'node')}, {plural(len(network.source), 'edge')}{left}"
    )


def show_one(one: OnePrediction, extras: AnswerExtras, *, as_json: bool) -> None:
    """Print an answer, for people or as JSON."""
    if as_json:
        print_json(_as_json(one, extras))
        return
    _show_names(one.names)
    _show_probabilities(one, extras)
    if one.reasons is not None:
        show_explanation(one.reasons)
    if one.neighbors is not None:
        _show_neighbors(one.neighbors)
    for word, text in one.written:
        say(word, text, style="bold")


def _as_json(one: OnePrediction, extras: AnswerExtras) -> JsonObject:
    from ..scoring.answer_details import neighbor_objects
    from ..scoring.answer_tables import extended_objects
    from ..scoring.answers import explanation_object

    (answer,) = extended_objects(one.answers, extras, extras.rank([one.answers])[0])
    if one.reasons is not None:
        answer["why"] = explanation_object(one.reasons)
    if one.neighbors is not None:
        answer["neighbors"] = neighbor_objects(one.neighbors)
    return answer


def _show_names(rows: Sequence[MappedName]) -> None:
    """What was meant by names that are no ids."""
    if not rows:
        return
    view = table("What other names mean", "Given", "Node", "", "How")
    for column in view.columns:
        column.justify = "left"
    for row in rows[:_SHOWN]:
        meant = row.node_id or " or ".join(row.candidates[:3])
        view.add_row(*map(Text, (row.given, meant, row.title, row.how)))
    console.print(view)


def _show_neighbors(neighbors: Sequence[Neighbor]) -> None:
    """Similar known subgraphs, the most similar first."""
    view = table("The most similar known subgraphs", "Subgraph", "Labels", "Similarity")
    view.columns[1].justify = "left"
    for near in neighbors:
        title = f" ({near.title})" if near.title and near.title != near.name else ""
        labels = ", ".join(near.labels)
        view.add_row(Text(near.name + title), Text(labels), f"{near.similarity:.3f}")
    console.print(view)
    if not neighbors:
        say("Neighbours", "none; this model has no vectors of subgraphs.", style="bold")


def _show_probabilities(one: OnePrediction, extras: AnswerExtras) -> None:
    answers, draws, has_spread = one.answers, one.draws, one.answers.has_spread
    averaged = f": mean and spread over {plural(one.models, 'trained model')}" if has_spread else ""
    title = f"Probabilities{averaged}"
    headings = (*["Spread"] * has_spread, *["Null"] * (draws is not None), "")
    view = table(title, "Class", "Probability", *headings)
    order = (-answers.probabilities[0]).argsort(kind="stable")[: extras.top or _SHOWN]
    for c in order:
        mark = "predicted" if answers.predicted[0, c] else ""
        spreads = [f"{answers.spread[0, c]:.3f}"] if has_spread else []
        probability = f"{answers.probabilities[0, c]:.3f}"
        null = [] if answers.null is None else [f"{answers.null[0, c]:.3f}"]
        view.add_row(Text(answers.classes[c]), probability, *spreads, *null, mark)
    console.print(view)
    if not has_spread:
        say("Spread", NO_SPREAD, style="bold")
    if extras.positive is not None:
        word = "yes" if extras.positive.alerts(answers)[0] else "no"
        say("Alert", f"{word}, {describe_alerts(extras.positive)}", style="bold")
    say_null(draws)
    say_warnings(answers.names, answers.warnings, named=False)
    if answers.unknown[0]:
        say("Unknown", ", ".join(answers.unknown[0][:_SHOWN]), style="yellow")
