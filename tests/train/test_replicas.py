"""Replicas of one network: gradients, clipping and states are those of each alone."""

from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from torch import Tensor, nn

from sub2node.config import TrainingSettings
from sub2node.train.replica_optimizer import PlainOptimizer
from sub2node.train.replicas import Replicas


class TwoModels(nn.Module):
    """Stacked parameters, a statistic, and one module per replica as custom convolutions have."""

    def __init__(self) -> None:
        super().__init__()
        stream = torch.Generator().manual_seed(0)
        self.weight = nn.Parameter(torch.randn(2, 3, 2, generator=stream))
        self.unused = nn.Parameter(torch.ones(2, 1))
        self.register_buffer("mean", torch.zeros(2, 4))
        self.conv = nn.Module()
        self.conv.replicas = nn.ModuleList([nn.Linear(2, 2, bias=False) for _ in range(2)])

    def forward(self, x: Tensor) -> Tensor:
        """(m, 3) → losses (2,)."""
        return torch.stack(
            [
                own(x @ weight).square().sum()
                for own, weight in zip(self.conv.replicas, self.weight, strict=True)
            ]
        )


@pytest.fixture
def network() -> TwoModels:
    return TwoModels()


def test_norms_and_clipping_are_those_of_each_replica(network: TwoModels) -> None:
    replicas = Replicas(network, 2)
    network(torch.ones(4, 3)).sum().backward()
    expected = [
        torch.cat([network.weight.grad[r].flatten(), own.weight.grad.flatten()]).norm()
        for r, own in enumerate(network.conv.replicas)
    ]
    assert replicas.norms().tolist() == pytest.approx([float(norm) for norm in expected])
    small = min(float(norm) for norm in expected)
    limit = (small + max(float(norm) for norm in expected)) / 2
    replicas.clip(limit)
    assert sorted(replicas.norms().tolist()) == pytest.approx([small, limit], rel=1e-4)


def test_a_step_moves_each_replica_by_its_own_rate(network: TwoModels) -> None:
    optimizer = PlainOptimizer(network, 2, TrainingSettings())
    replicas = optimizer.replicas
    before = {name: tensor.clone() for name, tensor in replicas.tensors().items()}
    optimizer.step(network(torch.ones(4, 3)), torch.tensor([0.1, 0.0]))
    now = replicas.tensors()
    moved = (now["weight"] - before["weight"]).abs().amax(dim=(1, 2))
    assert moved.tolist() == pytest.approx([0.1, 0.0], abs=1e-4)  # Adam's first step is the rate
    assert not torch.equal(now["conv.replicas.0.weight"], before["conv.replicas.0.weight"])
    assert torch.equal(now["conv.replicas.1.weight"], before["conv.replicas.1.weight"])
    assert torch.equal(now["unused"], before["unused"])
    replicas.clear()
    assert all(parameter.grad is None for parameter in network.parameters())


def test_states_of_some_replicas_are_kept_and_loaded(network: TwoModels) -> None:
    replicas = Replicas(network, 2)
    best = {name: torch.zeros_like(tensor) for name, tensor in replicas.tensors().items()}
    with torch.no_grad():
        network.mean.fill_(5.0)
    replicas.copy(best, [1])
    assert best["mean"][:, 0].tolist() == [0, 5]
    assert not best["weight"][0].any()
    assert torch.equal(best["weight"][1], network.weight[1])
    assert not best["conv.replicas.0.weight"].any()
    assert torch.equal(best["conv.replicas.1.weight"], network.conv.replicas[1].weight)
    replicas.load(best)
    assert not network.weight[0].any()
    assert torch.equal(network.state_dict()["mean"], best["mean"])


def test_steps_are_those_of_torchs_adam_for_each_replica(network: TwoModels) -> None:
    plain = deepcopy(network)
    x = torch.linspace(-1, 1, 12).view(4, 3)
    optimizer = PlainOptimizer(network, 2, TrainingSettings(weight_decay=0.01, clip=0))
    rates = (0.1, 0.03)
    weights = [plain.weight.data[r].clone().requires_grad_() for r in range(2)]
    adams = [
        torch.optim.Adam(
            [weights[r], *plain.conv.replicas[r].parameters()], rate, weight_decay=0.01
        )
        for r, rate in enumerate(rates)
    ]
    for _ in range(4):
        optimizer.step(network(x), torch.tensor(rates))
        for r, adam in enumerate(adams):
            adam.zero_grad()
            plain.conv.replicas[r](x @ weights[r]).square().sum().backward()
            adam.step()
    for r in range(2):
        torch.testing.assert_close(network.weight.data[r], weights[r].data)
        own = (net.conv.replicas[r].weight.data for net in (network, plain))
        torch.testing.assert_close(*own)
    kept = optimizer.moments()
    assert set(kept) == {
        f"{r}.{k}.{name}"
        for r in range(2)
        for k in (0, 2)
        for name in ("step", "exp_avg", "exp_avg_sq")
    }  # the unused parameter, k = 1, has none
    again = PlainOptimizer(network, 2, TrainingSettings(weight_decay=0.01, clip=0))
    again.remember(kept)
    assert all(torch.equal(tensor, kept[name]) for name, tensor in again.moments().items())
