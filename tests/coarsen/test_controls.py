"""Random sets are connected and of the size that they should have."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coarsening_cases import RATIOS, pieces, wanted_of
from networkx_graphs import graph_of, to_networkx
from sub2node import ConfigError, Graph
from sub2node.coarsen import coarsen
from sub2node.coarsen.controls import CONTROL_METHODS


@pytest.mark.slow
@given(graph=pieces(), ratio=RATIOS, seed=st.integers(0, 99))
@pytest.mark.parametrize("method", CONTROL_METHODS)
def test_controls(method: str, graph: Graph, ratio: float, seed: int) -> None:
    if not graph.num_edges:
        return
    coarse = coarsen(graph, method, ratio, seed=seed)
    whole = to_networkx(graph)
    joined = sum(degree > 0 for _, degree in whole.degree)
    assert coarse.partition is None
    assert coarse.wanted == wanted_of(graph.num_nodes, ratio)
    assert coarse.num_sets == len(coarse) == min(coarse.wanted, joined)
    assert bool(coarse.notes) == (joined < coarse.wanted)
    own = coarse.subgraphs
    for i in range(len(own)):
        nodes = own.nodes[own.ptr[i] : own.ptr[i + 1]].tolist()
        inner = whole.subgraph(nodes)
        assert len(nodes) >= 2
        assert nx.is_connected(inner)
        if method == "ego_nets":  # small ones: all neighbours are there
            assert any({node, *whole[node]} == set(nodes) for node in nodes)
        else:
            assert len(nodes) <= 40
    again = coarsen(graph, method, ratio, seed=seed)
    assert again.subgraphs == own
    for what in (lambda: coarse.graph, coarse.errors):
        with pytest.raises(ConfigError, match="overlap, so there is no coarse graph"):
            what()


def test_ego_nets_of_hubs_are_cut() -> None:
    graph = nx.star_graph(300)
    coarse = coarsen(graph_of(graph), "ego_nets", 0.001)
    sizes = sorted(coarse.subgraphs.sizes.tolist())
    assert sizes == [*[2] * 300, 100]  # every leaf with the hub, and the hub with 99 leaves
    assert (coarse.subgraphs.nodes[np.r_[coarse.subgraphs.ptr[:-1]]] == 0).all()
    other = coarsen(graph_of(graph), "ego_nets", 0.001, seed=1)
    assert other.subgraphs != coarse.subgraphs


def test_walks_are_of_40_nodes_where_there_are_as_many() -> None:
    coarse = coarsen(graph_of(nx.complete_graph(200)), "random_walks", 0.5)
    assert set(coarse.subgraphs.sizes.tolist()) == {40}
    other = coarsen(graph_of(nx.complete_graph(200)), "random_walks", 0.5, seed=1)
    assert other.subgraphs != coarse.subgraphs
    short = coarsen(graph_of(nx.path_graph(5)), "random_walks", 0.5)
    assert set(short.subgraphs.sizes.tolist()) == {5}
