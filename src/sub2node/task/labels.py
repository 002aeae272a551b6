"""The labels table → classes, split, titles and attributes, one entry per subgraph."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.notes import Note
from ..base.ragged import Array, distinct
from .attributes import OWN_COLUMNS, SubgraphAttributes, as_attribute
from .clean_labels import is_lists, missing_labels
from .frames import Frame
from .ids import IdSpace
from .missing_values import without_words
from .names import Names
from .reading_notes import attributes_merged, unread_columns
from .split import Split, SplitCode, part_of


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
    na_words: Collection[str] = (),
) -> SubgraphLabels:
    """Labels, class names, split, titles, order and attributes of the subgraphs of ``space``.

    Args:
        frame: The labels table, clean.
        space: The ids of the subgraphs.
        classes: All classes in order, where they are known.
        na_words: Labels and attributes that read so are missing.
    """
    if frame is None:
        return SubgraphLabels(None, (), None, None, np.arange(len(space)))
    who = frame.ids("subgraph_id")
    rows = space.find(who)
    seen = np.bincount(rows, minlength=len(space))
    if (seen == 0).any():
        lost = space.text()[int(np.argmax(seen == 0))]
        raise frame.error(
            f"the label of subgraph {lost!r} is missing: the labels table has no row for it."
        )
    first = np.full(len(space), len(rows))
    np.minimum.at(first, rows, np.arange(len(rows)))
    split = _read_split(frame, first)
    labels, class_names = _read_label_values(frame, rows, len(space), classes, na_words=na_words)
    text = frame.text("title")
    titles = None if text is None else Names(text.take(first))
    attributes, notes = _read_attributes(frame, rows, first, space, na_words)
    order = np.argsort(first)
    return SubgraphLabels(labels, class_names, split, titles, order, attributes, notes)


def _read_attributes(
    frame: Frame, rows: Array, first: Array, space: IdSpace, na_words: Collection[str]
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
        texts = without_words(texts, na_words).fill_null("")
        columns[name] = Names(texts.take(first))
        if len(first) < len(rows):
            differs = pc.not_equal(texts, columns[name].arrow.take(rows))
            notes += attributes_merged(name, distinct(rows[np.asarray(differs)]), space.shown())
    notes += unread_columns(unread, frame.what)
    return SubgraphAttributes(columns), tuple(notes)


def _read_label_values(
    frame: Frame, rows: Array, size: int, all_classes: tuple[str, ...], *, na_words: Collection[str]
) -> tuple[Array | None, tuple[str, ...]]:
    """Labels of the subgraphs: (M,) numbers, or (M, C) booleans where one has several."""
    column = frame.get("label")
    if column is None:
        return None, ()
    missing = missing_labels(frame, na_words)  # of virtual subgraphs
    column = column.combine_chunks().filter(pa.array(~missing))
    several, rows = is_lists(column), rows[~missing]
    if several:
        rows = np.repeat(rows, np.asarray(pc.list_value_length(column)))
        column = column.flatten()
    elif pa.types.is_boolean(column.type):
        column = column.cast(pa.string())
    ids = frame.as_ids(column, "label")
    classes = IdSpace(Names(all_classes).arrow) if all_classes else IdSpace.sorted(ids)
    number = classes.find(ids)
    if (number < 0).any():
        raise frame.error(f"the label {column[int(np.argmax(number < 0))].as_py()!r} is no class.")
    names = tuple(classes.text())
    labelled = distinct(rows * max(len(names), 1) + number) // max(len(names), 1)
    if several or (labelled[1:] == labelled[:-1]).any():
        table = np.zeros((size, len(names)), dtype=bool)
        table[rows, number] = True
        return table, names
    single = np.full(size, -1, dtype=np.int64)
    single[rows] = number
    return single, names


def _read_split(frame: Frame, first: Array) -> Split | None:
    """The part of each subgraph, by its first row."""
    parts = frame.text("split")
    if parts is None:
        return None
    encoded = pc.utf8_trim_whitespace(parts.take(pa.array(first))).dictionary_encode()
    codes = [SplitCode[str(part_of(word)).upper()] for word in encoded.dictionary.to_pylist()]
    return Split(np.array(codes, np.int8)[np.asarray(encoded.indices)])


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
