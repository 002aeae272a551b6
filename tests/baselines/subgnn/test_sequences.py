"""Degree sequences, and their likeness by the warping of the textbook."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component_cases import lists, ragged
from networkx_graphs import to_networkx
from strategies import graphs_with_subgraphs
from sub2node.base.ragged import Array, generator
from sub2node.baselines.subgnn import sequences
from sub2node.baselines.subgnn.sequences import degree_sequences, sequence_similarity


@pytest.mark.parametrize("side", ["internal", "border"])
@given(graphs_with_subgraphs())
def test_degree_sequences_are_sorted_degrees(side, both) -> None:
    graph, sets = both
    found = degree_sequences(graph, sets.ptr, sets.nodes, side)
    whole = to_networkx(graph)
    for members, degrees in zip(lists(sets.ptr, sets.nodes), lists(sets.ptr, found), strict=True):
        inner = dict(whole.subgraph(members).degree)
        counted = inner if side == "internal" else {n: whole.degree[n] - inner[n] for n in inner}
        assert degrees == sorted(counted.values(), reverse=True)


def textbook(a: list[int], b: list[int]) -> float:
    table = np.full((len(a) + 1, len(b) + 1), np.inf)
    table[0, 0] = 0
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            cost = (max(x, y) + 1) / (min(x, y) + 1) - 1
            table[i, j] = cost + min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
    return float(table[-1, -1])


def expected_similarity(a: list[list[int]], b: list[list[int]]) -> Array:
    table = [[1 / (1 + textbook(x, y)) if x and y else 0.0 for y in b] for x in a]
    return np.array(table, dtype=np.float32).reshape(len(a), len(b))


sequence_lists = st.lists(st.lists(st.integers(0, 9), max_size=7), max_size=9)


@pytest.mark.parametrize("block", [1, 6, 1 << 14])
@given(a=sequence_lists, b=sequence_lists)
def test_similarity_is_that_of_the_textbook(a, b, block) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sequences, "_PAIRS", block)
        patch.setattr(sequences, "_WIDTH", 2 if block == 6 else 256)
        found = sequence_similarity(*ragged(a), *ragged(b))
    assert found.dtype == np.float32
    assert found.shape == (len(a), len(b))
    np.testing.assert_allclose(found, expected_similarity(a, b), rtol=1e-6)


@given(sequence_lists)
def test_equal_sequences_are_alike(a) -> None:
    found = np.diag(sequence_similarity(*ragged(a), *ragged(a)))
    assert found.tolist() == [1.0 if one else 0.0 for one in a]


@pytest.mark.slow
def test_similarity_of_many_sequences_with_large_degrees(monkeypatch) -> None:
    rng = generator(0)
    a = [rng.integers(0, 5000, rng.integers(1, 12)).tolist() for _ in range(40)] * 2
    b = [sorted(rng.integers(0, 50, rng.integers(1, 30)).tolist()) for _ in range(30)]
    expected = expected_similarity(a, b)
    np.testing.assert_allclose(sequence_similarity(*ragged(a), *ragged(b)), expected, rtol=1e-6)
    monkeypatch.setattr(sequences, "_CELLS", 100)
    np.testing.assert_allclose(sequence_similarity(*ragged(a), *ragged(b)), expected, rtol=1e-6)
    warped = []
    warp = sequences._warp
    monkeypatch.setattr(sequences, "_CELLS", 1 << 22)
    monkeypatch.setattr(sequences, "_warp", lambda *args: warped.append(args) or warp(*args))
    sequence_similarity(*ragged(a), *ragged(b))
    assert sum(len(args[1]) for args in warped) == 40  # each distinct sequence once
