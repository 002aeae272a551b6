"""Tables of the tests: how long they take, and the faults that they find."""

from __future__ import annotations

import statistics

from pages.markdown import generates, table
from pages.rows import RESULTS, Rows, read

COMMANDS = ("make demo", "make quick", "make test")
SITUATIONS = ("usual", "no browser", "no data", "background")


@generates("suite-times")
def suite_times() -> str:
    """Seconds of the environment, of the command and of both, in each situation."""
    file = "suite-times.csv"
    rows = read(file) if (RESULTS / file).is_file() else Rows([], file)  # not measured yet
    places = [(command, situation) for command in COMMANDS for situation in SITUATIONS]
    cells = [
        [f"`{command}`", situation, *_times(rows.where(command=command, situation=situation))]
        for command, situation in places
    ]
    return table(["", "situation", "runs", "environment", "the command", "together"], cells)


def _times(runs: Rows) -> list[str]:
    """Cells of the runs of a command in a situation."""
    failed = len(runs.where(exit_code=lambda code: code != "0"))
    count = f"{len(runs)}, {failed} failed" if failed else str(len(runs))
    if not len(runs) or failed:
        return [count, "-", "-", "-"]
    made, took = runs.numbers("environment_seconds"), runs.numbers("seconds")
    together = [sum(pair) for pair in zip(made, took, strict=True)]
    return [count, *map(_seconds, (made, took, together))]


def _seconds(values: list[float]) -> str:
    """The median, with the least and the most of several."""
    spread = f" ({min(values):.0f} to {max(values):.0f})" if len(values) > 1 else ""
    return f"{statistics.median(values):.0f} s{spread}"


@generates("mutants")
def mutants() -> str:
    """How many of the thirty faults are found, by part."""
    rows = read("mutants.csv")
    cells = []
    for layer in [*rows.distinct("layer"), "all"]:
        mine = rows if layer == "all" else rows.where(layer=layer)
        found = [_found([row[when] for row in mine]) for when in ("before", "after")]
        cells.append([layer, str(len(mine)), *found])
    return table(["part", "faults", "found before", "found now"], cells)


def _found(outcomes: list[str]) -> str:
    """How many faults were found of those that were looked for."""
    run = [word for word in outcomes if word]
    return f"{run.count('killed')} of {len(run)}" if run else "not run"
