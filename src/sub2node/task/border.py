"""What lies around subgraphs, summed up: the numbers that suffice, and the columns made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from ..base.errors import DataError
from ..base.plural import plural
from ..base.ragged import Array, frozen
from .content_hash import digest

MEASURES = ("sum", "mean", "min", "max", "sd")
_ROWS = 1 << 13  # of subgraphs that are finished together
_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class Border:
    """Summaries of the neighbours and edges of subgraphs, one row per subgraph.

    Args:
        columns: What the columns are, as ``out.outside.balance.mean``; (B,).
        values: The numbers, float32 (M, B), finite.
    """

    columns: tuple[str, ...]
    values: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "values", frozen(self.values, np.float32))
        if self.values.ndim != 2 or self.values.shape[1] != len(self.columns):
            raise DataError(
                f"border summaries have the shape {self.values.shape}, but"
                f" {plural(len(self.columns), 'column')} by name."
            )
        if len(set(self.columns)) < len(self.columns):
            raise DataError("two columns of the border summaries have the same name.")
        if not np.isfinite(self.values).all():
            raise DataError("border summaries must be finite numbers.")

    def __len__(self) -> int:
        return len(self.values)

    def take(self, positions: Array) -> Self:
        """The rows at these positions, in this order."""
        return type(self)(self.columns, self.values[positions])

    @cached_property
    def hash(self) -> str:
        """Content hash."""
        return digest("border", self.columns, self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Border) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    def __deepcopy__(self, memo: object) -> Self:
        return self  # nothing in it can change


def join_borders(parts: Sequence[Border | None]) -> Border | None:
    """The summaries of subgraphs one after the other; None where none has some."""
    borders = [part for part in parts if part is not None]
    if not borders:
        return None
    columns = borders[0].columns
    if len(borders) < len(parts) or any(border.columns != columns for border in borders):
        raise DataError("some subgraphs have border summaries that others do not have.")
    return Border(columns, np.concatenate([border.values for border in borders]))


@dataclass(frozen=True, eq=False)
class BorderSums:
    """The numbers from which all columns of a border follow, by subgraph, group and value.

    A group is a direction and a side, as ``out.outside``; its incidences are those of a member, an
    edge and a neighbour. What a group without incidences has in the arrays does not matter.

    Args:
        groups: Names of the G groups.
        values: Names of the X values that each incidence has.
        counts: Number of incidences; (M, G).
        sums: Σx; float64 (M, G, X).
        squares: Σx²; likewise.
        lows: The least x; likewise.
        highs: The largest x; likewise.
    """

    groups: tuple[str, ...]
    values: tuple[str, ...]
    counts: Array
    sums: Array
    squares: Array
    lows: Array
    highs: Array

    def __post_init__(self) -> None:
        shape = (len(self.counts), len(self.groups), len(self.values))
        arrays = (self.sums, self.squares, self.lows, self.highs)
        if self.counts.shape != shape[:2] or any(array.shape != shape for array in arrays):
            raise DataError("the sums over the border do not fit each other in shape.")


def finish_border(sums: BorderSums) -> Border:
    """The columns of a border: of each group its count, of each value sum, mean, min, max and sd.

    sd = √max(Σx²/n - (Σx/n)², 0), that of a population. All are 0 where there is no incidence.

    Args:
        sums: Counts, sums, sums of squares and extremes.
    """
    columns = [
        f"{group}.{name}"
        for group in sums.groups
        for name in ("count", *(f"{value}.{how}" for value in sums.values for how in MEASURES))
    ]
    values = np.empty((len(sums.counts), len(columns)), np.float32)
    for first in range(0, len(values), _ROWS):
        values[first : first + _ROWS] = _finished(sums, slice(first, first + _ROWS))
    return Border(tuple(columns), values)


def _finished(sums: BorderSums, rows: slice) -> Array:
    """The numbers of some subgraphs; (rows, B)."""
    count = np.asarray(sums.counts[rows], np.float64)[:, :, None]
    there = count > 0

    def divided(values: Array) -> Array:
        return np.divide(values, count, out=np.zeros(values.shape), where=there)

    totals, lows, highs = sums.sums[rows], sums.lows[rows], sums.highs[rows]
    mean = divided(totals)
    spread = np.sqrt(np.maximum(divided(sums.squares[rows]) - mean**2, 0))
    parts = (totals, mean, lows, highs, spread)
    table = np.stack([np.where(there, part, 0.0) for part in parts], axis=3)  # (M, G, X, 5)
    many, groups, width = len(count), len(sums.groups), len(sums.values) * len(MEASURES)
    table = np.concatenate([count, table.reshape(many, groups, width)], axis=2)
    return np.asarray(np.clip(table.reshape(many, groups * (width + 1)), -_LARGEST, _LARGEST))
