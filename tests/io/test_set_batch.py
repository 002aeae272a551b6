"""Batches of subgraphs against lists of lists."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from sub2node.base.ragged import pointers
from sub2node.io.set_batch import SetBatch, in_sizes

# Line, name, nodes and what is wrong; a bad subgraph has no nodes.
Row = tuple[int, str, list[str], str]
NODES = st.lists(st.sampled_from("abc"), min_size=1, max_size=3)
ROWS = st.lists(
    st.tuples(st.integers(1, 99), st.sampled_from("stu"), NODES, st.just(""))
    | st.tuples(st.integers(1, 99), st.sampled_from("stu"), st.just([]), st.just("bad.")),
    max_size=6,
)


def batch_of(rows: list[Row]) -> SetBatch:
    return SetBatch(
        np.array([line for line, *_ in rows], dtype=np.int64),
        [name for _, name, _, _ in rows],
        pointers(np.array([len(nodes) for _, _, nodes, _ in rows], dtype=np.int64)),
        pa.array([node for _, _, nodes, _ in rows for node in nodes], pa.string()),
        {at: problem for at, (*_, problem) in enumerate(rows) if problem},
    )


def rows_of(batch: SetBatch) -> list[Row]:
    nodes, ptr = batch.nodes.to_pylist(), batch.ptr.tolist()
    return [
        (line, name, nodes[ptr[at] : ptr[at + 1]], batch.problems.get(at, ""))
        for at, (line, name) in enumerate(zip(batch.lines.tolist(), batch.names, strict=True))
    ]


@given(st.lists(ROWS, min_size=1, max_size=4))
def test_batches_are_joined_like_lists(parts) -> None:
    joined = SetBatch.concat([batch_of(rows) for rows in parts])
    assert rows_of(joined) == [row for rows in parts for row in rows]
    assert len(joined) == sum(map(len, parts))


@given(ROWS, st.integers(0, 6), st.integers(0, 6))
def test_a_part_is_a_slice(rows, first, more) -> None:
    first = min(first, len(rows))
    last = min(first + more, len(rows))
    assert rows_of(batch_of(rows).part(first, last)) == rows[first:last]


@given(ROWS, st.sets(st.integers(0, 5)))
def test_a_subgraph_that_turns_out_bad_loses_its_nodes(rows, bad) -> None:
    problems = {at: "late." for at in bad if at < len(rows)}
    expected = [
        (line, name, [], "late.") if at in problems else (line, name, nodes, problem)
        for at, (line, name, nodes, problem) in enumerate(rows)
    ]
    assert rows_of(batch_of(rows).with_problems(problems)) == expected


@given(st.lists(ROWS, max_size=5), st.none() | st.integers(1, 4))
def test_batches_of_one_size(parts, size) -> None:
    batches = list(in_sizes(map(batch_of, parts), size))
    rows = [row for rows in parts for row in rows]
    assert [row for batch in batches for row in rows_of(batch)] == rows
    full = len(rows) if size is None else size
    assert all(len(batch) == full for batch in batches[:-1])
    assert all(0 < len(batch) <= full for batch in batches[-1:])


def test_marks_of_excluded_nodes_go_along() -> None:
    plain = SetBatch.of_lists([1], ["s"], [["a"]], problems=[""], excluded=[[]])
    signed = SetBatch.of_lists(
        [2, 3], ["t", "u"], [["b"], ["c"]], problems=["", ""], excluded=[["d", "e"], []]
    )
    assert signed.nodes.to_pylist() == ["b", "d", "e", "c"]
    both = SetBatch.concat([plain, signed])
    assert both.absent is not None
    assert both.absent.tolist() == [False, False, True, True, False]
    assert both.part(1, 2).absent.tolist() == [False, True, True]
    assert both.with_problems({1: "bad."}).absent.tolist() == [False, False]
    assert plain.absent is None
