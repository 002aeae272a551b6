"""Progress of long work, without passing a callback through every function.

Library code reports with :func:`step` (part of a whole is done), :func:`counted` (one item after
another) or :func:`activity` (nobody knows how long); whoever wants to see it (the command line)
listens with :func:`listen`. With no listener a report costs one dictionary look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True)
class Report:
    """How far some work is.

    Args:
        what: The work, the same in all its reports: ``Training s2n+a gcn2``; of items that are
            counted, what one is called: ``Model``.
        done: Units that are finished.
        total: Units in all; None: not known.
        detail: What else there is to say; of items that are counted, the one in hand.
        counted: Whether the units are items that are named one by one.
        even: Whether units take about the same time, so that the time left can be estimated.
        seconds_left: Seconds until a time limit of the work; None: it has none.
    """

    what: str
    done: float
    total: float | None
    detail: str = ""
    counted: bool = False
    even: bool = True
    seconds_left: float | None = None

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""
        return self.total is not None and self.done >= self.total

    @property
    def text(self) -> str:
        """The report in words: ``Model 4 of 18: wl``, ``Training s2n+a gcn2 · loss 0.3``."""
        if not self.counted or self.total is None:
            return " · ".join(part for part in (self.what, self.detail) if part)
        count = f"{self.what} {min(self.done + 1, self.total):,.0f} of {self.total:,.0f}"
        return f"{count}: {self.detail}" if self.detail else count


Listener = Callable[[Report], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def _send(report: Report) -> None:
    if (listener := _listener.get()) is not None:
        listener(report)


def step(what: str, done: float, total: float, detail: str = "") -> None:
    """Report that ``done`` of ``total`` units of the work ``what`` are finished, in ``detail``."""
    if _listener.get() is not None:
        _send(Report(what, done, total, detail))


def item(
    what: str,
    number: int,
    total: int,
    name: str = "",
    *,
    even: bool = True,
    seconds_left: float | None = None,
) -> None:
    """Report that item ``number`` (from 0) of ``total`` is in hand; ``total`` itself is the end.

    For work that :func:`counted` cannot go through; arguments are as there, and ``seconds_left``
    until the time limit of the work, where it has one.
    """
    if _listener.get() is not None:
        report = Report(
            what, number, total, name, counted=True, even=even, seconds_left=seconds_left
        )
        _send(report)


def counted(
    items: Iterable[Item],
    what: str,
    *,
    name: Callable[[Item], str] = lambda item: "",
    total: int | None = None,
    even: bool = True,
) -> Iterator[Item]:
    """The items one by one, each reported as it comes: ``Model 4 of 18: wl``.

    A single item is not reported: what is done with it says more.

    Args:
        items: What to go through.
        what: What an item is called, with a capital.
        name: What to call an item beside its number.
        total: How many items there are, where they cannot be counted beforehand.
        even: Whether items take about the same time, so that the time left can be estimated.
    """
    if total is None:
        items = items if isinstance(items, Collection) else list(items)
        total = len(items)
    if total < 2:
        yield from items
        return
    try:
        for number, one in enumerate(items):
            item(what, number, total, name(one), even=even)
            yield one
    finally:
        item(what, total, total)


@contextmanager
def activity(what: str) -> Iterator[Callable[[str], None]]:
    """Report that ``what`` is going on inside the block, for a time that nobody knows.

    The block gets a function that reports a detail, such as a number so far.
    """

    def report(detail: str = "") -> None:
        if _listener.get() is not None:
            _send(Report(what, 0, None, detail))

    report()
    try:
        yield report
    finally:
        step(what, 1, 1)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Send the reports made inside the block to ``listener``."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
