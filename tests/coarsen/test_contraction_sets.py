"""Contraction of whole sets: costs by their matrices, the choice by a heap."""

from __future__ import annotations

import heapq

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import graphs, node_sets
from sub2node.base.ragged import pointers
from sub2node.coarsen import contraction_sets as module
from sub2node.coarsen import levels
from sub2node.coarsen.contraction_sets import (
    Candidates,
    Chosen,
    cliques,
    greedy_sets,
    neighborhoods,
    set_costs,
)
from sub2node.coarsen.costs import Level
from sub2node.task import Graph, Subgraphs
from sub2node.task import induced_edges as inside_module


def level_of(graph: Graph, *, width: int = 2, seed: int = 0) -> Level:
    basis = np.random.default_rng(seed).standard_normal((graph.num_nodes, width))
    _, component = np.unique(np.zeros(graph.num_nodes), return_inverse=True)
    return Level(graph.adjacency(dtype=np.float64), basis, component, np.random.default_rng(seed))


def rows_of(sets: Candidates | Chosen) -> list[list[int]]:
    return [sets.nodes[a:b].tolist() for a, b in zip(sets.ptr, sets.ptr[1:], strict=False)]


def cost_of(level: Level, members: list[int]) -> float:
    return float(set_costs(level, np.array([0, len(members)]), np.array(members))[0])


@st.composite
def larger(draw: st.DrawFn) -> Graph:
    """A random graph of up to 40 nodes; sparse, dense, or with weights."""
    size, seed = draw(st.integers(3, 40)), draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    share = draw(st.sampled_from([0.05, 0.1, 0.2, 0.5]))
    low, high = np.nonzero(np.triu(rng.random((size, size)) < share, 1))
    weights = rng.integers(1, 6, len(low)).astype(float) if draw(st.booleans()) else None
    return Graph.from_edges(low, high, num_nodes=size, weights=weights)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Level, Subgraphs]:
    graph = draw(graphs(edges=1, plain=True))
    sets = Subgraphs.from_lists(draw(node_sets(graph.num_nodes, smallest=2)))
    return level_of(graph, width=draw(st.integers(0, 4)), seed=draw(st.integers(0, 99))), sets


@given(cases(), st.integers(1, 5))
def test_costs_equal_the_matrices(case: tuple[Level, Subgraphs], block: int) -> None:
    level, sets = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inside_module, "_BLOCK", block)
        found = set_costs(level, sets.ptr, sets.nodes)
    dense = level.weights.toarray()
    for i in range(len(sets)):
        members = sets.nodes[sets.ptr[i] : sets.ptr[i + 1]]
        within = dense[np.ix_(members, members)]
        local = np.diag(2 * dense.sum(axis=1)[members] - within.sum(axis=1)) - within
        rows = level.basis[members]
        centred = rows - rows.mean(axis=0)
        expected = np.linalg.norm(centred.T @ local @ centred) / max(len(members) - 1, 1)
        assert found[i] == pytest.approx(expected, abs=1e-12)


@given(graphs(edges=1, plain=True))
def test_neighborhoods_are_nodes_with_their_neighbours(graph: Graph) -> None:
    level = level_of(graph)
    sets = neighborhoods(level)
    dense = level.weights.toarray() + np.eye(graph.num_nodes)
    assert rows_of(sets) == [np.flatnonzero(row).tolist() for row in dense]
    assert sets.centre is not None
    assert sets.centre.tolist() == list(range(graph.num_nodes))


@given(larger())
def test_cliques_equal_networkx(graph: Graph) -> None:
    found = cliques(level_of(graph))
    low, high, _ = graph.edges()
    whole = nx.Graph(list(zip(low.tolist(), high.tolist(), strict=True)))
    expected = sorted(sorted(clique) for clique in nx.find_cliques(whole))
    assert found is not None
    assert sorted(rows_of(found)) == expected


def test_too_many_cliques_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Graph.from_edges(*np.array(nx.complete_multipartite_graph(*[3] * 5).edges).T)
    assert cliques(level_of(graph)) is not None  # 3^5 cliques of 5 members
    monkeypatch.setattr(module, "_MEMBERS", 3**5 * 5 - 1)
    assert cliques(level_of(graph)) is None


def by_heap(level: Level, sets: Candidates) -> list[list[int]]:
    """The cheapest set first; what is left of a set that lost members is put back at its cost."""
    members = rows_of(sets)
    heap = [(cost_of(level, m), i) for i, m in enumerate(members) if len(m) > 1]
    heapq.heapify(heap)
    taken: set[int] = set()
    result: list[list[int]] = []
    while heap:
        _, i = heapq.heappop(heap)
        rest = [node for node in members[i] if node not in taken]
        if len(rest) == len(members[i]):
            result.append(rest)
            taken |= set(rest)
        elif len(rest) > 1 and (sets.centre is None or sets.centre[i] not in taken):
            members[i] = rest
            heapq.heappush(heap, (cost_of(level, rest), i))
    return result


