"""What a user may ask for beside an answer: the likeliest classes, and ranks and alerts of a class.

Ranks are over all answers of a file, so those are numbered when the last one is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..base.errors import ConfigError
from ..base.ragged import Array
from ..base.records import JsonObject
from .answers import Answers
from .positive_alerts import PositiveAlerts, rank_descending


@dataclass(frozen=True)
class AnswerExtras:
    """What is added to answers.

    Args:
        top: How many of the likeliest classes; 0: none.
        positive: Which answers are alerts; None: there is no positive class.
    """

    top: int = 0
    positive: PositiveAlerts | None = None

    def __post_init__(self) -> None:
        if self.top < 0:
            raise ConfigError(f"--top is a number of classes from 1, found {self.top}.")

    def __bool__(self) -> bool:
        return bool(self.top) or self.positive is not None

    def rank(self, pieces: Sequence[Answers]) -> list[Array]:
        """Ranks of the answers in each piece among those of all pieces.

        Args:
            pieces: All answers, piece by piece.
        """
        if self.positive is None or not pieces:
            return [np.empty(0, np.int64) for _ in pieces]
        probabilities = [self.positive.probabilities(answers) for answers in pieces]
        ends = np.cumsum([len(piece) for piece in probabilities])[:-1]
        return np.split(rank_descending(np.concatenate(probabilities)), ends)

    def columns(self, answers: Answers, ranks: Array) -> dict[str, pa.Array]:
        """``rank`` and ``alert``, then ``top 1``, ``p top 1``, … as columns of a table.

        Args:
            answers: A piece of the answers.
            ranks: Their ranks, as :meth:`rank` gives them.
        """
        columns: dict[str, pa.Array] = {}
        if self.positive is not None:
            columns["rank"] = pa.array(ranks, pa.int64())
            columns["alert"] = pa.array(self.positive.alerts(answers), pa.bool_())
        order = self._order(answers)
        names = np.array(answers.classes, dtype=object)
        for place in range(order.shape[1]):
            best = order[:, place]
            shares = answers.probabilities[np.arange(len(answers)), best]
            columns[f"top {place + 1}"] = pa.array(names[best], pa.string())
            columns[f"p top {place + 1}"] = pa.array(shares, pa.float64())
        return columns

    def objects(self, answers: Answers, ranks: Array) -> list[JsonObject]:
        """The same as JSON: ``rank``, ``alert``, and ``ranking``, a list of classes.

        Args:
            answers: A piece of the answers.
            ranks: Their ranks, as :meth:`rank` gives them.
        """
        rows: list[JsonObject] = [{} for _ in range(len(answers))]
        if self.positive is not None:
            alerts = self.positive.alerts(answers).tolist()
            for row, rank, alert in zip(rows, ranks.tolist(), alerts, strict=True):
                row |= {"rank": rank, "alert": alert}
        if self.top:
            for row, ranking in zip(rows, self.rankings(answers), strict=True):
                row["ranking"] = [{"label": label, "probability": p} for label, p in ranking]
        return rows

    def rankings(self, answers: Answers) -> list[list[tuple[str, float]]]:
        """The likeliest classes of each answer with their probabilities."""
        order = self._order(answers)
        shares = np.take_along_axis(answers.probabilities, order, axis=1).tolist()
        return [
            [(answers.classes[c], p) for c, p in zip(classes, row, strict=True)]
            for classes, row in zip(order, shares, strict=True)
        ]

    def _order(self, answers: Answers) -> Array:
        """The likeliest classes of each answer by number; (K, top), or fewer where there are."""
        order = np.argsort(-answers.probabilities, axis=1, kind="stable")
        return np.asarray(order[:, : self.top])
