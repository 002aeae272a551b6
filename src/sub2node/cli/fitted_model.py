"""What ``s2n fit`` shows of the model that it trained."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.records import JsonObject
from .output import console, say, show_notes, table
from .result_tables import show_leaderboard, show_positive, useful_metrics

if TYPE_CHECKING:
    from rich.table import Table

    from ..estimator import SubgraphClassifier


def _choices_table(rows: list[JsonObject]) -> Table:
    """What ``auto`` tried."""
    from ..scoring.choices import describe_choice

    headers = ("Structure", "Convolution", "Validation", "s", "")
    view = table("Tried on validation: micro-F1, two seeds each", *headers)
    for column in view.columns:
        column.justify = "right" if column.header in ("Validation", "s") else "left"
    for row in rows:
        view.add_row(row["structure"], row["conv"], *describe_choice(row))
    return view


def show_fitted_model(
    model: SubgraphClassifier, seconds: float, *, out: Path, shown: Iterable[str]
) -> None:
    """Scores of a model that was just trained, what it was compared with, and what to do next.

    Args:
        model: The model.
        seconds: How long it took to train.
        out: The folder that it was written to.
        shown: Notes that were shown before.
    """
    from ..base.metrics import METRIC_LABELS

    card: JsonObject = model.scorer_.card
    positive: JsonObject | None = card.get("positive")
    if model.choices_:
        console.print(_choices_table(model.choices_))
    if model.leaderboard_:
        show_leaderboard(model.leaderboard_)
    seen = "Out of fold" if model.leaderboard_ else "Validation"
    parts = {"validation": seen} | ({"test": "Test"} if model.test_ else {})
    name = card["data"]["name"] or "this task"
    view = table(f"{card['model']} on {name}", "", *parts.values())
    data = card["data"]
    for metric in useful_metrics(
        data["classes"], multilabel=data["multilabel"], positive=positive is not None
    ):
        values = [card[part].get(metric) for part in parts]
        if any(value is not None for value in values):
            cells = ("-" if value is None else f"{100 * value:.1f}" for value in values)
            view.add_row(METRIC_LABELS[metric], *cells)
    view.add_row("Log loss", *(f"{card[part]['log_loss']:.3f}" for part in parts))
    view.add_row("Subgraphs", *(f"{card[part]['subgraphs']:,}" for part in parts))
    console.print(view)
    by_class = card[f"{list(parts)[-1]}_by_class"]
    if len(by_class) <= 12:
        text = ", ".join(f"{c} {100 * scores['f1']:.1f}" for c, scores in by_class.items())
        say(f"{list(parts.values())[-1]} F1 by class", text, style="bold")
    if positive is not None:
        contents = {label: positive[part] for part, label in parts.items()}
        show_positive(positive["label"], contents, [positive["threshold"]])
    if simple := card.get("simple_validation"):
        _compare_with_simple(simple, card["validation"]["micro_f1"], network=model.model is None)
    say(*_averaged(model), style="bold")
    say("Time", f"{seconds:.1f} s", style="bold")
    show_notes(model.notes_, except_for=shown)
    say("Model", str(out), style="bold")
    place = shlex.quote(str(out))
    say("Next", f"s2n predict {place} FILE -o answers.csv, or s2n serve {place}", style="dim")


def _averaged(model: SubgraphClassifier) -> tuple[str, str]:
    """What answers are the mean of, as a title and a text."""
    seeds = len(model.scorer_.seeds)
    if model.leaderboard_:
        members = sum(bool(row["weight"]) for row in model.leaderboard_)
        if members == seeds == 1:
            return "Members", "1 with a weight: answers have no spread"
        return "Members", (
            f"{members} with a weight, {seeds} models in all; the spread of an answer is over these"
        )
    return "Seeds", f"{seeds}, averaged" if seeds > 1 else "1: answers have no spread"


def _compare_with_simple(simple: dict[str, float], own: float, *, network: bool) -> None:
    """Validation scores of simple models beside that of the model, and which is better.

    Args:
        simple: Their scores by name.
        own: The score of the model.
        network: Whether the model is a network, which has seen the part.
    """
    text = ", ".join(f"{name} {100 * score:.1f}" for name, score in simple.items())
    text += f"; this model {100 * own:.1f}"
    text += ", which chose its epochs on the same part" if network else ""
    say("Simple models on validation", text, style="bold")
    best = max(simple, key=lambda name: simple[name])
    if simple[best] > own:
        advice = f"s2n fit --model {best} keeps it, --model best combines several"
        say(
            "Note",
            f"{best} is better on validation than the model that was kept; {advice}.",
            style="yellow",
        )
