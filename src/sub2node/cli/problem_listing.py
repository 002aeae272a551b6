"""How commands list what is wrong with data: kinds with counts, examples and what goes on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from ..base.plural import plural
from ..base.shown_text import clip_names, escape_controls
from .output import errors, say

if TYPE_CHECKING:
    from ..task.problems import DataProblemsError, Problem


def say_problems(error: DataProblemsError) -> None:
    """An error with several kinds of problems, one per line, on stderr."""
    count = len(error.problems)
    say("Error", f"{plural(count, 'kind')} of problems in the data:", style="bold red", to=errors)
    for problem in error.problems:
        example = f", as {problem.examples(1)[0]}" if len(problem.rows) else ""
        option = f"; {problem.option} goes on" if problem.option and problem.kind else ""
        _line(f"  {problem.heading}{example}{option}", errors)
    for line in error.advice:
        _line(line, errors)


def show_problems(problems: Iterable[Problem], to: Console) -> None:
    """Each kind of problem with up to three examples, and what goes on or was done."""
    for number, problem in enumerate(problems, 1):
        _line(f"{number}. {problem.heading}", to, style="bold")
        for example in problem.examples():
            _line(f"     {example}", to)
        if problem.outcome:
            _line(f"     → {problem.outcome}", to, style="green")
        elif problem.option and problem.kind:
            _line(f"     → {problem.option} goes on", to)
        elif problem.kind:
            _line("     → to be corrected in the file", to)


def _line(text: str, to: Console, *, style: str = "") -> None:
    shown = Text(escape_controls(clip_names(text)), style=style)
    to.print(shown, highlight=False, soft_wrap=True)
