"""Results and comparisons in a notebook."""

from __future__ import annotations

from dataclasses import replace

import pytest

from report_runs import NASTY, made_result, simple_result, small_task
from sub2node.base.metrics import METRIC_LABELS
from sub2node.evaluate import Comparison, Result, Summary, compare
from sub2node.evaluate.result_views import score_rows
from sub2node.evaluate.score_intervals import explain_intervals
from sub2node.evaluate.significance import interval_text


@pytest.fixture(scope="module")
def result() -> Result:
    return made_result(small_task(), seeds=5)


@pytest.fixture(scope="module")
def comparison(result: Result) -> Comparison:
    task = small_task()
    return compare([result, simple_result(task), made_result(task, 2, model=NASTY, signal=0.5)])


def test_a_frame_has_a_row_per_seed_and_metric(result: Result) -> None:
    frame = result.to_frame()
    assert list(frame) == ["model", "part", "metric", "seed", "score"]
    assert len(frame) == 2 * len(result.test) * 5
    test = frame[(frame["part"] == "test") & (frame["metric"] == "micro_f1")]
    assert test["seed"].tolist() == list(result.seeds)
    assert test["score"].tolist() == list(result.test["micro_f1"].values)


def test_over_splits_a_row_is_a_split(result: Result) -> None:
    table = {"micro_f1": Summary((0.5, 0.7, 0.6))}
    over = replace(result, scores={"val": table, "test": table}, data={**result.data, "splits": 3})
    frame = over.to_frame()
    assert frame["split"].tolist() == [0, 1, 2] * 2
    assert frame["score"].tolist() == [0.5, 0.7, 0.6] * 2
    assert "3 random splits, 5 seeds each" in over._repr_html_()


def test_a_score_that_a_part_does_not_have_is_a_stroke(result: Result) -> None:
    val = {name: score for name, score in result.val.items() if name != "roc_auc"}
    rows = score_rows(replace(result, scores={"val": val, "test": result.test}))
    assert [row[0] for row in rows] == [name for name in METRIC_LABELS if name in result.test]
    [row] = [row for row in rows if row[0] == "roc_auc"]
    test = result.test["roc_auc"]
    assert row[1:] == ("-", test.percent_text(), test.interval_text())


def test_a_frame_has_a_row_per_model(comparison: Comparison) -> None:
    frame = comparison.to_frame()
    assert frame["model"].tolist() == ["s2n+a gcn2", "bag", NASTY]
    assert frame["reference"].tolist() == [True, False, False]
    scores = [row.result.test["micro_f1"] for row in comparison.rows]
    assert frame["test_mean"].tolist() == [score.mean for score in scores]
    assert frame["runs"].tolist() == [5, 1, 2]
    assert frame["test_sd"].isna().tolist() == [False, True, False]  # one run has no spread
    assert frame["test_low"].isna().tolist() == [False, True, True]  # too few runs
    assert frame["test_low"][0] <= frame["test_mean"][0] <= frame["test_high"][0]
    assert frame["full_low"].isna().tolist() == [False, False, True]  # a simple model needs one
    assert frame["full_low"][0] < frame["test_low"][0] <= frame["test_high"][0]
    assert frame["full_high"][0] == comparison.rows[0].result.test_intervals["micro_f1"][1]
    assert set(frame["significance_test"]) == {"welch"}


def test_html_shows_scores_and_says_what_they_lack(result: Result) -> None:
    page = result._repr_html_()
    score = result.test["micro_f1"]
    assert f"{100 * score.mean:.1f} ± " in page
    assert f"{100 * score.interval[0]:.1f} … {100 * score.interval[1]:.1f}" in page
    assert interval_text(result.test_intervals["micro_f1"]) in page
    assert explain_intervals(splits=False) in page
    assert "95 % interval over seeds and test subgraphs" in page
    assert "over 5 runs." in page
    assert "&lt;b&gt;of the run&lt;/b&gt;" in page
    few = made_result(small_task(), seeds=2)._repr_html_()
    assert "Fewer than 5 runs give no interval." in few
    assert "…" not in few
    one = made_result(small_task(), seeds=1)._repr_html_()
    assert "One run has no spread." in one
    assert "±" not in one


def test_a_comparison_is_short_and_safe(comparison: Comparison) -> None:
    page = comparison._repr_html_()
    assert "<script" not in page
    assert page.count("best on validation") == 2  # its row and the caption
    assert comparison.test.replace("'", "&#x27;") in page
    assert repr(comparison).startswith("Comparison(3 models, best on validation: Result(s2n+a gcn2")
    assert len(repr(comparison).splitlines()) == 1
