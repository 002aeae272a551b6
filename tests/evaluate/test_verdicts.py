"""The rule by which tables, marks and reports name the best model and compare with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from sub2node.evaluate import Summary, welch
from sub2node.evaluate.verdicts import best_on_validation, compare_models

NETWORK = {"structure": "s2n+a", "training": {"epochs": 3}}
SIMPLE = {"baseline": "bag"}
TRAINED_BASELINE = {"baseline": "glass", "training": {"epochs": 3}}


@dataclass
class Model:
    val: dict[str, Summary]
    test: dict[str, Summary]
    config: dict[str, Any] = field(default_factory=dict)


def model(config: dict[str, Any], *test: float, val: float = 0.5) -> Model:
    return Model({"micro_f1": Summary((val,))}, {"micro_f1": Summary(test)}, config)


def test_of_ties_on_validation_the_simple_model_is_best() -> None:
    network, bag, glass = (model(c, 0.5, val=0.8) for c in (NETWORK, SIMPLE, TRAINED_BASELINE))
    better = model(NETWORK, 0.1, val=0.9)
    assert best_on_validation([network, bag, glass]) is bag
    assert best_on_validation([glass, network]) is glass
    assert best_on_validation([network, bag, better]) is better


def test_one_seed_of_a_network_is_no_evidence_but_one_value_of_a_simple_model_is() -> None:
    five = model(NETWORK, 0.9, 0.91, 0.92, 0.93, 0.94)
    assert compare_models(five, model(NETWORK, 0.5), None) == (None, "?")
    assert compare_models(model(TRAINED_BASELINE, 0.5), five, None) == (None, "?")
    p, sign = compare_models(five, model(SIMPLE, 0.5), None)
    assert p == pytest.approx(welch([0.5], list(five.test["micro_f1"].values)))
    assert sign == "∗"
    assert compare_models(model(SIMPLE, 0.5), five, None)[1] == ""
