"""A training that was killed goes on as if nothing had happened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import sub2node as s2n
from sub2node.base.errors import ConfigError, DataError
from sub2node.base.progress import Report, listen
from sub2node.config import Config
from sub2node.evaluate.protocol import labels_of
from sub2node.nn import build_network, build_stages
from sub2node.train import Checkpoint, fit, forward

SETTINGS = {
    "features.kind": "random",
    "epochs": 12,
    "dropout": 0.4,
    "edge_dropout": 0.3,
    "batch_norm": True,
    "plateau_patience": 1,
    "clip": 0.1,
}


class Killed(BaseException):
    pass


@pytest.fixture(scope="module")
def task() -> s2n.SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=30,seed=3")


def train(task: s2n.SubgraphTask, checkpoint: Checkpoint | None, conv: Any = None) -> Any:
    config = Config().with_settings(SETTINGS)
    stages = build_stages(task, config)
    networks = [build_network(task, config, stages, seeds, conv=conv) for seeds in ([1, 2], [3])]
    labels: dict[Any, torch.Tensor] = {
        part: torch.from_numpy(labels_of(task, part)) for part in ("train", "val")
    }
    found = fit(networks, stages, labels, config.training, checkpoint=checkpoint)
    return found, forward(networks, stages, "test")


def killed_at(task: s2n.SubgraphTask, epoch: int, path: Path, conv: Any = None) -> None:
    def kill(report: Report) -> None:
        if report.done == epoch:
            raise Killed

    with listen(kill), pytest.raises(Killed):
        train(task, Checkpoint(path, "key", every=0), conv)


@pytest.mark.slow
@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("epoch", [2, 9])
def test_resumed_equals_unbroken(task, tmp_path, epoch, own) -> None:
    from torch_geometric.nn import GraphConv

    conv = GraphConv if own else None
    path = tmp_path / "folder" / "state.safetensors"
    killed_at(task, epoch, path, conv)
    resumed, (vectors, logits) = train(task, Checkpoint(path, "key", resume=True), conv)
    whole, (expected_vectors, expected) = train(task, None, conv)
    assert np.array_equal(logits, expected)
    assert np.array_equal(vectors, expected_vectors)
    assert np.array_equal(resumed.best_epoch, whole.best_epoch)
    for name, column in whole.history.items():
        assert np.array_equal(resumed.history[name], column), name


@pytest.mark.slow
def test_without_resume_it_starts_anew(task, tmp_path) -> None:
    path = tmp_path / "state.safetensors"
    killed_at(task, 5, path)
    fresh, _ = train(task, Checkpoint(path, "key", every=1e9))
    assert len(fresh.history["lr"]) == 12


@pytest.mark.slow
def test_nothing_there_to_resume_is_a_fresh_start(task, tmp_path) -> None:
    found, _ = train(task, Checkpoint(tmp_path / "none", "key", resume=True))
    assert len(found.history["lr"]) == 12


def test_one_of_another_run_is_refused(task, tmp_path) -> None:
    path = tmp_path / "state.safetensors"
    killed_at(task, 3, path)
    with pytest.raises(ConfigError, match="other data, settings or seeds"):
        train(task, Checkpoint(path, "another key", resume=True))


@pytest.mark.parametrize("damage", ["cut", "foreign"])
def test_a_damaged_one_is_refused(task, tmp_path, damage) -> None:
    path = tmp_path / "state.safetensors"
    killed_at(task, 3, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if damage == "cut" else b"hello")
    with pytest.raises(DataError, match="cannot be read"):
        train(task, Checkpoint(path, "key", resume=True))


def test_a_flipped_bit_is_seen(task, tmp_path) -> None:
    path = tmp_path / "state.safetensors"
    killed_at(task, 3, path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(DataError, match="checksum differs"):
        train(task, Checkpoint(path, "key", resume=True))


@pytest.mark.slow
def test_a_version_is_written_only_when_it_is_time(task, tmp_path) -> None:
    path = tmp_path / "state.safetensors"
    train(task, Checkpoint(path, "key", every=1e9))
    assert not path.exists()
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_without_its_facts_is_damaged(tmp_path: Path) -> None:
    """A flip in the name of an entry of its card."""
    path = tmp_path / "x.safetensors"
    Checkpoint(path, "key").save({"weights": torch.ones(3)}, {"epoch": 1.0})
    path.write_bytes(path.read_bytes().replace(b'"facts"', b'"fabts"'))
    with pytest.raises(DataError, match="this checkpoint is damaged"):
        Checkpoint(path, "key", resume=True).load()
