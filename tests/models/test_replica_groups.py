"""Replicas that do not fit into the memory together are trained one after another."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from scoring_tasks import FAST, small_task
from sub2node.evaluate.protocol import labels_of
from sub2node.models import replica_groups as module
from sub2node.models.find import network
from sub2node.models.graph_network import GraphNetwork
from sub2node.models.replica_groups import build_in_groups

CPU = torch.device("cpu")


class Streams:
    def __init__(self, seeds: list[int]) -> None:
        self.seeds = seeds


def make(seeds: list[int]) -> tuple[nn.Module, Streams]:
    """A thousand numbers that each replica learns, and as many that it does not."""
    learned, fixed = nn.Linear(1000, len(seeds), bias=False), nn.Linear(1000, 1, bias=False)
    return nn.ModuleList([learned, fixed.requires_grad_(False)]), Streams(list(seeds))


def sizes(monkeypatch, free: int | None, *, at_once: int = 4, device: str = "cpu") -> list[int]:
    monkeypatch.setattr(module, "free_memory", lambda _: free)
    found = build_in_groups(
        make, range(10), at_once=at_once, numbers=100, device=torch.device(device)
    )
    seeds = [seed for _, streams in found.networks for seed in streams.seeds]
    assert seeds == list(range(10))
    assert bool(found.notes) == found.apart
    return [found.apart, *(len(streams.seeds) for _, streams in found.networks)]


def test_they_are_trained_together_where_there_is_room(monkeypatch) -> None:
    own = 4000  # bytes of a replica; 6 are still to be made, and each has four copies in training
    assert sizes(monkeypatch, own * (6 + 40)) == [False, 4, 4, 2]
    assert sizes(monkeypatch, None) == [False, 4, 4, 2]
    assert sizes(monkeypatch, own * (6 + 40) - 1) == [True, 4, 4, 2]
    assert sizes(monkeypatch, own * (6 + 16)) == [True, 4, 4, 2]
    assert sizes(monkeypatch, own * (6 + 16) - 1) == [True, 3, 3, 3, 1]
    assert sizes(monkeypatch, own * (6 + 4)) == [True, *[1] * 10]
    assert sizes(monkeypatch, 0) == [True, *[1] * 10]


def test_recordings_keep_the_activations_of_each_group(monkeypatch) -> None:
    own, activation = 4000, 64 * 100 * 4
    together = own * (6 + 40) + 12 * activation
    assert sizes(monkeypatch, together, device="cuda") == [False, 4, 4, 2]
    assert sizes(monkeypatch, together - 1, device="cuda") == [True, 4, 4, 2]
    two = own * 6 + 2 * (4 * own + activation)
    assert sizes(monkeypatch, two, device="cuda") == [True, 2, 2, 2, 2, 2]


def test_the_note_says_how_much_there_is(monkeypatch) -> None:
    monkeypatch.setattr(module, "free_memory", lambda _: 10**7)
    found = build_in_groups(make, range(1000), at_once=1000, numbers=1, device=CPU)
    (note,) = found.notes
    assert note.startswith("replicas are trained one after another, 625 at a time: together they")
    assert "about 0.02 GB more, and this machine has 0.01 GB free" in note


@pytest.mark.slow
@pytest.mark.parametrize("structure", ["s2n+0", "s2n+a"])
def test_models_that_do_not_fit_learn_the_same(structure, monkeypatch) -> None:
    task = small_task()
    labels = {part: labels_of(task, part) for part in ("train", "val")}
    spec = network(task, structure=structure, conv="gcn2", preset="fast", settings=FAST)
    model = GraphNetwork(spec.model.candidates, device="cpu")
    together = model.fit(task, labels, [10, 11, 12])
    monkeypatch.setattr(module, "free_memory", lambda _: 10**3)
    apart = model.fit(task, labels, [10, 11, 12])
    assert (together.built.apart, apart.built.apart) == (False, True)
    assert len(apart.built.networks) == 3
    assert any("one after another, 1 at a time" in note for note in apart.facts["notes"])
    for part in ("val", "test"):
        one, other = (trained.outputs(part).logits for trained in (together, apart))
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(together.fitted.best_epoch, apart.fitted.best_epoch)
