"""The leaderboard of an ensemble, as results, model cards and reports keep it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LeaderboardRow:
    """A member as the user reads it.

    Args:
        name: The member.
        micro_f1: Micro-F1 of its out-of-fold answers; None: it has none.
        log_loss: Log loss of the same, calibrated.
        fit_seconds: Seconds that it took to learn, on folds and from all labels together.
        answer_ms: Milliseconds per answer.
        weight: Its share of the ensemble.
        state: What became of it, where it was not tried to its end.
    """

    name: str
    micro_f1: float | None = None
    log_loss: float | None = None
    fit_seconds: float = 0.0
    answer_ms: float | None = None
    weight: float = 0.0
    state: str = ""
