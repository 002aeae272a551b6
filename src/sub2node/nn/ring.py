"""A layer for some nodes only: what is needed to answer for new nodes beside a known graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from ..pattern import Pattern


class _Rows(Protocol):
    @property
    def pattern(self) -> Pattern:
        """Rows are the nodes that a layer answers for."""


@dataclass(frozen=True, eq=False)
class Within:
    """Messages among the last rows of a ring, by how they differ from what ``rest`` has of them.

    Args:
        pattern: Those rows × those rows.
        weights: One an entry.
        entering: What each vector is multiplied by before it is heard, (rows,).
        leaving: What each sum is multiplied by, (rows,).
    """

    pattern: Pattern
    weights: Tensor
    entering: Tensor
    leaving: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        """(R, rows, F) → (R, rows, F)."""
        heard = self.pattern.aggregate(x * self.entering.unsqueeze(-1), self.weights)
        return heard * self.leaving.unsqueeze(-1)


@dataclass(frozen=True, eq=False)
class Ring:
    """The messages of one layer, to the leading nodes of those that it reads.

    Args:
        pattern: Targets × sources; the targets are the first of the sources.
        values: One an entry.
        rest: What the last targets hear besides, (R, some, F); None for nothing.
        within: What these hear of one another; None for nothing.
    """

    pattern: Pattern
    values: Tensor
    rest: Tensor | None = None
    within: Within | None = None

    def around(
        self,
        x: Tensor,
        kind: str,
        *,
        times: float = 1.0,
        plus: Tensor | None = None,
        plus_times: float = 1.0,
    ) -> Tensor:
        """As of an :class:`Adjacency`; the values are made for one kind."""
        heard = self.pattern.aggregate(x, self.values)
        if self.rest is not None:
            first = heard.shape[1] - self.rest.shape[1]
            last = heard[:, first:] + self.rest
            if self.within is not None:
                last = last + self.within(x[:, first:])
            heard = torch.cat([heard[:, :first], last], dim=1)
        heard = heard if times == 1 else heard * times
        return heard if plus is None else torch.add(heard, plus, alpha=plus_times)


def leading(x: Tensor, graph: _Rows) -> Tensor:
    """The vectors of the nodes that a layer answers for; (R, n, F) → (R, targets, F)."""
    rows = graph.pattern.num_rows
    return x if x.shape[1] == rows else x[:, :rows]
