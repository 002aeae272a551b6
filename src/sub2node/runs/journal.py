"""Journals: JSON lines that only grow, so that a long run loses nothing when it is stopped."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..base.errors import ConfigError
from ..base.files import new_file, require_writable, written
from ..base.structured_text import parse_json

T = TypeVar("T")


@dataclass(frozen=True)
class LineJournal:
    """Records in a folder, one line each; every process appends to a file of its own.

    A line that was cut off when its process was killed stays where it is and is skipped by every
    reader; the next record begins on a new line.

    Args:
        folder: The folder of the files; it is created with the first record.
        stem: Their name without an ending: ``cells`` is ``cells.jsonl``, and of process 2 of 3
            ``cells-002-of-003.jsonl``.
        worker: Number of this process, from 1, and number of all processes.

    Raises:
        ConfigError: The folder is a file, or nothing can be written there.
    """

    folder: Path
    stem: str
    worker: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise ConfigError(f"{self.folder} is a file, expected a folder.")
        require_writable(self.file)

    @property
    def file(self) -> Path:
        """The file that this process appends to."""
        number, count = self.worker
        name = self.stem if count == 1 else f"{self.stem}-{number:03d}-of-{count:03d}"
        return self.folder / f"{name}.jsonl"

    def append(self, record: Mapping[str, object]) -> None:
        """Write a record; it is in the file when this returns."""
        line = _format_line(record)
        with written(self.file):
            self.folder.mkdir(parents=True, exist_ok=True)
            with self.file.open("ab+") as file:
                if file.tell():
                    file.seek(-1, 2)
                    line = line if file.read(1) == b"\n" else f"\n{line}"
                file.write(line.encode())

    def replace(self, records: Sequence[Mapping[str, object]]) -> None:
        """Write records in place of those of this process; without any, the file is removed."""
        if not records:
            self.file.unlink(missing_ok=True)
            return
        with written(self.file), new_file(self.file) as part:
            part.write_text("".join(map(_format_line, records)), encoding="utf-8")

    def read(self, parse: Callable[[Any], T]) -> tuple[list[T], int]:
        """Read the records of all processes, file by file, and how many lines could not be read.

        Args:
            parse: Makes a record from the value of a line; a ``ValueError``, ``KeyError`` or
                ``TypeError`` it raises counts as a line that cannot be read.
        """
        records, broken = [], 0
        for path in sorted(self.folder.glob(f"{self.stem}*.jsonl")):
            for line in filter(bytes.strip, path.read_bytes().split(b"\n")):
                try:
                    records.append(parse(parse_json(line)))
                except (ValueError, KeyError, TypeError):
                    broken += 1
        return records, broken


def _format_line(record: Mapping[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"
