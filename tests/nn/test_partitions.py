"""What is read in partitions teaches a network what it teaches it at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import sub2node as s2n
from sub2node.config import Config
from sub2node.evaluate.protocol import labels_of
from sub2node.nn import CONVOLUTIONS, Streams, build_network, build_stages, networks
from sub2node.nn.layers import BatchNorm, Dropout
from sub2node.nn.partitions import recomputed
from sub2node.nn.streams import Init
from sub2node.train import fit, forward

SIZES = {"features.kind": "random", "epochs": 3, "hidden": 8, "width": 8, "layers": 2}
LIVELY = {"dropout": 0.3, "edge_dropout": 0.3, "batch_norm": True}
STILL = {"dropout": 0.0, "edge_dropout": 0.0, "batch_norm": False}


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=30,seed=3,nodes=200")


def gradients(task: s2n.SubgraphTask, count: int, **settings: Any) -> tuple[list[Tensor], Tensor]:
    """Gradients of all parameters after a step on train, and the logits before it."""
    config = Config().with_settings({**SIZES, **settings})
    stages = build_stages(task, config).in_partitions(count)
    network, streams = build_network(task, config, stages, [1, 2])
    streams.begin()
    logits = network.train()(stages["train"])[1]
    logits.square().sum().backward()
    return [p.grad for p in network.parameters() if p.grad is not None], logits.detach()


def same(one: tuple[list[Tensor], Tensor], other: tuple[list[Tensor], Tensor]) -> None:
    torch.testing.assert_close(one[1], other[1], rtol=1e-4, atol=1e-5)
    assert len(one[0]) == len(other[0]) > 0
    for first, second in zip(one[0], other[0], strict=True):
        torch.testing.assert_close(first, second, rtol=1e-3, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("structure", ["s2n+0", "s2n+a", "separated", "connected"])
@pytest.mark.parametrize("conv", CONVOLUTIONS)
def test_gradients_are_those_of_all_subgraphs_at_once(task, structure, conv) -> None:
    settings = {"structure": structure, "conv": conv, **STILL}
    whole = gradients(task, 1, **settings)
    for count in (3, 100):
        same(whole, gradients(task, count, **settings))


def test_vectors_that_are_not_trained_need_no_gradient(task) -> None:
    settings = {"structure": "s2n+0", "features.trainable": False, **STILL}
    same(gradients(task, 1, **settings), gradients(task, 4, **settings))


@pytest.mark.parametrize("readout", ["max", "learned", "degree"])
def test_readouts_are_those_of_all_subgraphs_at_once(task, readout) -> None:
    settings = {"structure": "s2n+a", "readout": readout, **STILL}
    same(gradients(task, 1, **settings), gradients(task, 4, **settings))


@pytest.mark.parametrize("structure", ["s2n+0", "connected"])
def test_layers_on_a_graph_drop_and_normalise_as_at_once(task, structure) -> None:
    settings = {"structure": structure, "conv": "gcn2", **LIVELY}
    same(gradients(task, 1, **settings), gradients(task, 5, **settings))


@pytest.mark.slow
@pytest.mark.parametrize("structure", ["s2n+0", "s2n+a", "separated"])
def test_training_gives_the_same(task, structure) -> None:
    trained = []
    for count in (1, 4):
        config = Config().with_settings({**SIZES, "structure": structure, **STILL})
        stages = build_stages(task, config, parts=("train", "val")).in_partitions(count)
        networks = [build_network(task, config, stages, [1, 2])]
        labels = {part: torch.from_numpy(labels_of(task, part)) for part in ("train", "val")}
        fitted = fit(networks, stages, labels, config.training)
        trained.append((fitted.history["val_loss"], forward(networks, stages, "test")[1]))
    for one, other in zip(*trained, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_weights_excluded_nodes_and_statistics_go_along() -> None:
    edges = {
        "source": [0, 1, 2, 3, 4, 5],
        "target": [1, 2, 3, 4, 5, 0],
        "weight": [1, 2, 1, 3, 1, 1],
    }
    owner = [0, 0, 1, 1, 2, 2, 3, 3]
    members = {"subgraph_id": owner, "node_id": [0, 1, 1, 2, 3, 4, 4, 5]}
    excluded = {"subgraph_id": [0, 1, 3], "node_id": [3, 4, 1]}
    labels = {
        "subgraph_id": range(4),
        "label": [0, 1, 0, 1],
        "split": ["train"] * 2 + ["val", "test"],
    }
    task = s2n.SubgraphTask.from_tables(edges, members, labels, excluded=excluded)
    for structure in ("s2n+0", "s2n+a", "separated"):
        settings = {"structure": structure, "features.subgraphs": "structure", **STILL}
        same(gradients(task, 1, **settings), gradients(task, 2, **settings))


class Normalised(nn.Module):
    """A convolution of a user, which counts its batches."""

    def __init__(self, width_in: int, width_out: int) -> None:
        super().__init__()
        self.linear, self.norm = nn.Linear(width_in, width_out), nn.BatchNorm1d(width_out)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return torch.dropout(self.norm(self.linear(x)), 0.3, self.training)


@pytest.mark.slow
@pytest.mark.parametrize(("conv", "counted"), [("gcn2", False), ("gcn2", True), (Normalised, True)])
def test_a_step_that_is_computed_again_is_the_same_step(task, monkeypatch, conv, counted) -> None:
    def step() -> list[Tensor]:
        config = Config().with_settings({**SIZES, "structure": "s2n+a", **LIVELY})
        stages = build_stages(task, config).in_partitions(3)
        custom = None if isinstance(conv, str) else conv
        network, streams = build_network(task, config, stages, [1, 2], conv=custom)
        streams.counted = counted  # as on a GPU
        streams.begin()
        network.train()(stages["train"])[1].square().sum().backward()
        found = [p.grad for p in network.parameters() if p.grad is not None]
        return [*found, *network.buffers(), streams.state()]

    again = step()
    monkeypatch.setattr(networks, "recomputed", lambda function, nodes, **_: function(nodes))
    kept = step()
    assert len(again) == len(kept)
    for one, other in zip(again, kept, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_what_is_computed_again_draws_the_same_and_changes_nothing() -> None:
    streams, x = Streams([1, 2]), torch.randn(2, 12, 4, requires_grad=True)
    layers = nn.Sequential(BatchNorm(4, Init([1, 2])), Dropout(0.5, streams))
    buffers = list(layers.buffers())

    def gradient(again: bool) -> tuple[Tensor, ...]:
        streams.restore(start)
        layers.load_state_dict(first)
        out = (
            recomputed(layers, x, parameters=[], streams=streams, buffers=buffers)
            if again
            else layers(x)
        )
        after = streams.state()
        (grad,) = torch.autograd.grad(out.square().sum(), x)
        assert torch.equal(streams.state(), after)
        return out.detach(), grad, *(buffer.clone() for buffer in buffers)

    start, first = streams.state(), {k: v.clone() for k, v in layers.state_dict().items()}
    for one, other in zip(gradient(False), gradient(True), strict=True):
        assert torch.equal(one, other)
    assert not torch.equal(first["0.mean"], buffers[0])
