"""The middleware around every request: host, token, headers, metrics, log, unexpected errors."""

from __future__ import annotations

import logging
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from .answer_json import to_json
from .logs import request_line
from .request_limits import GoneError, RefusalError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from .service import Service

_log = logging.getLogger("sub2node.serve")
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_POLICY = (
    b"content-security-policy",
    b"default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
)
_CLIENT_LEFT = 499  # only in logs and metrics: there is no client to read it
_GUARDED = ("/v1/", "/metrics")


class RequestMiddleware:
    """A pure ASGI middleware around the application."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        record = RequestRecord(self._service, scope, send)
        try:
            record.check_host(scope)
            record.check_token(scope)
            await self._app(scope, receive, record.send)
        except RefusalError as refusal:
            await record.answer(refusal)
        except GoneError:
            record.status = _CLIENT_LEFT
        except Exception as error:
            _log.error("a request failed: %s %s", scope["method"], scope["path"], exc_info=error)
            await record.answer(RefusalError(500, "the service failed; its log says why."))
        finally:
            record.close()


class RequestRecord:
    """One request: its duration, status and number of subgraphs."""

    def __init__(self, service: Service, scope: Scope, send: Send) -> None:
        self._service, self._scope, self._send = service, scope, send
        self._started = time.perf_counter()
        self.status = 0
        self.subgraphs = 0
        scope["sub2node"] = self
        service.metrics.in_flight += 1

    def check_host(self, scope: Scope) -> None:
        """Refuse a request for a name that is not this service's."""
        if self._service.hosts is not None:
            hosts = [value for name, value in scope["headers"] if name == b"host"]
            self._service.hosts.check(hosts[0] if hosts else None)

    def check_token(self, scope: Scope) -> None:
        """Refuse a request that needs the token and does not show it."""
        token = self._service.token
        if not token or not scope["path"].startswith(_GUARDED):
            return
        credentials = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(credentials) != 1 or not token.admits(credentials[0]):
            raise RefusalError(
                401,
                "this needs the service's token, as in 'Authorization: Bearer TOKEN'.",
                headers={"WWW-Authenticate": "Bearer"},
            )

    async def send(self, message: Message) -> None:
        """Send a message on, with the headers that all answers have."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = [*message.get("headers", ()), *_HEADERS]
            if not any(name == _POLICY[0] for name, _ in headers):
                headers.append(_POLICY)
            if self._service.stopping:
                headers.append((b"connection", b"close"))
            message["headers"] = headers
        await self._send(message)

    async def answer(self, refusal: RefusalError) -> None:
        """Send a refusal, unless an answer has begun."""
        if self.status:
            return
        content = to_json(refusal.content())
        headers: list[tuple[bytes, bytes]] = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(content)).encode()),
        ]
        for name, value in refusal.headers.items():
            headers.append((name.lower().encode(), value.encode()))
        await self.send(
            {"type": "http.response.start", "status": refusal.status, "headers": headers}
        )
        await self.send({"type": "http.response.body", "body": content})

    def close(self) -> None:
        """Count the request and log it."""
        seconds = time.perf_counter() - self._started
        metrics, scope = self._service.metrics, self._scope
        metrics.in_flight -= 1
        metrics.count_request(scope["path"], self.status, seconds=seconds, subgraphs=self.subgraphs)
        client = scope.get("client")
        line = request_line(
            scope["method"],
            scope["path"],
            status=self.status,
            seconds=seconds,
            subgraphs=self.subgraphs,
            client=client[0] if client else None,
        )
        with suppress(
            OSError, ValueError
        ):  # an answer is sent even if its log line cannot be written
            sys.stderr.write(line)
