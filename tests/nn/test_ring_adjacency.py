"""Messages to some nodes only are those that the whole graph sends them."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from small_networks import ring_of
from strategies import graphs
from sub2node.nn.adjacency import Adjacency
from sub2node.nn.ring_adjacency import Ring, Within, leading
from sub2node.ops.pattern import Pattern


@given(graphs(weighted=True, plain=True), st.data())
def test_the_first_nodes_get_what_they_get_among_all(graph, data) -> None:
    adjacency = Adjacency.from_csr(graph.adjacency(loops=True))
    targets = data.draw(st.integers(1, graph.num_nodes))
    ring = ring_of(adjacency, targets)
    x = torch.randn(2, graph.num_nodes, 3, generator=torch.Generator().manual_seed(0))
    whole = adjacency.around(x, "normalized", times=0.5, plus=x, plus_times=0.25)
    part = ring.around(x, "normalized", times=0.5, plus=leading(x, ring), plus_times=0.25)
    torch.testing.assert_close(part, whole[:, :targets])
    assert leading(x, ring).shape == (2, targets, 3)
    assert leading(part, ring) is part


@pytest.mark.parametrize("inner", [False, True])
def test_the_last_targets_have_further_messages(inner: bool) -> None:
    stream = torch.Generator().manual_seed(1)
    dense = torch.rand(4, 6, generator=stream)
    pattern = Pattern.from_csr([0, 6, 12, 18, 24], list(range(6)) * 4, 6, "cpu")
    x, rest = torch.randn(2, 6, 3, generator=stream), torch.randn(2, 3, 3, generator=stream)
    square, entering, leaving = torch.rand(3, 3, generator=stream), *torch.rand(2, 3)
    within = Within(
        Pattern.from_csr([0, 3, 6, 9], [0, 1, 2] * 3, 3, "cpu"), square.flatten(), entering, leaving
    )
    ring = Ring(pattern, dense.flatten(), rest, within if inner else None)
    expected = dense @ x
    expected[:, 1:] += rest
    if inner:
        expected[:, 1:] += leaving[:, None] * (square @ (entering[:, None] * x[:, 1:4]))
    torch.testing.assert_close(ring.around(x, "normalized", times=2.0), 2 * expected)
