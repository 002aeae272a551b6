"""The result of a search: its trials, the best of them, and the files it is saved as."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..base.environment import versions
from ..base.errors import Sub2NodeError
from ..base.files import new_file, written
from ..base.plural import plural
from ..config.settings import to_toml
from ..evaluate.significance import Summary
from .study_spec import Spec


@dataclass(frozen=True)
class Trial:
    """One point that was tried.

    Args:
        number: Its number in the study, from 0.
        state: ``complete``, ``pruned`` or ``failed``.
        point: Values by setting.
        value: Mean micro-F1; of a pruned trial, at the last rung it reached.
        values: Micro-F1 of each seed.
        loss: Mean validation loss, which decides between equal means.
        seconds: Time of the whole trial.
        training: Time of its epochs.
        reason: Why it failed.
    """

    number: int
    state: str
    point: Mapping[str, object]
    value: float | None = None
    values: tuple[float, ...] = ()
    loss: float | None = None
    seconds: float = 0.0
    training: float = 0.0
    reason: str = ""

    @property
    def sd(self) -> float | None:
        """Standard deviation over seeds; None with one seed, which has no spread."""
        return Summary(self.values).sd

    @property
    def score_text(self) -> str:
        """Mean and standard deviation in percent, as ``93.6 ± 6.1``; of one seed the mean."""
        return Summary(self.values).percent_text()

    def to_dict(self) -> dict[str, object]:
        """The fields and their statistics, for JSON."""
        return {
            "number": self.number,
            "state": self.state,
            "value": self.value,
            "sd": self.sd,
            "n": len(self.values),
            "loss": self.loss,
            "seconds": self.seconds,
            "training_seconds": self.training,
            "point": dict(self.point),
            "reason": self.reason,
            "values": list(self.values),
        }


def _rank(trial: Trial) -> tuple[float, float, int]:
    """The highest mean wins; of equal ones the lowest loss, then the first."""
    return trial.value or 0.0, -(trial.loss or 0.0), -trial.number


@dataclass(frozen=True)
class SearchResult:
    """A study after some trials.

    Args:
        spec: The specification of the study.
        trials: The trials in their order.
        importance: The share of the score's variance that each axis explains, largest first.
        seconds: How long this process worked.
        ended: ``complete`` or ``interrupted``.
        notes: Remarks for the reader, one sentence each.
        confirmed: The best trials once more, with their scores on splits that the search did not
            see; of them the best wins. Empty: they were not scored again.
    """

    spec: Spec
    trials: tuple[Trial, ...]
    importance: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    ended: str = "complete"
    notes: tuple[str, ...] = ()
    confirmed: tuple[Trial, ...] = ()

    @cached_property
    def best(self) -> Trial:
        """The best of the search, by the scores of its trials."""
        complete = [trial for trial in self.trials if trial.state == "complete"]
        if not complete:
            raise Sub2NodeError("no trial was completed yet.")
        return max(complete, key=_rank)

    @property
    def winner(self) -> Trial:
        """The best on splits that the search did not see, if some were; else the best of it."""
        return max(self.confirmed, key=_rank) if self.confirmed else self.best

    @property
    def config(self) -> Any:
        """The winner's settings."""
        return self.spec.settings(self.winner.point)

    def count(self, state: str) -> int:
        """Number of trials in a state."""
        return sum(trial.state == state for trial in self.trials)

    @property
    def overhead(self) -> float:
        """Share of the trials' time that was not spent in epochs."""
        total = sum(trial.seconds for trial in self.trials)
        training = sum(trial.training for trial in self.trials)
        return 1 - training / total if total else 0.0

    @property
    def evidence(self) -> str:
        """Why the winner was chosen, in a sentence."""
        if self.confirmed:
            return self._confirmation()
        best, spec = self.best, self.spec
        criterion = (
            f"the mean over {plural(len(best.values), 'seed')} of the best validation micro-F1"
        )
        if spec.rehearse:
            criterion = (
                f"the mean micro-F1 on parts held out of train and val, {spec.rehearse} splits and"
                f" {plural(len(best.values), 'seed')}"
            )
        return (
            f"chosen by s2n tune among {plural(len(self.trials), 'trial')} on"
            f" {spec.name or 'this task'} by {criterion}: {best.score_text} (a little high,"
            f" being the best of many); no test subgraph was there{self._origin_of_the_rest}"
        )

    def _confirmation(self) -> str:
        """The same of a winner on further splits."""
        return (
            f"the best of {len(self.confirmed)} on {plural(len(self.winner.values), 'split')} of"
            " train and val that its search had not seen (held-out micro-F1"
            f" {self.winner.score_text}), which were the best of"
            f" {plural(len(self.trials), 'trial')} of s2n tune on {self.spec.name or 'this task'}"
            f" and its first points; no test subgraph was there{self._origin_of_the_rest}"
        )

    @property
    def _origin_of_the_rest(self) -> str:
        """Say where the settings that were not searched come from."""
        if not self.spec.published:
            return f"; what was not searched is that of the preset {self.spec.base.name}"
        return "; what was not searched is published, and was chosen by test score by its authors"

    def to_dict(self) -> dict[str, object]:
        """The content of ``study.json``."""
        return {
            "format": "sub2node study",
            "version": 1,
            "spec": self.spec.to_dict(),
            "best": self.best.to_dict(),
            "confirmed": [trial.to_dict() for trial in self.confirmed],
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
        """The winner as the text of a preset file, with its evidence."""
        baseline = {"baseline": self.spec.baseline} if self.spec.baseline else {}
        tree = {"notes": [self.evidence], **baseline, **self.config.to_dict()}
        return f"# Use it with: s2n run DATA --preset THIS_FILE\n\n{to_toml(tree)}"

    def save(self, folder: Path) -> None:
        """Write ``best.toml``, ``trials.csv`` and ``study.json``."""
        with written(folder):
            with new_file(folder / "best.toml") as part:
                part.write_text(self.preset(), encoding="utf-8")
            with new_file(folder / "study.json") as part:
                part.write_text(json.dumps(self.to_dict(), indent=1) + "\n", encoding="utf-8")
            with new_file(folder / "trials.csv") as part:
                self._write_trials(part)

    def _write_trials(self, path: Path) -> None:
        axes = list(self.spec.space.axes)
        columns = ("number", "state", "value", "sd", "n", "loss", "seconds", "reason")
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([*columns, *axes])
            for trial in self.trials:
                record = trial.to_dict()
                values = [trial.point.get(axis) for axis in axes]
                writer.writerow([*(record[name] for name in columns), *values])
