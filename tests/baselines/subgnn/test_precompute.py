"""What SubGNN works out beforehand, against networkx, brute force and laws of chance."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import graphs, node_sets
from sub2node.base.errors import DataError
from sub2node.base.ragged import Array, generator, pointers
from sub2node.baselines.subgnn import anchors, distances, sequences, walks
from sub2node.baselines.subgnn.anchors import sample_border, sample_members
from sub2node.baselines.subgnn.components import Components, components
from sub2node.baselines.subgnn.distances import component_distances
from sub2node.baselines.subgnn.sequences import degree_sequences, sequence_similarity
from sub2node.baselines.subgnn.walks import WalkRestriction, patch_walks, patches, triangular_walks
from sub2node.task import Graph, Subgraphs

seeds = st.integers(0, 5)


def to_networkx(graph: Graph) -> nx.Graph:
    result = nx.Graph()
    result.add_nodes_from(range(graph.num_nodes))
    low, high, _ = graph.edges()
    result.add_edges_from(zip(low.tolist(), high.tolist(), strict=True))
    return result


def lists(ptr: Array, nodes: Array) -> list[list[int]]:
    return [nodes[low:high].tolist() for low, high in pairwise(ptr)]


def ragged(values: list[list[int]]) -> tuple[Array, Array]:
    ptr = pointers(np.array([len(one) for one in values], dtype=np.int64))
    return ptr, np.array([value for one in values for value in one], dtype=np.int64)


def random_graph(size: int = 300, edges: int = 1500, seed: int = 0) -> Graph:
    """A few hubs, the last ten nodes isolated."""
    ends = (generator(seed).random((2, edges)) ** 2 * (size - 10)).astype(int)
    return Graph.from_edges(*ends, num_nodes=size, repeated="same")


def random_sets(graph: Graph, count: int, size: int, seed: int = 0) -> Subgraphs:
    members = generator(seed).integers(0, graph.num_nodes, (count, size))
    return Subgraphs.from_lists([*members.tolist(), [graph.num_nodes - 1]])


@st.composite
def graph_and_sets(draw: st.DrawFn) -> tuple[Graph, Subgraphs]:
    graph = draw(graphs(plain=True))
    return graph, Subgraphs.from_lists(draw(node_sets(graph.num_nodes, smallest=0)))


NOTHING = Graph.from_edges([], [], num_nodes=0)
NO_EDGES = Graph.from_edges([], [], num_nodes=4)
NO_SETS = Subgraphs.from_lists([])


# Components


@given(graph_and_sets())
def test_components_are_those_of_induced_graphs(both) -> None:
    graph, sets = both
    found = components(graph, sets)
    whole = to_networkx(graph)
    expected = [
        (owner, sorted(part))
        for owner, members in enumerate(lists(sets.ptr, sets.nodes))
        for part in sorted(nx.connected_components(whole.subgraph(members)), key=min)
    ]
    assert lists(found.ptr, found.nodes) == [part for _, part in expected]
    assert found.owner.tolist() == [owner for owner, _ in expected]
    assert len(found.first) == len(sets) + 1
    assert [high - low for low, high in pairwise(found.first)] == [
        sum(owner == number for owner, _ in expected) for number in range(len(sets))
    ]
    assert found.sizes.sum() == len(sets.nodes)
    assert len(found) == len(expected)


def test_components_use_induced_edges_even_where_explicit_ones_are_given() -> None:
    graph = Graph.from_edges([0, 1], [1, 2])
    sets = Subgraphs(np.array([0, 3]), np.arange(3), None, np.array([0, 0]), np.empty((0, 2), int))
    assert lists(components(graph, sets).ptr, components(graph, sets).nodes) == [[0, 1, 2]]


@pytest.mark.parametrize("graph", [NOTHING, NO_EDGES])
def test_components_of_nothing(graph) -> None:
    found = components(graph, NO_SETS)
    assert len(found) == 0
    assert found.ptr.tolist() == found.first.tolist() == [0]
    empty = components(graph, Subgraphs.from_lists([[], []]))
    assert empty.first.tolist() == [0, 0, 0]
    assert component_distances(graph, empty, empty.owner, empty.owner, limit=3).shape == (0,)
    ids, mask = sample_border(graph, empty, hops=1, count=3, rngs=[generator(0)])[0]
    assert ids.shape == mask.shape == (0, 3)


# Distances


def expected_distances(graph: Graph, found: Components, limit: int) -> Array:
    result = np.full((len(found), graph.num_nodes), np.inf)
    whole = to_networkx(graph)
    for number, members in enumerate(lists(found.ptr, found.nodes)):
        paths = nx.multi_source_dijkstra_path_length(whole, set(members), weight=None)
        for node, length in paths.items():
            result[number, node] = length if length <= limit else np.inf
    return result


@pytest.mark.parametrize("few", [0, 4, 10**9])  # push always, sometimes, never
@given(both=graph_and_sets(), limit=st.integers(0, 12))
def test_distances_are_lengths_of_shortest_paths(both, limit, few) -> None:
    graph, sets = both
    found = components(graph, sets)
    place, node = np.indices((len(found), graph.num_nodes)).reshape(2, -1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distances, "_FEW", few)
        patch.setattr(distances, "_BLOCK", 3)
        result = component_distances(graph, found, place, node, limit=limit)
    assert result.dtype == np.float32
    assert (result == expected_distances(graph, found, limit)[place, node]).all()


@pytest.mark.parametrize("limit", [2, 20])
def test_distances_of_pairs_in_any_order_from_more_than_64_nodes(limit) -> None:
    graph = random_graph()
    found = components(graph, random_sets(graph, 20, 8))
    rng = generator(1)
    place, node = rng.integers(0, len(found), 3000), rng.integers(0, graph.num_nodes, 3000)
    result = component_distances(graph, found, place, node, limit=limit)
    assert (result == expected_distances(graph, found, limit)[place, node]).all()
    assert np.isinf(result).any()
    assert (result > 1).any()


# Anchors


@given(st.lists(st.lists(st.integers(0, 99), max_size=6, unique=True)), st.integers(0, 5), seeds)
def test_members_are_sampled_without_replacement(values, count, seed) -> None:
    ids, mask = sample_members(*ragged(values), count, generator(seed))
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
    ids, mask = sample_members(ptr, nodes, count, generator(3))
    assert mask.all()
    keys, seen = np.unique(ids @ size ** np.arange(count), return_counts=True)
    assert len(keys) == np.prod(size - np.arange(count))
    mean = trials / len(keys)
    assert ((seen - mean) ** 2 / mean).sum() < len(keys) + 5 * np.sqrt(2 * len(keys))
    # Neighbouring lists are drawn independently.
    together = np.mean(ids[1:, 0] == ids[:-1, 0])
    assert abs(together - 1 / size) < 0.01


def test_samples_of_one_list_do_not_depend_on_the_others_lengths() -> None:
    one = sample_members(*ragged([[1, 2], [5, 6, 7, 8]]), 2, generator(0))[0]
    other = sample_members(*ragged([[1, 2, 3, 4, 9], [5, 6, 7, 8]]), 2, generator(0))[0]
    assert one[1].tolist() == other[1].tolist()


def borders(graph: Graph, found: Components, hops: int) -> list[set[int]]:
    near = expected_distances(graph, found, hops)
    return [set(np.flatnonzero((row > 0) & np.isfinite(row)).tolist()) for row in near]


@given(graph_and_sets(), st.integers(1, 3), st.integers(1, 15), seeds)
def test_border_anchors_come_from_the_border(both, hops, count, seed) -> None:
    graph, sets = both
    found = components(graph, sets)
    samples = sample_border(
        graph, found, hops=hops, count=count, rngs=[generator(seed), generator(seed + 1)]
    )
    assert len(samples) == 2
    for ids, mask in samples:
        assert ids.shape == mask.shape == (len(found), count)
        assert (ids[~mask] == 0).all()
        for row, real, border in zip(ids, mask, borders(graph, found, hops), strict=True):
            taken = row[real].tolist()
            assert len(set(taken)) == len(taken) == min(len(border), count)
            assert set(taken) <= border


@pytest.mark.parametrize("hops", [1, 2])
def test_border_anchors_of_many_components(hops) -> None:
    graph = random_graph()
    found = components(graph, random_sets(graph, 30, 8))
    assert len(found) > 2 * 64
    ids, mask = sample_border(graph, found, hops=hops, count=300, rngs=[generator(0)])[0]
    expected = borders(graph, found, hops)
    assert [set(row[real].tolist()) for row, real in zip(ids, mask, strict=True)] == expected


def test_other_components_of_a_subgraph_are_on_the_border() -> None:
    graph = Graph.from_edges([0, 1], [1, 2])
    found = components(graph, Subgraphs.from_lists([[0, 2]]))
    ids, mask = sample_border(graph, found, hops=2, count=3, rngs=[generator(0)])[0]
    assert set(ids[0][mask[0]].tolist()) == {1, 2}


def test_border_anchors_are_uniform_and_independent_between_components() -> None:
    trials = 20_000
    graph = Graph.from_edges([0] * 5, [1, 2, 3, 4, 5])
    found = components(graph, Subgraphs.from_lists([[0]] * trials))
    ids, _ = sample_border(graph, found, hops=1, count=2, rngs=[generator(0)])[0]
    seen = np.bincount(ids[:, 0] * 6 + ids[:, 1], minlength=36).reshape(6, 6)[1:, 1:]
    assert (np.diag(seen) == 0).all()
    assert np.abs(seen[~np.eye(5, dtype=bool)] / trials - 1 / 20).max() < 0.01
    assert abs(np.mean(ids[1:, 0] == ids[:-1, 0]) - 1 / 5) < 0.015


def test_border_anchors_depend_on_the_generator_alone(monkeypatch) -> None:
    graph = random_graph()
    found = components(graph, random_sets(graph, 30, 8))
    first, second = sample_border(graph, found, hops=2, count=5, rngs=[generator(4), generator(5)])
    assert not np.array_equal(first[0], second[0])
    monkeypatch.setattr(anchors, "_BLOCK", 10)  # nor on how the work is cut
    again = sample_border(graph, found, hops=2, count=5, rngs=[generator(5)])[0]
    assert np.array_equal(second[0], again[0])
    assert np.array_equal(second[1], again[1])


# Walks


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
@given(both=graph_and_sets(), beta=st.sampled_from([0.0, 0.65, 1.0]), seed=seeds)
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
@given(both=graph_and_sets(), seed=seeds)
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


# Degree sequences


@pytest.mark.parametrize("side", ["internal", "border"])
@given(graph_and_sets())
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
