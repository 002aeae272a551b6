"""Outputs that appear whole or not at all."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import ConfigError, DataError, Sub2NodeError

if TYPE_CHECKING:
    from collections.abc import Iterator


def check_folder(path: Path, *, overwrite: bool, ours: str) -> None:
    """Raise unless a folder can be made here, or one of ours be replaced.

    Args:
        path: Where the folder is to be.
        overwrite: Whether one that exists may be replaced.
        ours: Regular expression for the names of files that we write; a folder that holds
            anything else is never replaced.
    """
    if path.resolve() in (Path.cwd(), Path(path.anchor).resolve()):
        raise ConfigError(f"{path} cannot be replaced; name a new folder.")
    if not os.path.lexists(path):
        return
    if not overwrite:
        raise ConfigError(
            f"{path} exists already; choose another place, or overwrite it (overwrite=True,"
            " --overwrite)."
        )
    if not path.is_dir():
        raise ConfigError(f"{path} is a file, expected a folder.")
    foreign = next((p.name for p in path.iterdir() if not re.fullmatch(ours, p.name)), None)
    if foreign is not None:
        raise ConfigError(f"{path} holds {foreign!r}, which is not ours; it is not overwritten.")


@contextmanager
def new_folder(path: Path, *, overwrite: bool, ours: str) -> Iterator[Path]:
    """A folder to write into that takes its place only when the block ends without an error.

    Arguments as for :func:`check_folder`. What stood there before stays until then, and comes back
    if the last step fails.
    """
    check_folder(path, overwrite=overwrite, ours=ours)
    parent_folder = next(p for p in path.absolute().parents if p.is_dir())
    try:
        work = Path(tempfile.mkdtemp(prefix=f".{path.name[:80]}.", dir=parent_folder))
    except OSError as error:
        raise _cannot_write(path, error) from error
    try:
        (work / "new").mkdir()
        yield work / "new"
        _put_in_place(work, path)
    finally:
        shutil.rmtree(work, ignore_errors=True)


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A place to write a file to that takes its name when the block ends without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name[:80]}.") as folder:
        part = Path(folder) / f"new{path.suffix}"
        yield part
        part.replace(path)


def require_writable(path: Path) -> None:
    """Raise unless something can be made here: the nearest folder that exists takes new files."""
    parent_folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not parent_folder.is_dir() or not os.access(parent_folder, os.W_OK | os.X_OK):
        raise ConfigError(f"{path} cannot be written: {parent_folder} is no folder to write into.")


@contextmanager
def written(path: str | Path) -> Iterator[None]:
    """Errors of the disk while an output is written, as ours."""
    try:
        yield
    except OSError as error:
        raise _cannot_write(Path(path), error) from error


def _put_in_place(work: Path, path: Path) -> None:
    """Move the new folder to its place; what stood there comes back if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.replace(work / "old")
        try:
            (work / "new").replace(path)
        except OSError:
            if (work / "old").exists():
                (work / "old").replace(path)
            raise
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError) -> Sub2NodeError:
    return Sub2NodeError(f"{path} cannot be written: {error.strerror or error}.")


def read_card(path: Path, kind: str, version: int) -> dict[str, Any]:
    """A JSON card that one of our outputs carries, checked for its kind and version."""
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"this is not JSON ({error}).", path=path) from None
    if not isinstance(card, dict) or card.get("format") != kind:
        raise DataError(f"this is no card of the kind '{kind}'.", path=path)
    if card.get("version") != version:
        raise DataError(
            f"the card has version {card.get('version')}, expected {version}.", path=path
        )
    return card
