"""What is wrong with data, collected while it is read: all of it at once, with the rows."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike

import numpy as np
import pyarrow as pa

from ..base.errors import DataError
from ..base.plural import plural
from ..base.ragged import Array

_NO_ROWS = np.empty(0, np.int64)
FindLines = Callable[[str, Array], "Array | None"]


@dataclass(frozen=True, eq=False)
class Problem:
    """One kind of problem in one table, with all rows that have it.

    Args:
        kind: What one of them is, as "unknown member"; "" where the whole file is concerned.
        message: A sentence about the first of them.
        path: The file; None: the data came from Python.
        rows: The rows of the table concerned, from 0.
        lines: Their lines in the file, from 1, where those are known.
        values: What each row says, as text.
        option: The option of the command line that goes on; "" where there is none.
        outcome: What was done about them; "": nothing, so that there is no task.
    """

    kind: str
    message: str
    path: str | None = None
    rows: Array = field(default_factory=lambda: _NO_ROWS)
    lines: Array | None = None
    values: pa.Array | None = None
    option: str = ""
    outcome: str = ""

    @property
    def count(self) -> int:
        """How many there are."""
        return max(len(self.rows), 1)

    def is_like(self, other: Problem) -> bool:
        """Whether two problems are one kind in one table, settled in one way."""
        mine, its = (
            (p.kind, p.path, p.option, p.outcome, p.lines is None, p.values is None)
            for p in (self, other)
        )
        return mine == its

    def joined(self, other: Problem) -> Problem:
        """Both as one, row after row."""
        order = np.argsort(np.concatenate([self.rows, other.rows]), kind="stable")
        lines, values = None, None
        if self.lines is not None and other.lines is not None:
            lines = np.concatenate([self.lines, other.lines])[order]
        if self.values is not None and other.values is not None:
            values = pa.concat_arrays([self.values, other.values]).take(pa.array(order))
        first = self if order[0] < len(self.rows) else other
        rows = np.concatenate([self.rows, other.rows])[order]
        return replace(first, rows=rows, lines=lines, values=values)

    @property
    def sentence(self) -> str:
        """The message with the file and what goes on."""
        line = None if self.lines is None else int(self.lines[0])
        advice = "" if not self.option else f" {go_on(self.option)}"
        return str(DataError(self.message + advice, path=self.path, line=line))

    def examples(self, count: int = 3) -> list[str]:
        """The first of them, as ``members.csv:14: 'X' in subgraph 's1'``."""
        shown = []
        for at in range(min(count, len(self.rows))):
            place = f"row {self.rows[at] + 1}" if self.lines is None else f"line {self.lines[at]}"
            value = "" if self.values is None else f": {self.values[at].as_py()}"
            shown.append(place + value)
        return shown

    @property
    def heading(self) -> str:
        """How many of what, and where."""
        if not self.kind:
            return self.sentence
        place = "" if self.path is None else f"{self.path}: "
        return f"{place}{plural(self.count, self.kind)}"


def go_on(option: str) -> str:
    """How to go on in spite of a problem, on the command line and in Python."""
    name, _, value = option.removeprefix("--").partition(" ")
    if name == "column":
        mapping, *more = shlex.split(value)
        ours, _, theirs = mapping.partition("=")
        if more:
            return f"{option} (node_separator={more[-1]!r}) takes them apart."
        return f"{option} (columns={{{ours!r}: {theirs!r}}}) takes {theirs!r} for it."
    python = f"{name.replace('-', '_')}={value!r}" if value else f"{name.replace('-', '_')}=True"
    return f"{option} ({python}) goes on."


class MissingColumnError(DataError):
    """A table lacks a column that one of its others is likely to be.

    Args:
        message: What is missing, and what was found.
        ours: Our name for it, with that of the table: ``labels.title``.
        column: The likely one.
        separator: What separates several nodes in each of its values; "": it has one in each.
        path: The file, if there is one.
    """

    def __init__(
        self,
        message: str,
        ours: str,
        column: str,
        *,
        separator: str = "",
        path: str | PathLike[str] | None,
    ) -> None:
        self.column, self.separator = column, separator
        self.option = f"--column {shlex.quote(f'{ours}={column}')}"
        self.option += f" --node-separator '{separator}'" if separator else ""
        super().__init__(f"{message} {go_on(self.option)}", path=path)
        self.reason = message


class DataProblemsError(DataError):
    """Data with problems that no option settles.

    Args:
        problems: All of them, one for each kind and table.
    """

    advice: tuple[str, ...]

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems, self.advice = tuple(problems), ()
        first = self.problems[0]
        if len(self.problems) == 1:
            line = None if first.lines is None else int(first.lines[0])
            super().__init__(first.message, path=first.path, line=line)
            text = first.sentence
        else:
            listed = " ".join(f"({i}) {_in_short(p)}" for i, p in enumerate(self.problems, 1))
            text = f"{len(self.problems)} kinds of problems: {listed}"
            super().__init__(text)
        self.args = (text,)

    def with_advice(self, advice: Sequence[str]) -> DataProblemsError:
        """The same error with lines to show below the problems where there are several."""
        self.advice = tuple(advice)
        return self


def _in_short(problem: Problem) -> str:
    """A problem in a line that lists all of them."""
    if not problem.kind:
        return problem.sentence
    example = f", as {problem.examples(1)[0]}" if len(problem.rows) else ""
    option = f" [{problem.option}]" if problem.option else ""
    return f"{problem.heading}{example}{option};"


class Problems:
    """Problems while data is read; later steps go on with the rows that are left."""

    def __init__(self) -> None:
        self.all: list[Problem] = []
        self.notes: list[str] = []  # what was odd about the files
        self.find_lines: FindLines | None = None

    def add(self, problem: Problem) -> Problem:
        """Note a problem, with the lines of its rows where the file tells them; returns it."""
        if problem.lines is None and problem.path and self.find_lines and len(problem.rows):
            problem = replace(problem, lines=self.find_lines(problem.path, problem.rows))
        for place, before in enumerate(self.all):
            if problem.kind and before.is_like(problem):
                self.all[place] = before.joined(problem)
                return problem
        self.all.append(problem)
        return problem

    @contextmanager
    def collected(self, path: str | PathLike[str] | None = None) -> Iterator[None]:
        """Note an error of a table as a problem, and leave the block.

        Args:
            path: The file, where the error does not name it.
        """
        try:
            yield
        except DataProblemsError:
            raise
        except DataError as error:
            place = error.path if error.path is not None else path
            lines = None if error.line is None else np.array([error.line])
            option = error.option if isinstance(error, MissingColumnError) else ""
            path = None if place is None else str(place)
            self.add(Problem("", error.reason, path, lines=lines, option=option))

    @property
    def open(self) -> list[Problem]:
        """Those that nothing was done about."""
        return [problem for problem in self.all if not problem.outcome]

    def raise_open(self) -> None:
        """Raise where there are problems that nothing was done about."""
        if self.open:
            raise DataProblemsError(self.open)
