"""Rows and columns that are no data: headers given again, blank rows, numbers of rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.notes import changed, doubtful, unused
from ..base.plural import examples, plural
from ..base.ragged import Array
from .clean_tables import rows_dropped
from .column_names import NEEDED, column_in
from .frames import Frame, as_text
from .member_pairs import read_signs
from .missing_values import is_text
from .problems import Problems

_LOOKED_AT = 100_000  # rows
_NUMBERED = re.compile(r"Unnamed: 0|index|level_0|rownames", re.IGNORECASE)
_OF_R = "X"  # what R calls a first column without a name
_NAMELESS = "column 1"  # what the first column of a file is called if it has no name


def tidy_tables(
    frames: Mapping[str, Frame],
    problems: Problems,
    notes: list[str],
    *,
    chosen: Sequence[str] | None = None,
) -> dict[str, Frame]:
    """The tables without rows and columns that are no data, lists of nodes as rows; all is said.

    Args:
        frames: The tables, by what their rows are.
        problems: Takes the rows that are omitted.
        notes: Takes sentences about what was done.
        chosen: Columns of nodes that are to be features.
    """
    tidy = {}
    for what, table in frames.items():
        frame = _without_idle_rows(table, problems, notes)
        if what in ("members", "excluded"):
            frame = _with_a_row_per_node(frame, notes)
        if what == "members":
            notes += _unused_signs(frame)
        if what in ("nodes", "edges"):
            frame = _without_row_numbers(frame, notes, chosen or ())
        tidy[what] = frame
    return tidy


def labels_of_members(members: Frame, notes: list[str]) -> dict[str, Frame]:
    """Labels, and members without them, where a column of members says the label of its subgraph.

    Its other columns that are the same in all rows of a subgraph go with the labels. Empty where
    there is no such column.

    Args:
        members: The table of members.
        notes: Takes the sentence about it.
    """
    names = members.table.column_names
    label = column_in(names, "label", "labels", members.columns)
    own = [members.column_name(ours) for ours in ("subgraph_id", "node_id", "weight", "excluded")]
    if label is None or label in own or own[0] is None or not len(members.table):
        return {}
    owner = np.asarray(as_text(members.table[own[0]]).dictionary_encode().indices)
    first = np.unique(owner, return_index=True)[1]
    constant = [
        name
        for name in names
        if name not in own and _is_constant(members.table[name], owner, first)
    ]
    if label not in constant or not _may_be_labels(members.table[label]):
        return {}
    notes.append(changed(f"The labels are the column '{label}' of the members table."))
    rows = np.zeros(len(owner), bool)
    rows[first] = True
    columns = {**members.columns, "labels.subgraph_id": own[0], "labels.label": label}
    frame = replace(members.filter(rows), what="labels", columns=columns)
    labels = replace(frame, table=frame.table.select([own[0], *constant]))
    return {
        "labels": labels,
        "members": replace(members, table=members.table.drop_columns(constant)),
    }


def _may_be_labels(column: pa.ChunkedArray) -> bool:
    """Whether a column may name classes: text, or whole numbers."""
    if not pa.types.is_floating(column.type):
        return not pa.types.is_temporal(column.type)
    numbers = np.asarray(column.drop_null())
    return bool((np.floor(numbers) == numbers).all())


def _is_constant(column: pa.ChunkedArray, owner: Array, first: Array) -> bool:
    """Whether a column says the same in all rows of each subgraph."""
    if pa.types.is_nested(column.type):
        return False
    codes = np.asarray(column.combine_chunks().dictionary_encode().indices.fill_null(-1))
    return bool((codes == codes[first][owner]).all())


def _without_idle_rows(frame: Frame, problems: Problems, notes: list[str]) -> Frame:
    """The table without rows that repeat its header, as in files put together, and blank ones."""
    names = [frame.column_name(ours) for ours in NEEDED.get(frame.what, ())]
    ids = [name for name in names if name is not None and is_text(frame.table[name].type)]
    if not ids or len(ids) < len([name for name in names if name is not None]):
        return frame
    header, blank = np.ones(len(frame.table), bool), np.ones(len(frame.table), bool)
    for name in ids:
        header &= np.asarray(pc.equal(frame.table[name], name).fill_null(False))
        blank &= _is_blank(frame.table[name])
    if header.any() and len(ids) == 1:  # a node may be called as its column
        header &= len(frame.table.column_names) > 1
        for name in frame.table.column_names:
            header &= _repeats(frame.table[name], name)
    if blank.any():
        for name in frame.table.column_names:
            blank &= _is_blank(frame.table[name])
    for kind, rows in (("repeated header", header), ("blank row", blank)):
        places = np.flatnonzero(rows)
        if len(places):
            problem = problems.add(
                frame.problem(kind, f"this is a {kind}.", places, outcome="dropped")
            )
            notes.append(rows_dropped(problem.examples(), len(places), kind, frame.what))
    idle = header | blank
    return frame.filter(~idle) if idle.any() else frame


def _repeats(column: pa.ChunkedArray, name: str) -> Array:
    """Where a column has its own name, or nothing."""
    if not is_text(column.type):
        return np.asarray(column.is_null())
    return np.asarray(pc.equal(column, name).fill_null(True)) | _is_blank(column)


def _is_blank(column: pa.ChunkedArray) -> Array:
    missing = column.is_null()
    if is_text(column.type):
        missing = pc.or_kleene(missing, pc.equal(column, ""))
    return np.asarray(missing)


def _with_a_row_per_node(frame: Frame, notes: list[str]) -> Frame:
    """Members whose nodes stand in lists, as rows of their own."""
    column = frame.get("node_id")
    if column is None or not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        return frame
    lists = column.combine_chunks()
    sizes = np.asarray(pc.list_value_length(lists).fill_null(0))
    owner = np.repeat(np.arange(len(lists)), np.maximum(sizes, 1))
    nodes = pa.nulls(len(owner), lists.type.value_type)
    nodes = pc.replace_with_mask(nodes, pa.array(np.repeat(sizes, np.maximum(sizes, 1)) > 0),
                                 lists.flatten())  # fmt: skip
    name = str(frame.column_name("node_id"))
    notes.append(
        changed(
            f"The lists of nodes in the column '{name}' of the {frame.what} table taken apart:"
            f" {plural(len(owner), 'row')}."
        )
    )
    without = frame.with_column("node_id", pa.nulls(len(lists)))  # lists are not repeated
    return without.take(owner).with_column("node_id", nodes)


def _unused_signs(members: Frame) -> list[str]:
    """A warning for each unused column that says yes of some members and no of others."""
    used = {members.column_name(ours) for ours in ("subgraph_id", "node_id", "weight", "excluded")}
    warnings = list[str]()
    for name in members.table.column_names:
        column = members.table[name].slice(0, _LOOKED_AT).combine_chunks()
        if name in used or pa.types.is_nested(column.type) or pa.types.is_floating(column.type):
            continue
        signs = read_signs(column)
        if not signs.null_count and len(pc.unique(signs)) > 1:
            warnings.append(
                doubtful(
                    f"the column '{name}' of the members table says yes of some nodes and no of"
                    f" others, and is not used; --column members.excluded={name} takes a yes for"
                    " an excluded node (turn the words first where yes means present)."
                )
            )
    return warnings


def _without_row_numbers(frame: Frame, notes: list[str], chosen: Sequence[str]) -> Frame:
    """The table without columns that number its rows, as pandas and R write them."""
    names = frame.table.column_names
    used = {frame.column_name(ours) for ours in (*NEEDED[frame.what], "weight", "title")}
    numbered = [
        name
        for name in names
        if (
            _NUMBERED.fullmatch(name)
            or (name == _NAMELESS and "column 2" not in names)
            or (name == _OF_R == names[0])
        )
        and name not in (*used, *chosen)
        and _numbers_rows(frame.table[name], in_order=name not in (_NAMELESS, "Unnamed: 0"))
    ]
    if not numbered:
        return frame
    shown = examples(map(repr, numbered), len(numbered))
    count = plural(len(numbered), "column")
    notes.append(unused(f"{count} of the {frame.what} table not used, as row numbers: {shown}."))
    return replace(frame, table=frame.table.drop_columns(numbered))


def _numbers_rows(column: pa.ChunkedArray, *, in_order: bool) -> bool:
    """Whether a column holds 0, 1, 2, … or 1, 2, 3, …; else different whole numbers from 0 on.

    The latter are the numbers that rows had before they were sorted or chosen.
    """
    try:
        numbers = np.asarray(column.cast(pa.float64()))
    except pa.ArrowException:
        return False
    if len(numbers) < 2:
        return False
    if not in_order:
        is_whole = bool((np.floor(numbers) == numbers).all()) and numbers.min() >= 0
        return is_whole and len(np.unique(numbers)) == len(numbers)
    steps = np.arange(len(numbers))
    return bool(numbers[0] in (0, 1) and (numbers == steps + numbers[0]).all())
