"""The summary of a report: the best model, its score, and what noise leaves open."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from report_runs import made_result, simple_result, small_task
from sub2node.evaluate import compare
from sub2node.evaluate.score_intervals import explain_intervals
from sub2node.evaluate.significance import interval_text
from sub2node.report.html import collect_findings, read_study
from sub2node.report.html.report_charts import intervals
from sub2node.report.html.report_page import render
from sub2node.report.html.report_summary import headline, verdict_text
from sub2node.runs import save_comparison, save_run


@pytest.mark.slow
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
    assert "the test between models, covers variation between seeds, not between test sets." in text
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


def test_a_command_names_the_data_as_they_were_given(tmp_path: Path) -> None:
    task = small_task()
    for made, words in ((made_result(task, 1), "--model bag"), (simple_result(task), "s2n.a")):
        made.data["given"] = "'my sets.gmt'"
        folder = save_run(made, task, tmp_path / words)
        summary = " ".join(collect_findings(read_study([folder])).numbers["summary"])
        assert re.search(f"s2n run 'my sets.gmt' --.*{words}", summary)


@pytest.mark.slow
def test_where_nothing_varies_no_spread_is_explained(tmp_path: Path) -> None:
    task = small_task()
    pages = [
        render(collect_findings(read_study([save_run(result, task, tmp_path / name)])))
        for name, result in (("one", made_result(task, 1)), ("five", made_result(task, 5)))
    ]
    words = ("± is the standard", "mean of the seeds", "95 % over seeds", "Intervals: ")
    assert [[word in page for word in words] for page in pages] == [[False] * 4, [True] * 4]
    assert "Each model ran once" in pages[0]


@pytest.mark.slow
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
    numbers = {"p": p, "sign": sign, "test": "a test", "significance_test": "welch"}
    assert verdict_text(numbers, "mine") == words


def test_without_a_test_that_fits_there_is_no_verdict() -> None:
    numbers = {"p": None, "sign": "?", "test": "no test fits", "significance_test": None}
    assert verdict_text(numbers, "mine") == "no verdict, since no test fits"


@pytest.mark.slow
def test_the_summary_has_the_interval_over_test_subgraphs_too(tmp_path: Path) -> None:
    task = small_task(80)
    result = made_result(task, 5)
    found = collect_findings(read_study([save_run(result, task, tmp_path / "new")]))
    score, wide = result.test["micro_f1"], result.test_intervals["micro_f1"]
    both = f"{interval_text(wide)}, over seeds alone {score.interval_text()}, n = 5 seeds)"
    assert f"(95 % interval over seeds and test subgraphs {both}" in found.numbers["summary"][1]
    assert found.numbers["models"][0]["test_intervals"]["micro_f1"] == list(wide)
    assert found.numbers["significance_test"] == "welch"
    assert "not between test sets" not in " ".join(found.numbers["summary"])
    page = render(found)
    assert f"95 %: {interval_text(wide)}" in page
    assert "95 % over seeds and test subgraphs</th>" in page
    assert explain_intervals(splits=False) in page

    older = save_run(result, task, tmp_path / "old")
    facts = json.loads((older / "result.json").read_text())
    del facts["test_intervals"]
    (older / "result.json").write_text(json.dumps(facts))
    (older / "checksums.json").unlink()
    found = collect_findings(read_study([older]))
    assert f"(95 % interval over seeds {score.interval_text()}, n" in found.numbers["summary"][1]
    assert "; the interval covers variation between seeds, not" in found.numbers["summary"][-1]
    assert f"95 % over seeds: {score.interval_text()}" in render(found)


def test_over_splits_the_summary_has_the_corrected_interval(tmp_path: Path) -> None:
    task = small_task(80)
    result = made_result(task, 5, outputs={}, labels={}, history={}, thresholds=())
    result = replace(result, data={**result.data, "splits": 5}, seeds=(10,))
    found = collect_findings(read_study([save_run(result, task, tmp_path / "run")])).numbers
    wide = interval_text(result.test_intervals["micro_f1"])
    assert f"(corrected 95 % interval over splits {wide}, n = 5 splits)" in found["summary"][1]
    assert found["significance_test"] == "corrected_resampled"


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
