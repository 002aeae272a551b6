"""A folder that is made in steps: what a killed process left of it is used by the next one."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..base.errors import ConfigError
from ..base.files import written

try:
    import fcntl
except ImportError:  # Windows: two processes may work on the same folder
    fcntl = None  # type: ignore[assignment]

PART = "task"  # the folder inside whose files become those of the result
_REQUEST = "request.json"
_LOCK = "owner.lock"


def unfinished_path(out: Path) -> Path:
    """Where the folder is made before it takes its name."""
    return out.with_name(f".{out.name}.unfinished")


@contextmanager
def unfinished(
    out: Path, request: Mapping[str, object], *, keep: tuple[str, ...]
) -> Iterator[Path]:
    """A folder to make ``out`` in, with what is there from an earlier try of the same request.

    When the block ends without an error, the files of its folder ``task`` and those to keep are the
    result, and all others are removed. After an error all stay for the next try.

    Args:
        out: The folder to make, which must not be there.
        request: What is asked for; another request begins anew.
        keep: Names in it that stay.

    Raises:
        ConfigError: Another process is making the same folder.
    """
    if out.exists():
        raise ConfigError(f"{out} is there already; name another place.")
    folder = unfinished_path(out)
    with written(out):
        folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        _lock(lock, out)
        text = json.dumps(dict(request), sort_keys=True)
        noted = folder / _REQUEST
        if not noted.is_file() or noted.read_text(encoding="utf-8") != text:
            _clear(folder, keep=(_LOCK,))
            noted.write_text(text, encoding="utf-8")
        with written(out):
            yield folder
            _put_in_place(folder, out, keep)
    finally:
        os.close(lock)


def _lock(lock: int, out: Path) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise ConfigError(f"another process is making {out}; wait for it.") from None


def _clear(folder: Path, *, keep: tuple[str, ...]) -> None:
    for entry in folder.iterdir():
        if entry.name not in keep:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _put_in_place(folder: Path, out: Path, keep: tuple[str, ...]) -> None:
    _clear(folder, keep=(*keep, PART, _LOCK, _REQUEST))
    for entry in (folder / PART).iterdir():
        entry.replace(folder / entry.name)
    (folder / PART).rmdir()
    (folder / _REQUEST).unlink()
    (folder / _LOCK).unlink()
    folder.rename(out)
