"""What a study found."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..config import Config
from ..errors import Sub2NodeError
from ..files import new_file, written
from ..settings import to_toml
from ..versions import versions
from .spec import Spec


@dataclass(frozen=True)
class Trial:
    """One point that was tried.

    Args:
        number: From 0.
        state: ``complete``, ``pruned`` or ``failed``.
        point: Values by setting.
        value: Mean micro-F1; of a pruned trial, at the last rung it reached.
        values: Of each seed.
        loss: Mean validation loss, which decides between equal means.
        seconds: How long it took.
        training: Seconds of them that were epochs.
        reason: Why it failed.
    """

    number: int
    state: str
    point: Mapping[str, Any]
    value: float | None = None
    values: tuple[float, ...] = ()
    loss: float | None = None
    seconds: float = 0.0
    training: float = 0.0
    reason: str = ""

    @property
    def sd(self) -> float:
        """Standard deviation over seeds."""
        return float(np.std(self.values, ddof=1)) if len(self.values) > 1 else 0.0

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "number": self.number, "state": self.state, "value": self.value, "sd": self.sd,
            "n": len(self.values), "loss": self.loss, "seconds": self.seconds,
            "training_seconds": self.training, "point": dict(self.point), "reason": self.reason,
            "values": list(self.values),
        }  # fmt: skip


@dataclass(frozen=True)
class Found:
    """A study after some trials.

    Args:
        spec: What was searched.
        trials: In their order.
        importance: How much of the score's variance each axis explains, largest first.
        seconds: Of this process.
        ended: ``complete`` or ``interrupted``.
        notes: What to know.
    """

    spec: Spec
    trials: tuple[Trial, ...]
    importance: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    ended: str = "complete"
    notes: tuple[str, ...] = ()

    @cached_property
    def best(self) -> Trial:
        """The highest mean; of equal ones that with the lowest loss, then the first."""
        whole = [trial for trial in self.trials if trial.state == "complete"]
        if not whole:
            raise Sub2NodeError("no trial was completed yet.")
        return max(whole, key=lambda trial: (trial.value, -(trial.loss or 0.0), -trial.number))

    @property
    def config(self) -> Config:
        """The winner's settings."""
        return self.spec.settings(self.best.point)

    def count(self, state: str) -> int:
        """Trials in a state."""
        return sum(trial.state == state for trial in self.trials)

    @property
    def overhead(self) -> float:
        """Share of the trials' time, from asking for a point on, that was not epochs."""
        total = sum(trial.seconds for trial in self.trials)
        training = sum(trial.training for trial in self.trials)
        return 1 - training / total if total else 0.0

    @property
    def evidence(self) -> str:
        """Why the winner was chosen, in a sentence."""
        best, spec = self.best, self.spec
        kind = f"the mean over {len(best.values)} seeds of the best validation micro-F1"
        if spec.rehearse:
            kind = (
                f"the mean micro-F1 on parts held out of train and val, {spec.rehearse} splits and"
                f" {len(best.values)} seeds"
            )
        return (
            f"chosen by s2n tune among {len(self.trials)} trials on {spec.name or 'this task'} by"
            f" {kind}: {100 * (best.value or 0):.1f} ± {100 * best.sd:.1f} (a little high, being"
            f" the best of many); no test subgraph was there{self._around}"
        )

    @property
    def _around(self) -> str:
        """Where the settings come from that were not searched."""
        if not self.spec.published:
            return f"; what was not searched is that of the preset {self.spec.base.name}"
        return "; what was not searched is published, and was chosen by test score by its authors"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "format": "sub2node study",
            "version": 1,
            "spec": self.spec.to_dict(),
            "best": self.best.to_dict(),
            "config": self.config.to_dict(),
            "evidence": self.evidence,
            "importance": dict(self.importance),
            "trials": [trial.to_dict() for trial in self.trials],
            "seconds": self.seconds,
            "overhead": self.overhead,
            "ended": self.ended,
            "notes": list(self.notes),
            "versions": versions(),
        }

    def preset(self) -> str:
        """The winner as a preset, with its evidence."""
        tree = {"notes": [self.evidence], **self.config.to_dict()}
        return f"# Use it with: s2n run DATA --preset THIS_FILE\n\n{to_toml(tree)}"

    def save(self, folder: Path) -> None:
        """Write ``best.toml``, ``trials.csv`` and ``study.json``."""
        with written(folder):
            with new_file(folder / "best.toml") as part:
                part.write_text(self.preset(), encoding="utf-8")
            with new_file(folder / "study.json") as part:
                part.write_text(json.dumps(self.to_dict(), indent=1) + "\n", encoding="utf-8")
            with new_file(folder / "trials.csv") as part:
                self._table(part)

    def _table(self, path: Path) -> None:
        axes = list(self.spec.space.axes)
        facts = ("number", "state", "value", "sd", "n", "loss", "seconds", "reason")
        with path.open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow([*facts, *axes])
            for trial in self.trials:
                known = trial.to_dict()
                rows.writerow(
                    [*(known[name] for name in facts), *(trial.point.get(axis) for axis in axes)]
                )
