"""Optimisers of replicas: slabs by kernels against plain Adam, and networks they cannot take."""

from __future__ import annotations

import copy
import gc
import weakref
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

pytest.importorskip("triton", reason="Triton is not installed")

import sub2node as s2n
from fast_path import CUDA, FAST, small_task
from small_groups import training_parts
from sub2node.base.errors import Sub2NodeError
from sub2node.nn import Streams, build
from sub2node.ops import triton as kernels
from sub2node.train import Group, fit, forward
from sub2node.train.checkpoint import Checkpoint
from sub2node.train.replica_optimizer import PlainOptimizer, SlabOptimizer, find_optimizer

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

LIVELY = {"dropout": 0.3, "edge_dropout": 0.3, "batch_norm": True, "skip": True, "clip": 0.5,
          "weight_decay": 0.01, "conv": "gcn2"}  # fmt: skip


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    return small_task()


@pytest.fixture(autouse=True)
def _same_bits(monkeypatch) -> None:
    """The CPU too draws as a GPU does, so that both paths drop the same."""
    monkeypatch.setattr(build, "Streams", partial(Streams, counted=True))


def grouped(task: s2n.SubgraphTask, mode: Any, **kw: Any) -> Group:
    with kernels.compile_mode(mode):
        network, stages, labels, training = training_parts(task, **kw)
        return Group(*network, stages=stages, labels=labels, training=training)


def test_names_and_shapes_of_the_state_are_those_of_plain_training(task) -> None:
    fast, plain = (grouped(task, mode, **LIVELY) for mode in (FAST, "off"))
    assert isinstance(fast.optimizer, SlabOptimizer)
    assert isinstance(plain.optimizer, PlainOptimizer)
    for one, other in ((fast.network.state_dict(), plain.network.state_dict()),
                       (fast.optimizer.best, plain.optimizer.best)):  # fmt: skip
        assert list(one) == list(other)
        for name, tensor in one.items():
            assert torch.equal(tensor, other[name]), name
    copied = copy.deepcopy(fast.network)
    with torch.no_grad():
        next(copied.parameters()).zero_()
    assert next(fast.network.parameters()).abs().sum() > 0


@pytest.mark.slow
def test_statistics_and_parameters_stay_views_after_loading(task) -> None:
    group = grouped(task, FAST, **LIVELY)
    with kernels.compile_mode(FAST):
        group.one_epoch(1)
        group.replicas.load(group.optimizer.best)
        before = {n: t.clone() for n, t in group.network.state_dict().items()}
        group.one_epoch(2)
    descent: Any = group.optimizer
    places = {s.untyped_storage().data_ptr() for s in descent._state}
    for name, tensor in group.network.state_dict().items():
        assert tensor.untyped_storage().data_ptr() in places, name
    assert any(not torch.equal(t, before[n]) for n, t in group.network.state_dict().items())


@pytest.mark.slow
def test_a_training_taken_up_again_is_the_unbroken_one(task, tmp_path) -> None:
    settings = {**LIVELY, "features.trainable": False, "features.kind": "random"}
    whole, first, second = (grouped(task, FAST, **settings) for _ in range(3))
    with kernels.compile_mode(FAST):
        for epoch in (1, 2):
            whole.one_epoch(epoch)
        first.one_epoch(1)
        Checkpoint(tmp_path / "state", "key").save(first.state(), {})
        saved = Checkpoint(tmp_path / "state", "key", resume=True).load()
        assert saved is not None
        second.restore(saved[0])
        second.one_epoch(2)
    found, expected = second.state(), whole.state()
    assert set(found) == set(expected)
    for name, tensor in expected.items():
        assert torch.equal(found[name], tensor), name


