"""Lines of a file that cannot be used, collected while it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..base.errors import DataError
from ..base.notes import dropped
from ..base.plural import examples, plural
from ..task.problems import Problem
from ..task.reading_options import Reading


@dataclass
class BadLines:
    """Lines of a file that cannot be used, by what is wrong with them.

    Args:
        path: The file.
        reading: Whether they may be dropped; takes the problems.
        notes: Takes sentences about what was dropped.
    """

    path: Path
    reading: Reading
    notes: list[str] = field(default_factory=list)
    _reasons: dict[str, dict[int, str]] = field(default_factory=dict)
    _names: dict[int, str] = field(default_factory=dict)

    def add(self, kind: str, line: int, reason: str, *, name: str = "") -> None:
        """Note a line.

        Args:
            kind: What is wrong with it.
            line: Its number, from 1.
            reason: The sentence about it.
            name: What notes call it; "" for its number.
        """
        self._reasons.setdefault(kind, {})[line] = reason
        self._names[line] = name

    def raise_first(self) -> None:
        """Raise what is wrong with the first of them, if there is one."""
        lines = {line: reason for some in self._reasons.values() for line, reason in some.items()}
        if lines:
            raise DataError(lines[min(lines)], path=self.path, line=min(lines))

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(map(len, self._reasons.values()))

    def report(self, unit: str = "line") -> None:
        """Note all of them as problems.

        Args:
            unit: What their numbers count: lines of the file, columns of a GMX file, or files.
        """
        allowed = self.reading.options.bad_rows == "drop"
        for kind, reasons in self._reasons.items():
            numbers = np.array(list(reasons), np.int64)
            problem = Problem(
                kind,
                next(iter(reasons.values())),
                str(self.path),
                numbers - 1,
                numbers if unit == "line" else None,
                pa.array(list(reasons.values()), pa.large_string()),
                option="--bad-rows drop",
                outcome="dropped" if allowed else "",
            )
            self.reading.problems.add(problem)
            if allowed:
                names = (self._names[number] or f"{unit} {number}" for number in reasons)
                shown = examples(names, len(reasons))
                count, why = plural(len(reasons), unit), plural(len(reasons), kind)
                self.notes.append(dropped(f"{count} of {self.path.name} dropped ({why}): {shown}."))


class StrictLines(BadLines):
    """Lines of which the first that cannot be used is an error."""

    def add(self, kind: str, line: int, reason: str, *, name: str = "") -> None:
        """Raise."""
        raise DataError(reason, path=self.path, line=line)
