"""The process that serves: its socket, its signals, and how it stops without losing a request."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from ipaddress import ip_address
from typing import TYPE_CHECKING

import uvicorn

from ..base.errors import ConfigError
from .app import create_app
from .connections import ConnectionGuard, make_room
from .host_check import AllowedHosts
from .logs import log_to_stderr
from .request_limits import Limits, Token

if TYPE_CHECKING:
    from ..scoring import Scorer
    from .service import Service

_log = logging.getLogger("sub2node.serve")
_LINGER = 0.5  # seconds after the stop in which a kept-alive client may still send
_GRACE = 7  # seconds after that until the end, whatever clients do
_KEEP_ALIVE = 30  # seconds that a connection without requests is kept
_TURN = 0.0005  # seconds after which a thread of Python gives way to another
_QUEUE = 2048  # connections that the system holds until they are accepted


def serve(
    scorer: Scorer,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    limits: Limits | None = None,
    token: Token | None = None,
    name: str = "",
    allowed_hosts: Sequence[str] = (),
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve until SIGTERM or Ctrl-C; every request that was accepted is answered before the end.

    The end comes within ten seconds: a request that is not complete or not answered by then is
    refused.

    Args:
        scorer: The model.
        host: The address to listen on.
        port: The port; 0 takes a free one.
        limits: Limits on a request.
        token: The secret that requests must show, if there is one.
        name: What to call the data of the model; by default as the model does.
        allowed_hosts: Names for which it answers beside those of loopback and its own address.
        ready: Called with the address once connections are accepted.
    """
    limits = Limits() if limits is None else limits
    hosts = AllowedHosts(host, allowed_hosts)
    listener = _bind(host, port)
    log_to_stderr()
    if not token and not _is_loopback(listener.getsockname()[0]):
        _log.warning("anyone who reaches %s can use this service: it has no token.", host)
    app = create_app(scorer, limits=limits, token=token, name=name, hosts=hosts)
    app.state.service.warm_up()
    gc.collect()
    gc.freeze()  # what is loaded now stays; collecting it again would stall requests
    room = make_room(limits)
    config = uvicorn.Config(
        app,
        http=ConnectionGuard(limits, room).protocol(),
        backlog=room.accepts,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_GRACE,
    )
    with listener, short_turns():
        Server(config, app.state.service, lambda: ready(_format_address(listener))).run([listener])


@contextlib.contextmanager
def short_turns() -> Iterator[None]:
    """Let threads take turns ten times as often: a prediction waits less beside an explanation."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class Server(uvicorn.Server):
    """Uvicorn's server, which on a signal answers all requests before it stops."""

    def __init__(self, config: uvicorn.Config, service: Service, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._service, self._ready = service, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections, then call ``ready``."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_QUEUE)  # asyncio's number is also that of accepts in one turn
        self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Stop on the first signal; the process then ends normally."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {
            number: signal.signal(number, self.handle_exit)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept pending connections, stop listening, answer all requests, and close."""
        self._service.stop()
        _log.info("stopping: no new connections; requests under way are answered.")
        await self._stop_listening(sockets or [])
        end = asyncio.get_running_loop().time() + _LINGER
        while self.server_state.connections and not self.force_exit:
            if asyncio.get_running_loop().time() > end:
                break
            await asyncio.sleep(0.02)
        await (
            _run_pending_callbacks()
        )  # requests that have arrived are read, so their connections are not idle
        await super().shutdown(sockets)

    async def _stop_listening(self, sockets: list[socket.socket]) -> None:
        """Stop listening without resetting connections that the system has already accepted."""
        loop = asyncio.get_running_loop()
        for listener in sockets:
            with contextlib.suppress(NotImplementedError):
                loop.remove_reader(listener.fileno())
                await _run_pending_callbacks()  # those that were being accepted get their transport
                with contextlib.suppress(BlockingIOError):
                    while True:
                        client, _ = listener.accept()
                        client.setblocking(False)
                        await loop.connect_accepted_socket(self._protocol, client)
        for server in self.servers:
            server.close()

    def _protocol(self) -> asyncio.Protocol:
        return self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )


async def _run_pending_callbacks() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def _bind(host: str, port: int) -> socket.socket:
    """A bound socket; its errors become ConfigErrors of one sentence."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except (OSError, UnicodeError):
        raise ConfigError(f"the address {host!r} is not known here; try 127.0.0.1.") from None
    # With the protocol named, asyncio turns Nagle's delay off: else each answer takes 40 ms more.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"cannot listen on {host} port {port}: {error.strerror}; choose another with --port."
        ) from None
    return listener


def _format_address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _is_loopback(host: str) -> bool:
    return ip_address(host.partition("%")[0]).is_loopback
