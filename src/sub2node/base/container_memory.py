"""How much memory the control groups of this process leave, as of a container."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_NO_LIMIT = 1 << 60  # version 1 says it with a number of about this size
_GROUPS, _OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


class _Files(NamedTuple):
    """Where a group says its limit and its use, and what of its use can be taken back."""

    limit: str
    used: str
    reclaimable: str


_VERSION_2 = _Files("memory.max", "memory.current", "inactive_file")
_VERSION_1 = _Files("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def container_room(groups: Path = _GROUPS, own: Path = _OWN) -> int | None:
    """Bytes below the nearest limit of this process's groups; None: there is no limit.

    Pages of files count as free: they are given up for others.

    Args:
        groups: Where the groups are.
        own: What names the groups of the process.
    """
    try:
        lines = own.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    rooms = list[int]()
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        files = _VERSION_1 if controllers else _VERSION_2
        top = groups / "memory" if controllers else groups
        rooms += (room for folder in _up(top, path) if (room := _room(folder, files)) is not None)
    return min(rooms, default=None)


def _up(top: Path, path: str) -> Iterator[Path]:
    """The folder of a group and those of all groups around it.

    In a container the path may be that outside, of which only the top is seen.
    """
    folder = top / path.strip("/")
    yield folder
    if folder != top:
        yield from (parent for parent in folder.parents if parent.is_relative_to(top))


def _room(folder: Path, files: _Files) -> int | None:
    """Bytes that a group has left; None where it has no limit."""
    try:
        limit = int((folder / files.limit).read_text(encoding="ascii"))
        used = int((folder / files.used).read_text(encoding="ascii"))
        rows = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
        facts = dict(row.split(maxsplit=1) for row in rows)
    except (OSError, ValueError):  # "max": no limit
        return None
    if limit >= _NO_LIMIT:
        return None
    return max(limit - used + int(facts.get(files.reclaimable, 0)), 0)
