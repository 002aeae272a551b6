"""Tables of results on the terminal say what few runs cannot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from report_runs import made_result, simple_result, small_task
from sub2node.cli import result_tables
from sub2node.cli.result_tables import compare_with_run, show_comparison, show_result
from sub2node.cli.safe_console import SafeConsole
from sub2node.evaluate import compare
from sub2node.evaluate.score_intervals import explain_intervals
from sub2node.evaluate.significance import interval_text
from sub2node.runs import read_result, save_run


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


def table_width(text: str) -> int:
    """Letters in the longest row of a table; sentences are folded by the terminal."""
    return max(len(line.rstrip()) for line in text.splitlines() if line.startswith("  "))


def test_few_runs_have_no_interval(capsys: pytest.CaptureFixture[str]) -> None:
    task = small_task()
    show_result(made_result(task, 1))
    one = printed(capsys)
    assert "one seed: no spread" in one
    assert "±" not in one
    show_result(made_result(task, 2))
    assert "2 seeds are too few for an interval; from 5 on there is one." in printed(capsys)
    show_result(made_result(task, 5))
    assert "too few" not in printed(capsys)
    show_result(simple_result(task))  # a model without randomness has no more to give
    assert "one seed" not in printed(capsys)


def test_few_runs_have_no_mark(capsys: pytest.CaptureFixture[str]) -> None:
    task = small_task()
    show_comparison(compare([simple_result(task), made_result(task, 2, signal=9.0)]))
    text = printed(capsys)
    [row] = [line for line in text.split("bag ")[1:] if line[:1].isdigit()]
    assert row.split()[2] == "?"
    assert "? fewer than 5 runs" in text


def test_both_intervals_are_shown_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    result = made_result(small_task(), 5)
    show_result(result)
    text = printed(capsys)
    assert result.test["micro_f1"].interval_text() in text
    assert interval_text(result.test_intervals["micro_f1"]) in text
    assert f"Intervals: {explain_intervals(splits=False)}" in text
    show_result(replace(result, outputs={}))
    assert "Intervals:" not in printed(capsys)


@pytest.mark.slow
def test_a_run_is_compared_by_the_test_that_fits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = small_task()
    one, two = made_result(task, 5), made_result(task, 6, signal=0.3)
    other = read_result(save_run(two, task, tmp_path / "other"))
    tested = compare_with_run(one, other)
    assert (tested["significance_test"], tested["sign"]) == ("welch", "∗")
    assert tested["test"].startswith("Welch's t-test")
    over = replace(other, data=replace(other.data, splits=5))
    splits = replace(one, data={**one.data, "splits": 5})
    tested = compare_with_run(splits, over)
    assert (tested["significance_test"], tested["same_data"]) == ("corrected_resampled", True)
    parts = replace(over, data=replace(over.data, split={"train": 40, "val": 10, "test": 10}))
    tested = compare_with_run(splits, parts)
    assert (tested["significance_test"], tested["p"], tested["sign"]) == (None, None, "?")
    show_result(splits, tested)
    assert "no verdict, since no test fits models on different splits" in printed(capsys)


def test_ranks_are_shown_of_many_classes_and_areas_where_labels_matter(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = SafeConsole(width=100, emoji=False)  # on a narrow one the longest names are folded
    monkeypatch.setattr(result_tables, "console", wide)
    show_result(made_result(small_task(classes=3), 2))
    few = printed(capsys)
    assert "PR-AUC" in few
    assert not {"Top-3", "reciprocal", "ROC-AUC"} & set(few.split())
    show_result(made_result(small_task(classes=6), 2))
    many = printed(capsys)
    assert "Top-3 accuracy" in many
    assert "Mean reciprocal rank" in many
    assert "ROC-AUC" not in many
    show_result(made_result(small_task(multilabel=True), 2))
    assert "ROC-AUC" in printed(capsys)


def test_the_positive_class_has_a_table_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    result = made_result(small_task(), 5, label="class 1")
    show_result(result)
    text = capsys.readouterr().out
    assert table_width(text) <= 80
    folded = " ".join(text.split())
    test = result.positive.test
    assert "Positive class class 1, in percent" in folded
    assert f"Prevalence 33.3 (5 of 15) 33.3 ({test.positives} of {test.subgraphs})" in folded
    assert (
        f"PR-AUC {result.positive.val.pr_auc.percent_text()} {test.pr_auc.percent_text()}" in folded
    )
    assert "Precision at 10 " in folded
    assert "Precision at 50" not in folded  # there are fewer
    assert "Threshold: a probability of 0." in folded


def test_a_comparison_has_a_row_of_the_positive_class_per_model(
    capsys: pytest.CaptureFixture[str],
) -> None:
    task = small_task()
    results = [made_result(task, 5, label="class 1"), simple_result(task, label="class 1")]
    show_comparison(compare(results))
    text = capsys.readouterr().out
    assert table_width(text) <= 80
    scores = results[1].positive.test
    areas = [f"{100 * score.mean:.1f}" for score in (scores.roc_auc, scores.pr_auc)]
    assert f"bag {' '.join(areas)} " in " ".join(text.split())
    show_comparison(compare([made_result(task, 5), simple_result(task)]))
    assert "Positive" not in printed(capsys)
