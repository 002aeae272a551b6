"""Names are exchanged in one step, and never taken from something that is there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sub2node.base import renames
from sub2node.base.renames import exchange_names, rename_to_new


@pytest.mark.skipif(sys.platform != "linux", reason="the system call is Linux'")
def test_names_are_exchanged(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("first")
    (tmp_path / "b").mkdir()
    assert exchange_names(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_text() == "first"
    assert (tmp_path / "a").is_dir()


@pytest.mark.parametrize("system", ["with the system call", "without"])
@pytest.mark.parametrize("there", ["nothing", "a file", "a folder with content"])
def test_a_name_is_only_taken_if_it_is_free(tmp_path: Path, monkeypatch, system, there) -> None:
    if system == "without":
        monkeypatch.setattr(renames, "_system_call", lambda: None)
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "x").write_text("new")
    target = tmp_path / "target"
    if there == "nothing":
        rename_to_new(tmp_path / "source", target)
        assert (target / "x").read_text() == "new"
        return
    if there == "a file":
        target.write_text("old")
    else:
        target.mkdir()
        (target / "y").write_text("old")
    with pytest.raises(FileExistsError):
        rename_to_new(tmp_path / "source", target)
    assert (target if there == "a file" else target / "y").read_text() == "old"
