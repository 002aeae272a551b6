"""Results of jobs, one line of ``cells.jsonl`` each, from which a reproduction can go on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ..base.records import from_json
from ..runs.journal import LineJournal


@dataclass(frozen=True)
class Record:
    """The result of a job.

    Args:
        key: A hash of data, settings, seeds and quick: another key, another result.
        job: The job in words.
        status: ``done`` or ``failed``.
        why: What went wrong.
        values: Test micro-F1 by seed, 0…1.
        val: The same on validation.
        facts: Other results: statistics, times, claims.
        preset: Where the settings come from.
        notes: What to know.
        seconds: How long it took.
        device: The device that it was run on.
        data: Name and hash of the data that it was run on.
        quick: Whether it is no result but a quick look.
        epochs: The largest number of epochs.
        version: The version of sub2node.
        when: Date and time of the run.
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

    def __post_init__(self) -> None:
        if self.status not in ("done", "failed"):
            raise ValueError(f"status: expected done or failed, found {self.status!r}")

    @property
    def done(self) -> bool:
        """Whether there is a result."""
        return self.status == "done"


@dataclass
class Journal:
    """Records of all processes that share a folder, the latest result by key.

    Args:
        folder: The folder of the files.
        worker: Number of this process and of all, from 1; (1, 1) where there is one.
    """

    folder: Path
    worker: tuple[int, int] = (1, 1)
    records: dict[str, Record] = field(default_factory=dict, init=False)
    broken: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._lines = LineJournal(self.folder, "cells", self.worker)
        records, self.broken = self._lines.read(partial(from_json, Record))
        for record in records:
            if record.done or not self.done(record.key):  # a later failure hides no result
                self.records[record.key] = record

    @property
    def file(self) -> Path:
        """The file that this process writes to."""
        return self._lines.file

    def done(self, key: str) -> bool:
        """Whether a job has a result."""
        return key in self.records and self.records[key].done

    def add(self, record: Record) -> None:
        """Keep a record, and write it to disk at once."""
        self.records[record.key] = record
        self._lines.append(asdict(record))
