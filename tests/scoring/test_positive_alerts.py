"""The positive class of a model: its entry on the card, and the alerts that follow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from ranked_answers import CLASSES, FRAUD, answers_of
from sub2node.base.errors import ConfigError, DataError
from sub2node.evaluate.positive_class import PositiveClass, measure_positive
from sub2node.scoring.positive_alerts import PositiveAlerts, describe_positive, rank_descending

CARD = {"positive": {"label": "fraud", "threshold": 0.4}}


def alerts_of(card, **options) -> PositiveAlerts | None:
    return PositiveAlerts.of_model(card, CLASSES, multilabel=False, **options)


def test_the_threshold_is_that_of_validation() -> None:
    rng, target = np.random.default_rng(0), PositiveClass("fraud", 1)
    parts = {
        name: (rng.integers(0, 3, 30), rng.dirichlet((1, 1, 1), 30))
        for name in ("validation", "test")
    }
    entry = describe_positive(target, parts)
    labels, probabilities = parts["test"]
    assert entry["test"] == measure_positive(labels == 1, probabilities[:, 1], entry["threshold"])
    alone = describe_positive(target, {"validation": parts["validation"]})
    assert alone == {key: value for key, value in entry.items() if key != "test"}


def test_the_class_of_the_card_unless_another_is_named() -> None:
    assert alerts_of({}) is None
    assert alerts_of(CARD) == alerts_of(CARD, label="fraud") == FRAUD
    other = alerts_of(CARD, label="clean")
    assert (other.target.label, other.threshold, other.chosen) == ("clean", 0.5, False)
    assert alerts_of({}, label="fraud").threshold == 0.5
    with pytest.raises(ConfigError, match=r"no class 'Fraud'\. Did you mean 'fraud'\?"):
        alerts_of(CARD, label="Fraud")


@pytest.mark.parametrize(
    "entry",
    [3, [], {"label": "fraud"}, {"label": "x", "threshold": 0.5},
     {"label": "fraud", "threshold": float("inf")}, {"label": ["fraud"], "threshold": "a"}],
)  # fmt: skip
def test_a_card_that_lies_is_refused(entry) -> None:
    with pytest.raises(DataError, match="makes no sense"):
        alerts_of({"positive": entry})


def test_an_alert_is_above_the_threshold() -> None:
    answers = answers_of([0.4, 0.41, 0.1])
    assert FRAUD.probabilities(answers).tolist() == [0.4, 0.41, 0.1]
    assert FRAUD.alerts(answers).tolist() == [False, True, False]


@given(st.lists(st.integers(0, 5), max_size=20))
def test_ranks_are_those_of_scipy(values) -> None:
    found = rank_descending(np.array(values, float))
    assert found.tolist() == rankdata([-value for value in values], method="min").tolist()
