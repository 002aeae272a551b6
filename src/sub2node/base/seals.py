"""Checksums of the files of an output folder, written with it and checked when they are read.

Folders of version 0.1 have none; they are read as they are.
"""

from __future__ import annotations

import hashlib
import json
from fnmatch import fnmatchcase
from pathlib import Path

from .errors import DataError
from .regular_files import read_regular_file
from .structured_text import parse_json

SEAL = "checksums.json"
_FORMAT = "sub2node-checksums"


def write_seal(folder: Path) -> None:
    """Write ``checksums.json``: the SHA-256 of each file of the folder and its subfolders."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SEAL)
    digests = {path.relative_to(folder).as_posix(): _digest(path) for path in files}
    text = json.dumps({"format": _FORMAT, "sha256": digests}, indent=1) + "\n"
    (folder / SEAL).write_text(text, encoding="utf-8")


def check_seal(folder: Path, *patterns: str, complete: bool = True) -> None:
    """Raise where a file is not the one that was written.

    Args:
        folder: The output folder.
        patterns: Which files to check, as in a shell, relative to the folder (``*.parquet`` also in
            subfolders); a file without a checksum is not checked.
        complete: Whether a file that is missing is an error.

    Raises:
        DataError: A file differs from its checksum or is missing, or the checksums are damaged.
    """
    digests = _read_seal(folder)
    for name, expected in digests.items():
        if not any(fnmatchcase(name, pattern) for pattern in patterns):
            continue
        path = folder / name
        if not path.exists() and not complete:
            continue
        if not path.is_file():
            raise DataError("this file is missing; the folder is not complete.", path=path)
        if _digest(path) != expected:
            raise DataError(
                f"this file is not the one that was written (its checksum in {SEAL} differs);"
                " make the folder anew.",
                path=path,
            )


def _read_seal(folder: Path) -> dict[str, str]:
    path = folder / SEAL
    if not path.exists():
        return {}
    try:
        content = parse_json(read_regular_file(path))
        digests = dict(content["sha256"])
        sound = content["format"] == _FORMAT and all(
            isinstance(value, str) for value in digests.values()
        )
    except (ValueError, KeyError, TypeError):
        sound, digests = False, {}
    if not sound:
        raise DataError("the checksums are damaged; make the folder anew.", path=path)
    return digests


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
