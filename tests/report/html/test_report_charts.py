"""Charts of a report: intervals, reliability and curves."""

from __future__ import annotations

import numpy as np
import pytest

from sub2node.report.html.prediction_measures import calibration
from sub2node.report.html.report_charts import curves, intervals, reliability
from sub2node.runs.run_tables import Curves


def test_a_loss_that_jumps_stays_in_its_figure() -> None:
    losses = np.linspace(2, 1, 400)[:, None] + np.zeros((400, 3))
    losses[50, 1] = 1e9
    figure = curves(Curves({"train_loss": losses}, (7, 0, 9)), {"train_loss": "train"}, "Loss")
    [axes] = figure.axes
    line, best = axes.lines
    low, high = axes.get_ylim()
    assert low < 1
    assert 2 < high < 3
    assert len(line.get_ydata()) == 300
    assert line.get_ydata().max() < high
    assert all(
        low <= y <= high for band in axes.collections for y in band.get_paths()[0].vertices[:, 1]
    )
    assert list(best.get_xdata()) == [7, 9]


def test_scores_are_drawn_with_their_intervals() -> None:
    score = {"mean": 0.8, "interval": [0.7, 0.9], "values": [0.7, 0.75, 0.8, 0.85, 0.9]}
    models = [{"name": name, "simple": name == "bag", "test": {"micro_f1": score},
               "test_intervals": {"micro_f1": [0.6, 0.95]}}
              for name in ("bag", "s2n+a gcn2", "long" * 30)]  # fmt: skip
    [axes] = intervals(models, "s2n+a gcn2").axes
    dots = [70, 75, 80, 85, 90]
    drawn = [list(line.get_xdata()) for line in axes.lines]
    assert drawn == [pytest.approx(x) for x in ([60, 95], [70, 90], dots, [80]) * 3]
    older = [{**models[0], "test_intervals": {}}]
    assert len(intervals(older, "bag").axes[0].lines) == 3
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names[:2] == ["bag", "s2n+a gcn2"]
    assert names[2].endswith("…")
    heights = [line.get_ydata()[0] for line in axes.lines[3::4]]
    assert heights == list(axes.get_yticks())  # a name stands beside its mark
    assert [(text.get_text(), text.xy[1]) for text in axes.texts] == [("80.0", y) for y in heights]


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_the_scale_of_scores_ends_at_0_and_100(value: float) -> None:
    score = {"mean": value, "interval": [value, value], "values": [value] * 5}
    model = {"name": "bag", "simple": True, "test": {"micro_f1": score}, "test_intervals": {}}
    [axes] = intervals([model], "bag").axes
    assert len(axes.get_xticks()) > 1
    assert all(0 <= tick <= 100 for tick in axes.get_xticks())
    assert -1 < axes.get_xlim()[0] < axes.get_xlim()[1] < 101


def test_reliability_is_drawn_by_bin() -> None:
    probabilities = np.array([[0.05], [0.55], [0.57], [0.99]])
    found = calibration(probabilities, np.array([[0], [1], [0], [1]], bool), multilabel=True)
    upper, lower = reliability(found, (found,), "every label").axes
    points = np.asarray(upper.collections[0].get_offsets())
    assert np.allclose(points, [[0.05, 0], [0.56, 0.5], [0.99, 1]])
    assert [bar.get_height() for bar in lower.patches] == found.count.tolist()
    assert [text.get_text() for text in lower.texts] == ["1", "2", "1"]
