"""The summary of a report: the best model, its score, and what noise leaves open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from report_runs import made_result, simple_result, small_task
from sub2node.evaluate import compare
from sub2node.report.html import collect_findings, read_study
from sub2node.report.html.report_charts import intervals
from sub2node.report.html.report_page import render
from sub2node.report.html.report_summary import headline, verdict_text
from sub2node.runs import save_comparison, save_run


def test_where_a_simple_model_is_best_the_report_is_about_it(tmp_path: Path) -> None:
    task = small_task(80)
    bag = replace(made_result(task, 5, signal=3.0), model="bag", config={"baseline": "bag"})
    settings = {"baseline": "glass", "training": {}}
    glass = made_result(task, 5, model="glass", signal=0.7, config=settings)
    results = [made_result(task, 5, signal=0.1), bag, glass]
    folder = save_comparison(compare(results), task, tmp_path / "three")
    found = collect_findings(read_study([folder]))
    text = " ".join(found.numbers["summary"])
    assert (found.numbers["main"], found.numbers["reference"]) == ("bag", "bag")
    assert text.startswith("Of 3 models that learned")
    assert "bag, a simple model, is the best on validation." in text
    assert "The best network on validation, glass, has" in text
    assert "The best S2N model, s2n+a gcn2 (place 3 of 3 on validation), has" in text
    assert text.count("bag is significantly better (p ") == 2
    page = render(found)
    assert "<h1>Best of 3 models on random: bag</h1>" in page
    assert "Test scores of bag, in percent" in page  # details are of it too
    one = collect_findings(read_study([folder], model="s2n+a gcn2"))
    assert one.numbers["against"]["model"] == "bag"
    assert "the best of 3 models on validation is bag" in one.numbers["summary"][0]


def test_a_single_run_has_no_interval_and_no_test(tmp_path: Path) -> None:
    task = small_task()
    folder = save_run(made_result(task, 1), task, tmp_path / "one")
    bag = save_run(simple_result(task), task, tmp_path / "bag")
    found = collect_findings(read_study([folder, bag])).numbers
    assert "(one seed: no spread, no interval)" in found["summary"][1]
    assert "too few runs for a verdict" in found["summary"][2]
    assert found["against"]["p"] is None


def test_two_runs_have_no_interval_and_no_verdict(tmp_path: Path) -> None:
    task = small_task(80)
    results = [made_result(task, 2, signal=4.0), simple_result(task, 2)]
    folder = save_comparison(compare(results), task, tmp_path / "both")
    found = collect_findings(read_study([folder]))
    assert "(n = 2 seeds, too few for an interval: it needs 5)" in found.numbers["summary"][1]
    assert "points less: too few runs for a verdict" in found.numbers["summary"][2]
    assert "significant" not in " ".join(found.numbers["summary"])
    for model in found.numbers["models"]:
        assert model["test"]["micro_f1"]["interval"] is None
    page = render(found)
    assert "too few runs for an interval" in page
    assert "no significant difference</span>" not in page
    [axes] = intervals(found.numbers["models"], found.numbers["main"]).axes
    assert {len(line.get_xdata()) for line in axes.lines} == {2, 1}
    assert not [line for line in axes.lines if line.get_linewidth() == 4]  # dots, and no bar


@pytest.mark.parametrize(
    ("p", "sign", "words"),
    [
        (None, "", "too few runs for a verdict"),
        (0.2, "∼", "no significant difference (p = 0.2, a test)"),
        (0.0012, "∗", "mine is significantly better (p = 0.0012, a test)"),
        (1e-9, "", "mine is significantly worse (p < 0.0001, a test)"),
    ],
)
def test_a_verdict_says_who_is_better(p: float | None, sign: str, words: str) -> None:
    assert verdict_text({"p": p, "sign": sign, "test": "a test"}, "mine") == words


def test_only_the_best_of_several_is_called_so(tmp_path: Path) -> None:
    task = small_task(80)
    one = save_run(made_result(task, signal=2.0), task, tmp_path / "one")
    two = save_run(simple_result(task), task, tmp_path / "two")
    assert headline(read_study([one]), "data") == "s2n+a gcn2 on data"
    both = read_study([one, two])
    assert headline(both, "data") == f"Best of 2 models on data: {both.main.name}"
    other = read_study([one, two], model="bag")
    assert both.main.name != "bag"
    assert headline(other, "data") == "bag on data"
