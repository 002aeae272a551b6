"""What training on a GPU does otherwise: slabs, looks now and then, resuming, odd networks."""

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
from fast_path import CUDA, DEVICE, FAST
from sub2node.base.errors import Sub2NodeError
from sub2node.config import Config
from sub2node.evaluate.protocol import labels_of
from sub2node.models.candidates import target
from sub2node.nn import Streams, build, build_network, build_stages
from sub2node.ops import triton as kernels
from sub2node.train import Group, fit, forward
from sub2node.train.checkpoint import Checkpoint
from sub2node.train.fit import _Loop
from sub2node.train.replica_optimizer import PlainOptimizer, SlabOptimizer, find_optimizer
from sub2node.train.stop_request import StopRequest

LIVELY = {"dropout": 0.3, "edge_dropout": 0.3, "batch_norm": True, "skip": True, "clip": 0.5,
          "weight_decay": 0.01, "conv": "gcn2"}  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=12,seed=3")


@pytest.fixture(autouse=True)
def _same_bits(monkeypatch) -> None:
    """The CPU too draws as a GPU does, so that both paths drop the same."""
    monkeypatch.setattr(build, "Streams", partial(Streams, counted=True))


def parts(
    task: s2n.SubgraphTask, seeds: Any = (1, 2), foreign: Any = None, **settings: Any
) -> tuple[Any, ...]:
    """Network with streams, stages, labels, settings of training."""
    config = Config().with_settings(
        {"structure": "s2n+0", "hidden": 8, "features.width": 8, "epochs": 4, "a": 0.0,
         "delta": 3.0, "conv": "gcn", **settings}
    )  # fmt: skip
    stages = build_stages(task, config, parts=("train", "val"), device=DEVICE)
    labels: Any = {part: target(labels_of(task, part)) for part in ("train", "val")}
    network = build_network(task, config, stages, seeds, conv=foreign)
    return network, stages, labels, config.training


def grouped(task: s2n.SubgraphTask, mode: Any, **kw: Any) -> Group:
    with kernels.compile_mode(mode):
        network, stages, labels, training = parts(task, **kw)
        return Group(*network, stages=stages, labels=labels, training=training)


# ----------------------------------------------------------------- looking only now and then


class Scripted(Group):
    """Epochs whose numbers are written down; nothing is learned but the epoch's number."""

    LOSS: tuple[float, ...] = ()
    SCORE: tuple[float, ...] = ()

    def train_step(self) -> Tensor:
        with torch.no_grad():
            for parameter in self.network.parameters():
                parameter.copy_(torch.full_like(parameter, float(self.clock) + 1))
        return self._told(self.LOSS)

    def val_step(self) -> tuple[Tensor, Tensor]:
        return self._told(self.LOSS), self._told(self.SCORE)

    def _told(self, numbers: tuple[float, ...]) -> Tensor:
        count = len(self.streams.seeds)
        told = numbers[min(int(self.clock), len(numbers) - 1)]
        return torch.full((count,), told, dtype=torch.float64, device=self.stages.device)


def looped(task: s2n.SubgraphTask, kind: type[Group], *, ahead: bool, **kw: Any) -> _Loop:
    with kernels.compile_mode("off"):
        network, stages, labels, training = parts(task, **kw)
        group = kind(*network, stages=stages, labels=labels, training=training)
    group.ahead = ahead
    return _Loop([group], training)


def test_the_end_of_patience_is_the_same_seen_late(task) -> None:
    kind = type("Waiting", (Scripted,), {"LOSS": (1.0,), "SCORE": (0.5, 0.4)})
    seen = []
    for ahead in (False, True):
        loop = looped(task, kind, ahead=ahead, patience=3, epochs=20)
        ended = loop.run(None, StopRequest(), "")
        group = loop.groups[0]
        seen.append((
            ended, loop.epoch, loop.joined("best_epoch").tolist(), loop.column("lr").tolist(),
            loop.joined("running").tolist(),
            {name: t.clone() for name, t in group.optimizer.best.items()},
        ))  # fmt: skip
        assert int(group.clock) >= loop.epoch
    assert seen[0][:5] == seen[1][:5]
    assert seen[0][:3] == ("early", 4, [1, 1])
    for name, tensor in seen[0][5].items():
        assert torch.equal(tensor, seen[1][5][name])


def test_a_state_kept_after_the_end_is_taken_up_at_the_end(task, tmp_path) -> None:
    kind = type("Waiting", (Scripted,), {"LOSS": (1.0,), "SCORE": (0.5, 0.4)})
    first = looped(task, kind, ahead=True, patience=3, epochs=20)
    first.run(None, StopRequest(), "")
    Checkpoint(tmp_path / "state", "key").save(*first.state())
    again = looped(task, kind, ahead=True, patience=3, epochs=20)
    saved = Checkpoint(tmp_path / "state", "key", resume=True).load()
    assert saved is not None
    again.restore(*saved)
    assert again.run(None, StopRequest(), "") == "early"
    assert again.epoch == 4
    assert again.column("val_micro_f1").tolist() == first.column("val_micro_f1").tolist()


