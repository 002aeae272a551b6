"""What a check found: a verdict, the number behind it, and what to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ..base.records import JsonObject


class Verdict(StrEnum):
    """How a check ended, from harmless to serious."""

    NOT_APPLICABLE = "not applicable"
    INFORMATION = "information"  # a number that only the reader can judge
    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"

    @property
    def severity(self) -> int:
        """0 where there is nothing to worry about, 1 for a warning, 2 for a problem."""
        return {Verdict.WARNING: 1, Verdict.PROBLEM: 2}.get(self, 0)


@dataclass(frozen=True)
class Check:
    """One check of a task.

    Args:
        name: Name for programs.
        title: Name for people.
        verdict: How it ended.
        found: The numbers behind the verdict, in words.
        advice: What to do, one sentence.
        numbers: The numbers for programs.
    """

    name: str
    title: str
    verdict: Verdict
    found: str
    advice: str
    numbers: JsonObject = field(default_factory=dict)

    def to_dict(self) -> JsonObject:
        """The fields, for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "verdict": str(self.verdict),
            "found": self.found,
            "advice": self.advice,
            "numbers": self.numbers,
        }


def not_applicable(name: str, title: str, *, reason: str, advice: str) -> Check:
    """A check that could not be made.

    Args:
        name: Name for programs.
        title: Name for people.
        reason: Why it could not be made.
        advice: What would make it possible.
    """
    return Check(name, title, Verdict.NOT_APPLICABLE, reason, advice)


def worst(*verdicts: Verdict) -> Verdict:
    """The most serious of some verdicts; ``ok`` without any."""
    return max(verdicts, key=lambda verdict: verdict.severity, default=Verdict.OK)


def grade(value: float, *, warning: float, problem: float) -> Verdict:
    """The verdict on a value that is the worse the larger it is.

    Args:
        value: The value to judge.
        warning: From where on it is a warning.
        problem: From where on it is a problem.
    """
    if value >= problem:
        return Verdict.PROBLEM
    return Verdict.WARNING if value >= warning else Verdict.OK


def points(share: float) -> str:
    """A score or a share in points of 100: ``64.2``."""
    return f"{100 * share:.1f}"
