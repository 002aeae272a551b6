"""A run folder whose content has to be checked itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from report_runs import made_result, small_task
from sub2node.runs import save_run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    task = small_task()
    path = save_run(made_result(task, label="class 1"), task, tmp_path / "run")
    (path / "checksums.json").unlink()  # as of 0.1: the content has to be checked itself
    return path
