"""Columns of the edge table that are numbers → features of directed edges."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ..base.ragged import Array
from .clean_tables import drop_rows, join_texts, row_texts
from .frames import Frame
from .reading_options import Reading

_OURS = ("source", "target", "weight")


def number_columns(edges: Frame) -> tuple[str, ...]:
    """The columns of numbers that are none of ours, in the order of the table."""
    used = {edges.column_name(ours) for ours in _OURS}
    return tuple(
        field.name
        for field in edges.table.schema
        if field.name not in used
        and (pa.types.is_integer(field.type) or pa.types.is_floating(field.type))
    )


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
