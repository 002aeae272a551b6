"""Strings that belong to nodes or subgraphs, kept compactly in one Arrow array."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..base.ragged import Array


class Names:
    """An immutable array of strings with a fast way back from string to position.

    Args:
        values: Strings, or an Arrow string array (taken without a copy).
    """

    __slots__ = ("_arrow",)

    def __init__(self, values: Iterable[str] | pa.Array) -> None:
        if isinstance(values, pa.ChunkedArray):
            values = values.combine_chunks()
        array = values if isinstance(values, pa.Array) else pa.array(list(values), pa.string())
        array = array.cast(pa.large_string())
        if array.null_count:
            row = int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])
            raise DataError(f"name {row} is missing; every entry needs one.")
        self._arrow = array

    @property
    def arrow(self) -> pa.Array:
        """The strings as ``pyarrow.LargeStringArray``."""
        return self._arrow

    def __len__(self) -> int:
        return len(self._arrow)

    @overload
    def __getitem__(self, position: int) -> str: ...

    @overload
    def __getitem__(self, position: slice) -> list[str]: ...

    def __getitem__(self, position: int | slice) -> str | list[str]:
        if isinstance(position, slice):
            return list(self._arrow[position].to_pylist())
        return str(self._arrow[int(position)].as_py())

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrow.to_pylist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Names) and bool(self._arrow.equals(other._arrow))

    def __hash__(self) -> int:
        return hash(self.content())

    def __repr__(self) -> str:
        head = ", ".join(repr(name) for name in self._arrow[:3].to_pylist())
        return f"Names({head}{', …' if len(self) > 3 else ''}; {len(self):,} in all)"

    def take(self, positions: Array) -> Names:
        """The names at these positions, in this order."""
        return Names(self._arrow.take(pa.array(positions)))

    def find(self, values: Iterable[str] | pa.Array) -> Array:
        """Positions (int64) of these strings, -1 where one is not among the names."""
        if not isinstance(values, (pa.Array, pa.ChunkedArray)):
            values = pa.array(list(values), pa.large_string())
        positions = pc.index_in(values.cast(pa.large_string()), value_set=self._arrow)
        return np.asarray(positions.fill_null(-1)).astype(np.int64)

    def first_repeated(self) -> str | None:
        """A string that occurs twice, or None."""
        counts = self._arrow.value_counts()
        repeated = counts.filter(pc.greater(counts.field("counts"), 1))
        return str(repeated[0]["values"].as_py()) if len(repeated) else None

    def first_match(self, pattern: str) -> str | None:
        """The first string that a regular expression matches, or None."""
        position = pc.index(pc.match_substring_regex(self._arrow, pattern), True).as_py()
        return None if position < 0 else self[position]

    def content(self) -> bytes:
        """Bytes that determine the strings, for hashing."""
        lengths = np.asarray(pc.binary_length(self._arrow)).tobytes()
        return lengths + bytes("".join(self._arrow.to_pylist()), "utf-8")


def is_positions(names: Names | None) -> bool:
    """Whether the names say no more than 0, 1, 2, …; they are then omitted."""
    if names is None or not len(names) or names[len(names) - 1] != str(len(names) - 1):
        return False
    return names == Names(map(str, range(len(names))))


def check_names(names: Names | None, count: int, field_name: str, *, unique: bool) -> None:
    """Raise unless there is one line of text for each thing; ``unique`` also forbids empty ones."""
    if names is None:
        return
    if len(names) != count:
        raise DataError(f"{field_name} has {len(names):,} entries, expected {count:,}.")
    if (broken := names.first_match(r"[\t\n\r\x00]")) is not None:
        raise DataError(f"{field_name} has {broken!r}; names are single lines without tabs.")
    if unique and (twice := names.first_repeated()) is not None:
        raise DataError(f"{field_name} has {twice!r} twice; names must be unique.")
    if unique and names.first_match("^$") is not None:
        raise DataError(f"{field_name} has an empty name.")
