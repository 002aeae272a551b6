"""Rows of large tables that lack a number or an id: dropped where that is allowed, else told."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from ..base.errors import DataError
from ..base.notes import Note, changed, dropped
from ..base.plural import plural
from ..task.problems import go_on
from .large_files import parquet_files
from .neighbour_tables import ALL_NODES, NEIGHBOURS
from .source_tables import LargeTable
from .steps import Pass

if TYPE_CHECKING:
    import ibis.expr.types as ir


def usable_edges(job: Pass) -> ir.Table:
    """The edges of a pass, without the rows that its policies drop; notes how many these are.

    What cannot be used and is not dropped is null, and found by :func:`check_missing`.
    """
    from . import expression

    rows = expression.usable(job.backend.read(job.source.edges.path), job.source.edges)
    options = job.reading.options
    drops, weights = options.bad_rows == "drop", options.bad_weights
    weighted = "weight" in rows.columns and weights != "error"
    if not (drops or weighted):
        return rows
    lacking = reduce(or_, (rows[name].isnull() for name in rows.columns if name != "weight"))
    counted = {"rows": lacking.sum() if drops else rows.count() * 0}
    if weighted:
        unweighted = rows.weight.isnull()
        counted["weights"] = (unweighted & ~lacking if drops else unweighted).sum()
    counts = job.load(
        "unusable.parquet", lambda: rows.aggregate(**counted), what="Checking edges"
    ).to_pylist()[0]
    job.source = replace(job.source, notes=(*job.source.notes, *_notes(counts, weights)))
    if drops:
        rows = rows.filter(~lacking)
    if weighted and weights == "drop":
        rows = rows.filter(rows.weight.notnull())
    elif weighted:
        rows = rows.mutate(weight=rows.weight.fill_null(1))
    return rows


def _notes(counts: dict[str, float | None], weights: str) -> list[Note]:
    notes = list[Note]()
    if count := int(counts["rows"] or 0):  # sums are no integers to DuckDB
        why = "an end or a feature is missing or not finite"
        notes.append(dropped(f"{plural(count, 'row')} of the edges table dropped: {why}."))
    if count := int(counts.get("weights") or 0):
        of_edges = f"{plural(count, 'unusable weight')} of the edges table"
        if weights == "drop":
            notes.append(dropped(f"{plural(count, 'row')} dropped for {of_edges}."))
        else:
            notes.append(changed(f"{of_edges} taken as 1."))
    return notes


def check_missing(job: Pass) -> None:
    """Raise where a number or an id is missing that sums would pass over."""
    for name, large in ((NEIGHBOURS, job.source.edges), (ALL_NODES, job.source.nodes)):
        if large is None:
            continue
        for file in parquet_files(job.folder / name):
            metadata = pq.ParquetFile(file).metadata
            for group in range(metadata.num_row_groups):
                for column in range(metadata.num_columns):
                    part = metadata.row_group(group).column(column)
                    facts = part.statistics
                    if part.path_in_schema != "title" and facts is not None and facts.null_count:
                        raise _missing(part.path_in_schema, large, of_edges=name == NEIGHBOURS)


def _missing(ours: str, large: LargeTable, *, of_edges: bool) -> DataError:
    """The error about a column of ours that lacks a value."""
    what, name = "missing", large.columns.get(_ENDS.get(ours, ours), ours)
    if ours[0] in "fx" and ours[1:].isdecimal():
        what, name = "missing or not finite", _feature(large, int(ours[1:]))
    option = "--bad-rows drop"
    if ours == "weight":
        what, option = "missing, not finite or not above 0", "--bad-weights drop"
    advice = f"; {go_on(option)}" if of_edges else "; fill them first."
    return DataError(f"'{name}' is {what} in some rows{advice}", path=large.path)


_ENDS = {"node": "source", "other": "target"}


def _feature(large: LargeTable, number: int) -> str:
    return large.features[number if large.width is None else 0]
