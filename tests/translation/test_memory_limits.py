"""Limits of memory as people write them."""

from __future__ import annotations

import pytest

from sub2node import ConfigError
from sub2node.translation.memory_limits import Limit, MemoryLimitError, parse_memory


def test_memory_is_read_as_written() -> None:
    assert parse_memory("2GB") == 2 * 10**9
    assert parse_memory("1.5mb") == 1_500_000
    assert parse_memory(12) == 12
    assert parse_memory(None) is None


@pytest.mark.parametrize("text", ["2 apples", "GB", "", "-2GB", "nanGB", "infGB", 0, -1, True, 2e9])
def test_what_is_no_limit(text) -> None:
    with pytest.raises(ConfigError, match="a memory limit"):
        parse_memory(text)


def test_kept_entries_fit_or_are_refused() -> None:
    Limit().check(10**12, 12)  # without a limit everything fits
    Limit(120).check(10, 12)
    with pytest.raises(MemoryLimitError, match=r"memory limit of 1\.2e-07 GB; keep fewer"):
        Limit(120).check(11, 12)


def test_half_of_the_memory_is_to_work_in() -> None:
    assert Limit(8_000).scratch == 1_000  # a block and what is made of it: four of them
    assert Limit().scratch == (128 << 20) // 4
