"""The figure of a search shows its trials, the best so far, and which axes mattered."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from studies import spec
from sub2node.report.tuning_figure import study_figure
from sub2node.tune.search_result import SearchResult, Trial

SCORES = (0.5, 0.7, 0.6, 0.9, 0.8)


@pytest.fixture
def result() -> SearchResult:
    point = {"training.lr": 0.012345, "model.layers": 2}
    complete = [Trial(n, "complete", point, value, (value,)) for n, value in enumerate(SCORES)]
    others = [Trial(5, "pruned", point, 0.4), Trial(6, "failed", point, reason="no memory.")]
    shares = {"training.lr": 0.75, "model.layers": 0.25}
    return SearchResult(spec(), (*complete, *others), importance=shares)


def test_every_trial_has_its_mark_and_the_line_is_the_best_so_far(result: SearchResult) -> None:
    axes = study_figure(result).axes[0]
    marks = [line for line in axes.lines if line.get_marker() == "o"]
    points = sorted((line.get_xdata()[0], line.get_ydata()[0]) for line in marks)
    expected = [*((n, 100 * score) for n, score in enumerate(SCORES)), (5, 40)]
    assert np.array(points) == pytest.approx(np.array(expected))
    (best,) = (line for line in axes.lines if line.get_label() == "best so far")
    assert best.get_ydata().tolist() == pytest.approx(100 * np.maximum.accumulate(SCORES))
    labels = [line.get_label() for line in marks if not line.get_label().startswith("_")]
    assert [label for label in labels if label] == ["completed", "given up early"]


def test_one_seed_has_no_spread(result: SearchResult) -> None:
    texts = [text.get_text() for text in study_figure(result).texts]
    assert any("7 trials of 1 seed; the best is trial 3 with 90.0; trials" in t for t in texts)


def test_bars_are_the_shares_of_the_axes(result: SearchResult) -> None:
    axes = study_figure(result).axes[1]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([75, 25])
    assert [label.get_text() for label in axes.get_yticklabels()] == list(result.importance)
    assert {"75 %", "25 %"} <= {text.get_text() for text in axes.texts}


def test_without_importance_there_is_one_panel(result: SearchResult) -> None:
    figure = study_figure(SearchResult(result.spec, result.trials))
    assert len(figure.axes) == 1
