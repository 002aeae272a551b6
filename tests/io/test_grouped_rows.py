"""Rows as subgraphs, whatever blocks they come in."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node.io.grouped_rows import ScatteredRowsError, group_rows
from sub2node.io.member_rows import MemberRows

ROWS = st.lists(st.tuples(st.sampled_from("stuv"), st.sampled_from("abc")), max_size=20)


def block(rows: list[tuple[str, str]], first: int) -> MemberRows:
    names, nodes = (pa.array([row[i] for row in rows], pa.large_string()) for i in range(2))
    return MemberRows(np.arange(first, first + len(rows)), names, nodes, {})


@given(ROWS, st.integers(1, 7))
def test_against_a_dict(rows, size: int) -> None:
    blocks = [block(rows[at : at + size], at + 1) for at in range(0, len(rows), size)]
    wanted: dict[str, list[str]] = {}
    for name, node in rows:
        wanted.setdefault(name, []).append(node)
    found = {}
    for batch in group_rows(blocks, at_once=True):
        lists = np.split(batch.nodes.to_pylist(), batch.ptr[1:-1])
        found |= dict(zip(batch.names, map(list, lists), strict=True))
    assert list(found.items()) == list(wanted.items())


def test_a_subgraph_that_comes_back_needs_the_whole_file() -> None:
    blocks = [block([("s", "a"), ("t", "a")], 1), block([("u", "a"), ("s", "b")], 3)]
    with pytest.raises(ScatteredRowsError):
        list(group_rows(blocks, at_once=False))
    together = [block([("s", "a"), ("t", "a")], 1), block([("t", "b"), ("u", "b")], 3)]
    batches = list(group_rows(together, at_once=False))
    assert [name for batch in batches for name in batch.names] == ["s", "t", "u"]
