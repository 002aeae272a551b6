"""A pass that is stopped after any of its steps goes on there, and makes the same folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from disk_tables import disk_tables

pytest.importorskip("ibis")
import ibis.expr.types as ir

from sub2node.disk import EngineOptions, SourceRequest, make_part_folder
from sub2node.disk.backends import Backend
from sub2node.disk.unfinished import unfinished_path
from sub2node.task.reading_options import Reading, ReadingOptions


class _Killed(BaseException):
    """Stands for the end of the process."""


def _make(source: Path, out: Path) -> None:
    reading = Reading(ReadingOptions(repeated="sum"))
    options = EngineOptions("duckdb", memory=200_000_000)
    make_part_folder(SourceRequest(source), out, options=options, reading=reading, hops=2)


@contextmanager
def _counted(monkeypatch: pytest.MonkeyPatch, *, most: int) -> Iterator[list[str]]:
    """Names of the tables that are stored, of which so many are."""
    stored, store = list[str](), Backend.store

    def counting(self: Backend, query: ir.Table, path: Path, *, what: str, group_rows: int) -> None:
        if len(stored) == most:
            raise _Killed
        store(self, query, path, what=what, group_rows=group_rows)
        stored.append(path.name)

    with monkeypatch.context() as patched:
        patched.setattr(Backend, "store", counting)
        yield stored


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.slow
def test_a_pass_goes_on_after_the_last_step_that_was_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = disk_tables(tmp_path / "tables", weighted=True, text=True, kind="csv.gz")
    with _counted(monkeypatch, most=99) as steps:
        _make(source, tmp_path / "whole")
    assert len(steps) == len(set(steps)) > 7
    for number in range(len(steps)):  # each try stores one more table, and no try stores two
        with _counted(monkeypatch, most=1) as stored, pytest.raises(_Killed):
            _make(source, tmp_path / "out")
        assert stored == [steps[number]]
        assert not (tmp_path / "out").exists()
        if number == len(steps) - 2:
            break
    with _counted(monkeypatch, most=1) as stored:
        _make(source, tmp_path / "out")
    assert stored == steps[-1:]
    assert _contents(tmp_path / "out") == _contents(tmp_path / "whole")
    assert not unfinished_path(tmp_path / "out").exists()
