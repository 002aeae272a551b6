"""Notes are strings with a kind."""

from __future__ import annotations

import copy
import json

from sub2node.base.notes import (
    Note,
    NoteKind,
    changed,
    data_changes,
    dropped,
    has_kind,
    sources,
    unused,
)


def test_a_note_is_its_sentence_and_keeps_its_kind() -> None:
    note = Note(NoteKind.CHOSEN, "constant features chosen.")
    assert note == "constant features chosen."
    assert json.dumps([note]) == '["constant features chosen."]'
    assert type(str(note)) is str
    for same in (note, copy.deepcopy(note)):
        assert has_kind(same, NoteKind.CHOSEN)
        assert not has_kind(same, NoteKind.AUTHENTIC)
    assert not has_kind(str(note), NoteKind.CHOSEN)


def test_changes_of_the_data_are_told_from_other_notes() -> None:
    kinds = (dropped("omitted."), changed("merged."), unused("not read."))
    others = ("plain.", Note(NoteKind.AUTHENTIC, "the known copy."))
    assert data_changes((others[0], *kinds, others[1])) == kinds
    assert [note.kind for note in kinds] == ["dropped", "changed", "unused"]


def test_sources_of_the_data_are_told_from_other_notes() -> None:
    release = Note(NoteKind.SOURCE, "Made from a release.")
    assert sources(("plain.", changed("merged."), release)) == (release,)
