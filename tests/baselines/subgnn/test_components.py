"""Components of subgraphs against NetworkX."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from component_cases import NO_EDGES, NOTHING, lists
from networkx_graphs import to_networkx
from strategies import graphs_with_subgraphs
from sub2node.baselines.subgnn.anchors import sample_border
from sub2node.baselines.subgnn.components import components
from sub2node.baselines.subgnn.distances import component_distances
from sub2node.task import Graph, Subgraphs

NO_SETS = Subgraphs.from_lists([])


@given(graphs_with_subgraphs())
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
    ids, mask = sample_border(graph, empty, hops=1, count=3, keys=[np.empty(0, np.uint64)])[0]
    assert ids.shape == mask.shape == (0, 3)
