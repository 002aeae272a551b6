"""Work beside the main stream of a GPU, for what is not needed at once.

One small network does not fill a GPU: gradients of weights and draws of edges run while the rest
goes on. Inside :func:`beside` launches go to a second stream, which first waits for the main one;
:func:`join` makes the main one wait for it. What both read is held until then, so that nobody
overwrites it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from torch import Tensor

_held: list[Any] = []
_on = False


@contextmanager
def allowed() -> Iterator[None]:
    """Inside the block gradients may be found beside; it ends with :func:`join`.

    For networks that use each weight once in a step: nobody adds such gradients up before then.
    """
    global _on  # noqa: PLW0603
    _on = True
    try:
        yield
    finally:
        _on = False


def on(device: torch.device) -> bool:
    """Whether gradients may be found beside."""
    return _on and device.type == "cuda"


def main_stream(device: torch.device) -> torch.cuda.Stream:
    """A stream whose launches go before those beside it."""
    return _made(device.index or 0, -1)


def _stream(device: torch.device) -> torch.cuda.Stream:
    return _made(device.index or 0, 0)


@cache
def _made(index: int, priority: int) -> torch.cuda.Stream:
    return torch.cuda.Stream(index, priority=priority)


@contextmanager
def beside(device: torch.device, *read: Tensor | None) -> Iterator[None]:
    """Launch on the second stream, after all that was launched so far.

    Args:
        device: Where; on the CPU nothing changes.
        read: What is read there, and must not be given back too early.
    """
    if device.type != "cuda":
        yield
        return
    side = _stream(device)
    side.wait_stream(torch.cuda.current_stream(device))
    _held.extend(read)
    with torch.cuda.stream(side):
        yield


def done(device: torch.device) -> torch.cuda.Event | None:
    """What to wait for before what was just launched beside is read."""
    return _stream(device).record_event() if device.type == "cuda" else None


def wait(event: torch.cuda.Event | None) -> None:
    """The current stream goes on after an event."""
    if event is not None:
        torch.cuda.current_stream().wait_event(event)


def join(device: torch.device) -> None:
    """The current stream goes on after everything that was launched beside."""
    if device.type == "cuda":
        torch.cuda.current_stream(device).wait_stream(_stream(device))
    _held.clear()
