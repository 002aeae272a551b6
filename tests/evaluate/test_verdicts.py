"""The rule by which tables, marks and reports name the best model and compare with it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from sub2node.evaluate import Summary, corrected_resampled_t_test, welch
from sub2node.evaluate.verdicts import (
    ScoredOn,
    Verdict,
    best_on_validation,
    choose_test,
    compare_models,
    describe_test,
)

NETWORK = {"structure": "s2n+a", "training": {"epochs": 3}}
SIMPLE = {"baseline": "bag"}
TRAINED_BASELINE = {"baseline": "glass", "training": {"epochs": 3}}

SIZES = {"train": 80, "val": 10, "test": 10}
SEEDS, SPLITS = ScoredOn("a", 0, SIZES), ScoredOn("a", 5, SIZES)


@dataclass
class Model:
    val: dict[str, Summary]
    test: dict[str, Summary]
    config: dict[str, Any] = field(default_factory=dict)
    scored_on: ScoredOn = SEEDS


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
    unknown = Verdict("welch", None, "?")
    assert compare_models(five, model(NETWORK, 0.5)) == unknown
    assert compare_models(model(TRAINED_BASELINE, 0.5), five) == unknown
    verdict = compare_models(five, model(SIMPLE, 0.5))
    assert verdict.p == pytest.approx(welch([0.5], list(five.test["micro_f1"].values)))
    assert (verdict.test, verdict.sign) == ("welch", "∗")
    assert compare_models(model(SIMPLE, 0.5), five).sign == ""


def test_one_run_of_an_ensemble_is_no_evidence() -> None:
    best = model({"baseline": "best", "minutes": 5.0}, 0.9)
    for other in (model(NETWORK, 0.5, 0.51, 0.52, 0.53, 0.54), model(SIMPLE, 0.5)):
        assert compare_models(best, other) == Verdict("welch", None, "?")
        assert compare_models(other, best) == Verdict("welch", None, "?")


@pytest.mark.parametrize(
    ("other", "test"),
    [
        (SPLITS, "corrected_resampled"),
        (replace(SPLITS, splits=3), "corrected_resampled"),  # the first three are the same
        (SEEDS, None),
        (replace(SPLITS, hash="b"), None),
        (replace(SPLITS, sizes={**SIZES, "test": 20}), None),
    ],
)
def test_only_scores_on_the_same_splits_are_paired(other: ScoredOn, test: str | None) -> None:
    assert choose_test(SPLITS, other) == choose_test(other, SPLITS) == test
    assert choose_test(SEEDS, SEEDS) == "welch"
    assert ("corrected" in describe_test(test)) == (test is not None)


def test_of_an_interrupted_model_the_first_splits_are_compared() -> None:
    """Test and mark are of the same values: on the splits that both have, the first is better."""
    ours = model(NETWORK, 0.9, 0.91, 0.92, 0.93, 0.95)
    longer = model(NETWORK, 0.5, 0.52, 0.53, 0.54, 0.55, *[1.0] * 95)
    ours.scored_on, longer.scored_on = SPLITS, replace(SPLITS, splits=100)
    pair = ours.test["micro_f1"].values, longer.test["micro_f1"].values[:5]
    expected = corrected_resampled_t_test(*pair, train=80, test=10)
    assert compare_models(ours, longer) == Verdict("corrected_resampled", expected, "∗")
    few = model(SIMPLE, 0.9, 0.91, 0.92, 0.93)
    few.scored_on = replace(SPLITS, splits=4)
    assert compare_models(few, ours) == Verdict("corrected_resampled", None, "?")
