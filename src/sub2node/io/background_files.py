"""A background as a file with one id per line, or as a list."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from ..base.errors import ConfigError, DataError
from .text_files import first_line, lines

Background: TypeAlias = "str | Path | Iterable[object]"


def read_background(source: Background) -> pa.Array:
    """The ids of a background, text.

    Args:
        source: A text file with one id per line, plain or gzipped, or the ids themselves.
    """
    if not isinstance(source, str | Path):
        ids = [str(one) for one in source]
        if not ids:
            raise ConfigError("a background has an id at least.")
        return pa.array(ids, pa.large_string())
    path, ids = Path(source), []
    if not path.exists():
        raise DataError("there is no such file of a background.", path=path)
    first_line(path)
    for number, line in lines(path):
        if "\t" in line.strip():
            raise DataError(
                f"a background has one id per line, found {line[:60]!r}.", path=path, line=number
            )
        ids.append(line.strip())
    return pa.array(ids, pa.large_string())
