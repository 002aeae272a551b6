"""The labels table → classes, split, titles and attributes, one entry per subgraph."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.notes import Note
from ..base.ragged import Array, distinct
from .attributes import OWN_COLUMNS, SubgraphAttributes, as_attribute
from .frames import Frame
from .ids import IdSpace
from .names import Names
from .reading_notes import attributes_merged, unread_columns
from .split import Split, SplitCode, part_of

NaLabels = Literal["missing", "keep"]
# How programs write that a value is missing; a class of such a name needs na_labels="keep".
NA_WORDS = frozenset({"NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "NULL", "null", "None"})


class SubgraphLabels(NamedTuple):
    """What the labels table says about the subgraphs, one entry per subgraph.

    Args:
        labels: Class numbers (M,), or booleans (M, C); None without labels.
        class_names: The names of the classes.
        split: The part of each subgraph; None where the table has none.
        titles: Texts for people to read.
        order: Subgraphs in the order of the table; without one, as they came.
        attributes: Other columns of the table.
        notes: What was not kept of them.
    """

    labels: Array | None
    class_names: tuple[str, ...]
    split: Split | None
    titles: Names | None
    order: Array
    attributes: SubgraphAttributes = SubgraphAttributes()
    notes: tuple[Note, ...] = ()


def read_labels(
    frame: Frame | None,
    space: IdSpace,
    classes: tuple[str, ...],
    *,
    na_labels: NaLabels = "missing",
) -> SubgraphLabels:
    """Labels, class names, split, titles, order and attributes of the subgraphs of ``space``.

    Args:
        frame: The labels table.
        space: The ids of the subgraphs.
        classes: All classes in order, where they are known.
        na_labels: Whether labels that read NA, nan, NULL or None are missing, or classes to keep;
            where classes are known, it is they that count.
    """
    if frame is None:
        return SubgraphLabels(None, (), None, None, np.arange(len(space)))
    if all(frame.get(column) is None for column in ("label", "split", "title")):
        frame.need("label")
    who = frame.ids("subgraph_id")
    rows = space.find(who)
    if (rows < 0).any():
        lost = who[int(np.argmax(rows < 0))].as_py()
        raise frame.error(f"subgraph {lost!r} has a label but no members: it is empty.")
    seen = np.bincount(rows, minlength=len(space))
    if (seen == 0).any():
        lost = space.text()[int(np.argmax(seen == 0))]
        raise frame.error(
            f"the label of subgraph {lost!r} is missing: the labels table has no row for it."
        )
    first = np.full(len(space), len(rows))
    np.minimum.at(first, rows, np.arange(len(rows)))
    split = _read_split(frame, rows, first)
    virtual = np.zeros(len(space), bool) if split is None else split.mask("virtual")
    labels, class_names = _read_label_values(
        frame, rows, virtual, classes, na_missing=na_labels == "missing" and not classes
    )
    text = frame.text("title")
    titles = None if text is None else Names(text.take(first))
    attributes, notes = _read_attributes(frame, rows, first, space)
    order = np.argsort(first)
    return SubgraphLabels(labels, class_names, split, titles, order, attributes, notes)


def _read_attributes(
    frame: Frame, rows: Array, first: Array, space: IdSpace
) -> tuple[SubgraphAttributes, tuple[Note, ...]]:
    """The columns that are none of ours, as text; of several rows of a subgraph, the first."""
    used = {frame.column_name(ours) for ours in OWN_COLUMNS}
    columns, notes, unread = {}, list[Note](), []
    for name in frame.table.column_names:
        if name in used:
            continue
        texts = None if name in OWN_COLUMNS or not name else as_attribute(frame.table[name])
        if texts is None:
            unread.append(name)
            continue
        columns[name] = Names(texts.take(first))
        if len(first) < len(rows):
            differs = pc.not_equal(texts, columns[name].arrow.take(rows))
            notes += attributes_merged(name, distinct(rows[np.asarray(differs)]), space.shown())
    notes += unread_columns(unread, frame.what)
    return SubgraphAttributes(columns), tuple(notes)


def _read_label_values(
    frame: Frame, rows: Array, virtual: Array, all_classes: tuple[str, ...], *, na_missing: bool
) -> tuple[Array | None, tuple[str, ...]]:
    """Labels of the subgraphs: (M,) numbers, or (M, C) booleans where one has several."""
    column = frame.get("label")
    if column is None:
        return None, ()
    column, rows, several = _flat_labels(
        frame, column.combine_chunks(), rows, virtual, na_missing=na_missing
    )
    ids = frame.as_ids(column, "label")
    classes = IdSpace(Names(all_classes).arrow) if all_classes else IdSpace.sorted(ids)
    number = classes.find(ids)
    if (number < 0).any():
        raise frame.error(f"the label {column[int(np.argmax(number < 0))].as_py()!r} is no class.")
    names = tuple(classes.text())
    labelled = distinct(rows * max(len(names), 1) + number) // max(len(names), 1)
    if several or (labelled[1:] == labelled[:-1]).any():
        table = np.zeros((len(virtual), len(names)), dtype=bool)
        table[rows, number] = True
        return table, names
    single = np.full(len(virtual), -1, dtype=np.int64)
    single[rows] = number
    return single, names


def _flat_labels(
    frame: Frame, column: pa.Array, rows: Array, virtual: Array, *, na_missing: bool
) -> tuple[pa.Array, Array, bool]:
    """One label per row: lists taken apart, virtual subgraphs omitted, a missing label refused."""
    several = pa.types.is_list(column.type) or pa.types.is_large_list(column.type)
    if several:
        sizes = np.asarray(pc.list_value_length(column).fill_null(0))
        missing = np.asarray(column.is_null())  # an empty list is an answer: none of the classes
    else:
        missing = np.asarray(column.is_null())
        if pa.types.is_floating(column.type):
            missing = missing | np.isnan(np.asarray(column.fill_null(np.nan)))
        elif pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            missing = missing | np.asarray(pc.equal(column, "").fill_null(True))
    na_rows = _na_rows(column, lists=several) if na_missing else np.zeros(len(column), bool)
    if (na_rows & ~virtual[rows]).any():
        row = int(np.argmax(na_rows & ~virtual[rows]))
        raise frame.error(
            f"the label of row {row + 1} is missing: it reads {_shown_label(column[row])!r}. If"
            " that is a class, na_labels='keep' (--na-labels keep) takes it as one."
        )
    missing = missing | na_rows
    if (missing & ~virtual[rows]).any():
        row = int(np.argmax(missing & ~virtual[rows]))
        raise frame.error(f"the label of row {row + 1} is missing.")
    if several:
        sizes = np.where(missing, 0, sizes)
        return column.filter(pa.array(~missing)).flatten(), np.repeat(rows, sizes), True
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.string())
    return column.filter(pa.array(~missing)), rows[~missing], False


def _na_rows(column: pa.Array, *, lists: bool) -> Array:
    """Rows whose label, or one of whose labels, reads as a missing value."""
    texts = column.flatten() if lists else column
    if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
        return np.zeros(len(column), bool)
    hit = np.asarray(pc.is_in(texts, value_set=pa.array(sorted(NA_WORDS), texts.type)))
    if not lists:
        return hit
    rows = np.zeros(len(column), bool)
    rows[np.asarray(pc.list_parent_indices(column))[hit]] = True
    return rows


def _shown_label(value: pa.Scalar) -> str:
    label = value.as_py()
    texts = label if isinstance(label, list) else [label]
    return next(str(text) for text in texts if text in NA_WORDS)


def _read_split(frame: Frame, rows: Array, first: Array) -> Split | None:
    parts = frame.text("split")
    if parts is None:
        return None
    encoded = pc.utf8_trim_whitespace(parts).dictionary_encode()
    names = encoded.dictionary.to_pylist()
    words = [part_of(name) for name in names]
    for position, (word, part) in enumerate(zip(names, words, strict=True)):
        if part is None:
            row = int(np.argmax(np.asarray(encoded.indices) == position)) + 1
            raise frame.error(f"row {row} has the split word {word!r}; use train, val or test.")
    codes = np.array([SplitCode[str(part).upper()] for part in words], np.int8)
    codes = codes[np.asarray(encoded.indices)]
    clash = codes != codes[first][rows]
    if clash.any():
        raise frame.error(f"row {int(np.argmax(clash)) + 1} puts its subgraph in a second part.")
    return Split(codes[first])


def used_classes(
    labels: Array, names: tuple[str, ...], *, keep_all: bool
) -> tuple[Array, tuple[str, ...]]:
    """Labels and names without the classes that nobody has any more."""
    if keep_all:
        return labels, names
    if labels.ndim == 2:
        used = labels.any(axis=0)
        return labels[:, used], tuple(np.array(names)[used].tolist())
    used = np.zeros(len(names), dtype=bool)
    used[labels[labels >= 0]] = True
    number = np.append(np.cumsum(used) - 1, -1)  # the last one is for -1
    return number[labels], tuple(np.array(names)[used].tolist())
