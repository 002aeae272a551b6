"""Lists in one flat array."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sub2node.base.ragged import repeated_entries

PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=20)


@given(PAIRS)
def test_entries_that_occurred_before(pairs: list[tuple[int, int]]) -> None:
    table = np.array(pairs, np.int64).reshape(-1, 2)
    again = repeated_entries(table[:, 0], table[:, 1]).tolist()
    assert sorted(pairs[position] for position in again) == sorted(
        (Counter(pairs) - Counter(set(pairs))).elements()
    )
    assert all(pairs.index(pairs[position]) < position for position in again)
