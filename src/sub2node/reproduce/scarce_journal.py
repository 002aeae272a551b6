"""Rows of the few-subgraph study in ``rows.jsonl``, from which it can go on.

The first line says what the rows are of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..base.errors import ConfigError, DataError
from ..base.records import from_json
from ..models.graph_network import GraphNetwork
from ..runs.journal import LineJournal
from ..task import SubgraphTask
from .scarce import ScarceFinding, ScarcePlan, ScarceRun, ScarceSpeed


@dataclass
class ScarceJournal:
    """A folder to which every finding is written at once, so that nothing is lost.

    Args:
        out: The folder; None: nothing is written.
        resume: Whether the folder may have findings already, to go on with.
    """

    out: Path | None
    resume: bool = False
    broken: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.out is None:
            if self.resume:
                raise ConfigError("--resume needs the folder to go on with: -o FOLDER.")
            return
        self._lines = LineJournal(self.out, "rows")
        if not self.resume and self.out.exists() and any(self.out.iterdir()):
            raise ConfigError(
                f"{self.out} holds something already; go on with it (--resume), or"
                " name a new folder."
            )

    def open(
        self, plan: ScarcePlan, task: SubgraphTask, models: Mapping[tuple[str, str], GraphNetwork]
    ) -> list[ScarceFinding]:
        """Read the findings of an earlier run on the same data, with the same settings.

        Args:
            plan: What is to be run.
            task: The data to train on.
            models: The models by structure and coarsening.
        """
        if self.out is None:
            return []
        header = {"data": task.hash, "subsets": plan.subsets}
        file = self._lines.file
        lines, self.broken = self._lines.read(_parse_line)
        if not lines and (not file.exists() or b"\n" not in file.read_bytes()):
            self._lines.append(header)  # of an earlier run not even the first line is complete
            return []
        first, rows = (lines[0] if lines else None), lines[1:]
        if not isinstance(first, dict) or first.keys() != header.keys():
            raise DataError(
                "this is not what a run left (its first line does not say what it is of).",
                path=file,
            )
        for name, value in header.items():
            if first[name] != value:
                raise ConfigError(f"{self.out} was made with other {name}; name a new folder.")
        findings = [row for row in rows if not isinstance(row, dict)]
        for row in findings:
            model = models.get((row.structure, row.coarsen))
            if model is not None and row.model != model.key:
                raise ConfigError(
                    f"{self.out} has findings of {row.structure} with other settings; name a new"
                    " folder."
                )
        return findings

    def add(self, row: ScarceFinding) -> None:
        """Write a finding."""
        if self.out is not None:
            self._lines.append(asdict(row))


def _parse_line(value: Any) -> ScarceFinding | dict[str, Any]:
    """A finding, or the line that says what the others are of."""
    if isinstance(value, dict) and "structure" not in value:
        return value
    return from_json(ScarceRun, value) if "test" in value else from_json(ScarceSpeed, value)
