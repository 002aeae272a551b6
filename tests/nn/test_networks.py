"""Networks of the four structures: by hand, who depends on whom, and what cannot be built."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from small_networks import SEEDS, SETS, answers, built, config_of, task_of
from sub2node import SubgraphTask
from sub2node.config import STRUCTURES, Config
from sub2node.nn import CONVOLUTIONS


@pytest.mark.parametrize("conv", [*CONVOLUTIONS, "torch_geometric.nn:GATConv"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_shapes_and_gradients(structure: str, conv: str) -> None:
    task = task_of()
    config = config_of(structure, conv, readout="learned", batch_norm=True, skip=True, dropout=0.2)
    network, stages = built(task, config)
    for part, count in (("train", 4), ("val", 2), ("test", 3)):
        vectors, logits = network(stages[part])
        assert vectors.shape == (2, count, 6)
        assert logits.shape == (2, count, 3)
        assert logits.isfinite().all()
    network(stages["train"])[1].square().sum().backward()
    assert all(p.grad is not None for p in network.parameters())


def dense_gcn(adjacency: Tensor, x: Tensor, conv: Any, r: int) -> Tensor:
    filled = adjacency + torch.diag((adjacency.diagonal() == 0).float())
    root = filled.sum(1).sqrt()
    return filled / root[:, None] / root[None, :] @ x @ conv.linear.weight[r] + conv.bias[r]


def dense_encoder(adjacency: Tensor, x: Tensor, encoder: Any, r: int) -> tuple[Tensor, Tensor]:
    if encoder.project is not None:
        x = torch.relu(x @ encoder.project.weight[r] + encoder.project.bias[r])
    out = x
    for layer in encoder.layers:
        new = dense_gcn(adjacency, out, layer.conv, r)
        if layer.norm is not None:
            new = (new - new.mean(0)) / (new.var(0, unbiased=False) + 1e-5).sqrt()
        if layer.skip is not None:
            new = new + out @ layer.skip.weight[r] + layer.skip.bias[r]
        out = torch.relu(new)
    return x, out


def dense_logits(task: SubgraphTask, config: Config, network: Any, part: str, r: int) -> Tensor:
    """The equations with dense matrices; everything that is seen in this stage is computed."""
    split = task.split
    assert split is not None
    count, codes = split.visible(part), np.flatnonzero(split.mask(part))  # type: ignore[arg-type]
    full = torch.from_numpy(task.graph.adjacency().toarray())
    features = torch.tensor(task.graph.features)
    member = torch.zeros(len(SETS), 13)
    for i, nodes in enumerate(SETS):
        member[i, nodes] = 1
    if config.structure == "connected":
        _, x = dense_encoder(full, features, network.encoder, r)
        return (member @ x)[codes] @ network.head.weight[r] + network.head.bias[r]
    shown = codes if config.structure == "separated" else np.arange(count)
    flat = np.concatenate([SETS[i] for i in shown])
    owner = np.repeat(np.arange(len(shown)), [len(SETS[i]) for i in shown])
    pool = torch.from_numpy(owner == np.arange(len(shown))[:, None]).float()
    inside = full[flat][:, flat] * torch.from_numpy(owner[:, None] == owner)
    if config.structure == "separated":
        _, x = dense_encoder(inside, features[flat], network.encoder, r)
        return pool @ x @ network.head.weight[r] + network.head.bias[r]
    x = features[flat]
    if config.structure.inner:
        _, x = dense_encoder(inside, x, network.inner, r)
    raw = member @ (full + torch.eye(13)) @ member.T
    train = raw[:4, :4]
    score = (raw - train.mean()) / train.std()
    weights = ((score - config.translation.a) / config.translation.delta).clamp(0, 1)
    entered, left = dense_encoder(weights[:count, :count], pool @ x, network.outer, r)
    return (entered + left)[codes] @ network.head.weight[r] + network.head.bias[r]


@pytest.mark.parametrize("changes", [{}, {"hidden": 5}, {"batch_norm": True, "skip": True}])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_logits_follow_the_equations(
    structure: str, weighted: bool, changes: dict[str, Any]
) -> None:
    config = config_of(structure, inner_layers=2, **changes)
    task = task_of(weighted=weighted, virtual=2 if config.structure.coarsened else 0)
    network, stages = built(task, config)
    for part in ("train", "val", "test"):
        result = network(stages[part])[1]
        for r in range(len(SEEDS)):
            expected = dense_logits(task, config, network, part, r)
            torch.testing.assert_close(result[r], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("structure", ["s2n+0", "separated"])
def test_only_s2n_drops_channels_before_its_head(structure: str) -> None:
    config = config_of(structure, layers=0, hidden=5, dropout=0.5)
    network, stages = built(task_of(), config)
    vectors, logits = network(stages["train"])
    expected, undropped = network.eval()(stages["train"])
    torch.testing.assert_close(vectors, expected)
    assert torch.allclose(logits, undropped) == (structure == "separated")


@pytest.mark.parametrize("readout", ["sum", "mean", "max", "learned"])
@pytest.mark.parametrize("structure", ["separated", "connected"])
def test_answers_without_s2n_do_not_depend_on_other_subgraphs(structure: str, readout: str) -> None:
    task = task_of()
    config = config_of(structure, "gcn2", readout=readout, features__kind="random")
    whole = answers(task, config, "test")
    fewer = answers(task.subset([0, 1, 2, 7]), config, "test")
    torch.testing.assert_close(fewer[:, 0], whole[:, 1])


@pytest.mark.parametrize("readout", ["sum", "degree", "degree-code"])
@pytest.mark.parametrize("structure", ["s2n+0", "s2n+a"])
def test_s2n_answers_do_not_depend_on_later_parts(structure: str, readout: str) -> None:
    task = task_of()
    config = config_of(structure, "gcn2", readout=readout, features__kind="random")
    for part, visible in (("train", 4), ("val", 6)):
        alone = answers(task.subset(np.arange(visible)), config, part)
        torch.testing.assert_close(alone, answers(task, config, part))


@pytest.mark.parametrize("structure", ["s2n+0", "s2n+a"])
def test_s2n_answers_do_depend_on_what_is_in_sight(structure: str) -> None:
    task, config = task_of(), config_of(structure)
    fewer = answers(task.subset([0, 1, 2, 3, 8]), config, "test")
    assert not torch.allclose(fewer[:, 0], answers(task, config, "test")[:, 2], atol=1e-3)


@pytest.mark.parametrize("conv", [*CONVOLUTIONS, "torch_geometric.nn:GATConv"])
def test_a_replica_trains_as_it_would_alone(conv: str) -> None:
    task = task_of()
    config = config_of("s2n+a", conv, dropout=0.3, edge_dropout=0.3, features__kind="random")
    networks = [built(task, config, seeds) for seeds in ((1, 2), (2,))]
    for _ in range(2):  # the streams go on
        both, alone = (network(stages["train"])[1] for network, stages in networks)
        torch.testing.assert_close(both[1:], alone)
    assert not torch.allclose(both, networks[0][0](networks[0][1]["train"])[1])
