"""What a translation may hold."""

from __future__ import annotations

import pytest

from sub2node.translation.memory_limits import Limit, MemoryLimitError


def test_kept_entries_fit_or_are_refused() -> None:
    Limit().check(10**12, 12)  # without a limit everything fits
    Limit(120).check(10, 12)
    with pytest.raises(MemoryLimitError, match=r"memory limit of 1\.2e-07 GB; keep fewer"):
        Limit(120).check(11, 12)


def test_half_of_the_memory_is_to_work_in() -> None:
    assert Limit(8_000).scratch == 1_000  # a block and what is made of it: four of them
    assert Limit().scratch == (128 << 20) // 4
