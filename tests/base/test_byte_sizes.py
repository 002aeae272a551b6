"""Limits of memory as people write them."""

from __future__ import annotations

import pytest

from sub2node import ConfigError
from sub2node.base.byte_sizes import parse_memory, size_words


def test_memory_is_read_as_written() -> None:
    assert parse_memory("2GB") == 2 * 10**9
    assert parse_memory("1.5mb") == 1_500_000
    assert parse_memory(12) == 12
    assert parse_memory(None) is None


@pytest.mark.parametrize("text", ["2 apples", "GB", "", "-2GB", "nanGB", "infGB", 0, -1, True, 2e9])
def test_what_is_no_limit(text) -> None:
    with pytest.raises(ConfigError, match="a memory limit"):
        parse_memory(text)


@pytest.mark.parametrize(
    ("count", "words"), [(0, "1 MB"), (3.2e6, "3 MB"), (9.99e8, "999 MB"), (1.26e9, "1.3 GB")]
)
def test_sizes_for_people(count: float, words: str) -> None:
    assert size_words(count) == words
