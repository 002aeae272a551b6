"""Distances from components against shortest paths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from component_cases import expected_distances, random_graph, random_sets
from strategies import graphs_with_subgraphs
from sub2node.base.ragged import generator
from sub2node.baselines.subgnn import distances
from sub2node.baselines.subgnn.components import components
from sub2node.baselines.subgnn.distances import component_distances


@pytest.mark.parametrize("few", [0, 4, 10**9])  # push always, sometimes, never
@given(both=graphs_with_subgraphs(), limit=st.integers(0, 12))
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
