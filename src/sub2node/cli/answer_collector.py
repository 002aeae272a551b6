"""Answers of a file, taken piece by piece: written, kept as JSON, or shown as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..base.records import JsonObject

if TYPE_CHECKING:
    from ..base.ragged import Array
    from ..scoring.answer_extras import AnswerExtras
    from ..scoring.answer_tables import AnswerWriter
    from ..scoring.answers import Answers
    from ..scoring.positive_alerts import PositiveAlerts


@dataclass
class AnswerCollector:
    """Takes answers in the order of the input.

    With a positive class the answers are held until the last one is known, since their ranks depend
    on all of them; otherwise each piece is done with at once.

    Args:
        extras: What is added to the answers.
        write: Writes a piece to a file; None: there is none.
        keep: How many answers a table shows; None: all are kept, as JSON, unless written.
    """

    extras: AnswerExtras
    write: AnswerWriter | None
    keep: int | None
    count: int = 0
    alerts: int = 0
    warned: int = 0
    rows: list[JsonObject] = field(default_factory=list)
    shown: list[tuple[Answers, Array]] = field(default_factory=list)
    _held: list[Answers] = field(default_factory=list)
    _details: list[JsonObject] = field(default_factory=list)

    def add(self, answers: Answers, details: Sequence[JsonObject] = ()) -> None:
        """Take a piece.

        Args:
            answers: The answers.
            details: What else is kept of each as JSON, such as its reasons.
        """
        if self.keep is None and self.write is None:
            self._details += details
        before, self.count = self.count, self.count + len(answers)
        self.warned += sum(map(bool, answers.warnings))
        if self.extras.positive is not None:
            self._held.append(answers)
            return
        no_ranks = np.empty(0, np.int64)
        self._take(answers, no_ranks)
        if before < (self.keep or 0):
            rows = range(min(len(answers), (self.keep or 0) - before))
            self.shown.append((answers.part(rows, answers.names[: len(rows)]), no_ranks))

    def finish(self) -> None:
        """Rank what was held, where there is a positive class, and put details beside answers."""
        if self.extras.positive is not None:
            self._rank_held(self.extras.positive)
        if self._details:
            pairs = zip(self.rows, self._details, strict=True)
            self.rows = [{**row, **more} for row, more in pairs]

    def _rank_held(self, positive: PositiveAlerts) -> None:
        ranks = self.extras.rank(self._held)
        for answers, own in zip(self._held, ranks, strict=True):
            self.alerts += int(positive.alerts(answers).sum())
            self._take(answers, own)
        self._show_first(ranks)

    def facts(self) -> JsonObject:
        """The number of answers and, of a positive class, what alerts are."""
        positive = self.extras.positive
        if positive is None:
            return {"answered": self.count, "warned": self.warned}
        return {
            "answered": self.count,
            "warned": self.warned,
            "positive": {"label": positive.target.label, "threshold": positive.threshold},
            "alerts": self.alerts,
        }

    def _take(self, answers: Answers, ranks: Array) -> None:
        from ..scoring.answer_tables import extended_objects

        if self.write is not None:
            self.write(answers, ranks)
        elif self.keep is None:
            self.rows += extended_objects(answers, self.extras, ranks)

    def _show_first(self, ranks: list[Array]) -> None:
        """Show those with the highest ranks, wherever they stand in the input."""
        starts = np.cumsum([0, *map(len, ranks)])
        order = np.argsort(np.concatenate([*ranks, []]), kind="stable")[: self.keep or 0]
        for number in order.tolist():
            piece = int(np.searchsorted(starts, number, side="right")) - 1
            row = number - int(starts[piece])
            answers = self._held[piece].part(range(row, row + 1), [self._held[piece].names[row]])
            self.shown.append((answers, ranks[piece][row : row + 1]))
