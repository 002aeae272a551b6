"""Data frames of any make to Arrow tables with our column names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import ConfigError, DataError, suggest
from ..base.ragged import Array
from .column_names import ALIASES, column_in, likely_column
from .ids import Column, id_column
from .missing_values import is_text, parse_numbers
from .problems import MissingColumnError, Problem

TableLike: TypeAlias = "pa.Table | Mapping[str, Any] | Any"  # Arrow, pandas, Polars, columns
_HEADLESS = ("edges", "members", "labels")
_LOOKED_AT = 100  # rows
_LISTED = 12  # columns
_SEVERAL = r"^[^\s;|,]+(\s*[;|,]\s*[^\s;|,]+)+$"
_NUMBERS = r"^[\d.,\s]+$"
_PANDAS_INDEX = re.compile(r"__index_level_\d+__")


@dataclass(frozen=True)
class Frame:
    """A table with a name for error messages; its columns are called by our names.

    Args:
        table: The Arrow table.
        what: What the rows are, for error messages: "edges", "members", …
        columns: The user's column for ours; of one table only, as ``labels.title``.
        path: The file it was read from.
        rows: Which row of the input each row is, from 0; None: as they stand.
        lines: Line of the file of each row of the input, where it is known.
    """

    table: pa.Table
    what: str
    columns: Mapping[str, str]
    path: str | None = None
    rows: Array | None = None
    lines: Array | None = None

    @classmethod
    def of(
        cls, data: TableLike, what: str, columns: Mapping[str, str], path: str | None = None
    ) -> Frame:
        """Take a pandas, Polars or Arrow frame, or a dict of columns."""
        try:
            table = data if isinstance(data, pa.Table) else _as_table(data)
            table = pa.table([_plain_column(c) for c in table.columns], names=table.column_names)
        except (TypeError, ValueError, OverflowError, pa.ArrowException) as error:
            raise DataError(
                f"{what}: expected a data frame (pandas, Polars, Arrow) or a dict of columns,"
                f" found {type(data).__name__} ({' '.join(str(error).split())}).",
                path=path,
            ) from error
        check_unique_columns(table.column_names, what, path)
        check_encoding(table, what, path)
        table = table.select([n for n in table.column_names if not _PANDAS_INDEX.fullmatch(n)])
        return cls(table, what, columns, path)

    def column_name(self, ours: str) -> str | None:
        """The column that holds what we call ``ours``, or None."""
        return column_in(self.table.column_names, ours, self.what, self.columns)

    def get(self, ours: str) -> pa.ChunkedArray | None:
        """The column, or None if there is none."""
        name = self.column_name(ours)
        return None if name is None else self.table.column(name)

    def need(self, ours: str) -> pa.ChunkedArray:
        """The column; an error that lists the columns if there is none."""
        column = self.get(ours)
        if column is None:
            raise self.missing_column(ours)
        return column

    def missing_column(
        self, ours: str, likely: str | None = None, *, guess: bool = True
    ) -> DataError:
        """The error that lists the columns, and names the one that it may be.

        Args:
            ours: Our name.
            likely: The column that it may be.
            guess: Whether to find one by the names of the others where none is given.
        """
        key, names = f"{self.what}.{ours}", self.table.column_names
        name = self.columns.get(key, self.columns.get(ours, ours))
        listed = ", ".join(names[:_LISTED]) or "none"
        more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
        found = f"no column '{name}' in the {self.what} table; columns found: {listed}{more}."
        if likely is None and ours == "node_id" and (several := self._several_nodes()):
            name, value, mark = several
            text = (
                f"The column '{name}' seems to have several nodes in one value, as {value[:60]!r}:"
            )
            return MissingColumnError(f"{found} {text}", key, name, separator=mark, path=self.path)
        if likely is None and guess:
            likely = likely_column(names, ours, self.what, self.columns)
        if likely is not None:
            return MissingColumnError(found, key, likely, path=self.path)
        return self.error(
            f"{found} Rename one, or map it: columns={{'{key}': '…'}} (--column {key}=…)."
            f"{self._headless_hint(names)}"
        )

    def _headless_hint(self, names: Sequence[str]) -> str:
        """How to go on where the header may be a row; '' where it cannot be one."""
        is_text = self.path is not None and not self.path.endswith((".parquet", ".pq", ".xlsx"))
        wide = 2 if self.what == "labels" else 3
        if not is_text or self.what not in _HEADLESS or len(names) > wide:
            return ""
        return " If its first line is a row: no_header=True (--no-header)."

    def _several_nodes(self) -> tuple[str, str, str] | None:
        """A column with several nodes in most values, such a value and what separates them."""
        for name in self.table.column_names:
            texts = self.table[name].slice(0, _LOOKED_AT).combine_chunks()
            if is_text(texts.type):
                hit = pc.match_substring_regex(texts, _SEVERAL).fill_null(False)
                hit = pc.and_not(hit, pc.match_substring_regex(texts, _NUMBERS).fill_null(False))
                if 2 * (pc.sum(hit).as_py() or 0) > len(texts):
                    value = texts.filter(hit)[0].as_py()
                    return name, value, next(mark for mark in ";|," if mark in value)
        return None

    def ids(self, ours: str) -> pa.Array:
        """A needed column of ids, as int64 or text."""
        return self.as_ids(self.need(ours), ours)

    def as_ids(self, column: Column, ours: str) -> pa.Array:
        """A column of ids, as int64 or text."""
        try:
            return id_column(column, f"{self.what} column '{self.column_name(ours)}'")
        except DataError as error:
            raise self.error(str(error)) from None

    def text(self, ours: str) -> pa.Array | None:
        """A column as text, missing entries as '', or None if there is none."""
        column = self.get(ours)
        if column is None:
            return None
        try:
            return column.combine_chunks().cast(pa.large_string()).fill_null("")
        except pa.ArrowException:
            name = self.column_name(ours)
            raise self.error(f"the column '{name}' must be text, found {column.type}.") from None

    def weights(self) -> Array | None:
        """The column of weights as float64, NaN where it is missing, if there is one."""
        column = self.get("weight")
        if column is None:
            return None
        try:
            if is_text(column.type):
                return parse_numbers(column.combine_chunks())
            if pa.types.is_temporal(column.type):
                raise pa.ArrowInvalid("dates are no weights")
            return np.asarray(column.cast(pa.float64()).fill_null(math.nan))
        except pa.ArrowException:
            raise self.error(f"weights must be numbers, found {column.type}.") from None

    def filter(self, keep: Array) -> Frame:
        """The rows of a mask, which still know where they stood."""
        rows = np.arange(len(keep)) if self.rows is None else self.rows
        return replace(self, table=self.table.filter(pa.array(keep)), rows=rows[keep])

    def take(self, places: Array) -> Frame:
        """The rows at some places, which may come again and still know where they stood."""
        rows = places if self.rows is None else self.rows[places]
        return replace(self, table=self.table.take(pa.array(places)), rows=rows)

    def with_column(self, ours: str, values: pa.Array) -> Frame:
        """The table with other values in a column that it has, by our name or its own."""
        name = self.column_name(ours) or ours
        place = self.table.column_names.index(name)
        return replace(self, table=self.table.set_column(place, name, values))

    def appended(self, name: str, values: pa.Array) -> Frame:
        """The table with another column."""
        return replace(self, table=self.table.append_column(name, values))

    def problem(
        self,
        kind: str,
        message: str,
        rows: Array,
        *,
        values: Column | Sequence[str] | None = None,
        option: str = "",
        outcome: str = "",
    ) -> Problem:
        """A problem of some rows; arguments as of :class:`Problem`.

        Args:
            kind: What one of them is.
            message: A sentence about the first.
            rows: Positions in this table.
            values: What each of those rows says.
            option: The option that goes on.
            outcome: What was done about them.
        """
        before = rows if self.rows is None else self.rows[rows]
        return Problem(
            kind,
            message,
            self.path,
            before,
            None if self.lines is None else self.lines[before],
            None if values is None else as_text(values),
            option,
            outcome,
        )

    def row(self, place: int) -> int:
        """The number of a row in the input, from 1."""
        return int(place if self.rows is None else self.rows[place]) + 1

    def error(self, message: str) -> DataError:
        """A DataError that names the file, if there is one."""
        return DataError(message, path=self.path)


def check_unique_columns(
    names: Iterable[str], what: str, path: str | PathLike[str] | None = None
) -> None:
    """Raise if two columns have the same name."""
    names = list(names)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"the {what} table has two columns called '{twice}'.", path=path)


def check_encoding(table: pa.Table, what: str, path: str | PathLike[str] | None = None) -> None:
    """Raise if a column of text holds bytes that are not UTF-8, as a Parquet file may."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            raise DataError(
                f"the column '{name}' of the {what} table is damaged: its text is not UTF-8.",
                path=path,
            ) from None


