"""Ctrl-C or SIGTERM as a request to stop: the epoch is finished first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class StopRequest:
    """Whether Ctrl-C was pressed, or SIGTERM came."""

    def __init__(self) -> None:
        self.stop = False


@contextmanager
def stoppable() -> Iterator[StopRequest]:
    """Turn a first Ctrl-C inside the block into a request; a second one interrupts as usual.

    So does SIGTERM where the program has a handler for it, as the command line does.
    """
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield request
        return

    def ask(number: int, frame: FrameType | None) -> None:
        request.stop = True
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    numbers = [signal.SIGINT]
    if callable(signal.getsignal(signal.SIGTERM)):
        numbers.append(signal.SIGTERM)
    before = {number: signal.signal(number, ask) for number in numbers}
    try:
        yield request
    finally:
        restore()
