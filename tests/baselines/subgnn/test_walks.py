"""Walks that close triangles, and patches of what they meet."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component_cases import NO_EDGES, NOTHING, lists, ragged, random_graph, seeds
from networkx_graphs import to_networkx
from strategies import graphs, graphs_with_subgraphs
from sub2node.base.errors import DataError
from sub2node.base.ragged import Array, generator
from sub2node.baselines.subgnn import walks
from sub2node.baselines.subgnn.walks import WalkRestriction, patch_walks, patches, triangular_walks
from sub2node.task import Graph


def check_walks(graph: Graph, found: Array, starts: Array, allowed: list[set[int]]) -> None:
    """Each step is an edge to an allowed node; a walk stops only at its start, where it must."""
    whole = to_networkx(graph)
    for walk, start, places in zip(found.tolist(), starts, allowed, strict=True):
        assert walk[0] == start
        for here, there in pairwise(walk):
            assert there in places or there == -1
            if here >= 0 and there >= 0:
                assert whole.has_edge(here, there)
        if start < 0:
            assert set(walk) == {-1}
        elif len(walk) > 1 and set(whole[start]) & places:
            assert -1 not in walk
        else:
            assert set(walk[1:]) <= {-1}


def sides(graph: Graph, members: list[int]) -> dict[str, set[int]]:
    """Where walks on either side of a node set may be."""
    inside = set(members)
    whole = to_networkx(graph)
    outward = {node for node in inside if set(whole[node]) - inside}
    return {"internal": inside, "border": set(whole) - inside | outward}


@pytest.mark.parametrize("tries", [0, 2])
@given(graph=graphs(plain=True), length=st.integers(1, 6), seed=seeds)
def test_walks_follow_edges(graph, length, seed, tries) -> None:
    starts = np.r_[np.arange(graph.num_nodes), -1]
    everywhere = [set(range(graph.num_nodes))] * len(starts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walks, "_TRIES", tries)
        patch.setattr(walks, "_BLOCK", 5)
        found = triangular_walks(graph, starts, length, rng=generator(seed))
    assert found.dtype == np.int64
    assert found.shape == (len(starts), length)
    check_walks(graph, found, starts, everywhere)


@pytest.mark.parametrize("tries", [0, 2])
@pytest.mark.parametrize("side", ["internal", "border"])
@given(both=graphs_with_subgraphs(), beta=st.sampled_from([0.0, 0.65, 1.0]), seed=seeds)
def test_restricted_walks_stay_where_they_may(both, side, beta, seed, tries) -> None:
    graph, sets = both
    places = [sides(graph, members)[side] for members in lists(sets.ptr, sets.nodes)]
    which = np.repeat(np.arange(len(sets)), [len(place) for place in places])
    starts = np.array([node for place in places for node in sorted(place)], dtype=np.int64)
    allowed = WalkRestriction(sets.ptr, sets.nodes, which, side)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walks, "_TRIES", tries)
        found = triangular_walks(graph, starts, 5, rng=generator(seed), beta=beta, allowed=allowed)
    check_walks(graph, found, starts, [places[one] for one in which])


@pytest.mark.parametrize(("side", "start"), [("internal", 3), ("border", 0)])
def test_walks_must_start_where_they_may_be(side, start) -> None:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3])
    allowed = WalkRestriction(np.array([0, 3]), np.arange(3), np.zeros(1, int), side)
    with pytest.raises(DataError, match=f"node {start}, where it is not allowed"):
        triangular_walks(graph, np.array([start]), 3, rng=generator(0), allowed=allowed)


# Nodes 0 and 1 are joined and share the neighbours 2, 3; 1 alone has 4, 5, 6; 7 is isolated.
KITE = Graph.from_edges([0, 0, 1, 0, 1, 1, 1, 1], [1, 2, 2, 3, 3, 4, 5, 6], num_nodes=8)


@pytest.mark.parametrize("tries", [0, 1, 8])
@pytest.mark.parametrize("beta", [0.0, 0.3, 0.65, 1.0])
def test_third_nodes_close_triangles_as_often_as_asked(beta, tries, monkeypatch) -> None:
    monkeypatch.setattr(walks, "_TRIES", tries)
    starts = np.zeros(60_000, dtype=np.int64)
    found = triangular_walks(KITE, starts, 3, rng=generator(0), beta=beta)
    first = np.bincount(found[:, 1], minlength=8) / len(found)
    assert np.abs(first - np.array([0, 1, 1, 1, 0, 0, 0, 0]) / 3).max() < 0.01
    share = np.bincount(found[found[:, 1] == 1, 2], minlength=8) / np.sum(found[:, 1] == 1)
    expected = np.array([0, 0, beta / 2, beta / 2, 0, 0, 0, 0])  # neighbours of both
    expected[[0, 4, 5, 6]] = (1 - beta) / 4  # the way back is one of the others
    assert np.abs(share - expected).max() < 0.015


@pytest.mark.parametrize("tries", [0, 8])
def test_a_walk_takes_what_there_is(tries, monkeypatch) -> None:
    monkeypatch.setattr(walks, "_TRIES", tries)
    # From 4 to 1 nothing closes a triangle, whatever beta is.
    found = triangular_walks(KITE, np.full(4000, 4), 3, rng=generator(0), beta=1.0)
    share = np.bincount(found[:, 2], minlength=8) / 4000
    assert np.abs(share - np.array([1, 0, 1, 1, 1, 1, 1, 0]) / 6).max() < 0.03
    # Within 0, 1, 2 from 0 to 1: 2 closes a triangle, only the way back does not.
    allowed = WalkRestriction(np.array([0, 3]), np.arange(3), np.zeros(4000, int), "internal")
    found = triangular_walks(
        KITE, np.zeros(4000, int), 3, rng=generator(0), beta=0.0, allowed=allowed
    )
    assert (found[:, 2] == 0).all()


@pytest.mark.parametrize("tries", [0, 8])
def test_border_walks_choose_uniformly_among_what_is_allowed(tries, monkeypatch) -> None:
    monkeypatch.setattr(walks, "_TRIES", tries)
    # In the patch 0, 1, 3, 4, 5 the nodes 4 and 5 have no way out.
    members = np.array([0, 1, 3, 4, 5])
    allowed = WalkRestriction(np.array([0, 5]), members, np.zeros(30_000, int), "border")
    found = triangular_walks(
        KITE, np.zeros(30_000, int), 3, rng=generator(0), beta=0.5, allowed=allowed
    )
    # 3 has the neighbours 0 and 1, both in the patch: it has no way out either.
    assert set(found[:, 1].tolist()) == {1, 2}
    share = np.bincount(found[found[:, 1] == 1, 2], minlength=8) / np.sum(found[:, 1] == 1)
    assert np.abs(share - np.array([1, 0, 2, 0, 0, 0, 1, 0]) / 4).max() < 0.015


def test_where_nothing_else_is_left_a_triangle_is_closed() -> None:
    # 0-1-2 is a triangle, 1 has the way out 3. On the border of 0, 1, 2 nodes 0 and 2 are banned.
    graph = Graph.from_edges([0, 0, 1, 1, 3, 3], [1, 2, 2, 3, 4, 5])
    allowed = WalkRestriction(np.array([0, 3]), np.arange(3), np.zeros(200, int), "border")
    found = triangular_walks(graph, np.ones(200, int), 2, rng=generator(0), allowed=allowed)
    assert (found[:, 1] == 3).all()
    # In a triangle without a way back every node closes it: the walk may not return to a banned 0.
    walker = walks._Walker(
        graph.indptr,
        graph.indices,
        walks._Banned(np.array([0, 1]), np.array([0]), np.zeros(1, int)),
    )
    chosen = walker._step(
        np.zeros(1, int),
        np.array([2]),
        before=np.array([0]),
        beta=0.0,
        random=np.array([[0.9], [0.5]]),
    )
    assert chosen.tolist() == [1]


def test_walks_depend_on_the_seed_alone(monkeypatch) -> None:
    graph = random_graph()
    starts = np.arange(graph.num_nodes)
    one = triangular_walks(graph, starts, 8, rng=generator(1))
    assert not np.array_equal(one, triangular_walks(graph, starts, 8, rng=generator(2)))
    monkeypatch.setattr(walks, "_BLOCK", 50)  # nor on how the work is cut
    assert np.array_equal(one, triangular_walks(graph, starts, 8, rng=generator(1)))
    assert (one[-10:, 1:] == -1).all()
    assert (one[-10:, 0] == starts[-10:]).all()


@given(graphs(plain=True), st.integers(0, 5), st.integers(1, 6), seeds)
def test_patches_are_what_walks_meet(graph, count, length, seed) -> None:
    ptr, nodes = patches(graph, count, length, rng=generator(seed))
    whole = to_networkx(graph)
    assert len(ptr) == count + 1
    for members in lists(ptr, nodes):
        assert 1 <= len(members) <= length
        assert members == sorted(set(members))
        assert nx.is_connected(whole.subgraph(members))


def test_patches_start_anywhere() -> None:
    ptr, nodes = patches(NO_EDGES, 8000, 5, rng=generator(0))
    assert (np.diff(ptr) == 1).all()
    assert np.abs(np.bincount(nodes) / 8000 - 1 / 4).max() < 0.02
    ptr, nodes = patches(NOTHING, 3, 5, rng=generator(0))
    assert ptr.tolist() == [0, 0, 0, 0]
    assert len(nodes) == 0


@pytest.mark.parametrize("side", ["internal", "border"])
@given(both=graphs_with_subgraphs(), seed=seeds)
def test_patch_walks_stay_on_their_side(both, side, seed) -> None:
    graph, sets = both
    found = patch_walks(
        graph, sets.ptr, sets.nodes, walks=3, length=4, side=side, rng=generator(seed)
    )
    assert found.shape == (len(sets), 3, 4)
    for rows, members in zip(found, lists(sets.ptr, sets.nodes), strict=True):
        places = sides(graph, members)[side]
        possible = places & set(members) or {-1}
        assert set(rows[:, 0].tolist()) <= possible
        check_walks(graph, rows, rows[:, 0], [places] * 3)


@pytest.mark.parametrize(("side", "starts"), [("internal", [0, 1, 3, 4]), ("border", [0, 1])])
def test_patch_walks_start_uniformly(side, starts) -> None:
    ptr, nodes = ragged([[0, 1, 3, 4]])
    found = patch_walks(KITE, ptr, nodes, walks=8000, length=2, side=side, rng=generator(0))
    share = np.bincount(found[0, :, 0], minlength=8) / 8000
    assert np.abs(share[starts] - 1 / len(starts)).max() < 0.03


@pytest.mark.parametrize("graph", [NOTHING, NO_EDGES])
@pytest.mark.parametrize("side", ["internal", "border"])
def test_no_patches(graph, side) -> None:
    found = patch_walks(graph, *ragged([]), walks=3, length=4, side=side, rng=generator(0))
    assert found.shape == (0, 3, 4)
    found = patch_walks(graph, *ragged([[], []]), walks=3, length=4, side=side, rng=generator(0))
    assert (found == -1).all()
