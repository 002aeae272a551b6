"""Findings of a long run on disk, one line each, from which it can go on."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ConfigError, DataError
from ..files import require_writable
from ..task import SubgraphTask
from .scarce import Found, Plan, Row, Step


@dataclass
class Findings:
    """A folder that holds every finding as soon as it is made, so that nothing is lost.

    Args:
        out: The folder; None: nothing is kept.
        resume: Go on with one that has findings already.
    """

    out: Path | None
    resume: bool = False
    file: Path | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.out is None:
            if self.resume:
                raise ConfigError("--resume needs the folder to go on with: -o FOLDER.")
            return
        require_writable(self.out / "rows.jsonl")
        self.file = self.out / "rows.jsonl"
        if self.out.exists() and not self.out.is_dir():
            raise ConfigError(f"{self.out} is a file, expected a folder.")
        if not self.resume and self.out.exists() and any(self.out.iterdir()):
            raise ConfigError(f"{self.out} holds something already; go on with it (--resume), or"
                              " name a new folder.")  # fmt: skip

    def open(self, plan: Plan, task: SubgraphTask, settings: dict[str, Any]) -> list[Found]:
        """What is known from an earlier run with the same data and settings."""
        if self.out is None or self.file is None:
            return []
        about = {"data": task.hash, "subsets": plan.subsets, **settings}
        about = json.loads(json.dumps(about, default=str))
        if self.file.exists():
            return self._read(self.file, about)
        self.out.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(about) + "\n", encoding="utf-8")
        return []

    def _read(self, file: Path, about: dict[str, Any]) -> list[Found]:
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        if lines and not lines[-1].endswith("\n"):  # the last one was cut off while it was written
            lines.pop()
            file.write_text("".join(lines), encoding="utf-8")
        try:
            first, *rest = (json.loads(line) for line in lines)
            found = [(Row if "test" in row else Step)(**row) for row in rest]
        except (ValueError, TypeError) as error:
            raise DataError(f"this is not what a run left ({error}).", path=file) from None
        if first != about:
            differ = sorted(k for k in first.keys() | about.keys() if first.get(k) != about.get(k))
            raise ConfigError(
                f"{self.out} was made with other {' and '.join(differ)}; name a new folder."
            )
        return found

    def add(self, row: Found) -> None:
        """Keep a finding."""
        if self.file is not None:
            with self.file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(row)) + "\n")