def assert_equals_a_heap(kind: object, level: Level) -> None:
    sets = neighborhoods(level) if kind is neighborhoods else cliques(level)
    assert sets is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHEAPEST", 10**6)  # no set is left aside
        chosen = rows_of(greedy_sets(level, sets))
    assert chosen == by_heap(level, sets)


@given(graph=larger(), width=st.integers(1, 3), seed=st.integers(0, 99))
@pytest.mark.parametrize("kind", [neighborhoods, cliques])
def test_the_choice_equals_a_heap(kind: object, graph: Graph, width: int, seed: int) -> None:
    level = level_of(graph, width=width, seed=seed)
    assert_equals_a_heap(kind, level)


@given(graph=larger(), values=st.integers(0, 2))
@pytest.mark.parametrize("kind", [neighborhoods, cliques])
def test_the_choice_equals_a_heap_where_costs_are_equal(
    kind: object, graph: Graph, values: int
) -> None:
    # Vectors of few different whole numbers: many sets cost the same, or nothing.
    basis = np.random.default_rng(values).integers(0, values + 1, (graph.num_nodes, 1))
    weights = graph.adjacency(dtype=np.float64)
    level = Level(
        weights, basis.astype(float), np.zeros(len(basis), np.int64), np.random.default_rng(0)
    )
    assert_equals_a_heap(kind, level)


@given(graph=larger(), seed=st.integers(0, 99), most=st.integers(1, 3))
def test_only_the_cheapest_sets_of_each_node_are_candidates(
    graph: Graph, seed: int, most: int
) -> None:
    level = level_of(graph, seed=seed)
    sets = cliques(level)
    assert sets is not None
    cost = set_costs(level, sets.ptr, sets.nodes)
    members = rows_of(sets)
    kept: set[int] = set()
    for node in range(graph.num_nodes):
        around = [i for i, m in enumerate(members) if node in m]
        kept |= set(sorted(around, key=lambda i: (cost[i], i))[:most])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHEAPEST", most)
        if not kept:
            return
        fewer, theirs = module._cheapest(sets, cost)
        assert rows_of(fewer) == [members[i] for i in sorted(kept)]
        assert theirs.tolist() == cost[sorted(kept)].tolist()
        found = rows_of(greedy_sets(level, sets))
    many = len(members) > most * graph.num_nodes
    assert found == by_heap(level, fewer if many else sets)


def test_where_there_are_many_sets_the_cheapest_are_taken() -> None:
    graph = Graph.from_edges(*np.array(nx.complete_multipartite_graph(*[3] * 5).edges).T)
    level = level_of(graph)
    sets = cliques(level)
    assert sets is not None
    assert len(sets.ptr) - 1 > module._CHEAPEST * graph.num_nodes
    fewer, _ = module._cheapest(sets, set_costs(level, sets.ptr, sets.nodes))
    assert len(fewer.ptr) < len(sets.ptr)
    assert rows_of(greedy_sets(level, sets)) == by_heap(level, fewer)


def test_no_sets_no_choice() -> None:
    level = level_of(Graph.from_edges([0], [1], num_nodes=4))
    none = Candidates(np.zeros(1, np.int64), np.empty(0, np.int64))
    assert rows_of(greedy_sets(level, none)) == []
    single = Candidates(np.array([0, 1, 2]), np.array([0, 3]))
    assert rows_of(greedy_sets(level, single)) == []


@given(
    sizes=st.lists(st.integers(2, 6), max_size=12),
    left=st.lists(st.integers(0, 12), min_size=3, max_size=3),
    data=st.data(),
)
def test_sets_are_taken_in_order_as_long_as_they_fit(
    sizes: list[int], left: list[int], data: st.DataObject
) -> None:
    home = data.draw(st.lists(st.integers(0, 2), min_size=len(sizes), max_size=len(sizes)))
    component = np.r_[np.repeat(home, sizes).astype(np.int64), [0, 1, 2]]  # three nodes alone
    order = data.draw(st.permutations(range(len(component) - 3)))
    place = np.array([*order, *range(len(order), len(component))], np.int64)
    scattered = np.empty(len(component), np.int64)
    scattered[place] = component
    chosen = Chosen(pointers(np.array(sizes, np.int64)), place[: len(order)])
    empty = Graph.from_edges([], [], num_nodes=len(component))
    level = Level(empty.adjacency(), np.zeros((len(component), 0)), scattered, None)  # type: ignore[arg-type]
    found = levels._fit_sets(level, np.array(left), chosen)
    expected, rest = list(range(len(component))), list(left)
    for members, where in zip(rows_of(chosen), home, strict=True):
        if len(members) - 1 <= rest[where]:
            rest[where] -= len(members) - 1
            for node in members:
                expected[node] = min(members)
    assert found.tolist() == expected
