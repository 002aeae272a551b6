"""Limits on requests, the token and the body of one, and the refusal of those that break them."""

from __future__ import annotations

import asyncio
import hmac
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import ConfigError

if TYPE_CHECKING:
    from starlette.requests import Request

    from ..base.records import JsonObject

_LEAST_BODY = 1024 * 1024
_SUBGRAPH_BYTES = 2048  # about 150 members with names of a dozen letters
_BODY_AFTER_STOP = 2.0  # seconds in which the rest of a body may arrive while the service stops
_LONG_NUMBER = 15  # digits of a Content-Length, above which it is not parsed


@dataclass(frozen=True)
class Limits:
    """The limits of one service.

    Args:
        subgraphs: Most subgraphs per request.
        nodes: Most members per subgraph.
        explained_nodes: Most members of a subgraph that is explained.
        timeout: Seconds a request may take, from its first byte to its answer.
        waiting: Most requests that wait for the model; further ones are refused.
        batch: Most subgraphs per pass of the model, where several requests share it.
        connections: Most connections at a time; further ones are refused.
        header_seconds: Seconds in which the header of a request must arrive, from the connection's
            begin or from its first byte where the connection was kept.
    """

    subgraphs: int = 1000
    nodes: int = 10_000
    explained_nodes: int = 1000
    timeout: float = 30.0
    waiting: int = 256
    batch: int = 256
    connections: int = 512
    header_seconds: float = 10.0

    def __post_init__(self) -> None:
        for name in ("subgraphs", "nodes", "explained_nodes", "waiting", "batch", "connections"):
            if getattr(self, name) < 1:
                text = name.replace("_", " ")
                raise ConfigError(f"the limit on {text} must be at least 1.")
        for seconds in (self.timeout, self.header_seconds):
            if not 0 < seconds < float("inf"):
                raise ConfigError(f"the time-out must be a number of seconds above 0: {seconds}.")

    @property
    def body_bytes(self) -> int:
        """Most bytes of a request's body: enough for so many subgraphs, at least 1 MiB."""
        return max(_LEAST_BODY, self.subgraphs * _SUBGRAPH_BYTES)


class RefusalError(Exception):
    """A request that is not answered, with the reason in one sentence."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        field: str | None = None,
        candidates: Mapping[str, list[JsonObject]] | None = None,
        columns: Sequence[str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.field = status, message, field
        self.candidates, self.columns = candidates, columns
        self.headers = dict(headers or {})

    def content(self) -> JsonObject:
        """The content of the response."""
        content: JsonObject = {"error": self.message}
        content |= {"field": self.field} if self.field else {}
        content |= {"columns": list(self.columns)} if self.columns else {}
        return content | ({"candidates": self.candidates} if self.candidates else {})


class GoneError(Exception):
    """The client disconnected before its answer was ready."""


class Token:
    """A secret that requests must show; without one, every request is admitted."""

    def __init__(self, secret: str | None) -> None:
        if secret is not None and not re.fullmatch("[!-~]+", secret):
            raise ConfigError("the token must be ASCII letters, digits and signs, without spaces.")
        self._expected = None if secret is None else f"Bearer {secret}".encode()

    def __bool__(self) -> bool:
        return self._expected is not None

    def __repr__(self) -> str:
        return f"Token({'set' if self else 'none'})"

    def admits(self, header: bytes) -> bool:
        """Whether an Authorization header shows the secret, compared in constant time."""
        if self._expected is None:
            return True
        scheme, _, secret = header.partition(b" ")
        normalized = scheme.title() + b" " + secret.strip()
        return hmac.compare_digest(normalized, self._expected)


def read_token(path: Path | None, environment: Mapping[str, str]) -> Token:
    """The token in a file, else that in the variable S2N_TOKEN, else none."""
    if path is None:
        return Token(environment.get("S2N_TOKEN"))
    try:
        return Token(path.read_text(encoding="utf-8").strip())
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is no text file; expected a token in one line.") from None


class Deadlines:
    """Time limits of the requests under way; when the service stops, they are brought forward."""

    def __init__(self) -> None:
        self._under_way: dict[asyncio.Timeout, float] = {}
        self._stopped_at = float("inf")

    @property
    def stopped(self) -> bool:
        """Whether the service stops."""
        return self._stopped_at < float("inf")

    @asynccontextmanager
    async def until(self, deadline: float, *, after_stop: float) -> AsyncIterator[None]:
        """Work that raises TimeoutError at the deadline, or so many seconds after the stop."""
        async with asyncio.timeout_at(min(deadline, self._stopped_at + after_stop)) as timeout:
            self._under_way[timeout] = after_stop
            try:
                yield
            finally:
                del self._under_way[timeout]

    def stop(self) -> None:
        """Bring the time limits forward; called on the thread of the event loop."""
        self._stopped_at = asyncio.get_running_loop().time()
        for timeout, after_stop in self._under_way.items():
            when = timeout.when()
            end = self._stopped_at + after_stop
            timeout.reschedule(end if when is None else min(when, end))

    def reopen(self) -> None:
        """Take requests again."""
        self._stopped_at = float("inf")


async def read_body(
    request: Request,
    limits: Limits,
    deadline: float,
    deadlines: Deadlines,
    *,
    media_type: str = "application/json",
) -> bytes:
    """The body, refused as soon as it is too large, too slow or not of the type."""
    _check_type(request.headers, media_type)
    most = limits.body_bytes
    length = request.headers.get("content-length", "")
    if length.isdigit() and (len(length) > _LONG_NUMBER or int(length) > most):
        raise _too_large(most)
    chunks, size, more = [], 0, True
    try:
        async with deadlines.until(deadline, after_stop=_BODY_AFTER_STOP):
            while more:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise GoneError
                chunks.append(message.get("body", b""))
                size += len(chunks[-1])
                if size > most:
                    raise _too_large(most)
                more = message.get("more_body", False)
    except TimeoutError:
        if deadlines.stopped:
            raise RefusalError(
                503, "the service stops and does not wait for the rest of the body."
            ) from None
        raise RefusalError(408, f"the body did not arrive within {limits.timeout:g} s.") from None
    return b"".join(chunks)


def _too_large(most: int) -> RefusalError:
    return RefusalError(
        413, f"the body is larger than {most:,} bytes; send fewer subgraphs per request."
    )


def _check_type(headers: Mapping[str, str], wanted: str) -> None:
    kind, _, rest = headers.get("content-type", "").lower().partition(";")
    charset = rest.partition("charset=")[2].strip(' "')
    if kind.strip() != wanted or charset not in ("", "utf-8", "utf8"):
        what = "JSON in UTF-8" if wanted == "application/json" else "the bytes of a file"
        raise RefusalError(415, f"the body must be {what}, with Content-Type: {wanted}.")
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise RefusalError(415, "the body must not be compressed.")
