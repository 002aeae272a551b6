"""Folders for work in progress, which the next command removes if their owner was killed.

A work folder is named after its owner's process and locked while that process lives. The lock goes
with the process, so whoever finds an unlocked one knows that nobody will finish it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: leftovers stay
    fcntl = None  # type: ignore[assignment]

_MARK = ".s2n-work-"
_LOCK = "owner.lock"
_TARGET = "target"  # the name that a replaced output had
REPLACED = "old"
_SECONDS_TO_LOCK = 60.0


@contextmanager
def work_folder(parent: Path, *, label: str, target: Path | None = None) -> Iterator[Path]:
    """A locked folder that is removed when the block ends.

    Args:
        parent: Where to make it; leftovers of killed processes there are removed first.
        label: What its name begins with, for people who look.
        target: The output that is being made. What stood there and had to step aside into the work
            folder (as ``REPLACED``) goes back if nothing took its place.
    """
    remove_leftovers(parent)
    prefix = f".{label[:80]}{_MARK}{os.getpid()}-"
    path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    lock = os.open(path / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        if fcntl is not None:
            with suppress(OSError):  # a disk without locks: then leftovers stay as well
                fcntl.flock(lock, fcntl.LOCK_EX)  # who looks whether it is free holds it a moment
        if target is not None:
            relative = os.path.relpath(target.absolute(), parent.absolute())
            (path / _TARGET).write_text(relative, encoding="utf-8")
        yield path
    finally:
        os.close(lock)
        _remove(path)


def remove_leftovers(parent: Path) -> None:
    """Remove the work folders of processes that are gone; outputs in them go back."""
    try:
        names = [entry.name for entry in os.scandir(parent) if _MARK in entry.name]
    except OSError:
        return
    for name in names:
        if _is_abandoned(parent / name):
            _remove(parent / name)


def _is_abandoned(path: Path) -> bool:
    if fcntl is None or path.is_symlink() or not path.is_dir():
        return False
    try:
        handle = os.open(path / _LOCK, os.O_RDWR)
    except FileNotFoundError:
        return _was_left(path)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return _was_left(path)


def _was_left(path: Path) -> bool:
    """Whether nobody is about to lock an unlocked folder: its owner is gone, or it is old."""
    return not _owner_lives(path) or _age(path) > _SECONDS_TO_LOCK


def _owner_lives(path: Path) -> bool:
    """Whether the process that a work folder is named after exists."""
    word = path.name.rpartition(_MARK)[2].partition("-")[0]
    try:
        os.kill(int(word), 0)
    except ProcessLookupError:
        return False
    except (ValueError, OverflowError, OSError):
        return True
    return True


def _age(path: Path) -> float:
    """Seconds since something changed in a folder; 0 for one that is gone."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _remove(path: Path) -> None:
    """Remove a work folder, after an output that had stepped aside is back in its place."""
    replaced, target = path / REPLACED, path / _TARGET
    if os.path.lexists(replaced) and target.is_file():
        place = path.parent / target.read_text(encoding="utf-8")
        if not os.path.lexists(place):
            replaced.rename(place)
    shutil.rmtree(path, ignore_errors=True)
