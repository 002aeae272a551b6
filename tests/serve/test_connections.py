"""Room for connections; the connections themselves are tested in test_server.py."""

from __future__ import annotations

import pytest

from sub2node.serve.connections import ConnectionRoom


@pytest.mark.parametrize("handles", [0, 10, 60, 100, 250, 700, 5000])
def test_what_may_be_open_at_once_fits_into_the_handles(handles: int) -> None:
    room = ConnectionRoom.within(512, handles)
    assert min(room.connections, room.lingering, room.accepts) >= 1
    if handles >= 60:
        assert room.connections + room.lingering + room.accepts + 32 <= handles
    assert room.connections == 512 or handles < 708


def test_without_a_limit_all_wanted_ones_fit() -> None:
    assert ConnectionRoom.within(512, None).connections == 512
