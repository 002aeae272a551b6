"""Ctrl-C, also where a library turns it into another error or swallows it."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_AGAIN = 0.05  # seconds until an interruption that was swallowed is tried again


class Interruption:
    """Whether the user asked to stop.

    Args:
        requested: Set by Ctrl-C.
    """

    def __init__(self) -> None:
        self.requested = False

    def handle_signal(self, *_: object) -> None:
        """What Ctrl-C does."""
        self.requested = True
        raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Notice Ctrl-C inside.

    Arrow asks Python files whether they are closed, and prints a ``KeyboardInterrupt`` that comes
    just then without passing it on; its functions make a ``TypeError`` of one that comes while they
    look at their arguments. The first is tried again, the second can be told by ``requested``.
    """
    interruption, hooks = Interruption(), (sys.excepthook, sys.unraisablehook)
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield interruption  # ignored, as behind nohup, or somebody else's
        return

    def try_again(kind: type[BaseException]) -> bool:
        if issubclass(kind, KeyboardInterrupt):
            timer = threading.Timer(_AGAIN, _thread.interrupt_main)
            timer.daemon = True
            timer.start()
            return True
        return False

    def excepthook(kind: Any, value: Any, trace: Any) -> None:
        if not try_again(kind):
            hooks[0](kind, value, trace)

    def unraisablehook(about: Any) -> None:
        if not try_again(about.exc_type):
            hooks[1](about)

    signal.signal(signal.SIGINT, interruption.handle_signal)
    sys.excepthook, sys.unraisablehook = excepthook, unraisablehook
    try:
        yield interruption
    finally:
        sys.excepthook, sys.unraisablehook = hooks
        signal.signal(signal.SIGINT, signal.default_int_handler)
