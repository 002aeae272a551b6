"""Findings of a long run on disk, one line each, from which it can go on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ..errors import ConfigError, DataError
from ..files import require_writable, written
from ..task import SubgraphTask
from .models import GraphNetwork
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

    def __post_init__(self) -> None:
        if self.out is None:
            if self.resume:
                raise ConfigError("--resume needs the folder to go on with: -o FOLDER.")
            return
        if self.out.exists() and not self.out.is_dir():
            raise ConfigError(f"{self.out} is a file, expected a folder.")
        require_writable(self.out / "rows.jsonl")
        if not self.resume and self.out.exists() and any(self.out.iterdir()):
            raise ConfigError(f"{self.out} holds something already; go on with it (--resume), or"
                              " name a new folder.")  # fmt: skip

    def open(
        self, plan: Plan, task: SubgraphTask, models: Mapping[tuple[str, str], GraphNetwork]
    ) -> list[Found]:
        """What is known from an earlier run on the same data, with the same settings.

        Args:
            plan: What is to be run.
            task: The data.
            models: By structure and coarsening.
        """
        if self.out is None:
            return []
        file = self.out / "rows.jsonl"
        about = {"data": task.hash, "subsets": plan.subsets}
        found = _read(file, about) if file.exists() else None
        if found is None:
            with written(file):
                self.out.mkdir(parents=True, exist_ok=True)
                file.write_text(json.dumps(about) + "\n", encoding="utf-8")
            return []
        for row in found:
            model = models.get((row.structure, row.coarsen))
            if model is not None and row.model != model.key:
                raise ConfigError(
                    f"{self.out} has findings of {row.structure} with other settings; name a new"
                    " folder."
                )
        return found

    def add(self, row: Found) -> None:
        """Keep a finding."""
        if self.out is not None:
            file = self.out / "rows.jsonl"
            with written(file), file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(row)) + "\n")


def _read(path: Path, about: dict[str, str]) -> list[Found] | None:
    """The findings in a file; None where not even its first line is whole."""
    text = path.read_bytes()
    whole = text.rfind(b"\n") + 1
    if whole < len(text):  # the last line was cut off while it was written
        with path.open("r+b") as file:
            file.truncate(whole)
    try:
        lines = [json.loads(line) for line in text[:whole].decode("utf-8").splitlines()]
        if not lines:
            return None
        first, found = lines[0], [_finding(line) for line in lines[1:]]
        if set(first) != set(about):
            raise ValueError("its first line does not say what it is of")
    except (ValueError, TypeError) as error:
        raise DataError(f"this is not what a run left ({error}).", path=path) from None
    for name, value in about.items():
        if first[name] != value:
            raise ConfigError(f"{path.parent} was made with other {name}; name a new folder.")
    return found


def _finding(line: Any) -> Found:
    """A line as what it was, its values being of their kinds."""
    kind: type[Row | Step] = Row if "test" in line else Step
    found = kind(**line)
    words = {"str": str, "int": int, "float": float | int}
    for item in fields(kind):
        if not isinstance(getattr(found, item.name), words[str(item.type)]):
            raise ValueError(f"{item.name} is {getattr(found, item.name)!r}")
    return found
