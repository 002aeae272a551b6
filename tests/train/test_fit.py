"""The training loop: replicas, optimiser, schedule, best state, interruptions."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import sub2node as s2n
from small_groups import training_parts
from sub2node.base.progress import Report, listen
from sub2node.config import Config
from sub2node.evaluate.protocol import labels_of
from sub2node.nn import build_network, build_stages
from sub2node.ops import triton as kernels
from sub2node.train import Group, fit, forward
from sub2node.train.checkpoint import Checkpoint
from sub2node.train.fit import _Loop
from sub2node.train.scores import losses
from sub2node.train.stop_request import StopRequest

STRUCTURES = ("separated", "connected", "s2n+0", "s2n+a")
LIVELY = {"dropout": 0.4, "edge_dropout": 0.3, "batch_norm": True, "skip": True, "clip": 0.1}
# A bias before batch norm has no gradient but rounding, which Adam makes steps of: a replica with
# such biases is the same among others only as far as rounding is.
NO_NORM = {**LIVELY, "batch_norm": False}


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=40,seed=3,nodes=1000")


def labels(task: s2n.SubgraphTask) -> dict[Any, torch.Tensor]:
    return {part: torch.from_numpy(labels_of(task, part)) for part in ("train", "val")}


def made(
    task: s2n.SubgraphTask, settings: dict[str, Any], seeds: Sequence[int], conv: Any = None
) -> tuple[Config, Any, Any]:
    config = Config().with_settings({"features.kind": "random", "epochs": 20, **settings})
    stages = build_stages(task, config)
    return config, stages, build_network(task, config, stages, seeds, conv=conv)


def trained(
    task: s2n.SubgraphTask, settings: dict[str, Any], seeds: Sequence[int], **kw: Any
) -> Any:
    config, stages, network = made(task, settings, seeds, kw.pop("conv", None))
    result = fit([network], stages, labels(task), config.training, **kw)
    return result, network[0], forward([network], stages, "val")[1]


@pytest.mark.slow
@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("conv", ["gcn2", "gcn", "gin", "sage", "gatv2", "fagcn"])
def test_a_replica_learns_the_same_alone_and_among_others(task, structure, conv) -> None:
    settings = {"structure": structure, "conv": conv, **(LIVELY if conv == "gcn2" else NO_NORM)}
    settings |= {"epochs": 4, "hidden": 16}
    seeds = [10, 11, 12] if conv != "gcn2" else list(range(10, 15))
    together, network, logits = trained(task, settings, seeds)
    for r in (0, 2):
        alone, single, own = trained(task, settings, [seeds[r]])
        for name, column in alone.history.items():
            assert together.history[name][:, r] == pytest.approx(column[:, 0], rel=1e-5), name
        assert together.best_epoch[r] == alone.best_epoch[0]
        for mine, theirs in zip(single.parameters(), network.parameters(), strict=True):
            scale = float(mine.detach().abs().max())
            assert torch.allclose(mine[0], theirs[r], rtol=1e-5, atol=1e-5 * scale)
        assert np.allclose(logits[r], own[0], rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_a_users_convolution_keeps_replicas_apart_too(task) -> None:
    from torch_geometric.nn import GraphConv

    settings = {"structure": "s2n+a", **NO_NORM}
    together, _, _ = trained(task, settings, [10, 11, 12], conv=GraphConv)
    alone, _, _ = trained(task, settings, [11], conv=GraphConv)
    for name, column in alone.history.items():
        assert together.history[name][:, 1] == pytest.approx(column[:, 0], rel=1e-5), name


def test_other_seeds_learn_otherwise(task) -> None:
    result, _, _ = trained(task, {"epochs": 3, **LIVELY}, [10, 11])
    assert abs(result.history["train_loss"][:, 0] - result.history["train_loss"][:, 1]).min() > 1e-4


@pytest.mark.slow
def test_training_twice_is_bitwise_the_same(task) -> None:
    (one, _, first), (two, _, second) = (trained(task, LIVELY, [10, 11]) for _ in range(2))
    assert np.array_equal(first, second)
    assert all(np.array_equal(one.history[name], two.history[name]) for name in one.history)


@pytest.mark.slow
@pytest.mark.parametrize("clip", [0.0, 0.05])
def test_the_loop_does_what_plain_pytorch_does(task, clip) -> None:
    settings = {"dropout": 0.0, "edge_dropout": 0.0, "batch_norm": True, "clip": clip, "epochs": 12}
    settings |= {"weight_decay": 1e-3, "plateau_patience": 0, "plateau_factor": 0.5, "lr": 0.05}
    config, stages, (network, _) = made(task, settings, [10])
    training, targets = config.training, labels(task)
    optimizer = torch.optim.Adam(
        network.parameters(), lr=training.lr, weight_decay=training.weight_decay
    )
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(
        optimizer, factor=0.5, patience=0, min_lr=training.min_lr
    )
    history = []
    for _ in range(training.epochs):
        network.train()
        optimizer.zero_grad()
        loss = losses(network(stages["train"])[1], targets["train"]).sum()
        loss.backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(network.parameters(), clip)
        optimizer.step()
        with torch.no_grad():
            val = losses(network.eval()(stages["val"])[1], targets["val"]).sum()
        history.append((float(loss.detach()), float(val), optimizer.param_groups[0]["lr"]))
        schedule.step(val)
    ours, _, _ = trained(task, settings, [10])
    for column, name in enumerate(("train_loss", "val_loss", "lr")):
        expected = np.array(history)[:, column]
        assert ours.history[name][:, 0] == pytest.approx(expected, rel=1e-3), name
    assert len(set(ours.history["lr"][:, 0])) > 1  # the schedule did something


@pytest.mark.slow
def test_the_best_state_is_the_first_with_the_best_validation_score(task) -> None:
    result, _, logits = trained(task, {"epochs": 40, "lr": 0.01}, [10, 11, 12])
    truth = labels_of(task, "val")
    column = result.history["val_micro_f1"]
    assert (result.best_epoch == column.argmax(axis=0) + 1).all()
    assert (logits.argmax(-1) == truth).mean(axis=1) == pytest.approx(column.max(axis=0))
    assert (result.best_epoch < 40).any()  # else the test shows nothing


@pytest.mark.slow
def test_on_ties_the_lowest_validation_loss_may_decide(task) -> None:
    settings = {"epochs": 40, "lr": 0.01}
    result, _, _ = trained(task, {**settings, "ties": "loss"}, [10, 11, 12])
    first, _, _ = trained(task, settings, [10, 11, 12])
    score, loss = result.history["val_micro_f1"], result.history["val_loss"]
    best = np.where(score == score.max(axis=0), loss, np.inf).argmin(axis=0)
    assert (result.best_epoch == best + 1).all()
    assert np.array_equal(score, first.history["val_micro_f1"])  # training is the same
    assert (result.best_epoch > first.best_epoch).any()  # else the test shows nothing


@pytest.mark.slow
def test_a_replica_that_diverges_leaves_the_others_alone(task) -> None:
    config, stages, group = made(task, LIVELY, [10, 11, 12])
    with torch.no_grad():
        group[0].head.weight[1] = torch.nan
    broken = fit([group], stages, labels(task), config.training)
    sound, _, _ = trained(task, LIVELY, [10, 11, 12])
    assert broken.diverged.tolist() == [0, 1, 0]
    assert broken.best_epoch[1] == 0
    for name, column in broken.history.items():
        assert np.array_equal(column[:, [0, 2]], sound.history[name][:, [0, 2]]), name


def test_a_rate_far_too_high_is_reported_not_raised(task) -> None:
    result, _, logits = trained(task, {"lr": 1e30, "clip": 0.0, "epochs": 5}, [10, 11])
    assert (result.diverged > 0).all()
    assert np.isfinite(logits).all()  # the best state is from before


@pytest.mark.slow
def test_patience_stops_each_replica_by_itself(task) -> None:
    result, _, _ = trained(task, {"epochs": 200, "patience": 5}, [10, 11, 12])
    assert result.ended == "early"
    epochs = len(result.history["lr"])
    assert epochs == result.best_epoch.max() + 5
    alone, _, _ = trained(task, {"epochs": 200, "patience": 5}, [11])
    assert alone.best_epoch[0] == result.best_epoch[1]


@pytest.mark.slow
def test_groups_in_step_are_one_training(task) -> None:
    config, stages, first = made(task, LIVELY, [10, 11])
    second = build_network(task, config, stages, [12])
    apart = fit([first, second], stages, labels(task), config.training)
    together, _, logits = trained(task, LIVELY, [10, 11, 12])
    for name, column in apart.history.items():
        assert column == pytest.approx(together.history[name], rel=1e-5), name
    assert np.allclose(forward([first, second], stages, "val")[1], logits, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_ctrl_c_ends_after_the_epoch_with_the_best_state_so_far(task) -> None:
    def interrupt(report: Report) -> None:
        if report.done == 7:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with listen(interrupt):
        result, _, logits = trained(task, LIVELY, [10, 11])
    assert result.ended == "interrupted"
    assert len(result.history["lr"]) == 7
    whole, _, _ = trained(task, LIVELY, [10, 11])
    assert np.array_equal(result.history["val_loss"], whole.history["val_loss"][:7])
    assert np.isfinite(logits).all()
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_ctrl_c_interrupts_at_once(task) -> None:
    def interrupt(report: Report) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # Spark may have left its own
    try:
        with listen(interrupt), pytest.raises(KeyboardInterrupt):
            trained(task, LIVELY, [10])
    finally:
        signal.signal(signal.SIGINT, before)


def test_progress_tells_loss_score_and_replicas(task) -> None:
    said: list[Report] = []
    with listen(said.append):
        trained(task, {"epochs": 2}, [10, 11, 12])
    assert [(report.what, report.done, report.total) for report in said[-2:]] == [
        ("Training", 1, 2),
        ("Training", 2, 2),
    ]
    for part in ("epoch 2 of 2 · best val", "loss", "3 replicas"):
        assert part in said[-1].text


class Scripted(Group):
    """Epochs whose numbers are written down; nothing is learned but the epoch's number."""

    LOSS: tuple[float, ...] = ()
    SCORE: tuple[float, ...] = ()

    def train_step(self) -> Tensor:
        with torch.no_grad():
            for parameter in self.network.parameters():
                parameter.copy_(torch.full_like(parameter, float(self.clock) + 1))
        return self._scripted(self.LOSS)

    def val_step(self) -> tuple[Tensor, Tensor]:
        return self._scripted(self.LOSS), self._scripted(self.SCORE)

    def _scripted(self, numbers: tuple[float, ...]) -> Tensor:
        count = len(self.streams.seeds)
        value = numbers[min(int(self.clock), len(numbers) - 1)]
        return torch.full((count,), value, dtype=torch.float64, device=self.stages.device)


def looped(task: s2n.SubgraphTask, kind: type[Group], *, ahead: bool, **kw: Any) -> _Loop:
    with kernels.compile_mode("off"):
        network, stages, labels, training = training_parts(task, **kw)
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
