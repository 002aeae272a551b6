"""The positive class in a report: numbers of its folder, a staircase and a dot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from report_runs import NASTY, made_result, small_task
from sub2node.report.html import collect_findings, read_study
from sub2node.report.html.precision_recall import describe_curve, draw_precision_recall
from sub2node.report.html.report_page import render
from sub2node.runs import save_run


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    task = small_task()
    result = made_result(task, 3, signal=0.5, label=NASTY)
    return collect_findings(
        read_study([save_run(result, task, tmp_path_factory.mktemp("runs") / "run")])
    )


def test_the_area_under_the_curve_is_the_score(findings) -> None:
    positive = findings.numbers["positive"]
    curves = positive["curve"]["precision_by_seed"]
    areas = [np.mean(curve) for curve in curves]
    assert areas == pytest.approx(positive["test"]["pr_auc"]["values"])
    assert positive["curve"]["recall"][-1] == 1
    assert len(positive["curve"]["recall"]) == positive["test"]["positives"]


def test_the_figure_has_every_seed_the_prevalence_and_the_threshold(findings) -> None:
    positive = findings.numbers["positive"]
    [axes] = draw_precision_recall(positive).axes
    prevalence, *seeds, mean, dot = axes.lines
    assert prevalence.get_ydata()[0] == pytest.approx(100 * positive["test"]["prevalence"])
    assert len(seeds) == 3
    heights = np.mean([line.get_ydata() for line in seeds], axis=0)
    assert mean.get_ydata() == pytest.approx(heights)
    place = [100 * positive["test"][key]["mean"] for key in ("recall", "precision")]
    assert [*dot.get_xdata(), *dot.get_ydata()] == pytest.approx(place)
    assert {text.get_text().split()[0] for text in axes.texts} == {"prevalence", "threshold"}
    assert f"{place[0]:.1f} percent" in describe_curve(positive)


@pytest.mark.slow
def test_the_page_shows_it_and_says_how_to_repeat_it(findings) -> None:
    page = render(findings)
    assert 'id="positive"' in page
    assert "<script" not in page
    assert "Precision at k = positives" in page
    assert "--positive" in findings.numbers["commands"]["s2n+a gcn2"]
    areas = findings.numbers["areas_by_class"]["roc_auc"]["class 0"]
    assert f"{100 * areas['mean']:.1f} ± {100 * areas['sd']:.1f}" in page


@pytest.mark.slow
def test_without_predictions_there_is_no_curve(findings, tmp_path: Path) -> None:
    task = small_task()
    result = replace(made_result(task, 3, label="class 1"), outputs={})
    found = collect_findings(read_study([save_run(result, task, tmp_path / "run")]))
    assert found.numbers["positive"]["curve"] is None
    page = render(found)
    assert 'id="positive"' in page
    assert "Precision by recall" not in page


def test_other_runs_have_no_such_section(tmp_path: Path) -> None:
    task = small_task()
    found = collect_findings(read_study([save_run(made_result(task), task, tmp_path / "run")]))
    assert found.numbers["positive"] is None
