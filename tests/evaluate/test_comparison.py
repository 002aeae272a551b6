"""Models in one table: tests against the best on validation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.stats

import sub2node as s2n
from sub2node.baselines import SIMPLE
from sub2node.evaluate import assess, compare, over_splits, random_splits
from sub2node.evaluate import comparison as comparison_module
from sub2node.evaluate.result import Result
from sub2node.evaluate.significance import Summary
from sub2node.models.baseline import Simple
from sub2node.task import SubgraphAttributes, SubgraphTask


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=40,seed=3")


@pytest.mark.slow
def test_repeated_splits_are_the_same_for_every_model(task) -> None:
    first, second = random_splits(task, 3), random_splits(task, 3)
    assert [t.hash for t in first] == [t.hash for t in second]
    assert len({t.hash for t in first}) == 3
    for drawn in first:
        assert abs(drawn.split.count("train") - task.split.count("train")) <= 1
    models = [Simple(SIMPLE["majority"]), Simple(SIMPLE["bag"])]
    results = [over_splits(task, lambda _, m=m: m, splits=5, seeds=[1]) for m in models]
    assert [result.test["micro_f1"].n for result in results] == [5, 5]
    comparison = compare(results)
    assert comparison.significance_test == "corrected_resampled"
    assert "corrected resampled" in comparison.test
    assert comparison.rows[comparison.reference].p is None
    assert 0 <= comparison.rows[1 - comparison.reference].p <= 1


def result_of(
    model: str, val: float, test: list[float], *, splits: int = 0, **changes: Any
) -> Result:
    scores = {
        "val": {"micro_f1": Summary((val,))},
        "test": {"micro_f1": Summary(tuple(test))},
    }
    data = {"split": {"train": 80, "test": 20}, **({"splits": splits} if splits else {})}
    return Result(model, data, (1,), scores, {}, seconds=1.0, **changes)


def test_models_are_tested_against_the_best_on_validation() -> None:
    low, high = [0.50, 0.51, 0.52, 0.51, 0.50], [0.70, 0.71, 0.72, 0.71, 0.70]
    results = [result_of("a", 0.6, high), result_of("b", 0.9, low), result_of("c", 0.5, low)]
    comparison = compare(results)
    assert comparison.reference == 1  # not the best on test
    better, reference, same = comparison.rows
    assert (reference.p, reference.sign) == (None, "")
    welch = scipy.stats.ttest_ind(high, low, equal_var=False).pvalue
    assert better.p == pytest.approx(welch)
    assert (better.sign, same.sign) == ("∗", "∼")
    assert comparison.test == "Welch's t-test on test micro-F1, level 0.01"
    table = comparison.to_dict()
    assert table["significance_test"] == comparison.significance_test == "welch"
    assert table["reference"] == "b"
    assert [row["sign"] for row in table["models"]] == ["∗", "", "∼"]


def test_splits_are_paired() -> None:
    one, two = [0.6, 0.7, 0.8, 0.9, 0.7], [0.55, 0.66, 0.74, 0.86, 0.63]
    comparison = compare([result_of("a", 0.9, one, splits=5), result_of("b", 0.5, two, splits=5)])
    difference = np.array(two) - one
    variance = difference.var(ddof=1) * (1 / 5 + 20 / 80)  # Nadeau and Bengio
    t = difference.mean() / np.sqrt(variance)
    assert comparison.rows[1].p == pytest.approx(2 * scipy.stats.t.sf(abs(t), 4))
    assert comparison.test.startswith("corrected resampled t-test")
    assert comparison.to_dict()["significance_test"] == "corrected_resampled"


def test_models_on_different_splits_have_no_test() -> None:
    values = [0.6, 0.7, 0.8, 0.9, 0.7]
    comparison = compare([result_of("a", 0.9, values, splits=5), result_of("b", 0.5, values)])
    assert comparison.significance_test is None
    assert (comparison.rows[1].p, comparison.rows[1].sign) == (None, "?")
    assert "no test fits" in comparison.test


def test_an_interrupted_split_is_the_last(task, monkeypatch) -> None:
    ended = iter(["complete", "interrupted", "complete"])
    seen = []

    def assessed(part, model, *, seeds, threshold, positive) -> Result:
        seen.append(part.hash)
        number = len(seen) / 10
        return result_of(
            "a", number, [number], ended=next(ended), config={"features": {"kind": "x"}}
        )

    monkeypatch.setattr(comparison_module, "assess", assessed)
    result = over_splits(task, lambda part: None, splits=3, seeds=[1])
    assert len(seen) == 2
    assert result.test["micro_f1"].values == (0.1, 0.2)
    assert (result.ended, result.data["splits"], result.seconds) == ("interrupted", 2, 2.0)
    assert result.data["hash"] == task.hash
    assert result.notes == ("2 random stratified splits, 1 seed each; n counts splits.",)


@pytest.mark.slow
def test_rankings_are_joined_over_splits(task) -> None:
    model, name = Simple(SIMPLE["bag"]), task.class_names[0]
    result = over_splits(task, lambda _: model, splits=2, seeds=[1], positive=name)
    alone = [assess(part, model, seeds=[1], positive=name) for part in random_splits(task, 2)]
    assert result.positive.test.pr_auc.values == tuple(
        one.positive.test.pr_auc.mean for one in alone
    )
    assert result.positive.thresholds == tuple(one.positive.thresholds[0] for one in alone)
    areas = result.class_areas["test"]["roc_auc"]
    for label, summary in areas.items():
        assert summary.values == tuple(
            one.class_areas["test"]["roc_auc"][label].mean for one in alone
        )


def test_a_score_that_a_split_does_not_have_is_omitted(task, monkeypatch) -> None:
    results = iter([result_of("a", 0.5, [0.5]), result_of("a", 0.5, [0.7])])
    parts = random_splits(task, 2)

    def assessed(*given, **options) -> Result:
        result = next(results)
        if result.test["micro_f1"].mean == 0.5:
            result.test["roc_auc"] = Summary((0.9,))
        return result

    monkeypatch.setattr(comparison_module, "assess", assessed)
    monkeypatch.setattr(comparison_module, "random_splits", lambda *given, **more: parts)
    assert list(over_splits(task, lambda _: None, splits=2, seeds=[1]).test) == ["micro_f1"]


def test_random_splits_keep_groups_together(task) -> None:
    groups = [str(row // 3) for row in range(len(task))]
    known = replace(task, attributes=SubgraphAttributes({"paper": groups}))
    for drawn in random_splits(known, 3, groups="paper"):
        codes, values = drawn.split.codes, np.array(list(drawn.attributes["paper"]))
        assert all(len(set(codes[values == value])) == 1 for value in set(groups))
