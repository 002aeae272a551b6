"""Numbers of nodes that are missing: the median of their column, and a column that says where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ..base.errors import DataError
from ..base.notes import changed, doubtful
from ..base.plural import examples, plural
from ..base.ragged import Array
from .clean_tables import join_texts, row_texts
from .frames import Frame
from .missing_values import (
    is_text,
    number_like,
    odd_values,
    read_written_numbers,
    without_words,
)
from .reading_options import Reading

if TYPE_CHECKING:
    from .graph import Graph
    from .task import SubgraphTask


def read_numbers(
    nodes: Frame, reading: Reading, notes: list[str], *, chosen: Sequence[str] | None = None
) -> tuple[Frame, dict[str, Array]]:
    """The node table whose columns of text have no words for a missing value; rows of no number.

    A column most of whose other values are numbers becomes one of numbers. Those of its values that
    are none are a problem, and count as missing where missing ones are imputed.

    Args:
        nodes: The node table.
        reading: What to do about problems; takes them.
        notes: Takes sentences about how numbers are written.
        chosen: The columns that become features; None: all with numbers.
    """
    odd_rows = dict[str, Array]()
    for name in _feature_columns(nodes, chosen):
        if not is_text(nodes.table[name].type):
            continue
        texts = without_words(nodes.table[name], reading.options.missing_words)
        numbers, style, example = read_written_numbers(texts)
        rows = odd_values(texts, numbers)
        if rows is None:
            nodes = nodes.with_column(name, texts)
            if chosen is None and (example := number_like(texts)):
                notes.append(
                    doubtful(
                        f"the node column '{name}' is no feature, though its values look like"
                        f" numbers, as {example!r}; write them as 1234.5."
                    )
                )
            continue
        if style:
            text = f"The node column '{name}' is read with {style}, as in {example!r}."
            notes.append(changed(text))
        odd_rows[name] = rows
        if len(rows):
            odd = texts.take(pa.array(rows))
            fill = reading.options.missing_features == "impute"
            reading.problems.add(
                nodes.problem(
                    "non-numeric value",
                    f"the feature '{name}' has numbers, but {odd[0].as_py()!r} in row"
                    f" {rows[0] + 1} ({plural(len(rows), 'row')} so); correct them, choose other"
                    " columns (--node-features), or say which words mean a missing value"
                    " (--na-words).",
                    rows,
                    values=join_texts(row_texts(nodes, rows), f": {name} '", odd, "'", between=""),
                    option="--missing-features impute",
                    outcome="taken as missing" if fill else "",
                )
            )
        column = pa.array(numbers, mask=np.isnan(numbers))
        nodes = nodes.with_column(name, column)
    return nodes, odd_rows


def fill_features(
    nodes: Frame,
    reading: Reading,
    notes: list[str],
    *,
    chosen: Sequence[str] | None = None,
    odd_rows: Mapping[str, Array] | None = None,
) -> tuple[Frame, list[str]]:
    """The node table without missing numbers, and the columns that were filled.

    Each is the median of its column over all nodes until :func:`impute_anew` knows the training
    subgraphs, and a column ``NAME_missing`` has 1 there and 0 elsewhere.

    Args:
        nodes: The node table, one row per node.
        reading: Whether to fill them; takes the problems.
        notes: Takes sentences about what was done.
        chosen: The columns that become features; None: all with numbers.
        odd_rows: Rows by column whose value is no number, which is known to be a problem.
    """
    fill, filled = reading.options.missing_features == "impute", list[str]()
    for name in _feature_columns(nodes, chosen):
        rows = _missing_rows(nodes, name)
        if not len(rows):
            continue
        blank = np.setdiff1d(rows, (odd_rows or {}).get(name, rows[:0]))
        if len(blank):
            reading.problems.add(
                nodes.problem(
                    "missing feature",
                    f"the feature '{name}' of row {blank[0] + 1} is missing or not finite.",
                    blank,
                    values=join_texts(row_texts(nodes, blank), name, between=": "),
                    option="--missing-features impute",
                    outcome="median taken" if fill else "",
                )
            )
        values = np.asarray(nodes.table[name].cast(pa.float64(), safe=False).fill_null(np.nan))
        values = np.where(np.isfinite(values), values, np.nan)
        if fill and np.isnan(values).all():
            with reading.problems.collected():
                raise nodes.error(f"the feature '{name}' has no number; remove it.")
        median = 0.0 if np.isnan(values).all() else float(np.nanmedian(values))
        nodes = nodes.with_column(name, pa.array(np.where(np.isnan(values), median, values)))
        if fill:
            filled.append(name)
            flags = np.isin(np.arange(len(values)), rows) * 1.0
            nodes = nodes.appended(flag_name(name), pa.array(flags))
            shown = examples(row_texts(nodes, rows[:3]).to_pylist(), len(rows))
            notes.append(
                changed(
                    f"{plural(len(rows), 'missing value')} of the feature '{name}' set to the"
                    " median of members of training subgraphs (of all nodes without a split); the"
                    f" column '{flag_name(name)}' says where: {shown}."
                )
            )
    return nodes, filled


def _feature_columns(nodes: Frame, chosen: Sequence[str] | None) -> list[str]:
    used = (nodes.column_name("node_id"), nodes.column_name("title"))
    names = [name for name in nodes.table.column_names if name not in used]
    return [name for name in names if chosen is None or name in chosen]


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


def flag_name(name: str) -> str:
    """The column that says where numbers of a column were missing."""
    return f"{name}_missing"


def imputed_places(imputed: Sequence[str], places: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """By the name of an imputed column: its place among the features, and that of its flag.

    Args:
        imputed: The columns that were filled.
        places: The place of each column of the node table among the features.
    """
    pairs = {name: (name, flag_name(name)) for name in imputed}
    return {
        name: (places[column], places[flag])
        for name, (column, flag) in pairs.items()
        if column in places and flag in places
    }


def impute_anew(task: SubgraphTask) -> SubgraphTask:
    """The task with missing features set to the medians over members of its training subgraphs.

    Args:
        task: The task; without a split, or where nothing was missing, it is returned as it is.
    """
    graph, split = task.graph, task.split
    count = 0 if split is None else split.count("train")
    if not graph.imputed or graph.features is None or not count:
        return task
    members = np.unique(task.subgraphs.nodes[: task.subgraphs.ptr[count]])
    features = graph.features.copy()
    for name, (column, flag) in graph.imputed.items():
        missing = features[:, flag] > 0
        known = features[members, column][~missing[members]]
        if not len(known):
            raise DataError(
                f"the feature {name!r} has no number for members of training subgraphs; remove it."
            )
        features[missing, column] = np.median(known.astype(np.float64))
    if np.array_equal(features, graph.features):
        return task
    return replace(task, graph=graph.with_features(features))


def is_same_graph(one: Graph, other: Graph) -> bool:
    """Whether two graphs are one, apart from numbers that were missing and set by other splits.

    Args:
        one: A graph.
        other: Another, which need not know which of its numbers were missing.
    """
    if one == other:
        return True
    imputed = one.imputed or other.imputed
    if not imputed or one.features is None or other.features is None:
        return False
    if one.features.shape != other.features.shape:
        return False
    return bool(_without_imputed(one, imputed) == _without_imputed(other, imputed))


def _without_imputed(graph: Graph, imputed: Mapping[str, tuple[int, int]]) -> Graph:
    """The graph with 0 where a number was missing."""
    assert graph.features is not None  # for mypy
    features = graph.features.copy()
    for column, flag in imputed.values():
        features[features[:, flag] > 0, column] = 0
    return graph.with_features(features)
