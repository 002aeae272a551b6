"""Sentences that go along with data and results, and those of them that the program acts on."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Self


class NoteKind(StrEnum):
    """What a sentence says, where more than a reader goes by it."""

    AUTHENTIC = "authentic"  # the files of a benchmark are the copy whose checksums are known
    CHOSEN = "chosen"  # what one run chose on validation; another split may choose otherwise
    QUICK = "quick"  # a table of few seeds and epochs, which is no result
    DROPPED = "dropped"  # some of the data was omitted
    CHANGED = "changed"  # data was merged, exchanged or completed
    UNUSED = "unused"  # columns that nothing reads
    SOURCE = "source"  # which release of which files the data were made from
    DOUBTFUL = "doubtful"  # something in the data that looks like a mistake
    NO_EFFECT = "no effect"  # settings that somebody chose and nothing reads
    # What the format of the data says they are; pages and reports then speak of it.
    GENES = "genes"  # members are genes, subgraphs gene sets
    ACCOUNTS = "accounts"  # members are accounts, subgraphs clusters of them
    LAUNDERING = "laundering"  # members are accounts, subgraphs attempts of a pattern


class Note(str):
    """A sentence of a kind; to everything that shows or stores notes it is a plain string."""

    kind: NoteKind

    def __new__(cls, kind: NoteKind, text: str) -> Self:
        """The sentence with its kind."""
        note = super().__new__(cls, text)
        note.kind = kind
        return note

    def __getnewargs__(self) -> tuple[NoteKind, str]:  # type: ignore[override]
        return self.kind, str(self)


def has_kind(note: str, kind: NoteKind) -> bool:
    """Whether a note is of this kind; sentences that were read from a file are of none."""
    return isinstance(note, Note) and note.kind is kind


def dropped(text: str) -> Note:
    """A sentence about data that was omitted."""
    return Note(NoteKind.DROPPED, text)


def changed(text: str) -> Note:
    """A sentence about data that was merged, exchanged or completed."""
    return Note(NoteKind.CHANGED, text)


def unused(text: str) -> Note:
    """A sentence about columns that nothing reads."""
    return Note(NoteKind.UNUSED, text)


def doubtful(text: str) -> Note:
    """A sentence about something in the data that looks like a mistake."""
    return Note(NoteKind.DOUBTFUL, text)


def data_changes(notes: Iterable[str]) -> tuple[str, ...]:
    """Those notes that say what was omitted from the data, changed or doubtful in it."""
    kinds = (NoteKind.DROPPED, NoteKind.CHANGED, NoteKind.UNUSED, NoteKind.DOUBTFUL)
    return tuple(note for note in notes if any(has_kind(note, kind) for kind in kinds))


def sources(notes: Iterable[str]) -> tuple[str, ...]:
    """Those notes that say which release of which files the data were made from."""
    return tuple(note for note in notes if has_kind(note, NoteKind.SOURCE))