@pytest.mark.slow
def test_groups_of_replicas_give_what_one_group_gives(task) -> None:
    seen = []
    for split in ([(1, 2)], [(1,), (2,)]):
        with kernels.compile_mode(FAST):
            made = [training_parts(task, seeds=seeds, **LIVELY, epochs=1) for seeds in split]
            networks = [network for network, *_ in made]
            found = fit(networks, *made[0][1:])
            logits = forward(networks, made[0][1], "val")[1]
        seen.append((found, logits))
    for name, column in seen[0][0].history.items():
        assert seen[1][0].history[name] == pytest.approx(column, rel=1e-4), name
    assert seen[0][1] == pytest.approx(seen[1][1], rel=1e-3, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("bad", [float("nan"), 1e38])
def test_a_diverged_replica_is_found_in_the_same_epoch_and_alone(task, bad) -> None:
    groups = []
    for mode in (FAST, "off"):
        group = grouped(task, mode, **LIVELY)
        with torch.no_grad():
            group.network.head.weight[1] = bad
        with kernels.compile_mode(mode):
            for epoch in (1, 2):
                group.one_epoch(epoch)
        groups.append(group)
    fast, plain = groups
    assert fast.diverged.tolist() == plain.diverged.tolist()
    assert fast.diverged.tolist()[0] == 0
    assert fast.best_epoch.tolist() == plain.best_epoch.tolist()
    ours = fast.history["val_loss"][:2, 0].tolist()
    assert ours == pytest.approx(plain.history["val_loss"][:2, 0].tolist(), rel=1e-4)


@pytest.mark.slow
def test_a_replica_with_a_large_number_diverges_in_both_ways_or_none(task) -> None:
    large = 1e20  # its square overflows
    seen = []
    for mode in (FAST, "off"):
        group = grouped(task, mode, **LIVELY)
        with torch.no_grad():
            group.network.table.table[1, 100 if CUDA else 10] = large
        with kernels.compile_mode(mode):
            for epoch in (1, 2):
                group.one_epoch(epoch)
        seen.append(group.diverged.tolist())
    assert seen[0] == seen[1]


@pytest.mark.slow
def test_a_frozen_parameter_stays(task) -> None:
    with kernels.compile_mode(FAST):
        (network, streams), stages, labels, training = training_parts(task)
        network.head.bias.requires_grad_(False)
        before = network.head.bias.clone()
        group = Group(network, streams, stages=stages, labels=labels, training=training)
        group.one_epoch(1)
    assert torch.equal(network.head.bias, before)


class Mean(nn.Module):
    """A convolution of the user's own without parameters."""

    def __init__(self, width_in: int, width_out: int) -> None:
        super().__init__()

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        source, to = edge_index
        return torch.zeros_like(x).index_add(0, to, x[source])


class Normed(Mean):
    """One whose only state is a buffer."""

    def __init__(self, width_in: int, width_out: int) -> None:
        super().__init__(width_in, width_out)
        self.norm = nn.BatchNorm1d(width_out, affine=False)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.norm(super().forward(x, edge_index))


def test_a_foreign_convolution_without_parameters_is_not_recorded(task) -> None:
    with kernels.compile_mode(FAST):
        (network, _), _, _, training = training_parts(task, foreign=Mean)
        assert isinstance(find_optimizer(network, 2, training), PlainOptimizer)


@pytest.mark.slow
def test_a_foreign_convolution_with_buffers_only_learns(task) -> None:
    with kernels.compile_mode(FAST):
        network, *others = training_parts(task, foreign=Normed, epochs=1)
        assert np.isfinite(fit([network], *others).history["train_loss"]).all()


@pytest.mark.slow
def test_a_foreign_convolution_with_parameters_learns(task) -> None:
    from torch_geometric.nn import GraphConv

    seen = []
    for mode in (FAST, "off"):
        with kernels.compile_mode(mode):
            network, *others = training_parts(task, foreign=GraphConv, epochs=1, **LIVELY)
            seen.append(fit([network], *others).history["train_loss"])
    assert seen[0] == pytest.approx(seen[1], rel=1e-4)


def test_a_state_of_the_other_optimiser_is_refused_in_words(task, tmp_path) -> None:
    for mode, resume in (("off", False), (FAST, True)):
        with kernels.compile_mode(mode):
            network, *others = training_parts(task, epochs=1 + resume)
            state = Checkpoint(tmp_path / "state", "key", every=-1.0, resume=resume)
            refused = pytest.raises(Sub2NodeError, match="remove it to start anew")
            with refused if resume else nullcontext():
                fit([network], *others, checkpoint=state)


@pytest.mark.slow
def test_a_group_is_freed_without_the_garbage_collector(task) -> None:
    group = grouped(task, FAST)
    with kernels.compile_mode(FAST):
        group.one_epoch(1)
    gone = weakref.ref(group)
    gc.collect()
    gc.disable()
    try:
        del group
        assert CUDA or gone() is None
    finally:
        gc.enable()


@pytest.mark.skipif(not CUDA, reason="needs a GPU")
def test_memory_of_a_training_is_free_after_it(task) -> None:
    gc.collect()
    gc.disable()
    try:
        held = []
        for _ in range(3):
            network, *others = training_parts(task, epochs=8)
            fit([network], *others)
            del network, others
            held.append(torch.cuda.memory_allocated())
        assert held[0] == held[2]
    finally:
        gc.enable()
