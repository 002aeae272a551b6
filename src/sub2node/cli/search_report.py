"""What ``s2n tune`` shows and writes when a search has ended."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import Sub2NodeError
from ..base.plural import plural
from .output import console, errors, print_json, say, show_notes, table

if TYPE_CHECKING:
    from ..tune import SearchResult


def finish_search(
    outcome: SearchResult, folder: Path, *, data: str, shown: Iterable[str], as_json: bool
) -> None:
    """Show what was found, and write the folder of the study.

    Args:
        outcome: The search.
        folder: The folder of the study.
        data: The data as it was named, quoted for the next command.
        shown: Notes that were shown before.
        as_json: Whether to print JSON instead of words.
    """
    if not outcome.count("complete"):
        if outcome.ended == "interrupted":
            return
        raise Sub2NodeError("no trial was completed; the reasons are above.")
    print_json(outcome.to_dict()) if as_json else _show_outcome(outcome, shown)
    outcome.save(folder)
    _draw(outcome, folder)
    if not as_json:
        say("Wrote", str(folder), style="green")
        conv = getattr(outcome.config, "conv", "")
        own = f" --conv {shlex.quote(conv)}" if ":" in conv else ""  # no file may name it
        say("Next", f"s2n run {data} --preset {folder / 'best.toml'}{own}", style="bold")


def _show_outcome(outcome: SearchResult, shown: Iterable[str]) -> None:
    best, winner, spec = outcome.best, outcome.winner, outcome.spec
    title = f"{spec.name or 'This task'}, {spec.model}: the best of the search"
    view = table(title, "Setting", "Best", "Searched", "Importance")
    view.columns[0].no_wrap = True
    order = list(outcome.importance) or list(spec.space.axes)
    for name in [*order, *(axis for axis in spec.space.axes if axis not in order)]:
        importance = outcome.importance.get(name)
        percent = "-" if importance is None else f"{100 * importance:.0f} %"
        view.add_row(name, _value_text(winner.point[name]), str(spec.space.axes[name]), percent)
    console.print(view)
    count = f"{plural(len(outcome.trials), 'trial')}, {outcome.count('pruned')} stopped early"
    failed = f", {outcome.count('failed')} failed" if outcome.count("failed") else ""
    kind = "held-out" if spec.rehearse else "validation"
    score = f"{best.score_text} (n = {len(best.values)})"
    say("Best", f"{kind} micro-F1 {score}, trial {best.number}", style="bold")
    if outcome.confirmed:
        score = f"{winner.score_text} on {len(winner.values)} further splits of train and val"
        of = f"trial {winner.number}, the best of {len(outcome.confirmed)}"
        say("Confirmed", f"held-out micro-F1 {score}, {of}", style="bold")
    say(
        "Trials",
        f"{count}{failed}; {outcome.seconds:.0f} s here, {100 * outcome.overhead:.0f} % of the"
        " trials' time outside epochs",
        style="bold",
    )
    show_notes(outcome.notes, except_for=shown)


def _value_text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value).lower()


def _draw(outcome: SearchResult, folder: Path) -> None:
    from ..base.errors import MissingExtraError
    from ..report.drawing import save_figure
    from ..report.tuning_figure import study_figure

    try:
        save_figure(study_figure(outcome), folder / "search")
    except MissingExtraError as error:
        say("Note", f"no figure was drawn: {error}", style="dim", to=errors)
