"""Edges inside node sets against NetworkX."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from strategies import graphs_with_subgraphs, induced_subgraph
from sub2node.task import Graph, Subgraphs
from sub2node.task import induced_edges as module


@given(graphs_with_subgraphs(), st.integers(1, 5))
def test_induced_edges_equal_networkx(case: tuple[Graph, Subgraphs], block: int) -> None:
    graph, sets = case
    whole, module._BLOCK = module._BLOCK, block
    try:
        ptr, ends = sets.induced_edges(graph)
    finally:
        module._BLOCK = whole
    for i in range(len(sets)):
        members = sets.nodes[sets.ptr[i] : sets.ptr[i + 1]].tolist()
        mine = sets.nodes[ends[:, ptr[i] : ptr[i + 1]]].T.tolist()
        expected = induced_subgraph(graph, members).edges
        assert {frozenset(e) for e in mine} == {frozenset(e) for e in expected}
        assert len(mine) == len(expected)
    assert np.array_equal(ends, sets._find_induced_edges(graph)[1])
