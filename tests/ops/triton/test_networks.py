"""Whole networks by kernels against the same networks in plain PyTorch."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("triton", reason="Triton is not installed")

import sub2node as s2n
from fast_path import CUDA, DEVICE, FAST
from sub2node.config import Config
from sub2node.evaluate.protocol import labels_of
from sub2node.models.candidates import target
from sub2node.models.find import find_model
from sub2node.nn import Streams, build, build_network, build_stages
from sub2node.ops import triton as kernels
from sub2node.train import Group
from sub2node.train.replica_optimizer import PlainOptimizer, SlabOptimizer

pytestmark = pytest.mark.filterwarnings("ignore:divide by zero")


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    size = "" if CUDA else ",size=6,nodes=40"  # the interpreter runs one program after the other
    return s2n.load_task(f"generate:density,subgraphs=12,seed=3{size}")


@pytest.fixture(autouse=True)
def _same_bits(monkeypatch) -> None:
    """The CPU too draws as a GPU does, so that both paths drop the same."""
    monkeypatch.setattr(build, "Streams", partial(Streams, counted=True))


def group(task: s2n.SubgraphTask, mode: Any, seeds=(1, 2), **settings: Any) -> Group:
    config = Config().with_settings(
        {"hidden": 16, "features.width": 16, "epochs": 20, "a": 0.0, "delta": 3.0, **settings}
    )
    with kernels.compile_mode(mode):
        stages = build_stages(task, config, parts=("train", "val"), device=DEVICE)
        labels: Any = {part: target(labels_of(task, part)) for part in ("train", "val")}
        network = build_network(task, config, stages, seeds)
        return Group(*network, stages=stages, labels=labels, training=config.training)


def losses(made: Group, mode: Any, steps: int) -> np.ndarray:
    rows = []
    with kernels.compile_mode(mode):
        for epoch in range(1, steps + 1):
            made.one_epoch(epoch)
            rows.append([made.history[name][epoch - 1].tolist() for name in made.history])
    return np.array(rows)


CASES = [
    {"structure": "s2n+a", "conv": "gcn2", "batch_norm": True, "skip": True},
    {"structure": "s2n+a", "conv": "gcn2", "inner.shared_weights": False, "inner_layers": 2,
     "outer.shared_weights": False, "layers": 2},
    {"structure": "s2n+a", "conv": "gcn", "skip": True, "readout": "degree"},
    {"structure": "s2n+0", "conv": "gin", "skip": True},
    {"structure": "s2n+a", "conv": "sage", "features.width": 24},
    {"structure": "separated", "conv": "gcn2", "batch_norm": True},
    {"structure": "connected", "conv": "gcn"},
    {"structure": "s2n+a", "conv": "gatv2", "readout": "learned"},
    {"structure": "s2n+0", "conv": "gcn2", "readout": "max", "features.trainable": False},
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['structure']}-{c['conv']}")
def test_fast_and_plain_epochs_agree_with_the_same_dropped(task, case) -> None:
    check(task, {"dropout": 0.3, "edge_dropout": 0.4, **case})


@pytest.mark.parametrize("case", CASES if CUDA else CASES[:1], ids=lambda c: c["conv"])
def test_fast_and_plain_epochs_agree_without_dropout(task, case) -> None:
    check(task, {"dropout": 0.0, "edge_dropout": 0.0, **case})


def check(task: s2n.SubgraphTask, settings: dict[str, Any]) -> None:
    fast, plain = (group(task, mode, **settings) for mode in (FAST, "off"))
    assert isinstance(fast.optimizer, SlabOptimizer)
    assert isinstance(plain.optimizer, PlainOptimizer)
    steps = 6 if CUDA else 2
    found, expected = losses(fast, FAST, steps), losses(plain, "off", steps)
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-6)
    for name in ("head.weight", "head.bias"):  # others may have gradients that are only rounding
        for one, other in ((fast.replicas.tensors(), plain.replicas.tensors()),
                           (fast.optimizer.best, plain.optimizer.best)):  # fmt: skip
            assert torch.allclose(one[name], other[name], rtol=1e-3, atol=1e-4), name
    assert torch.equal(fast.best_epoch, plain.best_epoch)


@pytest.mark.parametrize("name", ["glass", "gnn-seg", "subgnn"])
def test_baselines_step_with_dropout(task, name, monkeypatch) -> None:
    """They are not recorded, and some of their tensors have more axes."""
    from sub2node.baselines import glass, segregated
    from sub2node.baselines.subgnn import subgnn_network as network

    for module in (glass, segregated, network):
        monkeypatch.setattr(module, "Streams", partial(Streams, counted=True))
    model = find_model(
        task, name, structure=None, conv=None, preset="default", device=DEVICE,
        settings={"features.kind": "random", "features.width": 8, "model.dropout": 0.4,
                  "epochs": 2, "batch": 5} | ({"model.hidden": 8} if name != "subgnn" else {}),
    ).model  # fmt: skip
    labels: Any = {part: target(labels_of(task, part)) for part in ("train", "val")}
    seen = []
    for mode in (FAST, "off"):
        with kernels.compile_mode(mode):
            built = model.build(task, model.candidates[0], [1], torch.device(DEVICE))
            training = model.candidates[0].training
            made = model.group(
                *built.networks[0], stages=built.stages, labels=labels, training=training
            )
            seen.append(made.train_step().tolist())
    assert seen[0] == pytest.approx(seen[1], rel=1e-4)
