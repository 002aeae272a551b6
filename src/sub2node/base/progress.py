"""Progress of long work, without passing a callback through every function.

Library code reports with :func:`step`; whoever wants to see it (the command line) listens with
:func:`listen`. With no listener a report costs one dictionary look-up.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Listener = Callable[[str, float, float, str], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def step(what: str, done: float, total: float, detail: str = "") -> None:
    """Report that ``done`` of ``total`` units of the work ``what`` are finished, in ``detail``."""
    if (listener := _listener.get()) is not None:
        listener(what, done, total, detail)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Send the reports made inside the block to ``listener(what, done, total, detail)``."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
