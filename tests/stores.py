"""A store of objects that is a folder of this machine."""

from __future__ import annotations

from pathlib import Path

import pyarrow.fs as pafs
import pytest

from sub2node.disk import store_files


def pretend_store(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let addresses of stores lead below a folder; the folder of the bucket ``bucket``."""
    (folder / "bucket").mkdir()
    store = pafs.SubTreeFileSystem(str(folder), pafs.LocalFileSystem())

    def open_store(address: str) -> tuple[pafs.FileSystem, str]:
        return store, address.partition("://")[2].partition("?")[0]

    monkeypatch.setattr(store_files, "open_store", open_store)
    return folder / "bucket"
