"""Tables as they come → tables whose rows can all be used; what was wrong is noted, row by row.

Nothing here looks at the graph. Each function returns a table and leaves the problems in the
:class:`Reading`, so that everything that is wrong is known before anything is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.notes import Note, changed, doubtful, dropped
from ..base.plural import examples, plural
from ..base.ragged import Array
from .edges import weight_problem
from .frames import Frame, as_text
from .ids import Column
from .missing_values import is_text, is_word, without_words
from .reading_options import Reading

# How a row of a table is told, by our names of the columns and what stands between them.
_ROW_TEXTS = {
    "edges": (("source", "target"), " to "),
    "members": (("node_id", "subgraph_id"), " in subgraph "),
    "excluded": (("node_id", "subgraph_id"), " in subgraph "),
    "subgraph_edges": (("source", "target", "subgraph_id"), ", "),
    "nodes": (("node_id",), ""),
    "labels": (("subgraph_id",), ""),
}


def row_texts(frame: Frame, rows: Array) -> pa.Array:
    """The ids in some rows of a table, as ``'X' in subgraph 's1'``."""
    names, between = _ROW_TEXTS[frame.what]
    parts = []
    for ours in names:
        column = frame.need(ours).take(pa.array(rows)).combine_chunks()
        parts.append(_quoted(column))
    return join_texts(*parts, between=between)


def join_texts(*parts: Column | Sequence[str] | str, between: str) -> pa.Array:
    """Texts put together row by row; a single text stands in every row."""
    kind = pa.large_string()
    columns = [pa.scalar(p, kind) if isinstance(p, str) else as_text(p) for p in parts]
    return pc.binary_join_element_wise(*columns, pa.scalar(between, kind))


def _quoted(column: Column) -> pa.Array:
    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    return join_texts("'", column, "'", between="") if is_text else as_text(column)


def clean_table(
    frame: Frame, ids: Sequence[str], reading: Reading, notes: list[str], *, weighted: bool = True
) -> Frame:
    """The rows of a table that have ids and usable weights.

    Args:
        frame: The table.
        ids: Our names of the columns that hold ids.
        reading: What to do about the other rows; takes the problems.
        notes: Takes sentences about what was done.
        weighted: Whether the table may have weights.
    """
    for ours in ids:
        missing = np.flatnonzero(_missing(frame.need(ours), reading.options.na_words))
        if len(missing):
            column = f"{frame.what} column '{frame.column_name(ours)}'"
            frame = drop_rows(
                frame,
                missing,
                reading,
                notes,
                kind="missing id",
                message=f"{column} is missing in row {frame.row(missing[0])}.",
                values=[f"no {ours}"] * len(missing),
            )
        _warn_of_words(frame, ours, reading, notes)
    return with_usable_weights(frame, reading, notes) if weighted else frame


def _warn_of_words(frame: Frame, ours: str, reading: Reading, notes: list[str]) -> None:
    """Say where ids read as missing values are often written; they may be ids."""
    column = frame.need(ours).combine_chunks()
    rows = np.flatnonzero(is_word(column, reading.options.missing_words))
    if len(rows):
        words = column.take(pa.array(rows)).unique().to_pylist()
        shown = examples(map(repr, words), len(words))
        notes.append(
            doubtful(
                f"{plural(len(rows), 'id')} of the column '{frame.column_name(ours)}' of the"
                f" {frame.what} table may mean a missing value: {shown}; --na-words"
                f" {','.join(words)} takes them so."
            )
        )


def drop_rows(
    frame: Frame,
    rows: Array,
    reading: Reading,
    notes: list[str],
    *,
    kind: str,
    message: str,
    values: Column | Sequence[str] | None = None,
) -> Frame:
    """The table without some rows, which are a problem unless bad rows are dropped.

    Args:
        frame: The table.
        rows: The rows, ascending.
        reading: Whether they may be dropped; takes the problem.
        notes: Takes the sentence about it.
        kind: What one of them is.
        message: A sentence about the first of them.
        values: What each of them says; by default its ids.
    """
    if values is None:
        values = row_texts(frame, rows)
    allowed = reading.options.bad_rows == "drop"
    problem = reading.problems.add(
        frame.problem(
            kind,
            message,
            rows,
            values=values,
            option="--bad-rows drop",
            outcome="dropped" if allowed else "",
        )
    )
    if allowed:
        notes.append(rows_dropped(problem.examples(), len(rows), kind, frame.what))
    keep = np.ones(len(frame.table), bool)
    keep[rows] = False
    return frame.filter(keep)


def rows_dropped(shown: Sequence[str], count: int, kind: str, what: str) -> Note:
    """The sentence that rows of a table were dropped."""
    rows, why = plural(count, "row"), plural(count, kind)
    return dropped(f"{rows} of the {what} table dropped ({why}): {examples(shown, count)}.")


def drop_repeated_nodes(nodes: Frame, reading: Reading, notes: list[str]) -> Frame:
    """The node table with the first row of each node."""
    ids = nodes.ids("node_id")
    codes = ids.dictionary_encode()
    if len(codes.dictionary) == len(ids):
        return nodes
    first = np.zeros(len(ids), bool)
    first[np.unique(np.asarray(codes.indices), return_index=True)[1]] = True
    rows = np.flatnonzero(~first)
    message = "a node is listed twice in the nodes table."
    return drop_rows(nodes, rows, reading, notes, kind="repeated node", message=message)


def _missing(column: pa.ChunkedArray, na_words: Sequence[str]) -> Array:
    """Where a column of ids has none, or a word of the user's for a missing one; (rows,)."""
    missing = np.zeros(len(column), bool)
    if column.null_count:
        missing |= np.asarray(column.is_null())
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        empty = pc.equal(column, "")
        if pc.any(empty).as_py():
            missing |= np.asarray(empty.fill_null(True))
        if na_words:
            missing |= is_word(column.combine_chunks(), na_words)
    elif pa.types.is_floating(column.type):
        missing |= np.isnan(np.asarray(column.fill_null(np.nan)))
    return missing


