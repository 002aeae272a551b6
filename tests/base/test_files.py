"""Outputs appear whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sub2node.base import files
from sub2node.base.errors import ConfigError, DataError, Sub2NodeError
from sub2node.base.files import (
    check_folder,
    new_file,
    new_folder,
    read_card,
    require_writable,
    written,
)

OURS = r"content\.txt"


def write(path: Path, text: str, *, overwrite: bool = False) -> None:
    with new_folder(path, overwrite=overwrite, ours=OURS) as folder:
        (folder / "content.txt").write_text(text)


def read(path: Path) -> str:
    return (path / "content.txt").read_text()


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(params=["exchange", "two renames"])
def either_way(request, monkeypatch) -> None:
    """With the system's exchange of names, and without one."""
    if request.param == "two renames":
        monkeypatch.setattr(files, "exchange_names", lambda first, second: False)


@pytest.mark.usefixtures("either_way")
def test_an_old_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    write(tmp_path / "out", "old")
    write(tmp_path / "out", "new", overwrite=True)
    assert read(tmp_path / "out") == "new"
    assert names_in(tmp_path) == ["out"]


@pytest.mark.usefixtures("either_way")
def test_an_error_keeps_the_old_folder(tmp_path: Path) -> None:
    write(tmp_path / "out", "old")

    def fail_half_way() -> None:
        with new_folder(tmp_path / "out", overwrite=True, ours=OURS) as folder:
            (folder / "content.txt").write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert read(tmp_path / "out") == "old"
    assert names_in(tmp_path) == ["out"]


@pytest.mark.parametrize("after", [0, 1, 2])
def test_ctrl_c_at_a_rename_leaves_one_whole_output(tmp_path: Path, monkeypatch, after) -> None:
    """Without an exchange in one step: before, between and after the two renames."""
    write(tmp_path / "out", "old")
    monkeypatch.setattr(files, "exchange_names", lambda first, second: False)
    rename, calls = Path.rename, [0]

    def interrupted(self: Path, target: Path) -> Path:
        if calls[0] == after:
            calls[0] += 1
            raise KeyboardInterrupt
        calls[0] += 1
        moved = rename(self, target)
        if after == 2 and calls[0] == 2:
            raise KeyboardInterrupt
        return moved

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "out", "new", overwrite=True)
    assert read(tmp_path / "out") == ("new" if after == 2 else "old")
    assert names_in(tmp_path) == ["out"]


KILLED = """
import os, signal, sys
from pathlib import Path
from sub2node.base import files
files.exchange_names = lambda first, second: False
rename = Path.rename
def killed(self, target):
    if os.path.basename(self) == "new":
        os.kill(os.getpid(), signal.SIGKILL)
    return rename(self, target)
Path.rename = killed
with files.new_folder(Path(sys.argv[1]), overwrite=True, ours="content.txt") as folder:
    (folder / "content.txt").write_text("new")
"""


@pytest.mark.process
def test_the_next_command_brings_back_what_a_kill_left_aside(tmp_path: Path) -> None:
    write(tmp_path / "out", "old")
    command = [sys.executable, "-c", KILLED, str(tmp_path / "out")]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not (tmp_path / "out").exists()
    write(tmp_path / "other", "something else")
    assert read(tmp_path / "out") == "old"
    assert names_in(tmp_path) == ["other", "out"]


def test_a_folder_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"

    def come_late() -> None:
        with new_folder(out, overwrite=False, ours=OURS) as folder:
            (folder / "content.txt").write_text("late")
            out.mkdir()
            (out / "precious.txt").write_text("precious")

    with pytest.raises(ConfigError, match="exists already"):
        come_late()
    assert names_in(tmp_path) == ["out"]
    assert names_in(out) == ["precious.txt"]


def test_one_that_appears_at_the_last_moment_is_not_replaced(tmp_path: Path, monkeypatch) -> None:
    out = tmp_path / "out"
    flush = files.flush_tree

    def appear(path: Path) -> None:
        flush(path)
        out.mkdir(exist_ok=True)
        (out / "precious.txt").write_text("precious")

    monkeypatch.setattr(files, "flush_tree", appear)
    with pytest.raises(ConfigError, match="while this command worked"):
        write(out, "late")
    assert names_in(out) == ["precious.txt"]
    assert names_in(tmp_path) == ["out"]


