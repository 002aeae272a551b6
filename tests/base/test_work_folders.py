"""Work folders of killed processes go; those of living ones stay."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sub2node.base.work_folders import remove_leftovers, work_folder


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


CHILD = """
import sys, time
from pathlib import Path
from sub2node.base.work_folders import work_folder
with work_folder(Path(sys.argv[1]), label="spill") as folder:
    (folder / "data").write_text("13 GB")
    print(folder.name, flush=True)
    time.sleep(60)
"""


@pytest.mark.process
def test_a_folder_lives_as_long_as_its_owner(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CHILD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        name = child.stdout.readline().strip()
        assert f"-{child.pid}-" in name
        remove_leftovers(tmp_path)
        assert names_in(tmp_path) == [name]
        child.send_signal(signal.SIGKILL)
    remove_leftovers(tmp_path)
    assert not names_in(tmp_path)


def test_a_folder_without_a_lock_is_left_to_its_owner_for_a_minute(tmp_path: Path) -> None:
    with work_folder(tmp_path, label="x") as folder:
        (folder / "owner.lock").unlink()
        remove_leftovers(tmp_path)
        assert folder.exists()
        os.utime(folder, (0, 0))
        remove_leftovers(tmp_path)
        assert not folder.exists()


def test_what_others_keep_beside_stays(tmp_path: Path) -> None:
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "file.s2n-work-1-x").write_text("a file, not a folder")
    with work_folder(tmp_path, label="x") as folder:
        assert folder.is_dir()
    assert names_in(tmp_path) == [".hidden", "file.s2n-work-1-x"]


def test_a_folder_without_a_lock_goes_with_its_owner(tmp_path: Path) -> None:
    """Killed between making it and locking it; the process is named by the folder."""
    with subprocess.Popen(["true"]) as gone:
        pass
    for pid in (gone.pid, os.getpid()):
        (tmp_path / f".x.s2n-work-{pid}-abc").mkdir()
    remove_leftovers(tmp_path)
    assert names_in(tmp_path) == [f".x.s2n-work-{os.getpid()}-abc"]