def _weight_texts(
    frame: Frame, rows: Array, weights: Sequence[float], na_words: frozenset[str]
) -> list[str]:
    """What messages say of weights that are none: the number, the text, or that it is missing."""
    texts = [""] * len(rows)
    column = frame.need("weight").take(pa.array(rows)).combine_chunks()
    if is_text(column.type):
        texts = without_words(column, na_words).fill_null("").to_pylist()
    return [
        repr(text) if text and np.isnan(value) else "missing" if np.isnan(value) else f"{value:g}"
        for text, value in zip(texts, weights, strict=True)
    ]


def with_usable_weights(frame: Frame, reading: Reading, notes: list[str]) -> Frame:
    """The table with weights that are finite and above 0.

    Args:
        frame: The table.
        reading: What to do about others; takes the problem.
        notes: Takes the sentence about what was done.
    """
    weights = frame.weights()
    if weights is None:
        return frame
    with np.errstate(over="ignore", under="ignore"):
        single = weights.astype(np.float32)
    bad = ~(single > 0) | ~np.isfinite(single)
    if not bad.any():
        return frame
    rows, policy = np.flatnonzero(bad), reading.options.bad_weights
    texts = _weight_texts(frame, rows, weights[rows].tolist(), reading.options.missing_words)
    values = join_texts(row_texts(frame, rows), " (weight ", texts, ")", between="")
    why = "weights are finite and above 0." if np.isnan(weights[rows[0]]) else None
    message = (
        f"the weight in row {frame.row(rows[0])} of the {frame.what} table is {texts[0]};"
        f" {why or weight_problem(weights[rows[0]])}"
    )
    no_numbers = policy == "error" and "missing" not in texts and bool(np.isnan(weights).all())
    if no_numbers:
        message = f"weights must be numbers, found {frame.need('weight').type}."
    problem = reading.problems.add(
        frame.problem(
            "" if no_numbers else "unusable weight",
            message,
            rows,
            values=values,
            option=f"--bad-weights {'one' if bad.all() else 'drop'}",
            outcome={"error": "", "drop": "dropped", "one": "taken as 1"}[policy],
        )
    )
    if policy == "drop":
        notes.append(rows_dropped(problem.examples(), len(rows), problem.kind, frame.what))
    if policy != "one" and not no_numbers:
        return frame.filter(~bad)
    count, shown = plural(len(rows), "unusable weight"), examples(problem.examples(), len(rows))
    if policy == "one":
        notes.append(changed(f"{count} of the {frame.what} table taken as 1: {shown}."))
    return frame.with_column("weight", pa.array(np.where(bad, 1.0, weights)))
