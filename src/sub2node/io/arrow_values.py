"""Ids in columns of Parquet files, whatever their type, as text."""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def as_text(column: pa.Array) -> pa.Array | None:
    """A column of text or integers as text, "" where it is null; None for other columns."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_integer)
    if not any(test(kind) for test in tests):
        return None
    try:
        column.validate(full=True)  # Parquet does not promise that text is UTF-8
        return column.cast(kind).cast(pa.large_string()).fill_null("")
    except pa.ArrowInvalid:
        return None


def python_values(column: pa.Array) -> list[Any]:
    """The values of a column; as bytes where some of it is not UTF-8 text."""
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        binary = pa.list_(pa.binary()) if is_lists(column.type) else pa.binary()
        return list(column.cast(binary).to_pylist())


def is_lists(kind: pa.DataType) -> bool:
    """Whether a column holds lists."""
    tests = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(test(kind) for test in tests)


def id_text(value: object) -> str:
    """An id as text; raises where it is none."""
    if isinstance(value, bytes):
        value = value.decode()
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError
    return str(value)
