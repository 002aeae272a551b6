"""Subgraph vectors against loops and PyG's aggregations."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch_geometric.nn.aggr import AttentionalAggregation, MaxAggregation

from strategies import tasks
from sub2node import SubgraphTask
from sub2node.nn.readout import Members, Readout
from sub2node.nn.streams import Init
from sub2node.ops.pattern import Pattern
from sub2node.translation import stage_inputs

WIDTH = 4
SEEDS = (3, 4)
seeds = st.integers(0, 2**20)


def vectors(size: int, seed: int) -> Tensor:
    stream = torch.Generator().manual_seed(seed)
    return torch.randn(len(SEEDS), size, WIDTH, generator=stream).requires_grad_()


def members_of(task: SubgraphTask, weights: Tensor | None) -> Members:
    sets = task.subgraphs
    return Members(Pattern.from_csr(sets.ptr, sets.nodes, task.graph.num_nodes), weights)


def some_weights(task: SubgraphTask, seed: int) -> Tensor | None:
    """None, or one positive number a member."""
    stream = torch.Generator().manual_seed(seed)
    drawn = torch.rand(len(task.subgraphs.nodes), generator=stream) + 0.1
    return drawn if seed % 2 else None


def assert_same(result: Tensor, expected: Tensor, x: Tensor) -> None:
    """Values and gradients."""
    torch.testing.assert_close(result, expected)
    above = torch.randn(result.shape, generator=torch.Generator().manual_seed(1))
    grads, wanted = (torch.autograd.grad(out, x, above) for out in (result, expected))
    torch.testing.assert_close(grads, wanted, rtol=1e-4, atol=1e-5)


@given(tasks(), st.sampled_from(["sum", "mean", "degree"]), seeds)
def test_constant_weights_give_a_weighted_sum(task: SubgraphTask, kind: str, seed: int) -> None:
    given_weights = stage_inputs(task, "test", readout=kind).weights  # type: ignore[arg-type]
    weights, x = torch.tensor(given_weights), vectors(task.graph.num_nodes, seed)
    sets, sums = task.subgraphs, []
    for i in range(len(task)):
        total = torch.zeros(len(SEEDS), WIDTH)
        for k in range(sets.ptr[i], sets.ptr[i + 1]):
            total = total + weights[k] * x[:, sets.nodes[k]]
        sums.append(total)
    readout = Readout("constant", WIDTH, Init(SEEDS))
    result = readout(x, members_of(task, weights))
    assert_same(result, torch.stack(sums, dim=1), x)
    assert not list(readout.parameters())


@settings(max_examples=20)
@given(tasks(), seeds)
def test_no_weights_are_weights_of_one(task: SubgraphTask, seed: int) -> None:
    x, ones = vectors(task.graph.num_nodes, seed), torch.ones(len(task.subgraphs.nodes))
    for kind in ("constant", "max", "learned"):
        readout = Readout(kind, WIDTH, Init(SEEDS))  # type: ignore[arg-type]
        result = readout(x, members_of(task, None))
        torch.testing.assert_close(result, readout(x, members_of(task, ones)))


def flat_vectors(task: SubgraphTask, x: Tensor, weights: Tensor | None) -> Tensor:
    picked = x[:, torch.from_numpy(np.array(task.subgraphs.nodes, dtype=np.int64))]
    return picked if weights is None else picked * weights[:, None]


@given(tasks(), seeds)
def test_max_is_that_of_pyg(task: SubgraphTask, seed: int) -> None:
    x, weights = vectors(task.graph.num_nodes, seed), some_weights(task, seed)
    owner = torch.tensor(task.subgraphs.owner)
    result = Readout("max", WIDTH, Init(SEEDS))(x, members_of(task, weights))
    expected = MaxAggregation()(flat_vectors(task, x, weights), owner, dim=1, dim_size=len(task))
    assert_same(result, expected, x)


@given(tasks(), seeds)
def test_learned_weights_are_the_attention_of_pyg(task: SubgraphTask, seed: int) -> None:
    x, weights = vectors(task.graph.num_nodes, seed), some_weights(task, seed)
    owner = torch.tensor(task.subgraphs.owner)
    readout = Readout("learned", WIDTH, Init(SEEDS))
    score = readout.score
    assert score is not None
    assert score.bias is not None
    result = readout(x, members_of(task, weights))
    flat = flat_vectors(task, x, weights)
    for r in range(len(SEEDS)):
        gate = nn.Linear(WIDTH, 1)
        gate.weight.data, gate.bias.data = score.weight[r].T.detach(), score.bias[r, 0].detach()
        expected = AttentionalAggregation(gate)(flat[r], owner, dim_size=len(task))
        torch.testing.assert_close(result[r], expected)
        above = torch.randn(expected.shape, generator=torch.Generator().manual_seed(1))
        ours = torch.autograd.grad(result[r], (x, score.weight), above, retain_graph=True)
        theirs = torch.autograd.grad(expected, (x, gate.weight), above, retain_graph=True)
        torch.testing.assert_close(ours[0], theirs[0], rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(ours[1][r], theirs[1].T, rtol=1e-4, atol=1e-5)