def test_of_many_writers_to_one_name_one_succeeds(tmp_path: Path) -> None:
    def attempt(number: int) -> bool:
        try:
            write(tmp_path / "out", str(number))
        except ConfigError:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        succeeded = [number for number, done in enumerate(pool.map(attempt, range(24))) if done]
    assert len(succeeded) == 1
    assert read(tmp_path / "out") == str(succeeded[0])
    assert names_in(tmp_path) == ["out"]


def test_data_are_on_the_disk_before_the_name_is(tmp_path: Path, monkeypatch) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def record(handle: int) -> None:
        assert not (tmp_path / "out").exists() or "new" in synced
        synced.append(Path(f"/proc/self/fd/{handle}").readlink().name)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", record)
    write(tmp_path / "out", "text")
    assert synced == ["content.txt", "new", tmp_path.name]


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"

    def come_late() -> None:
        with new_file(path, overwrite=False) as part:
            part.write_text("late")
            path.write_text("precious")

    with pytest.raises(ConfigError, match="while this command worked"):
        come_late()
    assert path.read_text() == "precious"
    assert names_in(tmp_path) == ["answers.csv"]


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_file_takes_its_name_at_the_end(tmp_path: Path, overwrite: bool) -> None:
    path = tmp_path / "deep" / "answers.csv"
    with new_file(path, overwrite=overwrite) as part:
        part.write_text("whole")
        assert not path.exists()
    assert path.read_text() == "whole"
    assert names_in(path.parent) == ["answers.csv"]


def test_the_old_folder_comes_back_if_the_last_step_fails(tmp_path: Path, monkeypatch) -> None:
    write(tmp_path / "out", "old")
    monkeypatch.setattr(files, "exchange_names", lambda first, second: False)
    rename = Path.rename

    def refuse_new(path: Path, target: Path) -> Path:
        if path.name == "new":
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse_new)
    with pytest.raises(Sub2NodeError, match="cannot be written: No space left"):
        write(tmp_path / "out", "new", overwrite=True)
    assert read(tmp_path / "out") == "old"
    assert names_in(tmp_path) == ["out"]


def test_what_is_not_ours_is_never_replaced(tmp_path, monkeypatch) -> None:
    place = tmp_path / "out"
    check_folder(place, overwrite=False, ours=OURS)
    place.mkdir()
    (place / "thesis.doc").write_text("")
    with pytest.raises(ConfigError, match="exists already"):
        check_folder(place, overwrite=False, ours=OURS)
    with pytest.raises(ConfigError, match=r"holds 'thesis\.doc'"):
        check_folder(place, overwrite=True, ours=OURS)
    with pytest.raises(ConfigError, match="is a file"):
        check_folder(place / "thesis.doc", overwrite=True, ours=OURS)
    monkeypatch.chdir(place)
    for folder in (Path(), Path("/")):
        with pytest.raises(ConfigError, match="cannot be replaced"):
            check_folder(folder, overwrite=True, ours=".*")


def test_a_place_that_cannot_be_written_is_named(tmp_path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    require_writable(tmp_path / "a" / "b")
    with pytest.raises(ConfigError, match="is no folder to write into"):
        require_writable(file / "out")
    with pytest.raises(ConfigError, match="is no folder to write into"):
        check_folder(file / "out", overwrite=False, ours=".*")
    with (
        pytest.raises(Sub2NodeError, match=r"out\.csv cannot be written: Not a directory"),
        written("out.csv"),
    ):
        (file / "out").mkdir()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "no card of the kind 'task'"),
        (json.dumps({"format": "run", "version": 1}), "no card of the kind 'task'"),
        (json.dumps({"format": "task", "version": 2}), "version 2, expected 1"),
    ],
)
def test_a_card_of_another_kind_is_refused(tmp_path, text, words) -> None:
    card = tmp_path / "card.json"
    card.write_text(text)
    with pytest.raises(DataError, match=words):
        read_card(card, "task", 1)
    card.write_text(json.dumps({"format": "task", "version": 1, "nodes": 3}))
    assert read_card(card, "task", 1)["nodes"] == 3
