"""GLASS: labels, mixing, normalisations and the whole network, against plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.functional import elu, linear
from torch_geometric.nn.norm import GraphNorm as TheirNorm

import sub2node as s2n
from glass_cases import CPU, five_nodes, network
from strategies import graphs
from sub2node.baselines.batch_network import gather_members
from sub2node.baselines.glass import (
    GLASS,
    GraphNorm,
    Mixed,
    Neighbours,
)
from sub2node.nn import Init
from sub2node.task import Graph, SubgraphTask

ROOT = math.sqrt(2)


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@given(graphs(plain=True), st.sampled_from(["mean", "sum", "gcn"]))
def test_each_normalisation_of_the_adjacency(graph: Graph, kind) -> None:
    matrix = graph.adjacency(loops=True, dtype=np.float64).toarray()
    degrees = matrix.sum(1)
    degrees[degrees < 0.5] += 1
    expected = {
        "sum": matrix,
        "mean": matrix / degrees[:, None],
        "gcn": matrix / np.sqrt(degrees[:, None] * degrees),
    }[kind]
    x = drawn(2, graph.num_nodes, 3)
    result = Neighbours.of(graph, kind)(x)
    torch.testing.assert_close(result, torch.from_numpy(expected).float() @ x)


def test_normalisations_by_hand() -> None:
    graph, x = five_nodes().graph, torch.tensor([1.0, 10, 100, 1000, 5]).view(1, 5, 1)
    heard = {kind: Neighbours.of(graph, kind)(x).flatten().tolist() for kind in
             ("sum", "mean", "gcn")}  # type: ignore  # fmt: skip
    assert heard["sum"] == [110, 101, 1011, 100, 0]
    assert heard["mean"] == [55, 50.5, 337, 100, 0]
    assert heard["gcn"][3] == pytest.approx(100 / math.sqrt(3))
    assert heard["gcn"][0] == pytest.approx(10 / 2 + 100 / math.sqrt(6))


def test_nodes_of_any_subgraph_of_the_batch_are_labelled() -> None:
    task = five_nodes()
    model = network(task, z_ratio=0.75)
    rows = np.array([[0, 2], [1, 1]])  # nodes 0, 1, 2 and nodes 2, 3
    members = gather_members(model.ptr, model.nodes, rows=rows, stride=5, device=CPU)
    share = model.shares(members.places, 2)
    assert share is not None
    assert share.squeeze(-1).tolist() == [
        [0.75, 0.75, 0.75, 0.25, 0.25],
        [0.25, 0.25, 0.75, 0.75, 0.25],
    ]
    assert network(task, labelled=False).shares(members.places, 2) is None


@given(st.floats(0.5, 1), st.booleans())
def test_maps_are_mixed_by_the_z_ratio(ratio: float, activate: bool) -> None:
    layer, x = Mixed(4, 3, True, Init((1, 2))), drawn(2, 5, 4)
    label = torch.tensor([[1, 0, 1, 0, 0], [0, 0, 0, 1, 1]]).bool()
    share = torch.where(label, ratio, 1 - ratio).unsqueeze(-1)
    result = layer(x, share, activate=activate)
    act = elu if activate else (lambda value: value)
    for r in range(2):
        weight, bias = layer.linear.weight[r].T, layer.linear.bias[r, 0]
        ones = act(linear(x[r], weight[:3], bias[:3]))
        zeros = act(linear(x[r], weight[3:], bias[3:]))
        for node in range(5):
            a = ratio if label[r, node] else 1 - ratio
            torch.testing.assert_close(result[r, node], a * ones[node] + (1 - a) * zeros[node])


@given(st.integers(2, 6), st.integers(0, 9))
def test_graph_norm_is_pygs_on_the_whole_graph(size: int, seed: int) -> None:
    ours, x = GraphNorm(3, Init((1, 2))), drawn(2, size, 3, seed=seed)
    for name, parameter in ours.named_parameters():
        parameter.data = drawn(2, 1, 3, seed=len(name))
    result = ours(x)
    for r in range(2):
        theirs = TheirNorm(3)
        theirs.weight.data, theirs.bias.data = ours.weight[r, 0].data, ours.bias[r, 0].data
        theirs.mean_scale.data = ours.share[r, 0].data
        torch.testing.assert_close(result[r], theirs(x[r]), rtol=1e-4, atol=1e-5)


def by_hand(
    model: GLASS, rows: list[int], r: int, ratio: float | None, task: SubgraphTask
) -> Tensor:
    """Logits of one batch of one replica, with dense matrices and the paper's order of steps."""

    def norm(layer: GraphNorm, x: Tensor) -> Tensor:
        centred = x - layer.share[r] * x.mean(0)
        return layer.weight[r] * centred / (centred**2).mean(0).add(1e-5).sqrt() + layer.bias[r]

    def mixed(layer: Mixed, x: Tensor, *, activate: bool) -> Tensor:
        both = linear(x, layer.linear.weight[r].T, layer.linear.bias[r, 0])
        both = elu(both) if activate else both
        if ratio is None:
            return both
        return share * both[:, :3] + (1 - share) * both[:, 3:]

    sets = [task.subgraphs.nodes[task.subgraphs.ptr[i] : task.subgraphs.ptr[i + 1]] for i in rows]
    if ratio is not None:
        share = torch.full((5, 1), 1 - ratio)
        share[np.concatenate(sets)] = ratio
    matrix = torch.from_numpy(task.graph.adjacency(loops=True, dtype=np.float32).toarray())
    matrix = matrix / matrix.sum(1, keepdim=True).clamp(min=1)
    x, kept = model.table()[r], []
    for number, (first, conv) in enumerate(zip(model.norms, model.convs, strict=True)):
        x = norm(first, x)
        x = elu(x) if number else x
        heard = norm(conv.norm, matrix @ mixed(conv.enter, x, activate=True))
        x = mixed(conv.leave, torch.cat([heard, x], 1), activate=False)
        kept.append(x)
    x = norm(model.last, torch.cat(kept, 1))
    vectors = torch.stack([x[nodes.tolist()].sum(0) for nodes in sets])
    return linear(vectors, model.head.weight[r].T, model.head.bias[r, 0])


