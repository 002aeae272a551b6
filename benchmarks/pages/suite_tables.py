"""Tables of the tests: how long they take, and the faults that they find."""

from __future__ import annotations

import statistics

from pages.markdown import generates, table
from pages.rows import Rows, read

COMMANDS = ("make demo", "make quick", "make test")
SITUATIONS = ("usual", "no browser", "no data", "background")


@generates("suite-times")
def suite_times() -> str:
    """Seconds of each command in each situation."""
    rows = read("suite-times.csv")
    cells = [
        [f"`{command}`", *(_times(rows.where(command=command, situation=s)) for s in SITUATIONS)]
        for command in COMMANDS
    ]
    return table(["", *SITUATIONS], cells)


def _times(runs: Rows) -> str:
    """Median, least and most seconds of some runs, and of making the environment."""
    if not len(runs):
        return "not measured"
    if any(code != "0" for code in runs.distinct("exit_code")):
        return "failed"
    seconds, made = runs.numbers("seconds"), runs.numbers("environment_seconds")
    spread = f" ({min(seconds):.0f} to {max(seconds):.0f})" if len(seconds) > 1 else ""
    return f"{statistics.median(seconds):.0f} s{spread}, environment {max(made):.0f} s"


@generates("mutants")
def mutants() -> str:
    """How many of the thirty faults are found, by part."""
    rows = read("mutants.csv")
    cells = []
    for layer in [*rows.distinct("layer"), "all"]:
        mine = rows if layer == "all" else rows.where(layer=layer)
        words = [row["before"] for row in mine]
        there = len(mine) - words.count("absent")
        before = f"{words.count('killed')} of {there}" if any(words) else "not run"
        now = sum(row["after"] == "killed" for row in mine)
        cells.append([layer, str(len(mine)), before, f"{now} of {len(mine)}"])
    return table(["part", "faults", "found before", "found now"], cells)
