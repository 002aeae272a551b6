"""Products with dense panels of hubs against the dense matrix."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from strategies import graphs
from sub2node.encode.hub_product import HubProduct
from sub2node.encode.spectrum import symmetric
from sub2node.task import Graph

MODULE = sys.modules["sub2node.encode.hub_product"]


def check(graph: Graph) -> HubProduct:
    """The product of a graph's S, which must be that of the dense matrix."""
    matrix = symmetric(graph, np.float32)
    product = HubProduct.of(matrix)
    assert sorted(product.rank.tolist()) == list(range(graph.num_nodes))
    x = np.random.default_rng(0).standard_normal((graph.num_nodes, 3)).astype(np.float32)
    ranked = torch.from_numpy(x[np.argsort(product.rank)])
    result = product(ranked).numpy()[product.rank]
    assert result == pytest.approx(matrix.toarray() @ x, abs=1e-5)
    return product


def hubs(size: int = 90, count: int = 20) -> Graph:
    """Some nodes that all know each other, and a ring of all."""
    low, high = np.triu_indices(count, 1)
    ring = np.arange(size)
    low, high = 3 * np.r_[low, ring] % size, 3 * np.r_[high, ring + 1] % size
    pairs = np.unique(np.sort(np.stack([low, high]), axis=0), axis=1)
    return Graph.from_edges(*pairs[:, pairs[0] < pairs[1]], num_nodes=size)


@pytest.mark.slow
@given(graph=graphs(edges=1), panel=st.integers(1, 9), hubs=st.integers(1, 40))
def test_panels_of_any_size_give_the_dense_product(graph: Graph, panel: int, hubs: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MODULE, "_PANEL", panel)
        patch.setattr(MODULE, "_HUBS", hubs)
        check(graph)


@pytest.mark.parametrize("panel", [8, 7])
def test_hubs_come_first_and_are_dense(monkeypatch: pytest.MonkeyPatch, panel: int) -> None:
    monkeypatch.setattr(MODULE, "_PANEL", panel)
    product = check(hubs())
    assert sorted(np.argsort(product.rank)[:20].tolist()) == list(range(0, 60, 3))
    assert [len(one) for one in product.panels] == [panel] * len(product.panels)
    assert 2 <= len(product.panels) <= 3
    entries = sum(int((one != 0).sum()) for one in product.panels)
    assert entries + len(product.sparse[1]) == symmetric(hubs()).nnz
    assert entries > 300


def test_without_hubs_nothing_is_moved() -> None:
    ring = np.arange(600)
    product = check(Graph.from_edges(ring, (ring + 1) % 600, num_nodes=600))
    assert product.panels == ()
    assert product.rank.tolist() == list(range(600))


def test_a_graph_smaller_than_a_panel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "_PRICE", 0.0)
    (panel,) = check(hubs(30, 10)).panels
    assert panel.shape == (30, 30)
