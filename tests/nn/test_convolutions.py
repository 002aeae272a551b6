"""Every convolution against PyG's own, and what all of them have to do."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch_geometric.nn import FAConv, GATv2Conv, GCN2Conv, GCNConv, GINConv, SAGEConv

from ring_tasks import ring
from strategies import graphs
from sub2node.config import ConvolutionSettings
from sub2node.nn.adjacency import Adjacency
from sub2node.nn.convolutions import CONVOLUTIONS
from sub2node.nn.streams import Init
from sub2node.task import Graph

WIDTH = 8
SEEDS = (3, 4)
seeds = st.integers(0, 2**20)
weighted_graphs = graphs(weighted=True, plain=True)


def matrix_of(graph: Graph, scale: float = 3.0) -> Any:
    """Symmetric, with the graph's self-loops; isolated nodes stay."""
    return (graph.adjacency(loops=True) / np.float32(scale)).tocsr().astype(np.float32)


def inputs(size: int, seed: int) -> tuple[Tensor, Tensor]:
    stream = torch.Generator().manual_seed(seed)
    drawn = torch.randn(2, len(SEEDS), size, WIDTH, generator=stream)
    return drawn[0].requires_grad_(), drawn[1].requires_grad_()


def made(
    name: str, settings: ConvolutionSettings | None = None, layer: int = 1, *, weighted: bool = True
) -> nn.Module:
    conv = CONVOLUTIONS[name](
        WIDTH, settings or ConvolutionSettings(), layer=layer, weighted=weighted, init=Init(SEEDS)
    )
    stream = torch.Generator().manual_seed(9)
    with torch.no_grad():  # zero biases and ε would hide a mistake
        for parameter in conv.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=stream) * 0.1)
    return conv


def edge_list(matrix: Any) -> tuple[Tensor, Tensor]:
    coo = matrix.tocoo()
    ends = torch.from_numpy(np.stack(coo.coords[::-1]).astype(np.int64))
    return ends, torch.from_numpy(coo.data)


def torch_csr(matrix: Any) -> Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "CSR is in beta state"
        return torch.sparse_csr_tensor(
            torch.from_numpy(matrix.indptr.astype(np.int64)),
            torch.from_numpy(matrix.indices.astype(np.int64)),
            torch.from_numpy(matrix.data),
            matrix.shape,
        )


Pairs = list[tuple[Tensor, Tensor]]


def assert_same_as_pyg(
    conv: nn.Module,
    graph: Adjacency,
    reference: Callable[[int, Tensor, Tensor], tuple[Tensor, Pairs]],
    x: Tensor,
    first: Tensor,
) -> None:
    """Outputs and gradients; ``reference`` gives an output and pairs (their weight, our stack)."""
    ours = conv(x, first, graph)
    above = torch.randn(ours.shape, generator=torch.Generator().manual_seed(1))
    grads = dict(zip(("x", "first"), grad_of(ours, above, [x, first]), strict=True))
    parameters = list(conv.parameters())
    stacked = grad_of(ours, above, parameters)
    for r in range(len(SEEDS)):
        theirs, pairs = reference(r, x[r], first[r])
        close(ours[r], theirs)
        close(grads["x"][r], grad_of(theirs, above[r], [x])[0][r])
        close(grads["first"][r], grad_of(theirs, above[r], [first])[0][r])
        assert len(pairs) == len(parameters)
        for weight, parameter in pairs:
            at = next(i for i, p in enumerate(parameters) if p is parameter)
            result = stacked[at][r]
            wanted = grad_of(theirs, above[r], [weight])[0]
            close(result, wanted.reshape(result.shape))


def grad_of(out: Tensor, above: Tensor, of: list[Tensor]) -> tuple[Tensor, ...]:
    return torch.autograd.grad(
        out, of, above, retain_graph=True, allow_unused=True, materialize_grads=True
    )


