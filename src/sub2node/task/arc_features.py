"""Columns of the edge table that are numbers → features of directed edges."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ..base.notes import changed, doubtful
from ..base.ragged import Array
from .clean_tables import drop_rows, join_texts, row_texts
from .frames import Frame
from .missing_values import (
    is_text,
    number_like,
    odd_values,
    read_written_numbers,
    without_words,
)
from .reading_options import Reading

_OURS = ("source", "target", "weight")
_LOOKED_AT = 10_000  # rows, before all of a column of text are read as numbers


def number_columns(edges: Frame) -> tuple[str, ...]:
    """The columns of numbers that are none of ours, in the order of the table."""
    used = {edges.column_name(ours) for ours in _OURS}
    return tuple(
        field.name
        for field in edges.table.schema
        if field.name not in used
        and (pa.types.is_integer(field.type) or pa.types.is_floating(field.type))
    )


def with_written_numbers(edges: Frame, reading: Reading, notes: list[str]) -> Frame:
    """The edge table whose columns of text that are all numbers are such, as ``"1,234.50"``.

    Args:
        edges: The table.
        reading: Which words mean a missing value.
        notes: Takes sentences about how numbers are written.
    """
    used = {edges.column_name(ours) for ours in _OURS}
    for name in edges.table.column_names:
        if name in used or not is_text(edges.table[name].type):
            continue
        words = reading.options.missing_words
        if not _may_be_numbers(without_words(edges.table[name].slice(0, _LOOKED_AT), words)):
            continue
        texts = without_words(edges.table[name], words)
        numbers, style, example = read_written_numbers(texts)
        odd = odd_values(texts, numbers)
        if odd is not None and not len(odd):
            edges = edges.with_column(name, pa.array(numbers))
            how = f" with {style}, as in {example!r}" if style else " as numbers"
            notes.append(changed(f"The edge column '{name}' is read{how}."))
        elif example := number_like(texts):
            text = f"the edge column '{name}' is no feature, though its values look like numbers"
            notes.append(doubtful(f"{text}, as {example!r}; write them as 1234.5."))
    return edges


def _may_be_numbers(head: pa.Array) -> bool:
    """Whether most of the first values of a column look like numbers, or all are missing."""
    if head.null_count == len(head) or number_like(head):
        return True
    return odd_values(head, read_written_numbers(head).values) is not None


def with_usable_features(edges: Frame, reading: Reading, notes: list[str]) -> Frame:
    """The edge table without the rows whose features are missing, not finite or too large.

    Args:
        edges: The table.
        reading: What to do about such rows; takes the problem.
        notes: Takes the sentence about what was done.
    """
    for name in number_columns(edges):
        bad = np.flatnonzero(~np.isfinite(_numbers(edges, name)))
        if len(bad):
            edges = drop_rows(
                edges,
                bad,
                reading,
                notes,
                kind="missing edge feature",
                message=f"the feature '{name}' of the edge in row {bad[0] + 1} is missing or not"
                " finite.",
                values=join_texts(row_texts(edges, bad), name, between=": "),
            )
    return edges


def read_arc_features(edges: Frame) -> tuple[Array | None, tuple[str, ...]]:
    """Features of the edges, float32 (K, F) or None, and what they are called."""
    names = number_columns(edges)
    if not names:
        return None, ()
    return np.stack([_numbers(edges, name) for name in names], axis=1), names


def _numbers(edges: Frame, name: str) -> Array:
    """A column as float32, NaN where it is missing; (K,)."""
    column = edges.table.column(name).cast(pa.float64(), safe=False)
    with np.errstate(over="ignore"):
        return np.asarray(column.fill_null(np.nan)).astype(np.float32)
