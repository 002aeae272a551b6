"""What ``s2n predict`` prints of doubt: warnings, and how random sets compare."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.plural import plural
from .output import say

if TYPE_CHECKING:
    from ..base.ragged import Array
    from ..scoring import Answers, AnswerWarning

NullDraws = Annotated[
    int | None,
    typer.Option(
        "--null",
        metavar="DRAWS",
        help="Compare with so many random sets of the same size and node degrees, such as 200: how"
        " often they get as high a probability.",
    ),
]
NullSeed = Annotated[
    int, typer.Option("--seed", help="Seed of the random sets of --null.", show_default=True)
]


def null_cells(answers: Answers) -> list[list[str]]:
    """The cell ``Null`` of each answer, that of the class in ``probability``; or none at all."""
    if answers.null is None:
        return [[] for _ in answers.names]
    chosen: Array = answers.decisive_classes
    return [[f"{row[c]:.3f}"] for row, c in zip(answers.null, chosen, strict=True)]


def say_null(draws: int | None) -> None:
    """What the column ``Null`` means, where there is one."""
    if draws is not None:
        sets = f"{plural(draws, 'random set')} of the same size and node degrees"
        say("Null", f"how often {sets} get as high a probability.", style="bold")


def say_warnings(
    names: Iterable[str], warnings: Iterable[Sequence[AnswerWarning]], *, named: bool = True
) -> None:
    """One yellow line for each subgraph that has warnings.

    Args:
        names: Names of the subgraphs.
        warnings: Their warnings.
        named: Whether a line begins with the name.
    """
    for name, row in zip(names, warnings, strict=True):
        if row:
            text = "; ".join(warning.text for warning in row)
            say("Warning", f"{name!r}: {text}." if named else f"{text}.", style="yellow")


def say_warned(warned: int, answered: int) -> None:
    """How many answers of a file have warnings, if some have."""
    if warned:
        text = f"{warned:,} of {plural(answered, 'answer')} with a doubt; the column warnings says"
        say("Warning", f"{text} which.", style="yellow")
