"""The labels table: rows that can be used, and which subgraphs have no label."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.notes import changed, doubtful, dropped
from ..base.plural import examples, plural
from ..base.ragged import Array
from .attributes import OWN_COLUMNS
from .clean_tables import clean_table, drop_rows, join_texts, row_texts
from .frames import Frame, as_text
from .id_forms import same_ids
from .label_separators import split_labels
from .missing_values import NA_WORDS, is_text, is_word
from .reading_options import Reading
from .split import SplitCode, part_of

_FEW = 10  # if at most one subgraph in so many has several labels, that is said
_LEAST = 4  # subgraphs with a label, below which nothing is more likely than another
_SEVERAL = "all kept, the task is multi-label; --bad-rows drop takes the first of each"


class LabelledFrames(NamedTuple):
    """Tables of the subgraphs that have labels, and ids of those that have none.

    Args:
        labels: Rows with a label (or of virtual subgraphs).
        unlabelled: Ids of subgraphs without a label, where others have one; text.
    """

    labels: Frame
    unlabelled: pa.Array


def clean_labels(
    labels: Frame,
    members: Frame,
    reading: Reading,
    notes: list[str],
    *,
    na_words: Collection[str],
) -> LabelledFrames:
    """The rows of the labels table that say what a subgraph is.

    Args:
        labels: The labels table.
        members: The members table, clean.
        reading: What to do about other rows; takes the problems.
        notes: Takes sentences about what was done.
        na_words: Labels that read so are missing.
    """
    if all(labels.get(column) is None for column in ("label", "split", "title")):
        with reading.problems.collected():
            labels.need("label")
    labels = clean_table(labels, ["subgraph_id"], reading, notes, weighted=False)
    sets = members.ids("subgraph_id").cast(pa.large_string()).unique()
    labels = _with_known_ids(labels, sets, notes)
    ids = _id_texts(labels)
    unmatched = np.flatnonzero(~np.asarray(pc.is_in(ids, value_set=sets)))
    if len(unmatched):
        who = labels.ids("subgraph_id")[int(unmatched[0])].as_py()
        labels = drop_rows(
            labels,
            unmatched,
            reading,
            notes,
            kind="unmatched label",
            message=f"subgraph {who!r} has a label but no members: it is empty.",
        )
    if reading.without_split and not _is_virtual(labels).any():
        labels = _without_parts(labels)
    if labels.get("label") is None:
        notes += _unlabelled_table(labels) if not reading.problems.open else ()
        known = _with_known_parts(labels, reading, notes)
        lost = pc.is_in(_id_texts(labels), value_set=_id_texts(known))
        return LabelledFrames(known, _id_texts(labels).filter(pc.invert(lost)).unique())
    labels = _with_known_parts(
        split_labels(labels, reading, notes), reading, notes, na_words=na_words
    )
    missing = _unlabelled_rows(labels, na_words)
    labelled = _id_texts(labels).filter(pa.array(~missing))
    unlabelled = sets.filter(pc.invert(pc.is_in(sets, value_set=labelled)))
    if not len(labelled) and len(unlabelled):
        _refuse_missing(labels, missing, reading, na_words)
    elif len(unlabelled) or missing.any():
        _note_missing(labels, missing, unlabelled, members, reading, notes, na_words=na_words)
    return LabelledFrames(note_second_labels(labels.filter(~missing), reading, notes), unlabelled)


def _with_known_ids(labels: Frame, sets: pa.Array, notes: list[str]) -> Frame:
    """The labels with the ids of the members table, where theirs are in another case or form.

    Args:
        labels: The labels table.
        sets: The different ids of the members table, text.
        notes: Takes the sentence about it.
    """
    ids = _id_texts(labels)
    foreign = np.flatnonzero(~np.asarray(pc.is_in(ids, value_set=sets)))
    places = same_ids(ids.take(pa.array(foreign)), sets)
    places[_meant_by_others(ids, foreign, sets, places)] = -1
    rows, places = foreign[places >= 0], places[places >= 0]
    if not len(rows):
        return labels
    given, meant = ids.take(pa.array(rows)), sets.take(pa.array(places))
    mask = np.zeros(len(ids), bool)
    mask[rows] = True
    count = plural(len(rows), "label")
    shown = examples((f"{a.as_py()!r} is {b.as_py()!r}" for a, b in zip(given, meant, strict=True)),
                     len(rows))  # fmt: skip
    notes.append(changed(f"{count} of subgraphs given in another case or form found: {shown}."))
    return labels.with_column("subgraph_id", pc.replace_with_mask(ids, pa.array(mask), meant))


def _meant_by_others(ids: pa.Array, foreign: Array, sets: pa.Array, places: Array) -> Array:
    """Which foreign ids mean a subgraph that has a label by its own id, or by another foreign id.

    Args:
        ids: The ids of all labels, text.
        foreign: The rows of those that no subgraph has.
        sets: The different ids of subgraphs.
        places: The subgraph of each foreign id, below 0 where there is none.
    """
    labelled = np.asarray(pc.is_in(sets, value_set=ids))
    texts = np.asarray(ids.take(pa.array(foreign)).dictionary_encode().indices.fill_null(-1))
    pairs = np.unique(np.stack([places, texts]), axis=1)
    count = np.bincount(pairs[0][pairs[0] >= 0], minlength=len(sets))
    return (places >= 0) & (labelled | (count > 1))[places]


def note_second_labels(labels: Frame, reading: Reading, notes: list[str]) -> Frame:
    """The labels without the further ones of subgraphs, where that is asked for and they are few.

    Where few subgraphs have several labels, that is more likely a mistake than a task with several
    labels per subgraph: it is said, with the rows. Where many have several, they are meant.

    Args:
        labels: Rows with a label.
        reading: Whether the first counts; takes the problem.
        notes: Takes the sentence about it.
    """
    column = labels.need("label").combine_chunks()
    if is_lists(column):
        return labels
    owner = np.asarray(_id_texts(labels).dictionary_encode().indices)
    codes = np.asarray(column.dictionary_encode().indices.fill_null(-1))  # -1: of virtual ones
    count = int(owner.max(initial=-1)) + 1
    first = np.full(count, len(owner))
    np.minimum.at(first, owner, np.arange(len(owner)))
    rows = np.flatnonzero(codes != codes[first[owner]])
    several = len(np.unique(owner[rows]))
    if not several or several > max(1, count // _FEW) or count < _LEAST:
        return labels
    allowed = reading.options.bad_rows == "drop"
    shown = examples((repr(who) for who in _id_texts(labels).take(pa.array(rows[:3])).to_pylist()),
                     several)  # fmt: skip
    values = join_texts(row_texts(labels, rows), ": '", as_text(column.take(pa.array(rows))), "'",
                        between="")  # fmt: skip
    reading.problems.add(
        labels.problem(
            "second label",
            f"row {labels.row(rows[0])} gives its subgraph a second label.",
            rows,
            values=values,
            option="--bad-rows drop",
            outcome="dropped, the first counts" if allowed else _SEVERAL,
        )
    )
    subgraphs = plural(several, "subgraph")
    if not allowed:
        notes.append(
            doubtful(
                f"{subgraphs} of {count:,} with several labels ({shown}), so that the task is"
                " multi-label; --bad-rows drop takes the first of each."
            )
        )
        return labels
    notes.append(dropped(f"{plural(len(rows), 'second label')} of {subgraphs} dropped: {shown}."))
    return labels.filter(~np.isin(np.arange(len(owner)), rows))


def _unlabelled_table(labels: Frame) -> list[str]:
    """A warning where the labels table has no column of labels, but others that may be it."""
    used = {labels.column_name(ours) for ours in OWN_COLUMNS}
    others = [repr(name) for name in labels.table.column_names if name not in used]
    if not others:
        return []
    shown = examples(others, len(others))
    return [
        doubtful(
            f"the labels table has no column 'label', so that the data has no labels; --column"
            f" labels.label=… names it, as one of {shown}."
        )
    ]


def _id_texts(frame: Frame) -> pa.Array:
    return frame.ids("subgraph_id").cast(pa.large_string())


def _is_virtual(labels: Frame) -> Array:
    """Rows of virtual subgraphs, which need no label."""
    parts = labels.text("split")
    if parts is None:
        return np.zeros(len(labels.table), bool)
    return np.asarray(pc.equal(pc.utf8_lower(pc.utf8_trim_whitespace(parts)), "virtual"))


def _refuse_missing(
    labels: Frame, missing: Array, reading: Reading, na_words: Collection[str]
) -> None:
    """No subgraph has a label, though there is a column for it."""
    rows = np.flatnonzero(missing)
    if not len(rows):
        reading.problems.add(labels.problem("", "the labels table has no rows.", rows))
        return
    word = _na_word(labels, rows[:1], na_words)
    reads = f": it reads {word!r}" if word else ""
    reading.problems.add(
        labels.problem(
            "missing label",
            f"no subgraph has a label; the label of row {labels.row(rows[0])} is missing{reads}.",
            rows,
            values=row_texts(labels, rows),
            option="--na-labels keep" if word in NA_WORDS else "",
        )
    )


def _na_word(labels: Frame, rows: Array, words: Collection[str]) -> str:
    """A word for a missing value that the label of one of these rows is, '' if none."""
    column = labels.need("label").combine_chunks().take(pa.array(rows))
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        column = column.flatten()
    return next((word for word in column.to_pylist() if word in words), "")


def _note_missing(
    labels: Frame,
    missing: Array,
    unlabelled: pa.Array,
    members: Frame,
    reading: Reading,
    notes: list[str],
    *,
    na_words: Collection[str],
) -> None:
    """Say which subgraphs have no label, and what becomes of them."""
    rows = np.flatnonzero(missing)
    keep = reading.options.unlabelled == "keep"
    if count := len(unlabelled):
        first = _first_rows(members, unlabelled)
        reading.problems.add(
            members.problem(
                "unlabelled subgraph",
                "it has no label.",
                first,
                values=join_texts("'", unlabelled, "'", between=""),
                option="--unlabelled keep",
                outcome="kept apart, to be scored" if keep else "dropped",
            )
        )
        shown = examples(map(repr, unlabelled[:3].to_pylist()), count)
        word = _na_word(labels, rows, na_words) if len(rows) else ""
        keeps = "; --na-labels keep takes it as a class" if word in NA_WORDS else ""
        why = f" (a label that reads {word!r} is missing{keeps})"
        text = f"{plural(count, 'unlabelled subgraph')}{why if word else ''}"
        if keep:
            what = "kept apart, to be scored and never trained on"
            notes.append(changed(f"{text} {what}: {shown}."))
        else:
            notes.append(dropped(f"{text} dropped: {shown}."))
    others = rows[~np.asarray(pc.is_in(_id_texts(labels), value_set=unlabelled))[rows]]
    if len(others):  # a missing label beside another one of the same subgraph
        shown = examples((f"row {row + 1}" for row in others[:3]), len(others))
        notes.append(
            changed(
                f"{plural(len(others), 'missing label')} of subgraphs with others ignored: {shown}."
            )
        )


def _first_rows(members: Frame, ids: pa.Array) -> Array:
    """The first row of each of these subgraphs in the members table."""
    codes = _id_texts(members).dictionary_encode()
    first = np.unique(np.asarray(codes.indices), return_index=True)[1]
    return np.asarray(first[np.asarray(pc.index_in(ids, value_set=codes.dictionary))])


def missing_labels(labels: Frame, na_words: Collection[str]) -> Array:
    """Rows whose label is missing; an empty list is none: it says that no class holds.

    Args:
        labels: The labels table.
        na_words: Labels that read so are missing.
    """
    column = labels.need("label").combine_chunks()
    missing: Array = np.asarray(column.is_null())
    if is_lists(column):
        hit = is_word(column.flatten(), na_words)
        rows = np.zeros(len(column), bool)
        rows[np.asarray(pc.list_parent_indices(column))[hit]] = True
        return np.asarray(missing | rows)
    if pa.types.is_floating(column.type):
        return np.asarray(missing | np.isnan(np.asarray(column.fill_null(np.nan))))
    if is_text(column.type):
        missing = missing | np.asarray(pc.equal(column, "").fill_null(True))
    return missing | is_word(column, na_words)


def is_lists(column: pa.Array) -> bool:
    """Whether a column holds lists of labels."""
    return bool(pa.types.is_list(column.type) or pa.types.is_large_list(column.type))


def _without_parts(labels: Frame) -> Frame:
    """The table without its column of parts."""
    name = labels.column_name("split")
    return labels if name is None else replace(labels, table=labels.table.drop_columns(name))


def _unlabelled_rows(labels: Frame, na_words: Collection[str]) -> Array:
    """Rows without a label that are not those of virtual subgraphs."""
    return missing_labels(labels, na_words) & ~_is_virtual(labels)


def _with_known_parts(
    labels: Frame, reading: Reading, notes: list[str], *, na_words: Collection[str] | None = None
) -> Frame:
    """The rows whose split word names a part, the same one for all rows of a subgraph.

    Args:
        labels: The table.
        reading: Whether other rows may be dropped; takes the problems.
        notes: Takes sentences about what was done.
        na_words: Labels that read so are missing; rows without one need no part. None: there is no
            column of labels.
    """
    if labels.get("split") is None:
        return labels
    needed = np.ones(len(labels.table), bool)
    if na_words is not None:
        needed = ~_unlabelled_rows(labels, na_words)
    codes = _part_codes(labels)
    unknown = np.flatnonzero((codes < 0) & needed)
    kept = labels
    if len(unknown):
        words = _repr(_parts(labels), unknown)
        kept = drop_rows(
            labels,
            unknown,
            reading,
            notes,
            kind="unknown split word",
            message=f"row {labels.row(unknown[0])} has the split word {words[0]}; use train, val or"
            " test.",
            values=join_texts(row_texts(labels, unknown), words, between=": "),
        )
        left = (codes >= 0) | ~needed
        codes, needed = codes[left], needed[left]
    owner = np.asarray(_id_texts(kept).dictionary_encode().indices)
    first = np.full(int(owner.max(initial=-1)) + 1, len(owner))
    rows = np.flatnonzero(needed)
    np.minimum.at(first, owner[rows], rows)
    clash = rows[codes[rows] != codes[first[owner[rows]]]]
    if len(clash):
        message = f"row {kept.row(clash[0])} puts its subgraph in a second part."
        kept = drop_rows(kept, clash, reading, notes, kind="second part", message=message)
    # Without the option nothing is built, and what has no label is not to be said of these rows.
    return kept if reading.options.bad_rows == "drop" else labels


def _parts(labels: Frame) -> pa.Array:
    texts = labels.text("split")
    assert texts is not None, "the table has a column of parts"
    return texts


def _part_codes(labels: Frame) -> Array:
    """The part that each split word names, -1 where it names none."""
    encoded = pc.utf8_trim_whitespace(_parts(labels)).dictionary_encode()
    words = encoded.dictionary.to_pylist()
    numbers = [-1 if (part := part_of(word)) is None else SplitCode[part.upper()] for word in words]
    return np.asarray(np.array(numbers, np.int8)[np.asarray(encoded.indices)])


def _repr(texts: pa.Array, rows: Array) -> list[str]:
    return [repr(text) for text in texts.take(pa.array(rows)).to_pylist()]
