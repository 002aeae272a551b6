"""Messages of a layer to some nodes only, to answer for new nodes beside a trained graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from ..ops.pattern import Pattern


class _Rows(Protocol):
    @property
    def pattern(self) -> Pattern:
        """Rows are the nodes that a layer answers for."""


@dataclass(frozen=True, eq=False)
class Within:
    """Messages among the last rows of a ring, by how they differ from what ``rest`` has of them.

    Args:
        pattern: Those rows × those rows.
        weights: One weight per entry of the pattern.
        entering: Factor of each vector before the sum, (rows,).
        leaving: Factor of each sum, (rows,).
    """

    pattern: Pattern
    weights: Tensor
    entering: Tensor
    leaving: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        """(R, rows, F) → (R, rows, F)."""
        aggregated = self.pattern.aggregate(x * self.entering.unsqueeze(-1), self.weights)
        return aggregated * self.leaving.unsqueeze(-1)


@dataclass(frozen=True, eq=False)
class Ring:
    """The messages of one layer, to the leading nodes of those that it reads.

    Args:
        pattern: Targets × sources; the targets are the first of the sources.
        values: One value per entry of the pattern.
        rest: Further messages to the last targets, (R, some, F); None for none.
        within: Messages among these last targets; None for none.
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
        aggregated = self.pattern.aggregate(x, self.values)
        if self.rest is not None:
            targets = aggregated.shape[1]
            first = targets - self.rest.shape[1]
            last = aggregated[:, first:] + self.rest
            if self.within is not None:
                last = last + self.within(x[:, first:targets])
            aggregated = torch.cat([aggregated[:, :first], last], dim=1)
        aggregated = aggregated if times == 1 else aggregated * times
        return aggregated if plus is None else torch.add(aggregated, plus, alpha=plus_times)


def leading(x: Tensor, graph: _Rows) -> Tensor:
    """The vectors of the nodes that a layer answers for; (R, n, F) → (R, targets, F)."""
    rows = graph.pattern.num_rows
    return x if x.shape[1] == rows else x[:, :rows]
