"""Tasks that are made once: found again by what they depend on, checked, and made anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scoring_tasks import named, small_task
from sub2node.base.notes import Note, NoteKind, sources
from sub2node.datasets.made_tasks import keep_made

TASK = replace(named(small_task()), notes=(Note(NoteKind.SOURCE, "Made from x."), "plain."))


def test_a_task_is_made_once_for_a_state(tmp_path: Path) -> None:
    made: list[bytes] = []

    def make(state: bytes):
        made.append(state)
        return TASK

    for state in (b"a", b"a", b"b"):
        task = keep_made("t", [state], lambda state=state: make(state), cache=tmp_path)
        assert task.hash == TASK.hash
        assert sources(task.notes) == ("Made from x.",)
    assert made == [b"a", b"b"]
    (folder, other) = sorted(tmp_path.iterdir())
    for place in (folder, other):
        (place / "members.parquet").write_bytes(b"PAR1")
    task = keep_made("t", [b"a"], lambda: make(b"again"), cache=tmp_path)
    assert made[-1] == b"again"
    assert "was made anew" in task.notes[-1]


def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    task = keep_made("t", [b"a"], lambda: TASK, cache=tmp_path / "file")
    assert "could not be stored" in task.notes[-1]
