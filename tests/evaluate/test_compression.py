from __future__ import annotations

import pytest

import sub2node as s2n
from sub2node.evaluate import Compression, compression


def test_compression_counts_what_is_there() -> None:
    task = s2n.datasets.generate("density", subgraphs=20)
    graph = s2n.translate(task, top_k=2)
    found = compression(task, graph)
    dense = graph.weights.toarray()
    pairs = sum(dense[i, j] > 0 for i in range(20) for j in range(i))
    assert (found.nodes_before, found.nodes_after) == (400, 20)
    assert (found.edges_before, found.edges_after) == (task.graph.num_edges, pairs)
    assert found.nodes == pytest.approx(0.05)
    assert found.edges == pytest.approx(pairs / task.graph.num_edges)
    assert found.density == pytest.approx(pairs / 190)


def test_nothing_to_compare_with() -> None:
    assert Compression(None, 1, 0, 0).nodes is None
    assert Compression(None, 1, 0, 0).edges is None
    assert Compression(None, 1, 0, 0).density == 0
