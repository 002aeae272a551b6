"""Training without a validation part: what a replica holds out never reaches its weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from ring_tasks import ring_task
from sub2node.config import Config
from sub2node.models.candidates import target
from sub2node.nn import build_network, build_stages
from sub2node.task import Split
from sub2node.train import HeldOutGroup, fit
from sub2node.train.held_out import held_out_folds

SETTINGS = {
    "structure": "s2n+0", "hidden": 8, "features.width": 8, "features.kind": "random", "epochs": 6,
    "a": 0.0, "delta": 3.0, "lr": 0.05, "dropout": 0.0, "edge_dropout": 0.0,
}  # fmt: skip


def parts(*, multilabel: bool = False, seeds: Any = (1, 2), **settings: Any) -> tuple[Any, ...]:
    """Network with streams, stages, labels, settings of training; all subgraphs are in train."""
    task = ring_task(multilabel)
    task = task.with_split(Split.sizes(train=len(task)))
    config = Config().with_settings({**SETTINGS, **settings})
    stages = build_stages(task, config, parts=("train", "val"))
    labels = {"train": target(task.labels), "val": target(task.labels[:0])}
    return build_network(task, config, stages, seeds), stages, labels, config.training


def group_of(**options: Any) -> HeldOutGroup:
    """Replicas before the first epoch."""
    network, stages, labels, training = parts(**options)
    return HeldOutGroup(*network, stages=stages, labels=labels, training=training)


def weights_of(group: HeldOutGroup) -> list[torch.Tensor]:
    return [values.detach().clone() for values in group.network.parameters()]


@given(st.lists(st.integers(0, 3), min_size=2, max_size=60), st.integers(2, 8))
def test_folds_are_equal_in_size_and_classes_spread_over_them(labels, count) -> None:
    fold = held_out_folds(torch.tensor(labels), count).numpy()
    sizes = np.bincount(fold, minlength=count)
    assert sizes.max() - sizes.min() <= 1
    for label in set(labels):
        here = np.bincount(fold[np.array(labels) == label], minlength=count)
        assert here.max() - here.min() <= 1


def test_folds_of_several_labels_are_equal_in_size() -> None:
    fold = held_out_folds(torch.rand(30, 4) > 0.5, 8)
    sizes = torch.bincount(fold)
    assert len(sizes) == 8
    assert sizes.max() - sizes.min() <= 1


@given(st.integers(0, 99), st.integers(2, 12))
def test_folds_keep_groups_together(seed, groups) -> None:
    rng = np.random.default_rng(seed)
    own = np.concatenate([np.arange(groups), rng.integers(0, groups, 40)])
    labels = rng.integers(0, 3, len(own))
    fold = held_out_folds(torch.tensor(labels), 8, own).numpy()
    assert all(len(set(fold[own == group])) == 1 for group in range(groups))
    assert set(fold) == set(range(len(set(fold))))
    assert len(set(fold)) > 1
    alone = held_out_folds(torch.tensor(labels), 8, np.zeros(len(own)))
    assert torch.equal(alone, held_out_folds(torch.tensor(labels), 8))  # nothing to keep apart


def test_a_replica_holds_out_whole_groups() -> None:
    groups = np.arange(60) // 5
    network, stages, labels, training = parts(seeds=(3, 4))
    group = HeldOutGroup(*network, stages=stages, labels=labels, training=training, groups=groups)
    held = group.held.numpy().reshape(2, 12, 5)
    assert (held.all(axis=2) == held.any(axis=2)).all()
    assert held.any()


def test_eight_seeds_hold_out_each_label_once() -> None:
    group = group_of(seeds=tuple(range(10, 18)))
    assert group.held.shape == (8, 60)
    assert (group.held.sum(0) == 1).all()
    (again,) = group_of(seeds=(18,)).held
    assert torch.equal(again, group.held[0])  # which fold that is follows from the seed


def test_few_subgraphs_are_held_out_one_at_a_time() -> None:
    network, stages, labels, training = parts()
    few = {"train": labels["train"][:3], "val": labels["val"]}
    group = HeldOutGroup(*network, stages=stages, labels=few, training=training)
    assert group.held.sum(1).tolist() == [1, 1]
    assert torch.isfinite(group.learned).all()


@pytest.mark.parametrize("multilabel", [False, True])
def test_a_label_that_is_held_out_changes_other_replicas_only(multilabel) -> None:
    plain, changed = (group_of(multilabel=multilabel) for _ in range(2))
    (row,) = plain.held[0].reshape(60).nonzero()[0].tolist()
    assert not plain.held[1].reshape(60)[row]
    changed.labels["train"][row] = 1 - changed.labels["train"][row]
    for _ in range(3):
        one, other = plain.train_step(), changed.train_step()
    assert one[0] == other[0]
    assert one[1] != other[1]
    for mine, theirs in zip(weights_of(plain), weights_of(changed), strict=True):
        assert torch.equal(mine[0], theirs[0])
    assert any(
        not torch.equal(mine[1], theirs[1])
        for mine, theirs in zip(weights_of(plain), weights_of(changed), strict=True)
    )
    loss, _ = changed.val_step()
    plain_loss, _ = plain.val_step()
    assert loss[0] != plain_loss[0]  # it is what this replica is judged on


def plain_loop(multilabel: bool, seed: int, weights: torch.Tensor | None) -> dict[str, Any]:
    """The same in plain PyTorch on the rows of one replica: history and best state."""
    (network, _), stages, labels, training = parts(multilabel=multilabel, seeds=(seed,))
    truth = labels["train"]
    held = held_out_folds(truth, 8) == seed % 8
    loss_of = binary_cross_entropy_with_logits if multilabel else cross_entropy
    optimizer = torch.optim.Adam(
        network.parameters(), lr=training.lr, weight_decay=training.weight_decay
    )
    history: dict[str, Any] = {"train_loss": [], "val_loss": [], "val_micro_f1": []}
    best: tuple[float, float] = (-1.0, 0.0)
    for epoch in range(training.epochs):
        network.train()
        optimizer.zero_grad()
        single = loss_of(network(stages["train"])[1][0], truth, reduction="none")
        loss = (single if weights is None else single * weights)[~held].mean()
        loss.backward()
        if training.clip:
            torch.nn.utils.clip_grad_norm_(network.parameters(), training.clip)
        optimizer.step()
        with torch.no_grad():
            logits = network.eval()(stages["train"])[1][0][held]
        predicted = (logits > 0).int() if multilabel else logits.argmax(-1)
        score = f1_score(truth[held], predicted, average="micro", zero_division=0)
        val_loss = loss_of(logits, truth[held]).item()
        row = (loss.item(), val_loss, score)
        for name, value in zip(("train_loss", "val_loss", "val_micro_f1"), row, strict=True):
            history[name].append(value)
        if (score, -val_loss) > best:
            best = (score, -val_loss)
            history["best_epoch"] = epoch + 1
            history["state"] = [p.detach().clone() for p in network.parameters()]
    return history


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_epoch_that_is_best_on_what_was_held_out_is_kept(multilabel, weighted) -> None:
    seeds, options = (3, 12), {"multilabel": multilabel, "seeds": (3, 12), "ties": "loss"}
    (network, streams), stages, labels, training = parts(**options)
    weights = 0.5 + labels["train"] if weighted else None
    result = fit(
        [(network, streams)], stages, labels, training, group=HeldOutGroup, weights=weights
    )
    for place, seed in enumerate(seeds):
        expected = plain_loop(multilabel, seed, weights)
        for name in ("train_loss", "val_loss", "val_micro_f1"):
            assert result.history[name][:, place] == pytest.approx(expected[name], abs=1e-5), name
        assert result.best_epoch[place] == expected["best_epoch"]
        for ours, theirs in zip(network.parameters(), expected["state"], strict=True):
            torch.testing.assert_close(ours[place], theirs[0], rtol=1e-4, atol=1e-5)
    assert result.best_epoch.min() > 0
