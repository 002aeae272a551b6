"""Rows of progress on the terminal: one for each piece of work that is going on, innermost last."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ..base.progress import Report, listen

_PATIENCE = 1.0  # seconds before work gets a row
_BAR = 14  # columns


@dataclass
class _ProgressRow:
    """Work that is going on.

    Args:
        report: Its last report.
        opened: When the first report came.
        first: Units that were finished by then.
        advanced: When the last unit was finished.
        reported: When the last report came.
    """

    report: Report
    opened: float
    first: float
    advanced: float
    reported: float

    def seconds_left(self, now: float) -> float | None:
        """Time to the limit of the work, or an estimate from the mean time per unit so far.

        None where there is neither.
        """
        report, done = self.report, self.report.done - self.first
        if report.seconds_left is not None:
            return max(report.seconds_left - (now - self.reported), 0.0)
        if report.total is None or not report.even or done <= 0:
            return None
        mean = (self.advanced - self.opened) / done
        left = mean * (report.total - report.done)
        return max(left - (now - self.advanced), left - mean if report.counted else 0.0)


class ProgressRows:
    """The work that is going on, and what a person sees of it.

    Args:
        clock: Tells the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._rows, self._lock = clock, dict[str, _ProgressRow](), threading.Lock()

    def update(self, report: Report) -> None:
        """Take a report; work that is finished goes, and with an item that is counted its parts."""
        with self._lock:
            row = self._rows.get(report.what)
            if row is not None and report.counted and report.done != row.report.done:
                self._remove_after(report.what)
            if report.finished:
                self._rows.pop(report.what, None)
            elif row is None:
                now = self._clock()
                self._rows[report.what] = _ProgressRow(report, now, report.done, now, now)
            else:
                row.reported = self._clock()
                row.advanced = row.reported if report.done > row.report.done else row.advanced
                row.report = report

    def _remove_after(self, what: str) -> None:
        names = list(self._rows)
        for name in names[names.index(what) + 1 :]:
            del self._rows[name]

    def lines(self) -> list[tuple[str, float | None, str]]:
        """Text, share that is done (None: not known) and time of each row that is due."""
        now = self._clock()
        with self._lock:
            rows = [row for row in self._rows.values() if now - row.opened >= _PATIENCE]
            return [(row.report.text, _share(row.report), _time(row, now)) for row in rows]

    def __rich__(self) -> Table:
        grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
        grid.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        grid.add_column(width=_BAR)
        grid.add_column(no_wrap=True, justify="right", width=17)
        for text, share, seconds in self.lines():
            bar = ProgressBar(100, 0 if share is None else 100 * share, pulse=share is None)
            grid.add_row(Text(text), bar, Text(seconds, style="dim"))
        return grid


def _share(report: Report) -> float | None:
    return report.done / report.total if report.total else None


def _time(row: _ProgressRow, now: float) -> str:
    left = row.seconds_left(now)
    return f"{duration(now - row.opened)} so far" if left is None else f"{duration(left)} left"


def duration(seconds: float) -> str:
    """A time that a person reads at a glance: ``8 s``, ``3 min 20 s``, ``2 h 5 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole < 600 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


@contextmanager
def show_progress(console: Console) -> Iterator[None]:
    """Show the progress that the work inside reports; nothing where there is no terminal."""
    rows = ProgressRows()
    if not console.is_terminal:
        yield
        return
    live = Live(
        rows, console=console, transient=True, refresh_per_second=5, redirect_stdout=False
    )  # stdout may be a file
    with live, listen(rows.update):
        yield
