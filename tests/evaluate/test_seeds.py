"""Seeds by number or by name."""

from __future__ import annotations

import pytest

from sub2node.base.errors import ConfigError
from sub2node.evaluate.seeds import seed_list


def test_a_number_of_seeds_is_the_published_ones() -> None:
    assert seed_list(3) == [10, 11, 12]
    assert seed_list((5, 0)) == [5, 0]
    assert seed_list(range(2)) == [0, 1]


@pytest.mark.parametrize("seeds", [0, -1, True, False])
def test_no_seeds_at_all(seeds) -> None:
    with pytest.raises(ConfigError, match=f"at least one seed is needed, found {seeds}"):
        seed_list(seeds)


@pytest.mark.parametrize("seeds", [[], [1, 1], [-1, 2]])
def test_seeds_differ_and_are_not_negative(seeds) -> None:
    with pytest.raises(ConfigError, match="different whole numbers from 0"):
        seed_list(seeds)


def test_more_seeds_than_can_be_counted() -> None:
    with pytest.raises(ConfigError, match="at most 10,000 seeds, found 99,999,999,999,999,999,999"):
        seed_list(99_999_999_999_999_999_999)
