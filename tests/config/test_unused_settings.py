"""Settings without effect: what is named really changes nothing, and nothing else is named."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from small_networks import answers, config_of, task_of
from sub2node.base.notes import NoteKind, has_kind
from sub2node.baselines import NETWORKS
from sub2node.config import STRUCTURES, Config
from sub2node.config.unused_settings import unused_note, unused_settings
from sub2node.models.graph_network import presented

OTHER: dict[str, Any] = {
    "translation.a": 0.4, "translation.delta": 0.3, "translation.self_loops": False,
    "translation.max_distance": 1, "translation.te": "shared_nodes", "translation.weighted": False,
    "model.inner_layers": 2, "model.outer.alpha": 0.1, "model.outer.theta": 0.3,
    "model.outer.shared_weights": False, "model.outer.heads": 3, "model.outer.eps": 0.9,
    "model.inner.alpha": 0.1, "model.inner.heads": 2, "model.inner.eps": 0.9,
    "features.value": 3.0, "features.scale": 3.0, "features.join": "concat",
    "features.encoding_width": 3, "features.scaling": "standard", "coarsening.ratio": 0.3,
    "coarsening.method": "ego_nets", "coarsening.averaging": "root", "coarsening.eigenvectors": 2,
    "coarsening.small": "keep",
}  # fmt: skip


MAY_COINCIDE = {"coarsening.averaging", "coarsening.eigenvectors", "coarsening.small"}


def all_answers(config: Config) -> list[torch.Tensor]:
    """Answers of every stage, with the virtual subgraphs of the settings for CoS2N."""
    task, _ = presented(task_of(), config)
    return [answers(task, config, part) for part in ("train", "val", "test")]


@pytest.mark.slow
@pytest.mark.parametrize("conv", ["gcn", "gcn2", "gin", "gatv2", "fagcn"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_what_is_named_changes_nothing_and_nothing_else_does(structure: str, conv: str) -> None:
    config = config_of(structure, conv, features__kind="random")
    usual = all_answers(config)
    for name, value in OTHER.items():
        if conv != "gcn2" and name.startswith(("features.", "coarsening.")):
            continue  # they are the same for all convolutions
        changed = all_answers(config.with_settings({name: value}))
        same = all(
            one.shape == other.shape and torch.equal(one, other)
            for one, other in zip(changed, usual, strict=True)
        )
        named = name in unused_settings(config.with_settings({name: value}), [name])
        assert named <= same, name
        assert named == same or name in MAY_COINCIDE, name


def test_settings_are_named_in_full() -> None:
    config = Config().with_settings({"structure": "separated", "conv": "gin"})
    names = ["a", "translation.delta", "dropout", "outer.alpha", "outer.train_eps", "inner.eps"]
    assert unused_settings(config, names) == [
        "translation.a", "translation.delta", "model.outer.alpha", "model.inner.eps",
    ]  # fmt: skip
    assert unused_settings(config, ["plateau_patience"]) == []
    still = config.with_settings({"plateau_factor": 1.0})
    assert unused_settings(still, ["plateau_patience"]) == ["training.plateau_patience"]


def test_sections_are_named_too() -> None:
    config = Config().with_settings({"features.kind": "random"})
    assert unused_settings(config, ["pretraining.lr"]) == ["features.pretraining.lr"]
    for kind, named in (("svd", ["features.pretraining.lr"]), ("link", [])):
        other = config.with_settings({"features.kind": kind})
        assert unused_settings(other, ["pretraining.lr", "pretraining.seed"]) == named
    assert unused_settings(config, ["join"]) == ["features.join"]
    assert unused_settings(config, ["join"], encoded=True) == []


def test_a_baseline_has_such_settings_too() -> None:
    settings = NETWORKS["glass"].settings()
    assert unused_settings(settings, ["features.value", "z_ratio"]) == ["features.value"]


def test_only_what_no_candidate_reads_is_warned_of() -> None:
    kinds = [Config().with_settings({"features.kind": kind}) for kind in ("constant", "random")]
    assert unused_note(kinds, ["features.value"], "s2n+a gcn2") == ()
    (note,) = unused_note(kinds[1:], ["features.value"], "s2n+a gcn2")
    assert note == "the setting features.value has no effect on s2n+a gcn2; omit it."
    assert has_kind(note, NoteKind.NO_EFFECT)
    (note,) = unused_note(kinds, ["ratio", "outer.heads"], "s2n+a gcn2")
    assert note == (
        "the settings coarsening.ratio, model.outer.heads have no effect on s2n+a gcn2; omit them."
    )