def as_text(values: Column | Sequence[str]) -> pa.Array:
    """Values as an Arrow array of text, '' where one is missing."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    array = values if isinstance(values, pa.Array) else pa.array(values, pa.large_string())
    return array.cast(pa.large_string()).fill_null("")


def check_mapping(columns: Mapping[str, str], frames: Iterable[Frame]) -> None:
    """Raise for a mapping from a name that is none of ours, or to a column that no table has."""
    present = {frame.what: frame.table.column_names for frame in frames}
    for key, theirs in columns.items():
        table, dot, ours = key.rpartition(".")
        if ours not in ALIASES:
            raise ConfigError(f"no column of ours is called {ours!r}.{suggest(ours, ALIASES)}")
        if dot and table not in present:
            raise ConfigError(f"{key!r}: there is no table {table!r}.{suggest(table, present)}")
        lists = [present[table]] if dot else present.values()
        if not any(theirs in names for names in lists):
            listed = ", ".join(dict.fromkeys(name for names in lists for name in names))
            where = f"the {table} table does not have" if dot else "no table has"
            raise ConfigError(
                f"{where} the column '{theirs}', which is to be '{ours}'; columns found: {listed}."
            )


def _as_table(data: TableLike) -> pa.Table:
    """An Arrow table, columns that mix numbers and text taken as text."""
    try:
        return pa.table(data)
    except (TypeError, pa.ArrowException):
        columns = data if isinstance(data, Mapping) else getattr(data, "columns", None)
        if columns is None:
            raise
        return pa.table({str(name): _as_array(data[name]) for name in columns})


def _as_array(values: Iterable[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except (TypeError, pa.ArrowException):
        flat = list(values)
        if not all(v is None or isinstance(v, str | int | float) for v in flat):
            raise
        missing = [v is None or (isinstance(v, float) and math.isnan(v)) for v in flat]
        return pa.array([None if m else str(v) for v, m in zip(flat, missing, strict=True)])


def _plain_column(column: Column) -> Column:
    """The same column in a type that every Arrow function takes: no views, no dictionaries."""
    if pa.types.is_dictionary(column.type):
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        texts = [_plain_column(chunk.dictionary).take(chunk.indices) for chunk in chunks]
        return pa.chunked_array(texts, _plain_type(column.type.value_type))
    kind = _plain_type(column.type)
    return column if kind == column.type else column.cast(kind)


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    return pa.large_string() if kind == pa.string_view() else kind