@pytest.mark.parametrize("ratio", [None, 0.8])
def test_the_whole_network_against_dense_matrices(ratio: float | None) -> None:
    task = five_nodes()
    options = {} if ratio is None else {"z_ratio": ratio}
    model = network(task, labelled=ratio is not None, **options).eval()
    for parameter in model.parameters():
        parameter.data += 0.1 * drawn(*parameter.shape, seed=parameter.numel())
    rows = [[0, 1], [2, 3]]
    _, result = model.answer(np.array(rows))
    for r in range(2):
        torch.testing.assert_close(result[r], by_hand(model, rows[r], r, ratio, task))


def test_replicas_are_what_they_are_alone() -> None:
    task = five_nodes()
    both, alone = network(task, (1, 2)).eval(), network(task, (2,)).eval()
    rows = np.array([[0, 2], [1, 3]])
    torch.testing.assert_close(both.answer(rows)[1][1:], alone.answer(rows[1:])[1])


def test_without_labels_surroundings_are_all_there_is() -> None:
    """Two subgraphs in a batch, or one: plain networks answer the same, GLASS does not."""
    task = five_nodes()
    for labelled in (False, True):
        model = network(task, (1,), labelled=labelled).eval()
        _, together = model.answer(np.array([[0, 1]]))
        _, apart = model.answer(np.array([[0]]))
        assert torch.allclose(together[:, :1], apart) != labelled


@pytest.mark.slow
def test_glass_learns_by_name() -> None:
    task = s2n.load_task("generate:component,subgraphs=100")
    settings = {"features.kind": "constant", "epochs": 25, "lr": 0.003, "pool": "size"}
    result = s2n.run(task, model="glass", seeds=2, preset="fast", settings=settings)
    assert result.model == "glass"
    assert result.test["micro_f1"].mean > 0.8
