"""Results on disk: one line a cell, written as soon as it is there, by one process or by many."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from ...errors import ConfigError
from ...files import require_writable, written

PATTERN = "cells*.jsonl"


@dataclass(frozen=True)
class Record:
    """What a job gave.

    Args:
        key: Names data, settings, seeds and how quick it was: another key, another result.
        job: In words.
        status: ``done`` or ``failed``.
        why: What went wrong.
        values: Test micro-F1 by seed, 0…1.
        val: The same on validation.
        facts: What else was found: statistics, times, claims.
        preset: Where the settings come from.
        notes: What to know.
        seconds: How long it took.
        device: Where.
        data: What it was run on: name and hash.
        quick: Whether it is no result but a quick look.
        epochs: The most epochs that it had.
        version: Of sub2node.
        when: Date and time.
    """

    key: str
    job: str
    status: str = "done"
    why: str = ""
    values: tuple[float, ...] = ()
    val: tuple[float, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    preset: str = ""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    device: str = ""
    data: str = ""
    quick: bool = False
    epochs: int | None = None
    version: str = ""
    when: str = ""

    @property
    def done(self) -> bool:
        """Whether there is a result."""
        return self.status == "done"


@dataclass
class Journal:
    """A folder of records; every process writes a file of its own, all are read.

    Args:
        folder: Where.
        worker: Number of this process and of all, from 1; (1, 1) where there is one.
    """

    folder: Path
    worker: tuple[int, int] = (1, 1)
    records: dict[str, Record] = field(default_factory=dict, init=False)
    broken: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise ConfigError(f"{self.folder} is a file, expected a folder.")
        require_writable(self.folder / "cells.jsonl")
        self.read()

    @property
    def file(self) -> Path:
        """What this process writes to."""
        number, count = self.worker
        name = "cells" if count == 1 else f"cells-{number:03d}-of-{count:03d}"
        return self.folder / f"{name}.jsonl"

    def read(self) -> None:
        """Read what is there; a line that was cut off while it was written is left aside."""
        self.broken = 0
        for path in sorted(self.folder.glob(PATTERN)) if self.folder.exists() else ():
            for line in path.read_bytes().split(b"\n"):
                if line.strip():
                    self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            found = _record(json.loads(line))
        except (ValueError, TypeError, KeyError):
            self.broken += 1
            return
        known = self.records.get(found.key)
        if known is None or found.done or not known.done:
            self.records[found.key] = found

    def done(self, key: str) -> bool:
        """Whether a job has a result."""
        return key in self.records and self.records[key].done

    def add(self, record: Record) -> None:
        """Keep a record, on disk at once."""
        self.records[record.key] = record
        line = json.dumps(asdict(record), ensure_ascii=False) + "\n"
        with written(self.file):
            self.folder.mkdir(parents=True, exist_ok=True)
            cut = _cut(self.file)
            with self.file.open("a", encoding="utf-8") as lines:
                lines.write(f"\n{line}" if cut else line)


def _cut(path: Path) -> bool:
    """Whether the last line of a file was cut off."""
    if not path.exists() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) != b"\n"


def _record(line: Any) -> Record:
    """A line as what it was; fields of other versions do not matter."""
    known = {item.name for item in fields(Record)}
    given = {name: value for name, value in dict(line).items() if name in known}
    for name in ("values", "val", "notes"):
        given[name] = tuple(given.get(name, ()))
    found = Record(**given)
    if not isinstance(found.key, str) or found.status not in ("done", "failed"):
        raise ValueError("no record")
    if not all(isinstance(value, int | float) for value in (*found.values, *found.val)):
        raise ValueError("no numbers")
    return found
