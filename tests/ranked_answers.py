"""Answers with a positive class, made without a model."""

from __future__ import annotations

import numpy as np

from sub2node.evaluate.positive_class import PositiveClass
from sub2node.scoring.answer_extras import AnswerExtras
from sub2node.scoring.answers import Answers
from sub2node.scoring.positive_alerts import PositiveAlerts

CLASSES = ("clean", "fraud", "unclear")
FRAUD = PositiveAlerts(PositiveClass("fraud", 1), 0.4, chosen=True)
RANKED = AnswerExtras(2, FRAUD)


def answers_of(fraud: list[float], first: int = 0) -> Answers:
    """Answers with these probabilities of fraud; what is left is two thirds clean."""
    p = np.array(fraud)
    table = np.stack([(1 - p) * 2 / 3, p, (1 - p) / 3], axis=1)
    return Answers(
        names=tuple(f"s{first + number}" for number in range(len(p))),
        probabilities=table,
        spread=table / 10,
        known=np.ones(len(p)),
        unknown=((),) * len(p),
        predicted=table.argmax(axis=1)[:, None] == range(3),
        classes=CLASSES,
        multilabel=False,
    )


PIECES = (answers_of([0.1, 0.5]), answers_of([]), answers_of([0.5, 0.9, 0.3], first=2))
