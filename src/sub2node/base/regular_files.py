"""Inputs are regular files: a named pipe would hang, and a device has no end."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .errors import DataError

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


def require_regular_file(path: str | Path) -> int:
    """Raise unless there is a regular file here, or a link to one; its number of bytes.

    Raises:
        DataError: There is nothing, or something else: a folder, a named pipe, a device, a socket.
    """
    try:
        status = os.stat(path)  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        raise DataError("there is no such file.", path=path) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"this cannot be read: {reason}.", path=path) from None
    if stat.S_ISREG(status.st_mode):
        return status.st_size
    kind = next((name for test, name in _KINDS if test(status.st_mode)), "something else")
    raise DataError(f"this is {kind}, expected a file.", path=path)


def read_regular_file(path: str | Path) -> bytes:
    """The content of a regular file.

    Raises:
        DataError: It is none, or cannot be read.
    """
    require_regular_file(path)
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"this cannot be read: {error.strerror}.", path=path) from None
