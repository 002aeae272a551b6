"""The least memory that training a network takes, so that what cannot fit is refused at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.environment import free_memory
from ..base.errors import ConfigError
from ..config import Config
from ..task import SubgraphTask
from .replica_groups import COPIES

if TYPE_CHECKING:
    import torch

_NUMBER = 4  # bytes
_GIGABYTE = 1e9


def least_bytes(task: SubgraphTask, config: Config, replicas: int) -> int:
    """A lower bound of the bytes that training takes: weights, node vectors, activations.

    Each layer has a square matrix at least, and the network keeps one row per training subgraph and
    layer for the gradient. Nodes have vectors, at least those of the largest subgraph.

    Args:
        task: The task to train on.
        config: Settings of the network.
        replicas: Number of seeds; their networks exist side by side, and one at least is trained.
    """
    model, features = config.model, config.features
    layers = model.layers + (model.inner_layers if config.structure.inner else 0)
    weights = layers * model.hidden**2 + model.hidden * max(task.num_classes, 1)
    rows = len(task) if task.split is None else task.split.count("train")
    copies = replicas + COPIES  # all replicas, and what the one that is trained has besides
    numbers = copies * weights + rows * model.hidden * max(layers, 1)
    if features.kind != "given":
        covered = int(task.subgraphs.sizes.max(initial=1))
        numbers += features.width * covered * (copies if features.trainable else 1)
    return _NUMBER * numbers


def require_memory(
    task: SubgraphTask, config: Config, *, replicas: int, device: torch.device
) -> None:
    """Raise if training cannot fit into the memory of the device."""
    needed, free = least_bytes(task, config, replicas), free_memory(device)
    if free is not None and needed > free:
        place = "the GPU" if device.type == "cuda" else "this machine"
        raise ConfigError(
            f"the network needs at least {needed / _GIGABYTE:,.1f} GB and {place} has"
            f" {free / _GIGABYTE:,.1f} GB free; choose a smaller hidden (now"
            f" {config.model.hidden:,}), layers (now {config.model.layers}) or width (now"
            f" {config.features.width:,}), or fewer seeds (now {replicas})."
        )
