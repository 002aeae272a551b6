"""A weighted graph as convolutions read it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from .. import kernels
from ..kernels import side
from ..kernels.draws import Draw
from ..pattern import Pattern

Kind = Literal["normalized", "weighted", "mean"]


class Ready(NamedTuple):
    """Values of edges by rows and by columns, (R, E) each, and what to wait for."""

    kind: Kind
    values: Tensor
    back_values: Tensor
    event: Any


@dataclass(frozen=True, eq=False)
class Adjacency:
    """A symmetric graph of n nodes whose pattern always has the whole diagonal.

    Args:
        pattern: Edges in both directions, and one entry (i, i) a node.
        diagonal: Which entries those are; (n,).
        weights: 0 where there is no self-loop; (E,) or (R, E).
        weighted: Whether the weights say anything.
        draw: Which edges are kept, each replica its own; None: all.
        ready: What :meth:`found` found.
    """

    pattern: Pattern
    diagonal: Tensor
    weights: Tensor
    weighted: bool
    draw: Draw | None = None
    ready: Ready | None = None

    @classmethod
    def from_csr(cls, matrix: Any, *, weighted: bool = True, device: Any = "cpu") -> Adjacency:
        """From a symmetric SciPy matrix; entries on its diagonal are self-loops."""
        size = matrix.shape[0]
        coo = matrix.tocoo()
        here = np.arange(size)
        rows, columns = (np.concatenate([ends, here]) for ends in coo.coords)
        data = np.concatenate([coo.data, np.zeros(size, coo.data.dtype)]).astype(np.float32)
        full = sp.coo_array((data, (rows, columns)), shape=matrix.shape).tocsr()
        full.sum_duplicates()
        pattern = Pattern.from_csr(full.indptr, full.indices, size, device)
        diagonal = torch.nonzero(pattern.row == pattern.index).squeeze(-1)
        return cls(pattern, diagonal, torch.from_numpy(full.data).to(device), weighted)

    def drop(self, keep: Tensor | Draw) -> Adjacency:
        """The graph without some edges, each replica without its own.

        Args:
            keep: 0 or 1, (R, E); or which are drawn, for kernels that need not see all of them.
        """
        if isinstance(keep, Draw):
            return replace(self, draw=keep)
        return replace(self, weights=self.weights * keep)

    @cached_property
    def values(self) -> Tensor:
        """Weights, 0 where an edge was dropped; (E,) or (R, E)."""
        if self.draw is None:
            return self.weights
        return self.weights * self.draw.keep(len(self.pattern.index))

    @property
    def present(self) -> Tensor:
        """Which entries are edges; shape of :attr:`values`."""
        return self.values != 0

    @property
    def off_diagonal(self) -> Tensor:
        """Which entries are not on the diagonal; (E,)."""
        return self.pattern.row != self.pattern.index

    @cached_property
    def normalized(self) -> Tensor:
        """D^-½ (A + missing self-loops of weight 1) D^-½; shape of ``values``.

        A self-loop that was dropped is missing too, and is filled with 1.
        """
        loops = self.values.index_select(-1, self.diagonal)
        filled = torch.where(loops > 0, loops, torch.ones_like(loops))
        values = self.values.index_copy(-1, self.diagonal, filled)
        scale = self.pattern.row_sums(values).rsqrt()
        to, source = (
            scale.index_select(-1, ends) for ends in (self.pattern.row, self.pattern.index)
        )
        return values * to * source

    @cached_property
    def mean(self) -> Tensor:
        """Weights over the number of edges of the row; shape of ``values``."""
        present = self.pattern.row_sums(self.present.float()).clamp(min=1)
        return self.values / present.index_select(-1, self.pattern.row)

    def around(
        self,
        x: Tensor,
        kind: Kind,
        *,
        times: float = 1.0,
        plus: Tensor | None = None,
        plus_times: float = 1.0,
    ) -> Tensor:
        """``times`` · what each node hears of its neighbours, + ``plus_times`` · ``plus``.

        Args:
            x: (R, n, F).
            kind: Weights as in :attr:`normalized`, as they are, or as in :attr:`mean`.
            times: Of the sum.
            plus: (R, n, F).
            plus_times: Of what is added.

        Returns:
            (R, n, F).
        """
        if kernels.on(x):
            return self._around(x, kind, times, plus, plus_times)
        values = self._values_of(kind)
        values = values if times == 1 else values * times
        if plus is x and kind == "normalized":  # a matter of the diagonal then
            share = torch.full_like(values[..., : len(self.diagonal)], plus_times)
            return self.pattern.aggregate(x, values.index_add(-1, self.diagonal, share))
        return self.pattern.aggregate(x, values, plus=plus, times=plus_times)

    def _values_of(self, kind: Kind) -> Tensor:
        found: Tensor = getattr(self, {"weighted": "values"}.get(kind, kind))
        return found

    def _around(
        self, x: Tensor, kind: Kind, times: float, plus: Tensor | None, plus_times: float
    ) -> Tensor:
        """The same by kernels, which draw edges and find degrees on the way."""
        from ..kernels.aggregate import Aggregate, drawn_values

        pattern = self.pattern
        lists, back = pattern.lists, pattern.back
        if self.draw is None:
            values, back_values = self._values_of(kind), None
        elif self.ready is not None and self.ready.kind == kind:
            side.wait(self.ready.event)
            values, back_values = self.ready.values, self.ready.back_values
        else:
            values, back_values = drawn_values(lists, back, self.weights, self.draw, kind=kind)
        return Aggregate.apply(  # type: ignore[no-any-return,no-untyped-call]
            x, plus, lists, back, values, back_values, times, plus_times
        )

    def found(self, kind: Kind) -> Adjacency:
        """The same with the values of the edges that are kept, found beside other work."""
        from ..kernels.aggregate import drawn_values

        assert self.draw is not None
        device = self.weights.device
        with side.beside(device):
            values = drawn_values(
                self.pattern.lists, self.pattern.back, self.weights, self.draw, kind=kind
            )
        return replace(self, ready=Ready(kind, *values, side.done(device)))

    def edge_list(self, replica: int = 0) -> tuple[Tensor, Tensor]:
        """``edge_index`` (2, K) from source to target and weights (K,), as PyG reads them."""
        values = self.values if self.values.dim() == 1 else self.values[replica]
        here = torch.nonzero(values).squeeze(-1)
        ends = (self.pattern.index[here], self.pattern.row[here])
        return torch.stack(ends).long(), values[here]
