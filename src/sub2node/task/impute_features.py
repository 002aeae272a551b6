"""Numbers of nodes that are missing: the median of their column, and a column that says where."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.notes import changed
from ..base.plural import examples, plural
from ..base.ragged import Array
from .clean_tables import join_texts, row_texts
from .frames import Frame
from .reading_options import Reading
from .split import part_of


def fill_features(
    nodes: Frame,
    members: Frame | None,
    labels: Frame | None,
    reading: Reading,
    notes: list[str],
    *,
    chosen: Sequence[str] | None = None,
) -> Frame:
    """The node table without missing numbers.

    Each is the median of its column over the nodes that are members of training subgraphs (without
    a split, over all nodes), and a column ``NAME_missing`` has 1 there and 0 elsewhere.

    Args:
        nodes: The node table, one row per node.
        members: The members table.
        labels: The labels table, which may say which subgraphs are for training.
        reading: Whether to fill them; takes the problems.
        notes: Takes sentences about what was done.
        chosen: The columns that become features; None: all with numbers.
    """
    used = (nodes.column_name("node_id"), nodes.column_name("title"))
    missing = {
        name: rows
        for name in nodes.table.column_names
        if name not in used
        and (chosen is None or name in chosen)
        and len(rows := _missing_rows(nodes, name))
    }
    if not missing:
        return nodes
    fill = reading.options.missing_features == "impute"
    for name, rows in missing.items():
        row = rows[0] + 1
        reading.problems.add(
            nodes.problem(
                "missing feature",
                f"the feature '{name}' of row {row} is missing or not finite.",
                rows,
                values=join_texts(row_texts(nodes, rows), name, between=": "),
                option="--missing-features impute",
                outcome="median taken" if fill else "",
            )
        )
    train = _training_nodes(nodes, members, labels) if fill else None
    whose = "all nodes" if train is None else "members of training subgraphs"
    for name, rows in missing.items():
        values = np.asarray(nodes.table[name].cast(pa.float64(), safe=False).fill_null(np.nan))
        values = np.where(np.isfinite(values), values, np.nan)
        known = values if train is None else values[train]
        known = known[np.isfinite(known)]
        if fill and not len(known):
            problem = nodes.error(f"the feature '{name}' has no number for {whose}; remove it.")
            with reading.problems.collected():
                raise problem
        median = float(np.median(known)) if len(known) else 0.0
        nodes = nodes.with_column(name, pa.array(np.where(np.isnan(values), median, values)))
        if fill:
            nodes = nodes.appended(
                f"{name}_missing", pa.array(np.isin(np.arange(len(values)), rows) * 1.0)
            )
            shown = examples(row_texts(nodes, rows[:3]).to_pylist(), len(rows))
            notes.append(
                changed(
                    f"{plural(len(rows), 'missing value')} of the feature '{name}' set to"
                    f" {median:g}, the median of {whose}; the column '{name}_missing' says where:"
                    f" {shown}."
                )
            )
    return nodes


def _missing_rows(nodes: Frame, name: str) -> Array:
    """Rows of a column of numbers that have none."""
    column = nodes.table[name]
    kind = column.type
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = np.asarray(column.cast(pa.float64(), safe=False).fill_null(np.nan))
        return np.flatnonzero(~np.isfinite(numbers))
    if column.null_count and (pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        return np.flatnonzero(np.asarray(column.is_null()))
    return np.empty(0, np.int64)


def _training_nodes(nodes: Frame, members: Frame | None, labels: Frame | None) -> Array | None:
    """Which nodes are members of training subgraphs; None where nothing says which are."""
    parts = None if labels is None else labels.text("split")
    if parts is None or labels is None or members is None:
        return None
    text = pa.large_string()
    is_train = np.array([part_of(word) == "train" for word in parts.to_pylist()], bool)
    trained = labels.ids("subgraph_id").cast(text).filter(pa.array(is_train))
    rows = pc.is_in(members.ids("subgraph_id").cast(text), value_set=trained)
    ids = members.ids("node_id").cast(text).filter(rows)
    return np.asarray(pc.is_in(nodes.ids("node_id").cast(text), value_set=ids))
