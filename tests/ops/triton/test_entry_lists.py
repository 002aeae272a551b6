"""Sparse rows as kernels read them, against lists."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from sub2node.ops.triton.entry_lists import EntryLists


@given(st.lists(st.integers(0, 5), max_size=8))
def test_each_entry_has_its_row(counts: list[int]) -> None:
    ptr = torch.tensor([0, *counts]).cumsum(0)
    index = torch.zeros(sum(counts), dtype=torch.int32)
    lists = EntryLists(ptr, index, None, max(counts, default=0))
    assert lists.rows == len(counts)
    owners = [row for row, count in enumerate(counts) for _ in range(count)]
    assert lists.owner.tolist() == owners
    assert lists.owner.dtype == index.dtype
    mean = sum(counts) / max(1, len(counts))
    assert int(mean) <= lists.typical <= lists.longest


def test_a_known_owner_is_not_computed_again() -> None:
    owner = torch.tensor([0, 0, 1])
    lists = EntryLists(torch.tensor([0, 2, 3]), torch.tensor([1, 0, 1]), None, 2, owner)
    assert lists.owner is owner
