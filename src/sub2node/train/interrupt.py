"""Ctrl-C as a wish to stop: the epoch is finished first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Wish:
    """Whether the user asked to stop."""

    def __init__(self) -> None:
        self.stop = False


@contextmanager
def stoppable() -> Iterator[Wish]:
    """Turn a first Ctrl-C inside the block into a wish; a second one interrupts as usual."""
    wish = Wish()
    if threading.current_thread() is not threading.main_thread():
        yield wish
        return

    def ask(number: int, frame: FrameType | None) -> None:
        wish.stop = True
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield wish
    finally:
        signal.signal(signal.SIGINT, before)
