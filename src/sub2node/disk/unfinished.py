"""A folder that is made in steps: what a killed process left of it is used by the next one."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from ..base.errors import ConfigError, DataError
from ..base.files import new_file, written
from ..base.renames import flush, flush_tree, rename_to_new

try:
    import fcntl
except ImportError:  # Windows: two processes may work on the same folder
    fcntl = None  # type: ignore[assignment]

PART = "task"  # the folder inside that becomes the result
_REQUEST, _LOCK, _READY = "request.json", "owner.lock", "ready"


def unfinished_path(out: Path) -> Path:
    """Where the folder is made before it takes its name."""
    return out.with_name(f".{out.name}.unfinished")


def make_in_steps(
    out: Path,
    request: Mapping[str, object],
    build: Callable[[Path], None],
    *,
    keep: tuple[str, ...],
) -> None:
    """Make the folder ``out``, with what is there from an earlier try of the same request.

    A killed process leaves its steps beside ``out``, and the next one goes on after the last of
    them; so does the engine when it gives up. When all is done, nothing but ``out`` is left; after
    an error in the data or the request, which another try would meet again, nothing at all.

    Args:
        out: The folder to make, which must not be there.
        request: What is asked for; another request begins anew. Steps that another try left of
            the same ``source`` when its ``files`` were others are removed.
        build: Writes into the folder that it is given: the result as a folder ``task``, and files
            of intermediate results, each of which it must not write half.
        keep: Names of those among them that join the result.

    Raises:
        ConfigError: Another process is making the same folder.
    """
    _remove_outdated(out, request)
    if out.exists():
        raise ConfigError(f"{out} is there already; name another place.")
    folder = unfinished_path(out)
    with written(out):
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder, out):
            if out.exists():  # made by the process that had the lock before
                return
            _begin(folder, json.dumps(dict(request), sort_keys=True))
            if not (folder / _READY).exists():
                try:
                    build(folder)
                except (DataError, ConfigError):
                    shutil.rmtree(folder, ignore_errors=True)  # Windows keeps the lock
                    raise
                (folder / _READY).touch()
            _put_in_place(folder, out, keep)


def remove_unfinished(out: Path) -> None:
    """Remove what a process left that was killed after it had finished ``out``."""
    folder = unfinished_path(out)
    if not folder.is_dir():
        return
    with suppress(ConfigError), _locked(folder, out):
        shutil.rmtree(folder)


def _remove_outdated(out: Path, request: Mapping[str, object]) -> None:
    """Remove what tries left beside ``out`` whose source has other files by now."""
    for folder in out.parent.glob(".*.unfinished"):
        try:
            noted = json.loads((folder / _REQUEST).read_text(encoding="utf-8"))
            outdated = noted["source"] == request["source"] and noted["files"] != request["files"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if outdated:
            with suppress(ConfigError), _locked(folder, folder):
                shutil.rmtree(folder)


@contextmanager
def _locked(folder: Path, out: Path) -> Iterator[None]:
    """Hold the folder, which no other process may then use."""
    lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise ConfigError(f"another process is making {out}; wait for it.") from None
    finally:
        os.close(lock)


def _begin(folder: Path, request: str) -> None:
    """Note what is asked for, after the steps of another request are gone."""
    noted = folder / _REQUEST
    if noted.is_file() and noted.read_text(encoding="utf-8") == request:
        return
    noted.unlink(missing_ok=True)  # first: what is half removed belongs to no request
    _clear(folder, keep=(_LOCK,))
    with new_file(noted) as part:
        part.write_text(request, encoding="utf-8")


def _clear(folder: Path, *, keep: tuple[str, ...]) -> None:
    for entry in folder.iterdir():
        if entry.name not in keep:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _put_in_place(folder: Path, out: Path, keep: tuple[str, ...]) -> None:
    """Give the result its name in one step; each step before it may be the last one of a process.

    Args:
        folder: Where it was made.
        out: Its name.
        keep: What joins it first.
    """
    for name in keep:
        if (folder / name).exists():
            (folder / name).replace(folder / PART / name)
    _clear(folder, keep=(PART, _LOCK, _REQUEST, _READY))
    flush_tree(folder / PART)
    rename_to_new(folder / PART, out)
    flush(out.parent)
    shutil.rmtree(folder)
