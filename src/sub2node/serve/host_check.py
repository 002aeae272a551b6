"""The Host header: for which names this service answers.

A page of another site can have its own name point at 127.0.0.1 (DNS rebinding) and would then read
this service through the browser of whoever opens it. Such a request still has that name as Host.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from ipaddress import ip_address

from ..base.errors import ConfigError
from .request_limits import RefusalError

ANY = "*"
_LONGEST = 80  # characters of a name in a message
_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?")


class AllowedHosts:
    """Names and addresses for which a service answers; those of loopback always.

    Args:
        listens: The address that it listens on. One of its own counts too; where it is that of all
            interfaces, so do all addresses (not names) and the name of this machine.
        names: Further names or addresses; ``*`` admits all.
    """

    def __init__(self, listens: str, names: Iterable[str] = ()) -> None:
        self._names = {_check_name(name) for name in names}
        self._any_address = _is_unspecified(listens)
        self._names.add(_normalize(socket.gethostname() if self._any_address else listens))

    def check(self, header: bytes | None) -> None:
        """Refuse a request whose Host header has another name; programs may have none."""
        if header is None or ANY in self._names:
            return
        host = _without_port(header.decode("latin-1"))
        if host in self._names or _is_loopback(host):
            return
        if self._any_address and _is_address(host):
            return
        shown = host if len(host) <= _LONGEST else host[: _LONGEST - 1] + "…"
        raise RefusalError(
            421,
            f"this service does not answer for the host {shown!r}; start it with --allowed-host and"
            " this name if it should.",
        )


def _check_name(name: str) -> str:
    host = _without_port(name) if name.startswith("[") else _normalize(name)
    if host != ANY and not _is_address(host) and not _NAME.fullmatch(host):
        raise ConfigError(
            f"--allowed-host wants a name or an address without port, as s2n.example.org, found"
            f" {name!r}."
        )
    return host


def _normalize(host: str) -> str:
    return host.strip().lower().removesuffix(".")


def _without_port(header: str) -> str:
    """``[::1]:8000`` → ``::1``, ``localhost:8000`` → ``localhost``."""
    text = header.strip()
    if match := re.fullmatch(r"\[([^\[\]]*)\](:\d*)?", text):
        return _normalize(match[1])
    return _normalize(re.sub(r":\d*$", "", text))


def _is_address(host: str) -> bool:
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    return _is_address(host) and ip_address(host.partition("%")[0]).is_loopback


def _is_unspecified(host: str) -> bool:
    return _is_address(host) and ip_address(host.partition("%")[0]).is_unspecified
