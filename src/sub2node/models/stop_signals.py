"""Ctrl-C and SIGTERM during work of which a part is worth keeping: noted, or raised where asked."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class StopSignals:
    """How often the user asked to stop.

    Inside :meth:`listening` a signal is only noted, so that no work is lost. Inside
    :meth:`interrupting` it raises ``KeyboardInterrupt``: what is in hand there is given up.

    Args:
        count: Signals so far.
        since: When the first one came, by ``time.perf_counter``; None: none came.
    """

    def __init__(self) -> None:
        self.count = 0
        self.since: float | None = None
        self._interrupts_from: int | None = None  # number of the signal

    @property
    def requested(self) -> bool:
        """Whether the user asked to stop."""
        return self.count > 0

    def note(self) -> None:
        """Know of a signal that somebody else has dealt with."""
        self.count = max(self.count, 1)
        if self.since is None:
            self.since = time.perf_counter()

    def handle(self, number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
        """What a signal does."""
        self.count += 1
        self.note()
        if self._interrupts_from is not None and self.count >= self._interrupts_from:
            self._interrupts_from = None  # one is enough
            raise KeyboardInterrupt

    @contextmanager
    def interrupting(self, *, number: int = 1) -> Iterator[None]:
        """Let this signal, counted from the first, and those after it raise inside the block."""
        self._interrupts_from = number
        try:
            yield
        finally:
            self._interrupts_from = None

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Note signals inside the block, which else would end the program.

        Ctrl-C that is ignored stays ignored; SIGTERM is noted where the program has a handler for
        it, as the command line does. Other threads than the main one get no signals.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {
            number: handler
            for number in (signal.SIGINT, signal.SIGTERM)
            if callable(handler := signal.getsignal(number))
        }
        for number in before:
            signal.signal(number, self.handle)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