def close(result: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(result, expected, rtol=1e-3, atol=1e-4)


def put(theirs: Any, ours: Tensor, r: int) -> tuple[Tensor, Tensor]:
    """Give PyG's parameter our values, and pair them."""
    theirs.data = ours[r].detach().reshape(theirs.shape).clone()
    return theirs, ours


def linear(theirs: Any, ours: Any, r: int) -> Pairs:
    """Make a PyG linear map ours, as the transpose of a leaf (in, out), so that gradients match."""
    leaf = ours.weight[r].detach().clone().requires_grad_()
    del theirs.weight
    theirs.weight = leaf.T
    pairs = [(leaf, ours.weight)]
    if ours.bias is not None:
        pairs.append(put(theirs.bias, ours.bias, r))
    return pairs


@given(weighted_graphs, seeds)
def test_gcn(graph: Graph, seed: int) -> None:
    matrix, conv = matrix_of(graph), made("gcn")

    def reference(r: int, x: Tensor, first: Tensor) -> tuple[Tensor, Pairs]:
        layer = GCNConv(WIDTH, WIDTH)
        pairs = [*linear(layer.lin, conv.linear, r), put(layer.bias, conv.bias, r)]
        return layer(x, *edge_list(matrix)), pairs

    x, first = inputs(graph.num_nodes, seed)
    assert_same_as_pyg(conv, Adjacency.from_csr(matrix), reference, x, first)


@pytest.mark.slow
@given(graph=weighted_graphs, seed=seeds, layer=st.sampled_from([1, 2, 5]))
@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_gcn2(graph: Graph, seed: int, layer: int, shared: bool, same: bool) -> None:
    matrix = matrix_of(graph)
    conv = made("gcn2", ConvolutionSettings(alpha=0.3, theta=1.5, shared_weights=shared), layer)

    def reference(r: int, x: Tensor, first: Tensor) -> tuple[Tensor, Pairs]:
        theirs = GCN2Conv(WIDTH, 0.3, 1.5, layer, shared_weights=shared)
        pairs = [put(theirs.weight1, conv.weight, r)]
        if not shared:
            pairs.append(put(theirs.weight2, conv.weight_first, r))
        return theirs(x, first, *edge_list(matrix)), pairs

    x, first = inputs(graph.num_nodes, seed)
    assert_same_as_pyg(conv, Adjacency.from_csr(matrix), reference, x, x if same else first)


@pytest.mark.slow
@given(graph=weighted_graphs, seed=seeds)
@pytest.mark.parametrize("heads", [1, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_gatv2(graph: Graph, seed: int, weighted: bool, heads: int) -> None:
    matrix = matrix_of(graph)
    conv = made("gatv2", ConvolutionSettings(heads=heads), weighted=weighted)

    def reference(r: int, x: Tensor, first: Tensor) -> tuple[Tensor, Pairs]:
        layer = GATv2Conv(WIDTH, WIDTH // heads, heads, edge_dim=1 if weighted else None)
        pairs = [*linear(layer.lin_l, conv.source, r), *linear(layer.lin_r, conv.target, r)]
        pairs += [put(layer.att, conv.attention, r), put(layer.bias, conv.bias, r)]
        ends, weights = edge_list(matrix)
        if not weighted:
            return layer(x, ends), pairs
        pairs.append(put(layer.lin_edge.weight, conv.edge, r))
        return layer(x, ends, weights[:, None]), pairs

    x, first = inputs(graph.num_nodes, seed)
    assert_same_as_pyg(conv, Adjacency.from_csr(matrix), reference, x, first)


@given(graph=weighted_graphs, seed=seeds)
@pytest.mark.parametrize("train_eps", [False, True])
def test_gin(graph: Graph, seed: int, train_eps: bool) -> None:
    matrix, conv = matrix_of(graph), made("gin", ConvolutionSettings(train_eps=train_eps))

    def reference(r: int, x: Tensor, first: Tensor) -> tuple[Tensor, Pairs]:
        mlp = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))
        layer = GINConv(mlp, train_eps=train_eps)
        pairs = [*linear(mlp[0], conv.first, r), *linear(mlp[2], conv.second, r)]
        if train_eps:
            pairs.append(put(layer.eps, conv.eps, r))
        return layer(x, torch_csr(matrix)), pairs

    x, first = inputs(graph.num_nodes, seed)
    assert_same_as_pyg(conv, Adjacency.from_csr(matrix), reference, x, first)


@given(weighted_graphs, seeds)
def test_sage(graph: Graph, seed: int) -> None:
    matrix, conv = matrix_of(graph), made("sage")

    def reference(r: int, x: Tensor, first: Tensor) -> tuple[Tensor, Pairs]:
        layer = SAGEConv(WIDTH, WIDTH)
        pairs = [*linear(layer.lin_l, conv.around, r), *linear(layer.lin_r, conv.own, r)]
        return layer(x, torch_csr(matrix)), pairs

    x, first = inputs(graph.num_nodes, seed)
    assert_same_as_pyg(conv, Adjacency.from_csr(matrix), reference, x, first)


@pytest.mark.parametrize("weighted", [False, True])
@given(graph=weighted_graphs, seed=seeds)
def test_fagcn(graph: Graph, seed: int, weighted: bool) -> None:
    """PyG normalises unweighted graphs itself; ready weights it takes as they are."""
    matrix, conv = matrix_of(graph), made("fagcn", ConvolutionSettings(eps=0.4))
    if not weighted:
        matrix.data[:] = 1
    adjacency = Adjacency.from_csr(matrix)

    def reference(r: int, x: Tensor, first: Tensor) -> tuple[Tensor, Pairs]:
        layer = FAConv(WIDTH, eps=0.4, normalize=not weighted)
        pairs = [*linear(layer.att_l, conv.source, r), *linear(layer.att_r, conv.target, r)]
        if not weighted:
            return layer(x, first, edge_list(matrix)[0]), pairs
        ends = torch.stack([adjacency.pattern.index, adjacency.pattern.row]).long()
        return layer(x, first, ends, adjacency.normalized), pairs

    x, first = inputs(graph.num_nodes, seed)
    assert_same_as_pyg(conv, adjacency, reference, x, first)


@pytest.mark.parametrize("name", CONVOLUTIONS)
class TestContract:
    def test_a_changed_weight_changes_the_output(self, name: str) -> None:
        conv, (x, first) = made(name), inputs(7, 0)
        before, after = (conv(x, first, Adjacency.from_csr(ring(w))) for w in (0.4, 0.5))
        moved = (before - after).abs().amax(dim=(0, 2))
        assert (moved[[0, 3]] > 1e-4).all()
        assert moved[6] == 0

    @pytest.mark.parametrize("gone", [{"weight": 0.0}, {"loop": 0.0}, {"weight": 0.0, "loop": 0.0}])
    def test_a_dropped_edge_is_as_if_it_had_never_been(
        self, name: str, gone: dict[str, float]
    ) -> None:
        conv, (x, first) = made(name), inputs(7, 0)
        whole, without = Adjacency.from_csr(ring()), Adjacency.from_csr(ring(**gone))
        row, column = whole.pattern.row, whole.pattern.index
        chord = ((row == 0) & (column == 3)) | ((row == 3) & (column == 0))
        loop = (row == 2) & (column == 2)
        dropped = (chord & ("weight" in gone)) | (loop & ("loop" in gone))
        keep = torch.ones(len(SEEDS), len(row))
        keep[1, dropped] = 0  # of the second replica only
        result = conv(x, first, whole.drop(keep))
        torch.testing.assert_close(result[0], conv(x, first, whole)[0])
        torch.testing.assert_close(result[1], conv(x, first, without)[1])

    def test_a_replica_is_what_it_is_alone(self, name: str) -> None:
        graph, (x, first) = Adjacency.from_csr(ring()), inputs(7, 0)
        together = CONVOLUTIONS[name](
            WIDTH, ConvolutionSettings(), layer=2, weighted=True, init=Init(SEEDS)
        )
        out = together(x, first, graph)
        for r, seed in enumerate(SEEDS):
            alone = CONVOLUTIONS[name](
                WIDTH, ConvolutionSettings(), layer=2, weighted=True, init=Init([seed])
            )
            part = slice(r, r + 1)
            torch.testing.assert_close(alone(x[part], first[part], graph), out[part])
        assert any(not torch.equal(p[0], p[1]) for p in together.parameters())

    def test_unweighted_graphs_are_graphs_of_weight_one(self, name: str) -> None:
        x, first = inputs(7, 0)
        matrix = ring()
        matrix.data[:] = 1
        graph = Adjacency.from_csr(matrix, weighted=False)
        conv = made(name, weighted=False)
        torch.testing.assert_close(
            conv(x, first, graph), conv(x, first, replace(graph, weighted=True))
        )
