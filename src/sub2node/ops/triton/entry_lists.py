"""Sparse rows as kernels read them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class EntryLists:
    """Sorted entries of rows.

    Args:
        ptr: Row i has the entries ``ptr[i]…ptr[i+1]``; (n+1,).
        index: Column of each; (E,).
        order: Number by which values and draws know an entry; None: its place. (E,)
        longest: Entries of the longest row.
        known_owner: :attr:`owner`, where it is at hand.
    """

    ptr: Tensor
    index: Tensor
    order: Tensor | None
    longest: int
    known_owner: Tensor | None = None

    @property
    def rows(self) -> int:
        """n."""
        return len(self.ptr) - 1

    @cached_property
    def owner(self) -> Tensor:
        """Row of each entry; (E,)."""
        if self.known_owner is not None:
            return self.known_owner
        rows = torch.arange(self.rows, dtype=self.index.dtype, device=self.index.device)
        return rows.repeat_interleave(self.ptr.diff(), output_size=len(self.index))

    @property
    def typical(self) -> int:
        """A length between the mean row's and the longest's."""
        return int((len(self.index) / max(1, self.rows) * self.longest) ** 0.5)
