"""Networks that read the global graph anew for each batch of subgraphs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from ..config import BatchTraining, NodeFeatures
from ..nn import Stages
from ..ragged import Array, lengths, ranges
from ..settings import Settings
from ..task import Part, SubgraphTask


@dataclass(frozen=True)
class BatchSettings(Settings):
    """What all networks that are trained in batches have; each adds its ``model``."""

    features: NodeFeatures = field(default_factory=NodeFeatures)
    training: BatchTraining = field(default_factory=BatchTraining)


class BatchNetwork(nn.Module, ABC):
    """A network that answers for some subgraphs at a time.

    ``network(rows)`` answers for all of these subgraphs, in batches in the order given: what it
    says does not depend on any shuffling.

    Args:
        replicas: R.
        batch: Subgraphs at a time.
    """

    def __init__(self, replicas: int, batch: int) -> None:
        super().__init__()
        self.replicas, self.batch = replicas, batch

    @abstractmethod
    def answer(self, rows: Array) -> tuple[Tensor, Tensor]:
        """Vectors (R, b, F) and logits (R, b, C) of one batch.

        Args:
            rows: Numbers of subgraphs, each replica its own; (R, b).
        """

    def forward(self, rows: Array) -> tuple[Tensor, Tensor]:
        """Vectors (R, m, F) and logits (R, m, C) of subgraphs by their numbers (m,)."""
        found = [
            self.answer(np.broadcast_to(part, (self.replicas, len(part))))
            for part in np.split(rows, np.arange(self.batch, len(rows), self.batch))
        ]
        vectors, logits = zip(*found, strict=True)
        return torch.cat(vectors, dim=1), torch.cat(logits, dim=1)


def part_rows(task: SubgraphTask, nodes: Array, device: torch.device) -> Stages:
    """The numbers of the subgraphs of each part, as what a :class:`BatchNetwork` reads."""
    split = task.split
    assert split is not None
    parts: tuple[Part, ...] = ("train", "val", "test")
    return Stages(nodes, {part: np.flatnonzero(split.mask(part)) for part in parts}, device)


@dataclass(frozen=True, eq=False)
class Lists:
    """Flat places of the members of batches, one batch a replica.

    Args:
        places: ``r · stride + member``, replica by replica, list by list; (K,).
        lengths: Of the R · b lists.
    """

    places: Tensor
    lengths: Tensor


def gather_lists(ptr: Array, flat: Array, rows: Array, stride: int, device: torch.device) -> Lists:
    """The members of ragged lists by number, for tensors (R, stride, …) that are flattened.

    Args:
        ptr: Pointers of all lists.
        flat: Their members.
        rows: Which lists, each replica its own; (R, b).
        stride: Members a replica has.
        device: Where the tensors go.
    """
    sizes = lengths(ptr, rows)
    places = flat[ranges(ptr[rows].ravel(), sizes.ravel())]
    places = places + np.repeat(np.arange(len(rows)) * stride, sizes.sum(axis=1))
    return Lists(*(torch.from_numpy(a).to(device) for a in (places, sizes.ravel())))


def pool(x: Tensor, lists: Lists, kind: str) -> Tensor:
    """One vector a list of the rows of (R, n, F): (lists, F).

    Args:
        x: (R, n, F).
        lists: Which rows belong together.
        kind: ``sum``, ``mean``, ``max``, or ``size``: the sum over the root of the number.
    """
    found = x.flatten(0, 1).index_select(0, lists.places)
    if kind in ("max", "mean"):
        return torch.segment_reduce(found, kind, lengths=lists.lengths, unsafe=True)
    summed = torch.segment_reduce(found, "sum", lengths=lists.lengths, unsafe=True)
    if kind == "size":
        summed = summed / lists.lengths.clamp(min=1).sqrt().unsqueeze(-1)
    return summed
