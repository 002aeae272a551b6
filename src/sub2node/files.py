"""Outputs that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def new_folder(path: Path, *, overwrite: bool) -> Iterator[Path]:
    """A folder to write into that takes its place only when the block ends without an error."""
    if path.exists() and not overwrite:
        raise ConfigError(f"{path} exists already; choose another place or pass --overwrite.")
    if path.exists() and not path.is_dir():
        raise ConfigError(f"{path} is a file, expected a folder.")
    path.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        yield work
        work.chmod(0o777 & ~_umask())
        if path.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{path.name}.old.", dir=path.parent))
            path.replace(old / "old")
            work.replace(path)
            shutil.rmtree(old)
        else:
            work.replace(path)
    finally:
        if work.exists():
            shutil.rmtree(work)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
