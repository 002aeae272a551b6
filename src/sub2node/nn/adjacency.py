"""A weighted graph as convolutions read it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from ..pattern import Pattern


@dataclass(frozen=True, eq=False)
class Adjacency:
    """A symmetric graph of n nodes whose pattern always has the whole diagonal.

    Args:
        pattern: Edges in both directions, and one entry (i, i) a node.
        diagonal: Which entries those are; (n,).
        values: Weights, 0 where there is no self-loop or an edge was dropped; (E,) or (R, E).
        weighted: Whether the weights say anything.
    """

    pattern: Pattern
    diagonal: Tensor
    values: Tensor
    weighted: bool

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

    def drop(self, keep: Tensor) -> Adjacency:
        """The graph without some edges, each replica without its own; ``keep`` (R, E) is 0 or 1."""
        return replace(self, values=self.values * keep)

    @property
    def present(self) -> Tensor:
        """Which entries are edges; shape of ``values``."""
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

    def edge_list(self, replica: int = 0) -> tuple[Tensor, Tensor]:
        """``edge_index`` (2, K) from source to target and weights (K,), as PyG reads them."""
        values = self.values if self.values.dim() == 1 else self.values[replica]
        here = torch.nonzero(values).squeeze(-1)
        ends = (self.pattern.index[here], self.pattern.row[here])
        return torch.stack(ends).long(), values[here]
