"""The positive class of a model: what its card says of it, and which answers raise an alert."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..base.errors import DataError
from ..base.ragged import Array
from ..base.records import JsonObject
from ..evaluate.positive_class import HALF, PositiveClass, choose_threshold, measure_positive

if TYPE_CHECKING:
    from .answers import Answers


def describe_positive(
    target: PositiveClass, parts: Mapping[str, tuple[Array, Array]]
) -> JsonObject:
    """The entry ``positive`` of a model card.

    Its ``label``, the ``threshold`` with the best F1 of the class on validation, and for each part
    what :func:`~sub2node.evaluate.positive_class.measure_positive` says.

    Args:
        target: The class.
        parts: Labels (m,) and probabilities (m, C) of ``validation`` and, where there is one,
            ``test``.
    """
    rankings = {
        name: (target.truth(labels), probabilities[:, target.index])
        for name, (labels, probabilities) in parts.items()
    }
    threshold = choose_threshold(*rankings["validation"])
    measures = {name: measure_positive(*ranking, threshold) for name, ranking in rankings.items()}
    return {"label": target.label, "threshold": threshold, **measures}


@dataclass(frozen=True)
class PositiveAlerts:
    """Which answers are alerts: those with a probability of a class above a threshold.

    Args:
        target: The class.
        threshold: The probability.
        chosen: Whether the threshold was chosen on validation; else it is one half.
    """

    target: PositiveClass
    threshold: float
    chosen: bool

    @classmethod
    def of_model(
        cls, card: JsonObject, classes: Sequence[str], *, multilabel: bool, label: str | None = None
    ) -> PositiveAlerts | None:
        """The alerts of a model; None where neither it nor the user names a positive class.

        Args:
            card: The card of the model.
            classes: Names of its classes.
            multilabel: Whether a subgraph may have several labels.
            label: The class that the user names, instead of that of the card.

        Raises:
            ConfigError: The user's class is none of the model's.
            DataError: The entry of the card makes no sense.
        """
        known = _read_entry(card["positive"], classes) if card.get("positive") is not None else None
        if known is not None and label in (None, known[0]):
            label, threshold = known
        elif label is not None:
            threshold = HALF
        else:
            return None
        target = PositiveClass.find(label, classes, multilabel=multilabel)
        return cls(target, threshold, chosen=known is not None and label == known[0])

    def probabilities(self, answers: Answers) -> Array:
        """Probabilities of the class, (K,)."""
        return np.asarray(answers.probabilities[:, self.target.index])

    def alerts(self, answers: Answers) -> Array:
        """Which answers are alerts, bool (K,)."""
        return np.asarray(self.probabilities(answers) > self.threshold)


def rank_descending(values: Array) -> Array:
    """Ranks from 1, the highest value first; equal values share the first of their ranks."""
    negative = -values
    return np.asarray(np.searchsorted(np.sort(negative), negative) + 1)


def _read_entry(entry: object, classes: Sequence[str]) -> tuple[str, float]:
    """Class and threshold of a card; raise unless they are a class of the model and a number."""
    facts = entry if isinstance(entry, dict) else {}
    label, threshold = facts.get("label"), facts.get("threshold")
    if label not in classes or not isinstance(threshold, float) or not math.isfinite(threshold):
        raise DataError(
            f"the positive class of this model makes no sense: {label!r} above {threshold!r}; train"
            " the model anew."
        )
    return str(label), threshold
