"""The nearest limit of the groups of a process counts, of both versions of control groups."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node.base import environment
from sub2node.base.container_memory import container_room


def group(folder: Path, limit: object, used: int, stat: str, *, version: int = 2) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    names = ("memory.max", "memory.current")
    if version == 1:
        names = ("memory.limit_in_bytes", "memory.usage_in_bytes")
    for name, value in zip((*names, "memory.stat"), (limit, used, stat), strict=True):
        (folder / name).write_text(f"{value}\n", "ascii")


def test_the_nearest_limit_of_version_2_counts(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text("0::/pod/box\n", "ascii")
    assert container_room(tmp_path, own) is None
    group(tmp_path / "pod" / "box", "max", 70, "anon 1\ninactive_file 5")
    assert container_room(tmp_path, own) is None
    group(tmp_path / "pod", 100, 70, "anon 1\ninactive_file 5")
    assert container_room(tmp_path, own) == 35
    group(tmp_path, 90, 70, "anon 1")
    assert container_room(tmp_path, own) == 20
    group(tmp_path, 60, 70, "anon 1")
    assert container_room(tmp_path, own) == 0


def test_where_only_the_top_is_seen_its_limit_counts(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text("3:cpu,cpuacct:/x\n2:memory:/docker/abc\n", "ascii")
    group(tmp_path / "memory", 100, 80, "total_inactive_file 10", version=1)
    assert container_room(tmp_path, own) == 30
    assert container_room(tmp_path, tmp_path / "none") is None


def test_free_memory_is_what_machine_and_container_both_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(environment, "container_room", lambda: None)
    machine = environment.free_memory()
    assert machine is not None
    for room, expected in ((1000, 1000), (10**18, None)):
        monkeypatch.setattr(environment, "container_room", lambda room=room: room)
        found = environment.free_memory()
        assert found is not None
        assert found == expected or (expected is None and 1000 < found < 10**18)
