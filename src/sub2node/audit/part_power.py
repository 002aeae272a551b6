"""What a part can show: the error of a score, and the smallest difference it can detect."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ..base.plural import examples, plural
from ..base.ragged import Array
from ..base.records import JsonObject
from ..task import Part, SubgraphTask
from .chance import binomial_error, micro_f1_of_tables, standard_error
from .check import Check, Verdict, grade, not_applicable, points
from .quick_models import truth_of_part

_NAME, _TITLE = "part_power", "What the test part can show"
_POWER = 1.960 + 0.842  # a two-sided test at 0.05 finds the difference in 4 of 5 cases
_FEW = 5  # test subgraphs of a class below which its own score says nothing
_DIFFERENCES = (0.1, 0.25)  # smallest detectable difference: a warning, a problem


def smallest_difference(error: float) -> float:
    """The difference of two models that a test at 0.05 finds in four of five cases.

    For models whose errors are independent: their difference has √2 times the standard error of
    one score. Models that err on the same subgraphs can be told apart at smaller differences.

    Args:
        error: Standard error of one score.
    """
    return _POWER * math.sqrt(2) * error


def check_part_power(
    task: SubgraphTask, parts: Sequence[Part], predicted: Mapping[Part, Array]
) -> Check:
    """Compute what the size of each part allows to say.

    Args:
        task: The data, with a split.
        parts: The parts to judge: val and test, where they have subgraphs.
        predicted: Predictions of a quick model by part, at whose score errors are computed; without
            any, at a score of one half, where they are largest.
    """
    if "test" not in parts:
        return not_applicable(
            _NAME, _TITLE, reason="there is no test subgraph.", advice="Split the data."
        )
    numbers = {part: _measure_part(task, part, predicted.get(part)) for part in parts}
    test = numbers["test"]
    verdict = grade(test["smallest_difference"], warning=_DIFFERENCES[0], problem=_DIFFERENCES[1])
    few = test["rare_classes"]
    if few and verdict is Verdict.OK:
        verdict = Verdict.WARNING
    found = "; ".join(
        f"{plural(row['subgraphs'], f'{part} subgraph')}: standard error {points(row['error'])} at"
        f" a score of {points(row['score'])}, smallest difference"
        f" {points(row['smallest_difference'])} points"
        for part, row in numbers.items()
    )
    if few:
        found += f"; fewer than {_FEW} test subgraphs of {examples(few, len(few))}"
    return Check(_NAME, _TITLE, verdict, f"{found}.", _advise(verdict, test), {"parts": numbers})


def _measure_part(task: SubgraphTask, part: Part, predicted: Array | None) -> JsonObject:
    assert task.split is not None
    size = task.split.count(part)
    score, error = 0.5, binomial_error(0.5, size)
    rare: list[str] = []
    if task.labels is not None:
        truth = truth_of_part(task, part)
        counts = truth.sum(axis=0)
        rare = [task.class_names[c] for c in np.flatnonzero((counts < _FEW) & (counts > 0))]
        if predicted is not None:
            score, error = micro_f1_of_tables(truth, predicted), standard_error(truth, predicted)
    return {
        "subgraphs": size,
        "score": score,
        "error": error,
        "smallest_difference": smallest_difference(error),
        "rare_classes": rare,
    }


def _advise(verdict: Verdict, test: JsonObject) -> str:
    if test["smallest_difference"] >= _DIFFERENCES[0]:
        return (
            "Compare models over random splits (s2n run --splits 10), and call smaller differences"
            " on this part no difference."
        )
    if verdict is Verdict.WARNING:
        return "Leave out macro-F1 and the F1 of these classes, or join rare classes."
    return "Nothing to do."
