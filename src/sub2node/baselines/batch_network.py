"""Networks that read the global graph anew for each batch of subgraphs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from ..base.ragged import Array, lengths, ranges
from ..config import BatchTrainingSettings, NodeFeatureSettings
from ..config.settings import Settings
from ..nn import Stages
from ..task import Part, SubgraphTask


@dataclass(frozen=True)
class BatchSettings(Settings):
    """Settings that all networks trained in batches share; each adds its ``model``."""

    features: NodeFeatureSettings = field(default_factory=NodeFeatureSettings)
    training: BatchTrainingSettings = field(default_factory=BatchTrainingSettings)


class BatchNetwork(nn.Module, ABC):
    """A network that gives logits for a batch of subgraphs at a time.

    ``network(rows)`` goes through all of these subgraphs in batches, in their order: its logits do
    not depend on any shuffling.

    Args:
        replicas: Number of replicas, R.
        batch: Number of subgraphs per batch.
    """

    def __init__(self, replicas: int, batch: int) -> None:
        super().__init__()
        self.replicas, self.batch = replicas, batch

    @abstractmethod
    def answer(self, rows: Array) -> tuple[Tensor, Tensor]:
        """Vectors (R, b, F) and logits (R, b, C) of one batch.

        Args:
            rows: Numbers of the subgraphs of each replica; (R, b).
        """

    def forward(self, rows: Array) -> tuple[Tensor, Tensor]:
        """Vectors (R, m, F) and logits (R, m, C) of subgraphs by their numbers (m,)."""
        outputs = [
            self.answer(np.broadcast_to(part, (self.replicas, len(part))))
            for part in np.split(rows, np.arange(self.batch, len(rows), self.batch))
        ]
        vectors, logits = zip(*outputs, strict=True)
        return torch.cat(vectors, dim=1), torch.cat(logits, dim=1)


def part_rows(task: SubgraphTask, nodes: Array, device: torch.device) -> Stages:
    """The numbers of the subgraphs of each part, as what a :class:`BatchNetwork` reads."""
    split = task.split
    assert split is not None
    parts: tuple[Part, ...] = ("train", "val", "test")
    return Stages(nodes, {part: np.flatnonzero(split.mask(part)) for part in parts}, device)


@dataclass(frozen=True, eq=False)
class BatchMembers:
    """Flat positions of the members of batches, one batch per replica.

    Args:
        places: ``r · stride + member``, replica by replica, list by list; (K,).
        lengths: Number of members of each of the R · b lists.
    """

    places: Tensor
    lengths: Tensor


def gather_members(
    ptr: Array, flat: Array, *, rows: Array, stride: int, device: torch.device
) -> BatchMembers:
    """The members of ragged lists by number, for tensors (R, stride, …) that are flattened.

    Args:
        ptr: Pointers of all lists.
        flat: Members of the lists, one after another.
        rows: Numbers of the lists of each replica; (R, b).
        stride: Rows per replica.
        device: Device of the result.
    """
    sizes = lengths(ptr, rows)
    places = flat[ranges(ptr[rows].ravel(), sizes.ravel())]
    places = places + np.repeat(np.arange(len(rows)) * stride, sizes.sum(axis=1))
    return BatchMembers(*(torch.from_numpy(a).to(device) for a in (places, sizes.ravel())))


def pool(x: Tensor, lists: BatchMembers, kind: str) -> Tensor:
    """One vector per list of rows of (R, n, F): (lists, F).

    Args:
        x: Vectors, (R, n, F).
        lists: Rows that belong together.
        kind: ``sum``, ``mean``, ``max``, or ``size``: the sum over the root of the number.
    """
    vectors = x.flatten(0, 1).index_select(0, lists.places)
    if kind in ("max", "mean"):
        return torch.segment_reduce(vectors, kind, lengths=lists.lengths, unsafe=True)
    summed = torch.segment_reduce(vectors, "sum", lengths=lists.lengths, unsafe=True)
    if kind == "size":
        summed = summed / lists.lengths.clamp(min=1).sqrt().unsqueeze(-1)
    return summed
