"""Kernels together: whole networks, replicas that diverged, threads and modes."""

from __future__ import annotations

import threading
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("triton", reason="Triton is not installed")

import sub2node as s2n
from fast_path import CUDA, DEVICE, FAST, INF, NAN, drawn, normal, ring, small_task
from sub2node.config import Config
from sub2node.evaluate.protocol import labels_of
from sub2node.models.candidates import target
from sub2node.models.find import find_model
from sub2node.nn import Streams, build, build_network, build_stages
from sub2node.ops import triton as kernels
from sub2node.ops.triton.adam import adam
from sub2node.ops.triton.aggregate import Aggregate
from sub2node.ops.triton.dense import LinearSum
from sub2node.ops.triton.loss import Losses
from sub2node.ops.triton.norm_relu_dropout import Norm, NormReluDropout
from sub2node.train import Group
from sub2node.train.replica_optimizer import PlainOptimizer, SlabOptimizer

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.slow
@pytest.mark.parametrize("bad", [NAN, INF])
def test_a_replica_that_diverged_disturbs_no_other(bad) -> None:
    x, weight = normal(3, 9, 6), normal(3, 6, 6, seed=1)
    skip, gamma = normal(3, 9, 6, seed=2), normal(3, 6, seed=3)
    pattern, values = ring(9), normal(3, 16, seed=4)
    labels = torch.arange(9, device=DEVICE) % 6

    def run(factor: float) -> list[torch.Tensor]:
        start = x.clone()
        start[1, 2] *= factor
        start.requires_grad_()
        w = weight.clone().requires_grad_()
        out = Aggregate.apply(start, None, pattern.lists, pattern.back, values, None, 1.0, 1.0)
        out = LinearSum.apply(out, w, 0.5, 0.5, None, None, 0.0, 1.0, None)
        norm = Norm(torch.zeros(3, 6, device=DEVICE), torch.ones(3, 6, device=DEVICE), True)
        out = NormReluDropout.apply(out, skip, gamma, gamma, norm, drawn(0.3, 3), True)
        loss = Losses.apply(out, labels, False)
        result = torch.autograd.grad(loss.sum(), [start, w])
        slab, rate = weight.reshape(3, -1).clone(), torch.full((3,), 0.1, dtype=torch.float64)
        adam([(slab, result[1].reshape(3, -1), torch.zeros_like(slab), torch.zeros_like(slab))],
             rate.to(DEVICE), torch.ones((), device=DEVICE), clip=0.5, decay=0.1)  # fmt: skip
        return [loss.detach(), out.detach(), *result, norm.mean, norm.variance, slab]

    for one, other in zip(run(bad), run(1.0), strict=True):
        assert torch.equal(one[[0, 2]], other[[0, 2]])


def test_the_mode_holds_in_the_thread_of_the_backward_pass() -> None:
    pattern, seen = ring(5), []
    x = normal(1, 5, 2, grad=True)

    def watched(tensor: torch.Tensor) -> bool:  # as a GPU's tensor would be seen
        fake: Any = SimpleNamespace(dtype=tensor.dtype, is_cuda=True)
        seen.append(real(fake))
        return False

    real = kernels.use_triton
    with pytest.MonkeyPatch.context() as patch, kernels.compile_mode("off"):
        patch.setattr(kernels, "use_triton", watched)
        patch.setattr(kernels, "triton_available", lambda: True)
        out = pattern.aggregate(x).sum() + pattern.columns(x).sum()
        thread = threading.Thread(target=lambda: torch.autograd.grad(out, x))
        thread.start()
        thread.join()
    assert not any(seen)


@pytest.mark.skipif(not CUDA, reason="needs a GPU")
def test_compile_off_calls_no_kernel_in_the_backward_pass(monkeypatch) -> None:
    from sub2node.ops.triton import aggregate

    calls: list[int] = []
    monkeypatch.setattr(aggregate, "aggregate", lambda *a, **k: calls.append(1) or 1 / 0)
    pattern, x = ring(5), normal(1, 5, 2, grad=True)
    with kernels.compile_mode("off"):
        pattern.aggregate(x).sum().backward()
    assert not calls


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    return small_task()


@pytest.fixture(autouse=True)
def _same_bits(monkeypatch) -> None:
    """The CPU too draws as a GPU does, so that both paths drop the same."""
    monkeypatch.setattr(build, "Streams", partial(Streams, counted=True))


def group(task: s2n.SubgraphTask, mode: Any, seeds=(1, 2), **settings: Any) -> Group:
    config = Config().with_settings(
        {"hidden": 8, "features.width": 8, "epochs": 20, "a": 0.0, "delta": 3.0, **settings}
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
    {"structure": "s2n+a", "conv": "sage", "features.width": 12},
    {"structure": "separated", "conv": "gcn2", "batch_norm": True},
    {"structure": "connected", "conv": "gcn"},
    {"structure": "s2n+a", "conv": "gatv2", "readout": "learned"},
    {"structure": "s2n+0", "conv": "gcn2", "readout": "max", "features.trainable": False},
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['structure']}-{c['conv']}")
def test_fast_and_plain_epochs_agree_with_the_same_dropped(task, case) -> None:
    check(task, {"dropout": 0.3, "edge_dropout": 0.4, **case})


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES if CUDA else CASES[:1], ids=lambda c: c["conv"])
def test_fast_and_plain_epochs_agree_without_dropout(task, case) -> None:
    check(task, {"dropout": 0.0, "edge_dropout": 0.0, **case})


def check(task: s2n.SubgraphTask, settings: dict[str, Any]) -> None:
    fast, plain = (group(task, mode, **settings) for mode in (FAST, "off"))
    assert isinstance(fast.optimizer, SlabOptimizer)
    assert isinstance(plain.optimizer, PlainOptimizer)
    steps = 6 if CUDA else 2 if settings.get("layers") == 2 else 1
    result, expected = losses(fast, FAST, steps), losses(plain, "off", steps)
    assert result == pytest.approx(expected, rel=1e-4, abs=1e-6)
    for name in ("head.weight", "head.bias"):  # others may have gradients that are only rounding
        for one, other in ((fast.replicas.tensors(), plain.replicas.tensors()),
                           (fast.optimizer.best, plain.optimizer.best)):  # fmt: skip
            assert torch.allclose(one[name], other[name], rtol=1e-3, atol=1e-4), name
    assert torch.equal(fast.best_epoch, plain.best_epoch)


@pytest.mark.slow
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
