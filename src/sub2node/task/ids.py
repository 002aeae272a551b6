"""From the ids people use (integers or strings) to positions, and back to names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import DataError
from ..base.ragged import Array, distinct
from .names import Names

Column: TypeAlias = "pa.Array | pa.ChunkedArray"


def id_column(column: Column, what: str) -> pa.Array:
    """An Arrow column of ids as int64 or large_string; whole floats count as integers.

    Text that reads as plain integers throughout becomes int64, so that ``7`` means the same node
    in a CSV file and in a data frame; ``007`` stays text.
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    kind = column.type
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise DataError(f"{what} is missing in row {row + 1}.")
    if pa.types.is_null(kind):  # a table without rows
        return pa.array([], pa.int64())
    if pa.types.is_floating(kind):
        numbers = np.asarray(column)
        bad = np.flatnonzero(~(np.abs(numbers) <= 2**53) | (numbers != np.floor(numbers)))
        if len(bad):
            row = int(bad[0])
            raise DataError(f"{what} in row {row + 1} is {numbers[row]}; ids are integers or text.")
        return pa.array(numbers.astype(np.int64))
    if pa.types.is_integer(kind):
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:
            raise DataError(f"{what} has an id above 2^63; use text.") from None
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _integers_if_plain(column.cast(pa.large_string()), what)
    raise DataError(f"{what} has the type {kind}; ids are integers or text.")


def _integers_if_plain(text: pa.Array, what: str) -> pa.Array:
    if not len(text):
        return text
    empty = pc.equal(text, "")
    if pc.any(empty).as_py():
        row = int(np.argmax(np.asarray(empty)))
        raise DataError(f"{what} is missing in row {row + 1}.")
    try:
        numbers = text.cast(pa.int64())
    except pa.ArrowInvalid:
        return text
    return numbers if numbers.cast(pa.large_string()).equals(text) else text


def concat(columns: list[pa.Array]) -> pa.Array:
    """Columns of ids under one another; text if one of them is."""
    if len({column.type for column in columns}) > 1:
        columns = [column.cast(pa.large_string()) for column in columns]
    return pa.concat_arrays(columns)


@dataclass(frozen=True)
class IdSpace:
    """The distinct ids of one kind of thing, in order; an id's position is its number.

    Args:
        ids: int64 numbers or Arrow large_string, distinct.
    """

    ids: Array | pa.Array

    @classmethod
    def sorted(cls, column: pa.Array) -> IdSpace:
        """The distinct values of a column in ascending order (numbers as numbers)."""
        if pa.types.is_integer(column.type):
            return cls(distinct(np.asarray(column)))
        values = column.unique()
        return cls(values.take(pc.sort_indices(values)))

    @classmethod
    def in_order(cls, column: pa.Array) -> IdSpace:
        """The distinct values of a column in the order they first appear."""
        values = column.unique()
        return cls(np.asarray(values) if pa.types.is_integer(values.type) else values)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def numeric(self) -> bool:
        """Whether the ids are numbers."""
        return isinstance(self.ids, np.ndarray)

    @property
    def is_range(self) -> bool:
        """Whether the ids are 0, 1, 2, … in order, so that an id is its own position."""
        return self.numeric and bool(np.array_equal(self.ids, np.arange(len(self.ids))))

    def names(self) -> Names | None:
        """The ids as names; None where an id is its own position."""
        return None if self.is_range else self.text()

    def text(self) -> Names:
        """The ids as text."""
        return Names(pa.array(self.ids).cast(pa.large_string()))

    def shown(self) -> Callable[[int], str]:
        """How messages call the id at a position: numbers as they are, text in quotes."""
        names = self.text()
        return names.__getitem__ if self.numeric else lambda position: repr(names[position])

    def find(self, column: pa.Array) -> Array:
        """Position of each id of a column, -1 where it is none of these: int64."""
        if self.numeric and pa.types.is_integer(column.type):
            return _find_numbers(self.ids, np.asarray(column), is_range=self.is_range)
        return self.text().find(column)


def _find_numbers(ids: Array, numbers: Array, *, is_range: bool) -> Array:
    if is_range:
        return np.where((numbers >= 0) & (numbers < len(ids)), numbers, -1)
    order = np.argsort(ids, kind="stable")
    place = np.searchsorted(ids[order], numbers)
    positions = order[np.minimum(place, len(ids) - 1)] if len(ids) else place
    hit = (ids[positions] == numbers) if len(ids) else np.zeros(len(numbers), bool)
    return np.where(hit, positions, -1)
