"""Data frames of any make to Arrow tables with our column names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ..errors import DataError
from ..ragged import Array
from .ids import id_column

# Other words for our columns that are taken without asking.
ALIASES = {
    "source": ("src", "from", "u"),
    "target": ("dst", "to", "v"),
    "subgraph_id": ("subgraph", "set"),
    "node_id": ("node", "id"),
    "label": ("class", "y"),
    "title": ("name", "description"),
    "split": (),
}


@dataclass(frozen=True)
class Frame:
    """A table with a name for error messages, asked for columns by our words.

    Args:
        table: The Arrow table.
        what: "edges", "members", …
        columns: The user's column for ours.
        path: Where it was read from.
    """

    table: Any
    what: str
    columns: Mapping[str, str]
    path: str | None = None

    @classmethod
    def of(cls, data: Any, what: str, columns: Mapping[str, str], path: str | None = None) -> Frame:
        """Take a pandas, Polars or Arrow frame, or a dict of columns."""
        try:
            table = data if isinstance(data, pa.Table) else pa.table(data)
            return cls(table.cast(_plain_schema(table.schema)), what, columns, path)
        except (TypeError, ValueError, pa.ArrowInvalid) as error:
            raise DataError(
                f"{what}: expected a data frame (pandas, Polars, Arrow) or a dict of columns,"
                f" found {type(data).__name__} ({error})."
            ) from error

    def column_name(self, ours: str) -> str | None:
        """The column that holds what we call ``ours``, or None."""
        if ours in self.columns:
            return self.columns[ours] if self.columns[ours] in self.table.column_names else None
        known = (ours, *ALIASES.get(ours, ()))
        return next((name for name in known if name in self.table.column_names), None)

    def get(self, ours: str) -> Any | None:
        """The column, or None if there is none."""
        name = self.column_name(ours)
        return None if name is None else self.table.column(name)

    def need(self, ours: str) -> Any:
        """The column; an error that lists the columns found if there is none."""
        column = self.get(ours)
        if column is None:
            wanted = self.columns.get(ours, ours)
            found = ", ".join(self.table.column_names) or "none"
            raise self.error(
                f"no column '{wanted}' in the {self.what} table; columns found: {found}."
                f" Rename one, or map it: columns={{'{ours}': '…'}} (--column {ours}=…)."
            )
        return column

    def ids(self, ours: str) -> Any:
        """A needed column of ids, as int64 or text."""
        column = self.need(ours)
        try:
            return id_column(column, f"{self.what} column '{self.column_name(ours)}'")
        except DataError as error:
            raise self.error(str(error)) from None

    def weights(self) -> Array | None:
        """The column of weights as float64, if there is one."""
        column = self.get("weight")
        if column is None:
            return None
        if column.null_count:
            row = int(np.argmax(np.asarray(column.is_null()))) + 1
            raise self.error(f"the weight in row {row} is missing.")
        try:
            return np.asarray(column.cast(pa.float64()))
        except pa.ArrowInvalid as error:
            raise self.error(f"weights must be numbers: {error}") from error

    def error(self, message: str) -> DataError:
        """A DataError that names the file, if there is one."""
        return DataError(message, path=self.path)


def _plain_schema(schema: Any) -> Any:
    """The same columns in types that every Arrow function takes: no views, no dictionaries."""
    return pa.schema([pa.field(field.name, _plain_type(field.type)) for field in schema])


def _plain_type(kind: Any) -> Any:
    if pa.types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    return pa.large_string() if kind == pa.string_view() else kind
