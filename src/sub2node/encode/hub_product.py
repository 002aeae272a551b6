"""Products of a sparse matrix with blocks of columns, its dense part as dense matrices.

Where a few nodes have most of the edges, the rows and columns of these hubs are nearly full, and a
product of dense matrices passes over them faster than one that looks every entry up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from ..base.ragged import Array, SparseMatrix, owners

_PANEL = 256  # rows, and columns, that are dense or not together
_HUBS = 64 * _PANEL  # nodes of the largest degrees that are looked at
_PRICE = 0.45  # time of an entry of a dense matrix, that of a sparse one being 1, as measured
_LEAST = 0.1  # share of the time that dense parts must save


@dataclass(frozen=True, eq=False)
class HubProduct:
    """x ↦ A x on the CPU, for a square matrix A and x (N, B), both in the order ``rank``.

    Args:
        rank: The row that a node has in x: hubs come first where that is of use; int64 (N,).
        sparse: A without the panels: pointers, columns and values of its rows.
        panels: For the rows from 0 on, so many at a time, their leading columns, dense.
    """

    rank: Array
    sparse: tuple[Tensor, Tensor, Tensor]
    panels: tuple[Tensor, ...]

    @classmethod
    def of(cls, matrix: SparseMatrix) -> HubProduct:
        """The product with a matrix with symmetric entries; float32 CSR (N, N)."""
        size = matrix.shape[0]
        same = np.arange(size)
        degrees = np.diff(matrix.indptr)
        rank = np.empty_like(same)
        rank[np.argsort(-degrees, kind="stable")] = same
        widths = _panel_widths(rank[owners(matrix.indptr)], rank[matrix.indices], size)
        if widths is None:
            return cls(same, _tensors(matrix), ())
        nodes = np.argsort(rank)
        matrix = matrix[nodes][:, nodes].sorted_indices()
        panels = [
            np.ascontiguousarray(matrix[first : first + _PANEL, :width].toarray())
            for first, width in zip(range(0, size, _PANEL), widths, strict=False)
        ]
        row = owners(matrix.indptr)
        limits = np.repeat(widths, _PANEL)
        limits = np.pad(limits, (0, max(size - len(limits), 0)))
        kept = matrix.indices >= limits[row]
        ptr = np.concatenate([[0], np.cumsum(kept)])[matrix.indptr]
        parts = (matrix.data[kept], matrix.indices[kept], ptr.astype(matrix.indptr.dtype))
        rest = sp.csr_array(parts, shape=matrix.shape)
        return cls(rank, _tensors(rest), tuple(map(torch.from_numpy, panels)))

    def __call__(self, x: Tensor) -> Tensor:
        """A x, (N, B)."""
        ptr, index, values = self.sparse
        result = embedding_bag(  # twice the speed of the sparse product here
            index, x, ptr, mode="sum", per_sample_weights=values, include_last_offset=True
        )
        for number, panel in enumerate(self.panels):
            result[number * _PANEL :][: len(panel)].addmm_(panel, x[: panel.shape[1]])
        return result


def _tensors(matrix: SparseMatrix) -> tuple[Tensor, Tensor, Tensor]:
    ptr, index, data = (
        torch.from_numpy(np.array(part)) for part in (matrix.indptr, matrix.indices, matrix.data)
    )
    return ptr, index, data


def _panel_widths(row: Array, column: Array, size: int) -> Array | None:
    """How many leading columns of each panel of rows are quicker dense; None: too little saved."""
    count = -(-min(size, _HUBS) // _PANEL)
    row, column = row // _PANEL, column // _PANEL
    near = (row < count) & (column < count)
    entries = np.bincount(row[near] * count + column[near], minlength=count * count)
    spent = np.cumsum(_PRICE * _PANEL**2 - entries.reshape(count, count), axis=1)
    spent = np.concatenate([np.zeros((count, 1)), spent], axis=1)
    tiles = spent.argmin(axis=1)
    saved = -spent.min(axis=1).sum()
    if saved < _LEAST * len(row) or not tiles.any():
        return None
    widths: Array = np.minimum(tiles * _PANEL, size)
    return np.asarray(widths[: np.flatnonzero(tiles)[-1] + 1])
