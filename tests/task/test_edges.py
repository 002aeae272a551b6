"""Edges once each: repeated ones merged, bad ids refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node import ConfigError, DataError
from sub2node.task import Graph
from sub2node.task.edges import check_weights, undirected

NODES = st.integers(0, 6)


@given(
    st.lists(st.tuples(NODES, NODES, st.integers(1, 4))),
    st.sampled_from([("sum", sum), ("max", max)]),
)
def test_undirected_edges_are_a_dict_of_pairs(rows, rule) -> None:
    name, combine = rule
    weights: dict[tuple[int, int], list[int]] = {}
    for u, v, weight in rows:
        weights.setdefault((min(u, v), max(u, v)), []).append(weight)
    source, target, values = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    edges = undirected(source, target, weights=values, repeated=name)
    pairs = zip(edges.low.tolist(), edges.high.tolist(), edges.weights.tolist(), strict=True)
    loops = zip(
        edges.loops.tolist(), edges.loops.tolist(), edges.loop_weights.tolist(), strict=True
    )
    merged = {pair: combine(values) for pair, values in sorted(weights.items())}
    assert [(u, v, w) for (u, v), w in merged.items() if u < v] == list(pairs)
    assert [(u, v, w) for (u, v), w in merged.items() if u == v] == list(loops)
    assert edges.repeats == len(rows) - len(merged)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1.0], r"2 edges but edge weights of shape \(1,\)"),
        (["a", "b"], "must be numbers"),
        ([1.0, -2.0], "edge 2 has weight -2"),
        ([np.nan, 1.0], "edge 1 has weight nan"),
        ([1e-300, 1.0], "edge 1 has weight 1e-300"),
    ],
)
def test_bad_weights_are_refused(values, words) -> None:
    with pytest.raises(DataError, match=words):
        check_weights(values, 2)
    assert check_weights([1, 2], 2).dtype == np.float32


def test_repeated_edges() -> None:
    ends = ([0, 1, 0], [1, 0, 1])
    assert Graph.from_edges(*ends).num_edges == 1
    assert Graph.from_edges(*ends, weights=[1, 2, 3], repeated="sum").weights.tolist() == [6, 6]
    assert Graph.from_edges(*ends, weights=[1, 2, 3], repeated="max").weights.tolist() == [3, 3]
    with pytest.raises(DataError, match="edge 0-1 is given several times with different weights"):
        Graph.from_edges(*ends, weights=[1, 2, 3])
    with pytest.raises(ConfigError, match="'same', 'sum' or 'max'"):
        Graph.from_edges(*ends, weights=[1, 2, 3], repeated="mean")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ([0, -1], [1, 1], "edge 2 has the negative source -1"),
        ([0.5], [1], "edge sources must be whole numbers, found"),
        ([0, 1], [1], "2 edge sources but 1 targets"),
        ([[0]], [[1]], "flat list"),
        ([2**31], [0], "too large"),
    ],
)
def test_bad_ids_are_refused(source: object, target: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Graph.from_edges(source, target)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (1e300, r"edge 1 has weight 1e\+300; weights are from 1e-45 to 3\.4e\+38; divide all"),
        (1e-300, r"edge 1 has weight 1e-300; weights are from 1e-45"),
        (0.0, "edge 1 has weight 0.0; weights are finite and above 0"),
        (np.inf, "edge 1 has weight inf; weights are finite and above 0"),
    ],
)
def test_weights_beyond_single_precision(weight: float, words: str) -> None:
    with pytest.raises(DataError, match=words):
        undirected([0, 1], [1, 2], weights=[weight, 1.0])


def test_sums_of_weights_beyond_single_precision() -> None:
    with pytest.raises(DataError, match="the weights of the edge 0-1 add up to too much"):
        undirected([0, 1, 1], [1, 0, 2], weights=[3e38, 3e38, 1.0], repeated="sum")
