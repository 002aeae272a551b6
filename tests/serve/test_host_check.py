"""Names for which the service answers."""

from __future__ import annotations

import pytest

from sub2node.base.errors import ConfigError
from sub2node.serve.host_check import AllowedHosts
from sub2node.serve.request_limits import RefusalError


def admits(hosts: AllowedHosts, header: str) -> bool:
    try:
        hosts.check(header.encode("latin-1"))
    except RefusalError as refusal:
        return (refusal.status, len(refusal.message) < 250) != (421, True)
    return True


LOOPBACK = ["localhost", "LocalHost.:8000", "127.0.0.1:80", "127.8.9.1", "[::1]:8000", "[::1]"]
FOREIGN = [
    "evil.example",
    "evil.example:8000",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "192.168.1.2",
    "0.0.0.0",
    "",
    "[::1",
    "[::1]x",
    "a@localhost",
    "\xe9" * 5000,
]


@pytest.mark.parametrize("header", LOOPBACK)
def test_loopback_is_always_admitted(header: str) -> None:
    for hosts in (AllowedHosts("127.0.0.1"), AllowedHosts("10.0.0.1", ["s2n.example.org"])):
        assert admits(hosts, header)


@pytest.mark.parametrize("header", FOREIGN)
def test_other_names_are_refused(header: str) -> None:
    assert not admits(AllowedHosts("127.0.0.1"), header)


def test_names_that_were_allowed() -> None:
    hosts = AllowedHosts("127.0.0.1", ["S2N.example.org", "192.168.1.2", "[fe80::1]"])
    for header in ("s2n.EXAMPLE.org:443", "192.168.1.2:8000", "[fe80::1]:8000"):
        assert admits(hosts, header)
    assert not admits(hosts, "x.s2n.example.org")
    assert admits(AllowedHosts("127.0.0.1", ["*"]), "anything")


def test_the_address_that_it_listens_on() -> None:
    assert admits(AllowedHosts("192.168.1.2"), "192.168.1.2:8000")
    assert not admits(AllowedHosts("192.168.1.2"), "192.168.1.3:8000")
    for anywhere in ("0.0.0.0", "::"):
        assert admits(AllowedHosts(anywhere), "192.168.1.3:8000")
        assert not admits(AllowedHosts(anywhere), "evil.example")


def test_programs_without_the_header_are_admitted() -> None:
    AllowedHosts("127.0.0.1").check(None)


@pytest.mark.parametrize("name", ["", "http://x", "x:80", "x y", "x/y"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(ConfigError, match="--allowed-host wants a name"):
        AllowedHosts("127.0.0.1", [name])