def test_a_wish_to_stop_among_epochs_ahead(task) -> None:
    kind = type("Slow", (Scripted,), {"LOSS": (1.0,), "SCORE": (0.1, 0.2, 0.3, 0.4)})
    loop, request = looped(task, kind, ahead=True, epochs=50), StopRequest()
    request.stop = True
    assert loop.run(None, request, "") == "interrupted"
    assert loop.column("lr").shape == (loop.epoch, 2)
    assert not np.isnan(loop.column("lr")).any()
    assert int(loop.groups[0].clock) == loop.epoch


def test_no_replica_diverges_after_the_end(task) -> None:
    script = {"LOSS": (1.0, 1.0, 1.0, 1.0, 1.0, float("nan")), "SCORE": (0.5, 0.4)}
    seen = []
    for ahead in (False, True):
        loop = looped(task, type("Late", (Scripted,), script), ahead=ahead, patience=3, epochs=20)
        loop.run(None, StopRequest(), "")
        seen.append((loop.epoch, loop.joined("diverged").tolist()))
    assert seen[0] == (4, [0, 0])
    assert seen[1] == seen[0]


def test_epochs_of_a_group_that_is_done_beside_one_that_is_not(task) -> None:
    early = type("Early", (Scripted,), {"LOSS": (1.0,), "SCORE": (0.5, 0.4)})
    late = type("Late", (Scripted,), {"LOSS": (1.0,), "SCORE": tuple(np.arange(40) / 40)})
    loops = []
    for ahead in (False, True):
        one, two = (looped(task, k, ahead=ahead, patience=3, epochs=20) for k in (early, late))
        loop = _Loop([*one.groups, *two.groups], one.training)
        assert loop.run(None, StopRequest(), "") == "complete"
        loops.append(loop)
    for name in ("best_epoch", "diverged", "running"):
        assert loops[0].joined(name).tolist() == loops[1].joined(name).tolist(), name
    assert loops[0].joined("best_epoch").tolist() == [1, 1, 20, 20]


# ----------------------------------------------------------------------------------- slabs


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


def test_groups_of_replicas_give_what_one_group_gives(task) -> None:
    seen = []
    for split in ([(1, 2)], [(1,), (2,)]):
        with kernels.compile_mode(FAST):
            made = [parts(task, seeds=seeds, **LIVELY, epochs=2) for seeds in split]
            networks = [network for network, *_ in made]
            found = fit(networks, *made[0][1:])
            logits = forward(networks, made[0][1], "val")[1]
        seen.append((found, logits))
    for name, column in seen[0][0].history.items():
        assert seen[1][0].history[name] == pytest.approx(column, rel=1e-4), name
    assert seen[0][1] == pytest.approx(seen[1][1], rel=1e-3, abs=1e-4)


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


@pytest.mark.parametrize("large", [1e20] if CUDA else [1e20, 1e30])  # squares overflow
def test_a_replica_with_a_large_number_diverges_in_both_ways_or_none(task, large) -> None:
    seen = []
    for mode in (FAST, "off"):
        group = grouped(task, mode, **LIVELY)
        with torch.no_grad():
            group.network.table.table[1, 100] = large
        with kernels.compile_mode(mode):
            for epoch in (1, 2):
                group.one_epoch(epoch)
        seen.append(group.diverged.tolist())
    assert seen[0] == seen[1]


def test_a_frozen_parameter_stays(task) -> None:
    with kernels.compile_mode(FAST):
        (network, streams), stages, labels, training = parts(task)
        network.head.bias.requires_grad_(False)
        before = network.head.bias.clone()
        group = Group(network, streams, stages=stages, labels=labels, training=training)
        group.one_epoch(1)
    assert torch.equal(network.head.bias, before)


# -------------------------------------------------------------------------- foreign convolutions


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
        (network, _), _, _, training = parts(task, foreign=Mean)
        assert isinstance(find_optimizer(network, 2, training), PlainOptimizer)


def test_a_foreign_convolution_with_buffers_only_learns(task) -> None:
    with kernels.compile_mode(FAST):
        network, *others = parts(task, foreign=Normed, epochs=1)
        assert np.isfinite(fit([network], *others).history["train_loss"]).all()


def test_a_foreign_convolution_with_parameters_learns(task) -> None:
    from torch_geometric.nn import GraphConv

    seen = []
    for mode in (FAST, "off"):
        with kernels.compile_mode(mode):
            network, *others = parts(task, foreign=GraphConv, epochs=2, **LIVELY)
            seen.append(fit([network], *others).history["train_loss"])
    assert seen[0] == pytest.approx(seen[1], rel=1e-4)


# ------------------------------------------------------------------------- checkpoints and memory


def test_a_state_of_the_other_optimiser_is_refused_in_words(task, tmp_path) -> None:
    for mode, resume in (("off", False), (FAST, True)):
        with kernels.compile_mode(mode):
            network, *others = parts(task, epochs=1 + resume)
            state = Checkpoint(tmp_path / "state", "key", every=-1.0, resume=resume)
            refused = pytest.raises(Sub2NodeError, match="remove it to start anew")
            with refused if resume else nullcontext():
                fit([network], *others, checkpoint=state)


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
            network, *others = parts(task, epochs=8)
            fit([network], *others)
            del network, others
            held.append(torch.cuda.memory_allocated())
        assert held[0] == held[2]
    finally:
        gc.enable()
