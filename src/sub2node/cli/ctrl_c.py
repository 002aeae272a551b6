"""Ctrl-C and SIGTERM, also where a library turns them into another error or swallows them."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeAlias

Handler: TypeAlias = "Callable[[int, FrameType | None], Any] | signal.Handlers"
_AGAIN = 0.05  # seconds until an interruption that was swallowed is tried again


class Interruption:
    """Whether the user, or the system, asked the command to stop.

    Args:
        number: The signal that did: SIGINT (Ctrl-C) or SIGTERM; None: none came.
    """

    def __init__(self) -> None:
        self.number: int | None = None

    @property
    def requested(self) -> bool:
        """Whether a signal came."""
        return self.number is not None

    @property
    def exit_code(self) -> int:
        """As shells count: 130 after Ctrl-C, 143 after SIGTERM."""
        return 128 + (self.number or signal.SIGINT)

    def handle_signal(self, number: int, _: object) -> None:
        """What Ctrl-C and SIGTERM do."""
        self.number = number
        raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Notice Ctrl-C inside, and SIGTERM, which does the same.

    Arrow asks Python files whether they are closed, and prints a ``KeyboardInterrupt`` that comes
    just then without passing it on; its functions make a ``TypeError`` of one that comes while they
    look at their arguments. The first is tried again, the second can be told by ``requested``.
    """
    interruption, hooks = Interruption(), (sys.excepthook, sys.unraisablehook)
    usual: dict[signal.Signals, Handler] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
    }
    # Others are ignored, as Ctrl-C behind nohup, or somebody else's.
    before = {
        number: usual[number] for number in usual if signal.getsignal(number) is usual[number]
    }
    if not before or threading.current_thread() is not threading.main_thread():
        yield interruption
        return

    def try_again(kind: type[BaseException]) -> bool:
        if issubclass(kind, KeyboardInterrupt):
            number = interruption.number or signal.SIGINT
            timer = threading.Timer(_AGAIN, _thread.interrupt_main, (number,))
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

    for number in before:
        signal.signal(number, interruption.handle_signal)
    sys.excepthook, sys.unraisablehook = excepthook, unraisablehook
    try:
        yield interruption
    finally:
        sys.excepthook, sys.unraisablehook = hooks
        for number, handler in before.items():
            signal.signal(number, handler)
