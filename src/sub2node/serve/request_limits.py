"""Limits on requests, the token and the body of one, and the refusal of those that break them."""

from __future__ import annotations

import asyncio
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import ConfigError

if TYPE_CHECKING:
    from starlette.requests import Request

    from ..base.records import JsonObject

_LEAST_BODY = 1024 * 1024
_SUBGRAPH_BYTES = 2048  # about 150 members with names of a dozen letters
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
    """

    subgraphs: int = 1000
    nodes: int = 10_000
    explained_nodes: int = 1000
    timeout: float = 30.0
    waiting: int = 256
    batch: int = 256

    def __post_init__(self) -> None:
        for name in ("subgraphs", "nodes", "explained_nodes", "waiting", "batch"):
            if getattr(self, name) < 1:
                text = name.replace("_", " ")
                raise ConfigError(f"the limit on {text} must be at least 1.")
        if not 0 < self.timeout < float("inf"):
            raise ConfigError(f"the time-out must be a number of seconds above 0: {self.timeout}.")

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
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.field = status, message, field
        self.headers = dict(headers or {})

    def content(self) -> JsonObject:
        """The content of the response."""
        return {"error": self.message} | ({"field": self.field} if self.field else {})


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


async def read_body(request: Request, limits: Limits, deadline: float) -> bytes:
    """The body, refused as soon as it is too large, too slow or not JSON by its type."""
    _check_type(request.headers)
    most = limits.body_bytes
    length = request.headers.get("content-length", "")
    if length.isdigit() and (len(length) > _LONG_NUMBER or int(length) > most):
        raise _too_large(most)
    chunks, size, more = [], 0, True
    try:
        async with asyncio.timeout_at(deadline):
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
        raise RefusalError(408, f"the body did not arrive within {limits.timeout:g} s.") from None
    return b"".join(chunks)


def _too_large(most: int) -> RefusalError:
    return RefusalError(
        413, f"the body is larger than {most:,} bytes; send fewer subgraphs per request."
    )


def _check_type(headers: Mapping[str, str]) -> None:
    kind, _, rest = headers.get("content-type", "").lower().partition(";")
    charset = rest.partition("charset=")[2].strip(' "')
    if kind.strip() != "application/json" or charset not in ("", "utf-8", "utf8"):
        raise RefusalError(
            415, "the body must be JSON in UTF-8, with Content-Type: application/json."
        )
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise RefusalError(415, "the body must not be compressed.")
