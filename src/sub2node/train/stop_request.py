"""Ctrl-C as a request to stop: the epoch is finished first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class StopRequest:
    """Whether the user pressed Ctrl-C."""

    def __init__(self) -> None:
        self.stop = False


@contextmanager
def stoppable() -> Iterator[StopRequest]:
    """Turn a first Ctrl-C inside the block into a request; a second one interrupts as usual."""
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield request
        return

    def ask(number: int, frame: FrameType | None) -> None:
        request.stop = True
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield request
    finally:
        signal.signal(signal.SIGINT, before)
