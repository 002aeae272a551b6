"""Tasks that are made from other files, and kept so that they are made once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from ..base.errors import DataError, Sub2NodeError
from ..base.notes import Note, NoteKind
from ..io import read_task, save_task
from ..task import SubgraphTask


def keep_made(
    name: str, state: Iterable[bytes], make: Callable[[], SubgraphTask], *, cache: Path
) -> SubgraphTask:
    """The task from the cache, or made now and stored there.

    A stored task is checked when it is read; a damaged one is made anew, and ``task.notes`` says
    so. A folder that cannot be written is no error.

    Args:
        name: Name of the task, whose first note says what it was made from.
        state: Everything that the task depends on.
        make: Makes the task.
        cache: The folder in which such tasks are kept.
    """
    digest = hashlib.sha256()
    for content in state:
        digest.update(hashlib.sha256(content).digest())
    folder, notes = cache / f"{name}-{digest.hexdigest()[:32]}", []
    if folder.is_dir():
        try:
            task = read_task(folder)
            return replace(task, notes=(Note(NoteKind.SOURCE, task.notes[0]), *task.notes[1:]))
        except DataError as error:
            notes.append(f"The stored {name} cannot be used ({error}) and was made anew.")
    task = make()
    try:
        save_task(task, folder, overwrite=True)
    except Sub2NodeError as error:
        notes.append(f"{name} could not be stored ({error})")
    return replace(task, notes=(*task.notes, *notes))
