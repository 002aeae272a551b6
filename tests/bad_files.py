"""Reading that must fail with one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node import DataError
from sub2node.io import read_task


def assert_refused(path: Path, message: str, **options: object) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_task(path, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
