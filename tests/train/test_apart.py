"""Groups of replicas that are trained one after another learn what they learn together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import sub2node as s2n
from sub2node.base.progress import listen
from sub2node.config import Config
from sub2node.evaluate.protocol import labels_of
from sub2node.nn import build_network, build_stages
from sub2node.train import Checkpoint, fit, fit_apart, forward

SETTINGS = {"features.kind": "random", "epochs": 6, "hidden": 8, "width": 8, "layers": 1}
LIVELY = {"dropout": 0.4, "edge_dropout": 0.3, "clip": 0.1, "plateau_patience": 1}


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=30,seed=3,nodes=300")


def trained(task: s2n.SubgraphTask, how: Any, seeds: list[list[int]], **options: Any) -> Any:
    config = Config().with_settings({**SETTINGS, **LIVELY, **options.pop("settings", {})})
    stages = build_stages(task, config)
    networks = [build_network(task, config, stages, some) for some in seeds]
    labels = {part: torch.from_numpy(labels_of(task, part)) for part in ("train", "val")}
    result = how(networks, stages, labels, config.training, **options)
    return result, networks, forward(networks, stages, "val")[1]


def same(one: Any, other: Any) -> None:
    """Both trainings gave the same numbers, bit by bit, as far as both went."""
    for name, column in one[0].history.items():
        known = np.isfinite(column)
        assert np.array_equal(column[known], other[0].history[name][known]), name
    assert np.array_equal(one[0].best_epoch, other[0].best_epoch)
    assert np.array_equal(one[2], other[2])


@pytest.mark.parametrize("structure", ["s2n+0", "separated"])
def test_apart_is_as_together(task, structure) -> None:
    settings, seeds = {"structure": structure}, [[10, 11], [12]]
    apart = trained(task, fit_apart, seeds, settings=settings)
    same(apart, trained(task, fit, seeds, settings=settings))
    assert apart[0].ended == "complete"
    assert apart[0].history["lr"].shape == (6, 3)
    grads = [p.grad for network, _ in apart[1] for p in network.parameters()]
    assert grads
    assert all(grad is None for grad in grads)


@pytest.mark.slow
def test_replicas_stacked_otherwise_learn_the_same_up_to_rounding(task) -> None:
    settings = {"structure": "s2n+a"}
    apart, _, own = trained(task, fit_apart, [[10], [11], [12]], settings=settings)
    together, _, logits = trained(task, fit, [[10, 11, 12]], settings=settings)
    for name, column in together.history.items():
        assert apart.history[name] == pytest.approx(column, rel=1e-5), name
    assert np.allclose(own, logits, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_groups_that_run_out_of_patience_end_by_themselves(task) -> None:
    settings = {"patience": 2, "epochs": 30}
    apart = trained(task, fit_apart, [[10], [11], [12]], settings=settings)
    together = trained(task, fit, [[10], [11], [12]], settings=settings)
    same(apart, together)
    assert apart[0].ended == together[0].ended
    lasted = np.isfinite(apart[0].history["lr"]).sum(axis=0)
    assert (lasted >= apart[0].best_epoch).all()
    assert lasted.max() == len(apart[0].history["lr"])


def test_what_stops_the_first_group_leaves_the_others_an_epoch(task) -> None:
    seen = []

    def watch(scores: Any) -> bool:
        seen.append(scores.shape)
        return len(scores) == 3

    result, _, _ = trained(task, fit_apart, [[10, 11], [12]], watch=watch)
    assert (result.ended, seen[-1]) == ("stopped", (3, 2))
    assert np.isfinite(result.history["lr"]).sum(axis=0).tolist() == [3, 3, 1]
    assert (result.best_epoch > 0).all()


def test_the_time_is_shared(task) -> None:
    result, _, _ = trained(task, fit_apart, [[10], [11]], seconds=0.0)
    assert result.ended == "late"
    assert len(result.history["lr"]) == 1


class Killed(BaseException):
    pass


def test_a_killed_training_goes_on_in_the_group_it_was_in(task, tmp_path: Path) -> None:
    whole = trained(task, fit_apart, [[10], [11]])
    reports = 0

    def kill(_: Any) -> None:
        nonlocal reports
        reports += 1
        if reports == 10:
            raise Killed

    path = tmp_path / "state.safetensors"
    with pytest.raises(Killed), listen(kill):
        trained(task, fit_apart, [[10], [11]], checkpoint=Checkpoint(path, "key", every=-1))
    assert {file.name for file in tmp_path.iterdir()} == {
        "state-seeds-10-10.safetensors",
        "state-seeds-11-11.safetensors",
    }
    again = Checkpoint(path, "key", every=-1, resume=True)
    resumed = trained(task, fit_apart, [[10], [11]], checkpoint=again)
    same(whole, resumed)
    assert resumed[0].seconds_before > 0
