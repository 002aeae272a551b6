"""Which interval of a test score a result has, and how it is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from report_runs import made_result, simple_result, small_task
from sub2node.evaluate import Summary, bootstrap_intervals
from sub2node.evaluate.score_intervals import explain_intervals, interval_titles
from sub2node.evaluate.significance import corrected_resampled_interval


@pytest.mark.parametrize("multilabel", [False, True])
def test_over_seeds_it_is_the_bootstrap_of_the_test_part(multilabel: bool) -> None:
    result = made_result(small_task(multilabel=multilabel), 5, signal=0.5)
    expected = bootstrap_intervals(result.labels["test"], result.outputs["test"].logits)
    assert result.test_intervals == expected
    assert set(expected) == {"micro_f1", "macro_f1", "accuracy"}
    for name, (low, high) in expected.items():
        score = result.test[name]
        assert low < score.interval[0] <= score.mean <= score.interval[1] < high
    assert result.to_dict()["test_intervals"] == {k: list(ends) for k, ends in expected.items()}
    limits = (1.0,) * 5
    if multilabel:
        assert replace(result, thresholds=limits).test_intervals != expected


def test_few_runs_have_none_but_a_model_without_randomness_has() -> None:
    task = small_task()
    assert made_result(task, 1).test_intervals == {}
    assert made_result(task, 4).test_intervals == {}
    assert simple_result(task, 2).test_intervals == {}
    bag = simple_result(task)
    low, high = bag.test_intervals["micro_f1"]
    assert low < bag.test["micro_f1"].mean < high
    assert replace(bag, labels={}).test_intervals == {}
    assert replace(bag, outputs={}).test_intervals == {}


def test_over_splits_it_is_the_corrected_one() -> None:
    values = (0.5, 0.7, 0.6, 0.8, 0.6)
    table = {"micro_f1": Summary(values), "pr_auc": Summary((0.5,) * 5)}
    result = replace(made_result(small_task(), 1), scores={"val": table, "test": table})
    over = replace(result, data={**result.data, "splits": 5}, outputs={}, labels={})
    sizes = result.data["split"]
    expected = corrected_resampled_interval(values, train=sizes["train"], test=sizes["test"])
    assert over.test_intervals == {"micro_f1": expected}  # the other one has no spread
    assert replace(over, data={**over.data, "split": {}}).test_intervals == {}
    score = over.test["micro_f1"]
    assert expected[0] < score.interval[0] < score.interval[1] < expected[1]


@pytest.mark.parametrize("splits", [False, True])
def test_both_intervals_are_explained_in_one_sentence(splits: bool) -> None:
    narrow, wide = interval_titles(splits=splits)
    text = explain_intervals(splits=splits)
    assert narrow in text
    assert text.count(".") == 1
    assert wide.rsplit(" ", 1)[1] in text
