"""Outputs that appear whole or not at all."""

from __future__ import annotations

import os
import re
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import ConfigError, DataError, Sub2NodeError
from .renames import exchange_names, flush, flush_tree, rename_to_new
from .seals import SEAL, write_seal
from .structured_text import parse_json
from .work_folders import REPLACED, work_folder

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
        require_writable(path)
        return
    if not overwrite:
        raise ConfigError(
            f"{path} exists already; choose another place, or overwrite it (overwrite=True,"
            " --overwrite)."
        )
    if not path.is_dir():
        raise ConfigError(f"{path} is a file, expected a folder.")
    names = {p.name for p in path.iterdir()} - {SEAL}
    foreign = next((name for name in sorted(names) if not re.fullmatch(ours, name)), None)
    if foreign is not None:
        raise ConfigError(f"{path} holds {foreign!r}, which is not ours; it is not overwritten.")


@contextmanager
def new_folder(path: Path, *, overwrite: bool, ours: str, sealed: bool = False) -> Iterator[Path]:
    """A folder to write into that takes its place only when the block ends without an error.

    Arguments as for :func:`check_folder`. What stood there before stays until then; the two are
    exchanged in one step, after the new one is on the disk. A name that was free when the block
    began must be free when it ends: of several writers the first one wins.

    Args:
        path: Where the folder is to be.
        overwrite: Whether one that exists may be replaced.
        ours: Regular expression for the names of files that we write.
        sealed: Whether to add the checksums of all files (see :mod:`.seals`).
    """
    check_folder(path, overwrite=overwrite, ours=ours)
    parent_folder = next(p for p in path.absolute().parents if p.is_dir())
    with ExitStack() as stack:
        try:
            work = stack.enter_context(work_folder(parent_folder, label=path.name, target=path))
            new = work / "new"
            new.mkdir()
        except OSError as error:
            raise _cannot_write(path, error) from error
        yield new
        if sealed:
            write_seal(new)
        check_folder(path, overwrite=overwrite, ours=ours)
        try:
            _put_in_place(new, path, work / REPLACED, overwrite=overwrite)
        except FileExistsError:
            raise _has_appeared(path) from None
        except OSError as error:
            raise _cannot_write(path, error) from error


@contextmanager
def new_file(path: Path, *, overwrite: bool = True) -> Iterator[Path]:
    """A place to write a file to that takes its name when the block ends without an error.

    Args:
        path: Where the file is to be.
        overwrite: Whether a file that has appeared there meanwhile may be replaced.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with work_folder(path.parent, label=path.name) as folder:
        part = folder / f"new{path.suffix}"
        yield part
        flush(part)
        if overwrite:
            part.replace(path)
        else:
            _link_exclusively(part, path)
        flush(path.parent)


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


def _put_in_place(new: Path, path: Path, replaced: Path, *, overwrite: bool) -> None:
    """Give the new folder its name; an old one ends up in the work folder, which is removed.

    Without an exchange in one step the old folder steps aside first; the work folder brings it
    back if the second rename does not happen, in this process or in the next one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    flush_tree(new)
    if not overwrite or not os.path.lexists(path):
        rename_to_new(new, path)
    elif not exchange_names(new, path):
        path.rename(replaced)
        new.rename(path)
    flush(path.parent)


def _link_exclusively(part: Path, path: Path) -> None:
    try:
        os.link(part, path)
    except FileExistsError:
        raise _has_appeared(path) from None
    except OSError:  # a disk without hard links
        if os.path.lexists(path):
            raise _has_appeared(path) from None
        part.replace(path)


def _has_appeared(path: Path) -> ConfigError:
    return ConfigError(
        f"{path} was made by something else while this command worked; nothing was replaced."
        " Choose another place, or --overwrite."
    )


def _cannot_write(path: Path, error: OSError) -> Sub2NodeError:
    return Sub2NodeError(f"{path} cannot be written: {error.strerror or error}.")


def read_card(path: Path, kind: str, *versions: int) -> dict[str, Any]:
    """A JSON card that one of our outputs carries, checked for its kind and version.

    Args:
        path: The card.
        kind: What its field ``format`` must be.
        versions: What its field ``version`` may be.
    """
    try:
        card = parse_json(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"this is not JSON ({error}).", path=path) from None
    if not isinstance(card, dict) or card.get("format") != kind:
        raise DataError(f"this is no card of the kind '{kind}'.", path=path)
    if card.get("version") not in versions:
        known = " or ".join(map(str, versions))
        raise DataError(f"the card has version {card.get('version')}, expected {known}.", path=path)
    return card
