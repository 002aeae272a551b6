"""Sentences that go along with data and results, and those of them that the program acts on."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class NoteKind(StrEnum):
    """What a sentence says, where more than a reader goes by it."""

    AUTHENTIC = "authentic"  # the files of a benchmark are the copy whose checksums are known
    CHOSEN = "chosen"  # what one run chose on validation; another split may choose otherwise
    QUICK = "quick"  # a table of few seeds and epochs, which is no result


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
