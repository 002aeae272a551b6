"""Work beside the main stream of a GPU, for what is not needed at once.

One small network does not fill a GPU: gradients of weights and draws of edges run while the rest
goes on. Inside :func:`launch_beside` launches go to a second stream, which first waits for the main
one; :func:`join` makes the main one wait for it. Tensors that both read are held until then, so
that nobody overwrites them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import torch
from torch import Tensor

_held: list[Tensor | None] = []
_allowed = False
_launched = False  # since the last join


@contextmanager
def allow() -> Iterator[None]:
    """Inside the block gradients may be computed on the second stream; it ends with :func:`join`.

    For networks that use each weight once per step: nobody adds such gradients up before then.
    """
    global _allowed  # noqa: PLW0603
    _allowed = True
    try:
        yield
    finally:
        _allowed = False


def is_allowed(device: torch.device) -> bool:
    """Whether gradients may be computed on the second stream."""
    return _allowed and device.type == "cuda"


def main_stream(device: torch.device) -> torch.cuda.Stream:
    """A stream whose launches have priority over those beside it."""
    return _create_stream(device.index or 0, -1)


def _stream(device: torch.device) -> torch.cuda.Stream:
    return _create_stream(device.index or 0, 0)


@cache
def _create_stream(index: int, priority: int) -> torch.cuda.Stream:
    return torch.cuda.Stream(index, priority=priority)


@contextmanager
def launch_beside(device: torch.device, *read: Tensor | None) -> Iterator[None]:
    """Launch on the second stream, after all that was launched so far.

    Args:
        device: The device of the streams; on the CPU nothing changes.
        read: Tensors that are read there, and must not be freed too early.
    """
    if device.type != "cuda":
        yield
        return
    global _launched  # noqa: PLW0603
    _launched = True
    side = _stream(device)
    side.wait_stream(torch.cuda.current_stream(device))
    _held.extend(read)
    with torch.cuda.stream(side):
        yield


def record_event(device: torch.device) -> torch.cuda.Event | None:
    """The event to wait for before results of the last launches beside are read."""
    return _stream(device).record_event() if device.type == "cuda" else None


def wait_for(event: torch.cuda.Event | None) -> None:
    """The current stream goes on after an event."""
    if event is not None:
        torch.cuda.current_stream().wait_event(event)


def join(device: torch.device) -> None:
    """The current stream goes on after everything that was launched beside.

    Where nothing was, it waits for nothing: a recording must not wait for a stream that takes no
    part in it.
    """
    global _launched  # noqa: PLW0603
    if device.type == "cuda" and _launched:
        torch.cuda.current_stream(device).wait_stream(_stream(device))
    _launched = False
    _held.clear()
