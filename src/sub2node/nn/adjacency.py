"""A weighted graph as convolutions read it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from ..base.ragged import SparseMatrix
from ..ops import triton as kernels
from ..ops.pattern import Pattern
from ..ops.triton import second_stream
from ..ops.triton.dropout_draws import Draw

if TYPE_CHECKING:
    from .partitions import RowBlock

Kind = Literal["normalized", "weighted", "mean"]


class EdgeValues(NamedTuple):
    """Values of kept edges by rows and by columns, (R, E) each, and the event to wait for."""

    kind: Kind
    values: Tensor
    back_values: Tensor
    event: torch.cuda.Event | None


@dataclass(frozen=True, eq=False)
class Adjacency:
    """A symmetric graph of n nodes whose pattern always has the full diagonal.

    Args:
        pattern: Edges in both directions, and one entry (i, i) per node.
        diagonal: Positions of the entries (i, i) in the pattern; (n,).
        weights: 0 where there is no self-loop; (E,) or (R, E).
        weighted: Whether the graph has edge weights.
        draw: Which edges are kept, drawn per replica; None: all.
        edge_values: What :meth:`with_edge_values` computed.
        blocks: Rows for which convolutions answer one block after another; none: for all at once.
    """

    pattern: Pattern
    diagonal: Tensor
    weights: Tensor
    weighted: bool
    draw: Draw | None = None
    edge_values: EdgeValues | None = None
    blocks: tuple[RowBlock, ...] = ()

    @classmethod
    def from_csr(
        cls, matrix: SparseMatrix, *, weighted: bool = True, device: torch.device | str = "cpu"
    ) -> Adjacency:
        """From a symmetric SciPy matrix; entries on its diagonal are self-loops."""
        size = matrix.shape[0]
        coo = matrix.tocoo()
        nodes = np.arange(size)
        rows, columns = (np.concatenate([ends, nodes]) for ends in coo.coords)
        data = np.concatenate([coo.data, np.zeros(size, coo.data.dtype)]).astype(np.float32)
        full = sp.coo_array((data, (rows, columns)), shape=matrix.shape).tocsr()
        full.sum_duplicates()
        pattern = Pattern.from_csr(full.indptr, full.indices, size, device)
        diagonal = torch.nonzero(pattern.row == pattern.index).squeeze(-1)
        return cls(pattern, diagonal, torch.from_numpy(full.data).to(device), weighted)

    def drop(self, keep: Tensor | Draw) -> Adjacency:
        """The graph without some edges, each replica without its own.

        Args:
            keep: 0 or 1 per edge, (R, E); or a draw, which kernels evaluate where they need it.
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
        """``times`` · the weighted sum over each node's neighbours, + ``plus_times`` · ``plus``.

        Args:
            x: Node vectors, (R, n, F).
            kind: Weights as in :attr:`normalized`, as they are, or as in :attr:`mean`.
            times: Factor of the sum.
            plus: Vectors to add, (R, n, F).
            plus_times: Factor of these vectors.

        Returns:
            (R, n, F).
        """
        if kernels.use_triton(x):
            return self._around_by_kernels(x, kind, times=times, plus=plus, plus_times=plus_times)
        values = self._values_of(kind)
        values = values if times == 1 else values * times
        if plus is x and kind == "normalized":  # x is added through the diagonal
            share = torch.full_like(values[..., : len(self.diagonal)], plus_times)
            return self.pattern.aggregate(x, values.index_add(-1, self.diagonal, share))
        return self.pattern.aggregate(x, values, plus=plus, times=plus_times)

    def _values_of(self, kind: Kind) -> Tensor:
        values: Tensor = getattr(self, {"weighted": "values"}.get(kind, kind))
        return values

    def _around_by_kernels(
        self, x: Tensor, kind: Kind, *, times: float, plus: Tensor | None, plus_times: float
    ) -> Tensor:
        """:meth:`around` by kernels, which draw edges and compute degrees on the way."""
        from ..ops.triton.aggregate import Aggregate, drawn_values

        pattern = self.pattern
        lists, back = pattern.lists, pattern.back
        if self.draw is None:
            values, back_values = self._values_of(kind), None
        elif self.edge_values is not None and self.edge_values.kind == kind:
            second_stream.wait_for(self.edge_values.event)
            values, back_values = self.edge_values.values, self.edge_values.back_values
        else:
            values, back_values = drawn_values(lists, back, self.weights, self.draw, kind=kind)
        return Aggregate.apply(  # type: ignore[no-any-return,no-untyped-call]
            x, plus, lists, back, values, back_values, times, plus_times
        )

    def with_edge_values(self, kind: Kind) -> Adjacency:
        """The same with the values of kept edges, computed on a side stream beside other work."""
        from ..ops.triton.aggregate import drawn_values

        assert self.draw is not None
        device = self.weights.device
        with second_stream.launch_beside(device):
            values = drawn_values(
                self.pattern.lists, self.pattern.back, self.weights, self.draw, kind=kind
            )
        return replace(
            self, edge_values=EdgeValues(kind, *values, second_stream.record_event(device))
        )

    def edge_list(self, replica: int = 0) -> tuple[Tensor, Tensor]:
        """``edge_index`` (2, K) from source to target and weights (K,), as PyG reads them."""
        values = self.values if self.values.dim() == 1 else self.values[replica]
        present = torch.nonzero(values).squeeze(-1)
        ends = (self.pattern.index[present], self.pattern.row[present])
        return torch.stack(ends).long(), values[present]
