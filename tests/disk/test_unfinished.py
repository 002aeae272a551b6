"""A folder that is made in steps: whenever its maker is killed, the next one makes the same."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from disk_tables import disk_tables
from sub2node.base.errors import ConfigError, DataError, Sub2NodeError
from sub2node.disk import unfinished
from sub2node.disk.unfinished import make_in_steps, remove_unfinished, unfinished_path


class _Killed(BaseException):
    """Stands for the end of the process: nothing of ours handles it."""


def _build(folder: Path) -> None:
    (folder / "task").mkdir()
    (folder / "task" / "card.json").write_text("{}", "utf-8")
    (folder / "large").write_text("rows", "utf-8")
    (folder / "scratch").write_text("rows", "utf-8")


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_the_result_is_whole_and_nothing_else_stays(tmp_path: Path) -> None:
    out = tmp_path / "out"
    make_in_steps(out, {"n": 1}, _build, keep=("large", "none"))
    assert _contents(tmp_path) == {"out/card.json": b"{}", "out/large": b"rows"}
    with pytest.raises(ConfigError, match="is there already; name another place"):
        make_in_steps(out, {"n": 1}, _build, keep=())


@pytest.mark.parametrize("step", range(7))
def test_whoever_is_killed_while_putting_in_place_the_next_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    out, steps = tmp_path / "out", []

    def stop_at(function: Callable[..., object]) -> Callable[..., object]:
        def stopping(*values: object, **others: object) -> object:
            steps.append(function)
            if len(steps) > step:
                raise _Killed
            return function(*values, **others)

        return stopping

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", stop_at(Path.replace))
        for name in ("_clear", "flush_tree", "rename_to_new", "flush"):
            patched.setattr(unfinished, name, stop_at(getattr(unfinished, name)))
        patched.setattr(unfinished.shutil, "rmtree", stop_at(unfinished.shutil.rmtree))
        with pytest.raises(_Killed):
            make_in_steps(out, {"n": 1}, _build, keep=("large",))
    if out.exists():
        remove_unfinished(out)
    else:
        make_in_steps(out, {"n": 1}, _build_once(tmp_path), keep=("large",))
    assert _contents(tmp_path) == {"out/card.json": b"{}", "out/large": b"rows"}


def _build_once(parent: Path) -> Callable[[Path], None]:
    """As :func:`_build`, of which the steps must not be made twice."""

    def build(folder: Path) -> None:
        assert not (folder / "task").exists()
        _build(folder)

    return build


def test_another_request_begins_anew(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "scratch").write_text("of the first", "utf-8")
        raise _Killed

    def build(folder: Path) -> None:
        seen.append((folder / "scratch").exists())
        _build(folder)

    seen: list[bool] = []
    for request in ({"n": 1}, {"n": 2}):
        with pytest.raises(_Killed):
            make_in_steps(tmp_path / "out", {"n": 1}, fail, keep=())
        make_in_steps(tmp_path / "out", request, build, keep=())
        unfinished.shutil.rmtree(tmp_path / "out")
    assert seen == [True, False]


@pytest.mark.parametrize("error", [DataError, ConfigError])
def test_after_an_error_that_comes_again_nothing_is_left(
    tmp_path: Path, error: type[Exception]
) -> None:
    def fail(folder: Path) -> None:
        (folder / "scratch").write_text("rows", "utf-8")
        raise error("the data are wrong.")

    with pytest.raises(error, match="the data are wrong"):
        make_in_steps(tmp_path / "out", {"n": 1}, fail, keep=())
    assert not list(tmp_path.iterdir())


def test_what_was_left_when_the_files_were_others_is_removed(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "scratch").write_text("rows", "utf-8")
        raise Sub2NodeError("the engine gave up.")

    for name, source, files in (("a", "x", "1"), ("b", "x", "2"), ("c", "y", "1")):
        with pytest.raises(Sub2NodeError, match="gave up"):
            make_in_steps(tmp_path / name, {"source": source, "files": files}, fail, keep=())
    (tmp_path / ".broken.unfinished").mkdir()
    make_in_steps(tmp_path / "new", {"source": "x", "files": "2"}, _build, keep=())
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [".b.unfinished", ".broken.unfinished", ".c.unfinished", "new"]


@pytest.mark.skipif(unfinished.fcntl is None, reason="no locks on Windows")
def test_two_processes_do_not_make_the_same_folder(tmp_path: Path) -> None:
    def again(folder: Path) -> None:
        with pytest.raises(ConfigError, match=r"another process is making .*out; wait for it"):
            make_in_steps(tmp_path / "out", {"n": 1}, _build, keep=())
        remove_unfinished(tmp_path / "out")
        assert folder.exists()
        _build(folder)

    make_in_steps(tmp_path / "out", {"n": 1}, again, keep=())
    assert not unfinished_path(tmp_path / "out").exists()


# Loads the tables in forks of one process, which has imported all that they need: whole ones, and
# ten that are killed on the way.
_SCRIPT = """
import os, random, signal, sys, time
from pathlib import Path
import duckdb, ibis
import ibis.backends.duckdb
import sub2node as s2n
import sub2node.datasets.on_disk
import sub2node.disk.expression

def start(cache):
    child = os.fork()
    if not child:
        os.environ["S2N_CACHE"] = cache
        s2n.load_task(Path(sys.argv[1]), engine="duckdb", memory="200MB", repeated="sum")
        os._exit(0)
    return child

def wait(child):
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in (0, -signal.SIGKILL)

begun = time.perf_counter()
wait(start(sys.argv[2]))
needed, random = time.perf_counter() - begun, random.Random(0)
for number in range(10):
    child = start(sys.argv[3])
    time.sleep(random.uniform(0, needed / 2))
    os.kill(child, signal.SIGKILL)
    wait(child)
wait(start(sys.argv[3]))
"""


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on Windows")
def test_processes_that_are_killed_at_ten_moments_leave_nothing_half(tmp_path: Path) -> None:
    pytest.importorskip("ibis")
    source = disk_tables(tmp_path / "tables", weighted=True, text=True)
    caches = tmp_path / "whole", tmp_path / "killed"
    subprocess.run([sys.executable, "-c", _SCRIPT, source, *caches], check=True)
    whole, killed = map(_contents, caches)
    assert len(whole) > 8
    assert killed == whole
