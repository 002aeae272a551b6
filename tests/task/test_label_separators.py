"""Labels that hold several in one value."""

from __future__ import annotations

import pytest

from sub2node.base.notes import NoteKind
from sub2node.task.frames import Frame
from sub2node.task.label_separators import split_labels
from sub2node.task.reading_options import Reading, ReadingOptions


def split(labels: list[str], separator: str | None = None) -> tuple[list[object], list[str]]:
    """The labels that are left, and what was said."""
    frame = Frame.of({"label": labels}, "labels", {})
    notes = list[str]()
    found = split_labels(frame, Reading(ReadingOptions(label_separator=separator)), notes)
    return found.need("label").to_pylist(), notes


def test_labels_are_taken_apart() -> None:
    found, notes = split(["a | b", "b", "", "c|"], "|")
    assert found == [["a", "b"], ["b"], None, ["c"]]
    assert notes == ["2 labels taken apart at '|'."]
    assert split(["a + b"], " + ")[0] == [["a", "b"]]
    assert split(list("abab"), "|") == (list("abab"), ["no label has the separator '|'."])


@pytest.mark.parametrize(
    ("labels", "separator"),
    [
        (["Ataxia|Dementia", "Dementia|Epilepsy", "Ataxia", "x"], "|"),
        (["a; b", "b; a", "c", "c"], ";"),
        (["a, b", "b, a", "a", "b"], ","),
        (["cancer, of skin", "cancer, of lung", "skin", "x"], None),
        (["a|b", "c", "d", "e"], None),
        (["a|b", "a", "b", "b"], "|"),  # one such class, of others that there are
        (["a/b", "b/c", "c/a", "d"], "/"),
        (["on/off", "and/or", "x", "y"], None),
        (["a + b", "b + c", "c", "d"], " + "),
        (["HER2+", "HER2-", "ER+", "x"], None),
    ],
)
def test_a_separator_inside_of_labels_is_warned_of(labels: list[str], separator: str) -> None:
    found, notes = split(labels)
    assert found == labels
    assert len(notes) == (separator is not None)
    for note in notes:
        assert note.kind is NoteKind.DOUBTFUL
        assert f"--label-separator {separator!r} takes them apart" in note
