"""Anchors are drawn from members and borders, each as likely as any."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component_cases import expected_distances, ragged, random_graph, random_sets, seeds
from strategies import graphs_with_subgraphs
from sub2node.base.keyed_numbers import mix
from sub2node.base.ragged import Array
from sub2node.baselines.subgnn import anchors
from sub2node.baselines.subgnn.anchors import sample_border, sample_members
from sub2node.baselines.subgnn.components import Components, components
from sub2node.task import Graph, Subgraphs


def some_keys(seed: int, count: int) -> Array:
    return mix(np.arange(count, dtype=np.uint64) + np.uint64(seed << 32))


@given(st.lists(st.lists(st.integers(0, 99), max_size=6, unique=True)), st.integers(0, 5), seeds)
def test_members_are_sampled_without_replacement(values, count, seed) -> None:
    ids, mask = sample_members(*ragged(values), count, some_keys(seed, len(values)))
    assert ids.shape == mask.shape == (len(values), count)
    assert ids.dtype == np.int64
    for one, row, real in zip(values, ids, mask, strict=True):
        taken = row[real].tolist()
        assert len(set(taken)) == len(taken) == min(len(one), count)
        assert set(taken) <= set(one)
        assert (row[~real] == 0).all()
        assert real.tolist() == sorted(real.tolist(), reverse=True)


@pytest.mark.parametrize("size", [3, 4, 7])
def test_every_arrangement_of_members_is_as_likely(size) -> None:
    trials, count = 60_000, 3
    ptr, nodes = np.arange(trials + 1) * size, np.tile(np.arange(size), trials)
    ids, mask = sample_members(ptr, nodes, count, some_keys(3, trials))
    assert mask.all()
    keys, seen = np.unique(ids @ size ** np.arange(count), return_counts=True)
    assert len(keys) == np.prod(size - np.arange(count))
    mean = trials / len(keys)
    assert ((seen - mean) ** 2 / mean).sum() < len(keys) + 5 * np.sqrt(2 * len(keys))
    # Neighbouring lists are drawn independently.
    together = np.mean(ids[1:, 0] == ids[:-1, 0])
    assert abs(together - 1 / size) < 0.01


def test_samples_of_one_list_do_not_depend_on_the_others_lengths() -> None:
    one = sample_members(*ragged([[1, 2], [5, 6, 7, 8]]), 2, some_keys(0, 2))[0]
    other = sample_members(*ragged([[1, 2, 3, 4, 9], [5, 6, 7, 8]]), 2, some_keys(0, 2))[0]
    assert one[1].tolist() == other[1].tolist()


def borders(graph: Graph, found: Components, hops: int) -> list[set[int]]:
    near = expected_distances(graph, found, hops)
    return [set(np.flatnonzero((row > 0) & np.isfinite(row)).tolist()) for row in near]


@given(graphs_with_subgraphs(), st.integers(1, 3), st.integers(1, 15), seeds)
def test_border_anchors_come_from_the_border(both, hops, count, seed) -> None:
    graph, sets = both
    found = components(graph, sets)
    samples = sample_border(
        graph,
        found,
        hops=hops,
        count=count,
        keys=[some_keys(seed, len(found)), some_keys(seed + 1, len(found))],
    )
    assert len(samples) == 2
    for ids, mask in samples:
        assert ids.shape == mask.shape == (len(found), count)
        assert (ids[~mask] == 0).all()
        for row, real, border in zip(ids, mask, borders(graph, found, hops), strict=True):
            taken = row[real].tolist()
            assert len(set(taken)) == len(taken) == min(len(border), count)
            assert set(taken) <= border


@pytest.mark.slow
@pytest.mark.parametrize("hops", [1, 2])
def test_border_anchors_of_many_components(hops) -> None:
    graph = random_graph()
    found = components(graph, random_sets(graph, 30, 8))
    assert len(found) > 2 * 64
    ids, mask = sample_border(graph, found, hops=hops, count=300, keys=[some_keys(0, len(found))])[
        0
    ]
    expected = borders(graph, found, hops)
    assert [set(row[real].tolist()) for row, real in zip(ids, mask, strict=True)] == expected


def test_other_components_of_a_subgraph_are_on_the_border() -> None:
    graph = Graph.from_edges([0, 1], [1, 2])
    found = components(graph, Subgraphs.from_lists([[0, 2]]))
    ids, mask = sample_border(graph, found, hops=2, count=3, keys=[some_keys(0, len(found))])[0]
    assert set(ids[0][mask[0]].tolist()) == {1, 2}


def test_border_anchors_are_uniform_and_independent_between_components() -> None:
    trials = 20_000
    graph = Graph.from_edges([0] * 5, [1, 2, 3, 4, 5])
    found = components(graph, Subgraphs.from_lists([[0]] * trials))
    ids, _ = sample_border(graph, found, hops=1, count=2, keys=[some_keys(0, len(found))])[0]
    seen = np.bincount(ids[:, 0] * 6 + ids[:, 1], minlength=36).reshape(6, 6)[1:, 1:]
    assert (np.diag(seen) == 0).all()
    assert np.abs(seen[~np.eye(5, dtype=bool)] / trials - 1 / 20).max() < 0.01
    assert abs(np.mean(ids[1:, 0] == ids[:-1, 0]) - 1 / 5) < 0.015


def test_border_anchors_depend_on_the_keys_alone(monkeypatch) -> None:
    graph = random_graph()
    found = components(graph, random_sets(graph, 30, 8))
    both = [some_keys(4, len(found)), some_keys(5, len(found))]
    first, second = sample_border(graph, found, hops=2, count=5, keys=both)
    assert not np.array_equal(first[0], second[0])
    monkeypatch.setattr(anchors, "_BLOCK", 10)  # nor on how the work is cut
    again = sample_border(graph, found, hops=2, count=5, keys=both[1:])[0]
    assert np.array_equal(second[0], again[0])
    assert np.array_equal(second[1], again[1])
