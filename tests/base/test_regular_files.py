"""Inputs must be regular files."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from sub2node.base.errors import DataError
from sub2node.base.regular_files import read_regular_file, require_regular_file


def test_regular_files_and_links_to_them(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    (tmp_path / "b").symlink_to("a")
    assert require_regular_file(tmp_path / "a") == 3
    assert read_regular_file(tmp_path / "b") == b"abc"


def test_everything_else_is_refused_without_being_opened(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    os.mkfifo("pipe")
    Path("zero").symlink_to("/dev/zero")
    Path("loop").symlink_to("loop")
    Path("gone").symlink_to("nowhere")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock")
        cases = {
            "pipe": "a named pipe, expected a file",
            "zero": "a device, expected a file",
            "sock": "a socket, expected a file",
            ".": "a folder, expected a file",
            "gone": "no such file",
            "loop": "cannot be read",
            "x" * 300: "cannot be read",
        }
        for name, text in cases.items():
            with pytest.raises(DataError, match=text):
                read_regular_file(name)
