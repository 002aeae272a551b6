"""Reading that must fail with one sentence."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from sub2node import DataError
from sub2node.io import read_task
from sub2node.task.reading_options import Reading, ReadingOptions


def assert_refused(path: Path, message: str, **options: object) -> None:
    """Reading a file or folder with these options fails in one line that says so."""
    policies = {f.name: options.pop(f.name) for f in fields(ReadingOptions) if f.name in options}
    reading = Reading(ReadingOptions(**policies))  # type: ignore[arg-type]
    with pytest.raises(DataError, match=message) as caught:
        read_task(path, reading=reading, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
