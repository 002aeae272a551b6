"""Which structure and convolution? Tried on validation, within a time."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..errors import ConfigError, Sub2NodeError
from ..task import SubgraphTask
from .training import Recipe, fitted

# The likeliest winners first: what is late in the list may not be tried.
CANDIDATES = (
    ("s2n+a", "gcn2"), ("s2n+0", "gcn2"), ("separated", "gcn2"), ("s2n+a", "gin"),
    ("s2n+0", "gin"), ("connected", "gcn2"), ("separated", "gin"), ("cos2n+a", "gcn2"),
)  # fmt: skip
_SEEDS = 2  # of a try


class Choice(NamedTuple):
    """What was chosen."""

    structure: str
    conv: str


def choose(
    task: SubgraphTask, recipe: Recipe, budget: float
) -> tuple[Choice, list[dict[str, Any]]]:
    """The structure and convolution with the best validation micro-F1, and a table of all.

    Each is trained with two seeds; one that is still training when the time is up counts with what
    it has by then. Ctrl-C ends the whole.

    Args:
        task: With labels and a split; its test part is not looked at.
        recipe: The other settings.
        budget: Seconds for all of them.
    """
    if isinstance(budget, bool) or not isinstance(budget, int | float) or not budget > 0:
        raise ConfigError(f"a budget is a number of seconds above 0, found {budget!r}.")
    start, rows = time.perf_counter(), []
    for structure, conv in CANDIDATES:
        left = budget - (time.perf_counter() - start)
        row: dict[str, Any] = {"structure": structure, "conv": conv}
        rows.append(row)
        if left <= 0 and len(rows) > 1:
            row["state"] = "not tried"
            continue
        begun = time.perf_counter()
        tried = replace(recipe, structure=structure, conv=conv, seeds=_SEEDS)
        try:
            found = fitted(task, tried, seconds=max(left, 0.0)).trained
        except Sub2NodeError as error:
            row["state"] = f"failed: {error}"
            continue
        spent = time.perf_counter() - begun
        if found.fitted.ended == "interrupted":
            raise KeyboardInterrupt
        each = found.val_scores
        row |= {"validation": float(each.mean()), "sd": float(each.std(ddof=1)), "seconds": spent}
        row["state"] = "cut short" if found.fitted.ended == "late" else "complete"
    done = [row for row in rows if "validation" in row]
    if not done:
        raise Sub2NodeError(f"nothing could be trained; the first: {rows[0]['state']}")
    best = max(done, key=lambda row: row["validation"])
    best["chosen"] = True
    return Choice(best["structure"], best["conv"]), rows


def show_choices(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the table."""
    from rich.console import Console

    Console().print(choice_table(rows))


def choice_table(rows: Sequence[Mapping[str, Any]]) -> Any:
    """The table, for people to read."""
    from rich.table import Table

    table = Table(title="Tried on validation: micro-F1, two seeds each", title_justify="left")
    for name in ("Structure", "Convolution", "Validation", "s", ""):
        table.add_column(name, justify="right" if name in ("Validation", "s") else "left")
    for row in rows:
        score = f"{100 * row['validation']:.1f} ± {100 * row['sd']:.1f}" if "sd" in row else "-"
        seconds = f"{row['seconds']:.1f}" if "seconds" in row else "-"
        state = (
            "chosen" if row.get("chosen") else "" if row["state"] == "complete" else row["state"]
        )
        table.add_row(row["structure"], row["conv"], score, seconds, state)
    return table
