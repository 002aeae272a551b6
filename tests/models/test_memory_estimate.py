"""Networks that cannot fit are refused before anything is computed."""

from __future__ import annotations

import pytest
import torch

import sub2node as s2n
from commands import refused
from commands import s2n as call
from scoring_tasks import small_task, trained
from sub2node.config import Config
from sub2node.models import graph_network, memory_estimate
from sub2node.models.memory_estimate import least_bytes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("hidden=1000000000", "the network needs at least"),
        ("width=99999999999", "the network needs at least"),
        ("layers=99999", "at most 1000"),
        ("epochs=999999999999", "at most 1e+07"),
    ],
)
@pytest.mark.parametrize("structure", ["s2n+a", "separated", "cos2n+0"])
def test_impossible_sizes_are_refused_at_once(
    setting: str, message: str, structure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("nothing is computed")

    for name in ("translated", "coarsened", "node_inputs", "build_stages"):
        monkeypatch.setattr(graph_network, name, work)
    words = ("--features", "random", "--structure", structure, "--set", setting)
    refused(call("run", "generate:density", *words), message)


def test_the_estimate_is_a_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is counted exists: the weights, gradients and averages of a real training."""
    task = small_task()
    for structure, layers in (("s2n+a", 2), ("s2n+0", 1), ("separated", 3), ("connected", 0)):
        fitted = trained(task, structure=structure, seeds=2, layers=layers, hidden=64)
        numbers = sum(
            values.numel()
            for network, _ in fitted.built.networks
            for values in network.parameters()
        )
        activations = 40 * 64 * (layers + 2)
        assert least_bytes(task, fitted.settings, 2) <= 4 * (4 * numbers + activations)


def test_the_sentence_names_what_to_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_estimate, "free_memory", lambda device: 10**6)
    with pytest.raises(s2n.ConfigError, match=r"0\.1 GB and this machine has 0\.0 GB free.*hidden"):
        memory_estimate.require_memory(
            small_task(),
            Config().with_settings({"hidden": 1000, "layers": 3}),
            replicas=3,
            device=torch.device("cpu"),
        )
    monkeypatch.setattr(memory_estimate, "free_memory", lambda device: None)
    memory_estimate.require_memory(
        small_task(), Config(), replicas=10**9, device=torch.device("cpu")
    )
