"""Notes are strings with a kind."""

from __future__ import annotations

import copy
import json

from sub2node.base.notes import Note, NoteKind, has_kind


def test_a_note_is_its_sentence_and_keeps_its_kind() -> None:
    note = Note(NoteKind.CHOSEN, "constant features chosen.")
    assert note == "constant features chosen."
    assert json.dumps([note]) == '["constant features chosen."]'
    assert type(str(note)) is str
    for same in (note, copy.deepcopy(note)):
        assert has_kind(same, NoteKind.CHOSEN)
        assert not has_kind(same, NoteKind.AUTHENTIC)
    assert not has_kind(str(note), NoteKind.CHOSEN)
