"""A graph as convolutions read it, against dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from ring_tasks import ring
from strategies import graphs
from sub2node.nn.adjacency import Adjacency
from sub2node.ops.triton.dropout_draws import Draw


def test_a_dropped_self_loop_is_refilled_with_one() -> None:
    graph = Adjacency.from_csr(ring(loop=5.0))
    loop = (graph.pattern.row == 2) & (graph.pattern.index == 2)
    dropped = graph.drop(torch.where(loop, 0.0, 1.0)[None])
    dense = torch.from_numpy(ring(loop=1.0).toarray())
    dense += torch.diag((dense.diagonal() == 0).float())
    scale = dense.sum(1).rsqrt()
    expected = scale[:, None] * dense * scale
    result = dropped.normalized[0]
    torch.testing.assert_close(result, expected[graph.pattern.row, graph.pattern.index])


def test_an_edge_list_has_the_present_edges_of_one_replica() -> None:
    graph = Adjacency.from_csr(ring())
    keep = torch.ones(2, len(graph.pattern.row))
    keep[1, graph.pattern.row == 0] = 0
    dense = ring().toarray()
    for r, rows in enumerate((slice(None), slice(1, None))):
        (source, target), weights = graph.drop(keep).edge_list(r)
        result = np.zeros((7, 7), np.float32)
        result[target, source] = weights
        expected = np.zeros_like(dense)
        expected[rows] = dense[rows]
        assert np.array_equal(result, expected)


def dense_of(graph: Adjacency, values: torch.Tensor) -> torch.Tensor:
    """(R, E) → (R, n, n)."""
    dense = torch.zeros(len(values), graph.pattern.num_rows, graph.pattern.num_rows)
    dense[:, graph.pattern.row, graph.pattern.index] = values
    return dense


@given(
    graph=graphs(weighted=True, plain=True),
    kind=st.sampled_from(["normalized", "weighted", "mean"]),
    plus=st.sampled_from(["none", "same", "other"]),
    seed=st.integers(0, 9),
)
def test_sums_around_nodes_are_products_with_dense_matrices(graph, kind, plus, seed) -> None:
    adjacency = Adjacency.from_csr(graph.adjacency(loops=True))
    stream = torch.Generator().manual_seed(seed)
    keep = (torch.rand(2, len(adjacency.pattern.index), generator=stream) < 0.7).float()
    dropped = adjacency.drop(keep)
    weights = dense_of(dropped, dropped.values)
    if kind == "normalized":
        weights = weights + torch.diag_embed((weights.diagonal(dim1=1, dim2=2) == 0).float())
        root = weights.sum(2).rsqrt()
        weights = root[:, :, None] * weights * root[:, None]
    elif kind == "mean":
        weights = weights / (weights != 0).sum(2, keepdim=True).clamp(min=1)
    x, other = torch.randn(2, 2, graph.num_nodes, 3, generator=stream)
    added = {"none": None, "same": x, "other": other}[plus]
    result = dropped.around(x, kind, times=0.5, plus=added, plus_times=0.25)
    expected = 0.5 * weights @ x + (0.0 if added is None else 0.25 * added)
    torch.testing.assert_close(result, expected)


def test_a_draw_is_the_mask_that_it_draws() -> None:
    graph = Adjacency.from_csr(ring())
    draw = Draw(torch.tensor([1, 2]), torch.tensor(3), 1, 0.5)
    mask = draw.keep(len(graph.pattern.index))
    assert torch.equal(graph.drop(draw).values, graph.drop(mask).values)
    assert torch.equal(graph.drop(draw).present, (graph.weights * mask) != 0)
    assert graph.off_diagonal.sum() == len(graph.pattern.index) - 7


@pytest.mark.parametrize("kind", ["normalized", "weighted", "mean"])
def test_messages_of_one_direction_and_their_gradient_are_those_of_dense_matrices(kind) -> None:
    rng = np.random.default_rng(0)
    matrix = sp.csr_array(np.where(rng.random((6, 6)) < 0.4, rng.integers(1, 5, (6, 6)), 0))
    assert (matrix != matrix.T).nnz
    adjacency = Adjacency.from_csr(matrix)
    dense = torch.from_numpy(matrix.toarray()).float()
    if kind == "mean":
        dense = dense / (dense != 0).sum(1, keepdim=True).clamp(min=1)
    if kind == "normalized":
        dense = dense + torch.diag((dense.diagonal() == 0).float())
        scale = dense.sum(1).rsqrt()
        dense = scale[:, None] * dense * scale
    x = torch.randn(1, 6, 3, generator=torch.Generator().manual_seed(0), requires_grad=True)
    found, times = adjacency.around(x, kind), torch.arange(18.0).view(1, 6, 3)
    torch.testing.assert_close(found, dense @ x)
    (found * times).sum().backward()
    torch.testing.assert_close(x.grad, dense.T @ times)
