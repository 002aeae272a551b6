"""The JSON files of phenopackets: one (packed or not), those of a folder, or of a zip archive."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from ..base.errors import DataError
from ..base.regular_files import read_regular_file, require_regular_file
from .expansion import check_archive
from .text_files import PACKED, opened

_PACKED = tuple(f".json{packed}" for packed in PACKED)
_ENDINGS = (".json", *_PACKED)


def is_phenopackets(path: Path) -> bool:
    """Whether a path is one to read phenopackets from: .json (packed or not), .zip, or a folder.

    Args:
        path: A file or a folder.
    """
    if path.is_dir():
        return next(_json_files(path), None) is not None
    return path.name.lower().endswith((*_ENDINGS, ".zip"))


def plain_name(file: Path) -> str:
    """The name of a file without its ending."""
    return re.sub(r"(?i)\.json(\.\w+)?$", "", file.name)


def _json_files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        if file.name.lower().endswith(_ENDINGS) and not file.name.startswith("."):
            yield file


def _read_file(file: Path) -> bytes:
    """The bytes of a JSON file, unpacked."""
    if not file.name.lower().endswith(_PACKED):
        return read_regular_file(file)
    with opened(file) as stream:
        return stream.read()


def json_contents(path: Path) -> Iterator[tuple[Path, bytes | DataError]]:
    """Each JSON file with its bytes, or why they cannot be read."""
    if path.suffix.lower() == ".zip" and not path.is_dir():
        yield from _zip_contents(path)
        return
    for file in _json_files(path) if path.is_dir() else [path]:
        try:
            yield file, _read_file(file)
        except DataError as error:
            yield file, error


def _zip_contents(path: Path) -> Iterator[tuple[Path, bytes | DataError]]:
    size = require_regular_file(path)
    try:
        check_archive(path, size)
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                file = path / name
                hidden = file.name.startswith(".") or name.startswith("__MACOSX")
                if file.suffix.lower() != ".json" or hidden:
                    continue
                try:
                    yield file, archive.read(name)
                except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError):
                    reason = "this file of the archive is damaged or encrypted."
                    yield file, DataError(reason, path=file)
    except (zipfile.BadZipFile, OSError) as error:
        raise DataError(f"this is no whole zip archive ({error}).", path=path) from None
