"""Connections of the service: how many there may be, and how long each may keep it waiting.

Uvicorn limits neither. A client that stays silent, sends its header byte by byte or never reads its
answer would keep a connection, and with it a file handle, for ever.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .request_limits import Limits

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_log = logging.getLogger("sub2node.serve")
_LINGER = 1.0  # seconds in which a refused client may read why
_FLUSH = 5.0  # seconds in which a client may read the rest before its connection is cut
_MOST_LINGERING = 64
_MOST_ACCEPTS = 100  # connections accepted in one turn, before any of them is counted
_SPARE_FILES = 32  # handles for all else: the log, libraries, a model's files
_BUSY = json.dumps({"error": "the service has too many connections; try again in a second."})
_REFUSAL = (
    "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n"
    f"connection: close\r\ncontent-length: {len(_BUSY)}\r\n\r\n{_BUSY}"
).encode()


@dataclass(frozen=True)
class ConnectionRoom:
    """How many connections fit, given the file handles that this process may have.

    Args:
        connections: Most connections; further ones are refused.
        lingering: Most refused connections that are still open.
        accepts: Most connections accepted in one turn.
    """

    connections: int
    lingering: int = _MOST_LINGERING
    accepts: int = _MOST_ACCEPTS

    @classmethod
    def within(cls, wanted: int, handles: int | None) -> ConnectionRoom:
        """The room for ``wanted`` connections with so many free handles; None: no limit."""
        if handles is None:
            return cls(wanted)
        free = max(handles - _SPARE_FILES, 4)
        lingering, accepts = min(_MOST_LINGERING, free // 4), min(_MOST_ACCEPTS, free // 4)
        return cls(max(1, min(wanted, free - lingering - accepts)), lingering, accepts)


def make_room(limits: Limits) -> ConnectionRoom:
    """Raise this process' limit on open files as far as needed and allowed; say what fits."""
    room = ConnectionRoom.within(limits.connections, _free_handles(limits.connections))
    if room.connections < limits.connections:
        _log.warning(
            "only %d connections at a time, not %d: this process may open few files (ulimit -n).",
            room.connections,
            limits.connections,
        )
    return room


def _free_handles(connections: int) -> int | None:
    """File handles that can still be opened; None where the system has no limit."""
    if resource is None:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    used = _count_open_files()
    needed = used + connections + _MOST_LINGERING + _MOST_ACCEPTS + _SPARE_FILES
    if soft < needed:
        raised = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
            soft = raised
        except (OSError, ValueError):
            return soft - used
    return soft - used


def _count_open_files() -> int:
    for folder in ("/proc/self/fd", "/dev/fd"):
        if Path(folder).is_dir():
            return len(os.listdir(folder))  # noqa: PTH208
    return 64


@dataclass
class ConnectionGuard:
    """What the connections of a service share.

    Args:
        limits: Limits on a request.
        room: How many connections fit.
        refused: Connections that were refused and may still read why.
    """

    limits: Limits
    room: ConnectionRoom
    refused: set[GuardedProtocol] = field(default_factory=set)

    def protocol(self) -> type[GuardedProtocol]:
        """The class of its connections, for Uvicorn, which makes them itself."""
        return type("ServiceProtocol", (GuardedProtocol,), {"guard": self})


class GuardedProtocol(H11Protocol):
    """A connection that is cut when its client keeps the service waiting."""

    guard: ConnectionGuard

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._header_timer, self._write_timer = _Deadline(self.loop), _Deadline(self.loop)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, or refuse it where there are too many."""
        if len(self.connections) >= self.guard.room.connections:
            self._refuse(transport)
            return
        super().connection_made(transport)
        self._watch_header()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        if self in self.guard.refused:
            self.guard.refused.discard(self)
            return
        self._header_timer.stop()
        self._write_timer.stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; a header must be complete in time."""
        if self in self.guard.refused:
            return
        super().data_received(data)
        self._watch_header()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the rest of a body that was refused."""
        super().on_response_complete()
        is_incomplete = self.conn.their_state is h11.SEND_BODY or self.conn.trailing_data[0]
        if is_incomplete and (self.cycle is None or self.cycle.response_complete):
            self._watch_header()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP, unless an answer has begun; its request ends."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def pause_writing(self) -> None:
        """The client does not read; it has as long as a request may take."""
        super().pause_writing()
        self._write_timer.start(self.guard.limits.timeout, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        self._write_timer.stop()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection without requests, even if its client does not read."""
        super().timeout_keep_alive_handler()
        self._cut_later()

    def shutdown(self) -> None:
        """Close the connection, once a request under way is answered."""
        self._header_timer.stop()
        super().shutdown()

    def _watch_header(self) -> None:
        """Start the clock where a header is awaited, stop it where a request is under way."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._header_timer.stop()
        elif not self.transport.is_closing():
            self._header_timer.start(self.guard.limits.header_seconds, self._close_waiting)

    def _close_waiting(self) -> None:
        """Close a connection whose header did not arrive in time."""
        if not self.transport.is_closing():
            _log.warning("a connection was closed: its request did not arrive in time.")
            self.transport.close()
            self._cut_later()

    def _cut_later(self) -> None:
        """Cut a closing connection even if what was sent is never read."""
        self.loop.call_later(_FLUSH, self.transport.abort)

    def _refuse(self, transport: asyncio.Transport) -> None:
        """Say why in one answer; the client has a second to read it."""
        _log.warning("a connection was refused: there are %d already.", len(self.connections))
        self.transport = transport
        crowded = len(self.guard.refused) >= self.guard.room.lingering
        self.guard.refused.add(self)
        transport.write(_REFUSAL)
        if crowded or not transport.can_write_eof():
            transport.close()
            return
        transport.write_eof()  # closed at once, what the client still sends would reset it
        self.loop.call_later(_LINGER, transport.abort)


class _Deadline:
    """Calls something once after a time, unless stopped before."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._handle: asyncio.TimerHandle | None = None

    def start(self, seconds: float, call: Callable[[], None]) -> None:
        """Start the clock, where it does not run."""
        if self._handle is None:
            self._handle = self._loop.call_later(seconds, call)

    def stop(self) -> None:
        """Stop the clock."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
