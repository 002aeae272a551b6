"""Renames in one step that Python's ``os`` does not offer, and data that reach the disk first."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

_CURRENT_FOLDER = -100  # AT_FDCWD
_NO_REPLACE, _EXCHANGE = 1, 2
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP}


def exchange_names(first: Path, second: Path) -> bool:
    """Exchange two names in one step; False where the system or the disk cannot do it."""
    return _rename(first, second, _EXCHANGE)


def rename_to_new(source: Path, target: Path) -> None:
    """Rename a folder to a name that must be free.

    Raises:
        FileExistsError: Something has the name already.
    """
    if _rename(source, target, _NO_REPLACE):
        return
    try:  # a folder replaces an empty one only, and no file
        source.rename(target)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        raise


def flush_tree(path: Path) -> None:
    """Write a file, or a folder with all that it holds, through to the disk."""
    if path.is_dir() and not path.is_symlink():
        for child in path.iterdir():
            flush_tree(child)
    flush(path)


def flush(path: Path) -> None:
    """Write a file, or the names in a folder, through to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:  # some network disks cannot do it for folders
        if error.errno not in _UNSUPPORTED:
            raise
    finally:
        os.close(handle)


@cache
def _system_call() -> Callable[..., int] | None:
    """Linux' ``renameat2``, where the C library has it."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    call.restype = ctypes.c_int
    return call


def _rename(source: Path, target: Path, flag: int) -> bool:
    call = _system_call()
    if call is None:
        return False
    names = os.fsencode(source), os.fsencode(target)
    if call(_CURRENT_FOLDER, names[0], _CURRENT_FOLDER, names[1], flag) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(target))
