"""Overlap of parts, against its definition on Python sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node.evaluate import overlap
from sub2node.evaluate.overlap import Overlap, overlaps
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask

sets = st.lists(st.integers(0, 7), min_size=1, max_size=6, unique=True)


def make_task(lists: list[list[int]], codes: list[int], *, weighted: bool = False) -> SubgraphTask:
    subgraphs = Subgraphs.from_lists(lists)
    if weighted:
        weights = np.linspace(0.5, 2, len(subgraphs.nodes))
        subgraphs = Subgraphs(subgraphs.ptr, subgraphs.nodes, weights=weights)
    return SubgraphTask(Graph.from_edges([0], [1], num_nodes=8), subgraphs, split=Split(codes))


def by_hand(ours: list[set[int]], known: list[set[int]], *, same: bool) -> tuple[int, ...]:
    counts = [0, 0, 0]
    for i, one in enumerate(ours):
        others = [other for j, other in enumerate(known) if not (same and i == j)]
        counts[0] += any(one == other for other in others)
        counts[1] += any(one <= other for other in others)
        counts[2] += any(2 * len(one & other) >= len(one | other) for other in others)
    nodes = set().union(*ours)
    if same:
        shared = {node for node in nodes if sum(node in one for one in ours) > 1}
    else:
        shared = nodes & set().union(*known)
    return (len(ours), *counts, len(nodes), len(shared))


def numbers(found: Overlap) -> tuple[int, ...]:
    return tuple(found.to_dict().values())[2:]


@given(
    st.lists(st.tuples(sets, st.sampled_from([0, 1, 2, 3])), min_size=1, max_size=12),
    st.booleans(),
    st.sampled_from([1, 5, 1 << 22]),
)
def test_overlap_is_its_definition(rows, weighted: bool, piece: int) -> None:
    task = make_task([row[0] for row in rows], [row[1] for row in rows], weighted=weighted)
    parts = {
        part: [set(row[0]) for row in rows if row[1] == code]
        for part, code in (("train", 0), ("val", 2), ("test", 3))
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overlap, "_CHUNK", piece)
        found = {(o.part, o.known): o for o in overlaps(task)}
        every = overlaps(task, splits=True)[0]
    pairs = [("val", "train"), ("test", "train"), ("test", "val")]
    assert list(found) == [(a, b) for a, b in pairs if parts[a] and parts[b]]
    for (part, known), row in found.items():
        assert numbers(row) == by_hand(parts[part], parts[known], same=False)
    real = [one for part in parts.values() for one in part]
    if real:
        assert numbers(every) == by_hand(real, real, same=True)


def test_a_copy_is_found_whatever_its_order() -> None:
    lists = [[0, 1, 2, 3], [4, 5], [3, 2, 1, 0], [1, 2], [0, 1, 2, 7], [6]]
    rows = overlaps(make_task(lists, [0, 0, 2, 3, 3, 3]))
    pairs = [("val", "train"), ("test", "train"), ("test", "val")]
    assert [(o.part, o.known) for o in rows] == pairs
    assert numbers(rows[0]) == (1, 1, 1, 1, 4, 4)
    assert numbers(rows[1]) == (3, 0, 1, 2, 5, 3)
