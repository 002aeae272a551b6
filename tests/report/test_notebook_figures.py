"""What ``.plot()`` draws."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import sub2node as s2n
from report_runs import NASTY, made_result, simple_result, small_task
from sub2node import ConfigError, MissingExtraError, SubgraphTask
from sub2node.base.plotting import Drawing, ResultPicture
from sub2node.evaluate import Result, compare
from sub2node.report import notebook_figures
from sub2node.report.drawing import PALETTE
from sub2node.scoring import Answers, Contribution, Explanation


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return small_task()


def with_labels(result: Result, task: SubgraphTask) -> Result:
    """A result as a run gives it."""
    assert task.labels is not None
    assert task.split is not None
    labels = {part: task.labels[task.split.mask(part)] for part in result.outputs}
    return replace(result, labels=labels)


def texts(figure: Figure) -> list[str]:
    """All texts of a figure's panels."""
    figure.draw_without_rendering()
    return [
        text
        for axes in figure.axes
        for artist in (axes.title, axes.xaxis.label, *axes.texts, *axes.get_xticklabels(),
                       *axes.get_yticklabels(), axes._left_title)
        if (text := artist.get_text())
    ]  # fmt: skip


def test_every_drawing_is_there() -> None:
    assert all(callable(getattr(notebook_figures, name)) for name in get_args(Drawing))
    assert set(notebook_figures._KINDS) == set(get_args(ResultPicture))


@pytest.mark.slow
def test_pictures_of_a_result(task: SubgraphTask) -> None:
    result = with_labels(made_result(task, seeds=2), task)
    assert "Micro-F1, %" in texts(result.plot())
    assert "Micro-F1, %" in texts(result.plot("scores"))
    assert "Loss" in texts(result.plot("losses"))
    assert len(result.plot("reliability").axes) == 2
    assert "Test micro-F1, %" in texts(result.plot("interval"))
    assert result.plot()._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


def test_the_confusion_counts_test_subgraphs(task: SubgraphTask) -> None:
    result = with_labels(made_result(task, seeds=2), task)
    logits, labels = result.outputs["test"].logits, result.labels["test"]
    right = np.mean([(logits[:, labels == c].argmax(axis=2) == c).sum(axis=1) for c in range(3)], 1)
    figure = result.plot("confusion")
    shares = np.asarray(figure.axes[0].images[0].get_array())
    counts = np.bincount(labels)
    assert np.diag(shares) == pytest.approx(right / counts)
    assert shares.sum(axis=1) == pytest.approx(np.ones(3))
    assert "class 0" in texts(figure)


def test_the_default_is_a_picture_that_the_result_has(task: SubgraphTask) -> None:
    simple = with_labels(simple_result(task), task)
    assert len(simple.plot().axes[0].images) == 1  # confusion
    several = small_task(multilabel=True)
    assert len(with_labels(simple_result(several), several).plot().axes) == 2  # reliability
    over_splits = replace(simple, outputs={}, labels={})
    assert "Test micro-F1, %" in texts(over_splits.plot())


def test_a_picture_that_cannot_be_is_refused(task: SubgraphTask) -> None:
    simple = with_labels(simple_result(task), task)
    several = small_task(multilabel=True)
    for result, kind, message in (
        (simple, "scores", "has no scores by epoch"),
        (replace(simple, outputs={}), "confusion", "has no predictions"),
        (with_labels(simple_result(several), several), "confusion", "single-label"),
        (simple, "confusoin", "no picture 'confusoin' of a result. Did you mean 'confusion'"),
    ):
        with pytest.raises(ConfigError, match=message):
            result.plot(kind)  # type: ignore[arg-type]


def test_a_comparison_has_a_row_per_model(task: SubgraphTask) -> None:
    results = [made_result(task, 5), simple_result(task)]
    figure = compare(results).plot()
    assert {"s2n+a gcn2", "bag", f"{100 * results[0].test['micro_f1'].mean:.1f}"} <= set(
        texts(figure)
    )


@pytest.fixture
def given_answers() -> Answers:
    """Three classes for two subgraphs."""
    shares = np.array([[0.2, 0.7, 0.1], [0.5, 0.1, 0.4]])
    return Answers(
        names=("s1", NASTY),
        probabilities=shares,
        spread=shares / 10,
        known=np.ones(2),
        unknown=((), ()),
        predicted=shares == shares.max(axis=1, keepdims=True),
        classes=("red", "green", "blue"),
        multilabel=False,
    )


def test_an_answer_has_its_likeliest_classes_in_order(given_answers: Answers) -> None:
    first, second = given_answers.plot(), given_answers.plot(NASTY, most=2)
    for figure, wanted, names in (
        (first, [70, 20, 10], ["green", "red", "blue"]),
        (second, [50, 40], ["red", "blue"]),
    ):
        [axes] = figure.axes
        assert [bar.get_width() for bar in axes.patches] == pytest.approx(wanted)
        assert [label.get_text() for label in axes.get_yticklabels()] == names
        blue, *others = [to_hex(bar.get_facecolor()) for bar in axes.patches]
        assert blue == PALETTE["k0"]
        assert set(others) == {PALETTE["k10"]}
        assert len(axes.containers) == 2  # bars, and lines of the spread
    assert "1 class not shown" in second.texts[1].get_text()
    single = replace(given_answers, spread=np.full((2, 3), np.nan)).plot(1)
    assert len(single.axes[0].containers) == 1
    for wrong, message in (("s2", "Known: s1"), (2, "no answer 2: 2 answers, from 0")):
        with pytest.raises(ConfigError, match=message):
            given_answers.plot(wrong)
    with pytest.raises(ConfigError, match="at least one bar"):
        given_answers.plot(most=0)


@pytest.mark.slow
def test_an_explanation_has_a_bar_per_contribution() -> None:
    members = tuple(Contribution(f"n{k}", NASTY if k == 3 else "", 0.01 * k) for k in range(6))
    known = (Contribution("s", "Set", -0.3, 0.5),)
    why = Explanation("q", "yes", 0.35, 0.5, members, known, None, 0.0)
    figure = why.plot(most=4)
    bars = [bar.get_width() for bar in figure.axes[0].patches[:5]]
    assert bars == pytest.approx([-30, 5, 4, 3, 3])  # the last: 2 + 1 + 0
    labels = texts(figure)
    assert [x for x in labels if x in ("Set", "n5", "n4", "3 more")] == [
        "Set",
        "n5",
        "n4",
        "3 more",
    ]
    with pytest.raises(ConfigError, match="at least one bar"):
        why.plot(most=0)


@pytest.mark.slow
def test_the_s2n_graph_with_and_without_its_task(task: SubgraphTask) -> None:
    graph = s2n.translate(task)
    legends = []
    for figure in (graph.plot(), graph.plot(task)):
        legends.append([text.get_text() for text in figure.legends[0].get_texts()])
        marks = [line for line in figure.axes[0].lines if line.get_marker() in ("o", "s")]
        assert len(marks) == len(task) + task.split.count("test")  # a rim is a mark of its own
    assert legends[0] == ["train", "val", "test"]
    assert legends[1] == ["class 0", "class 1", NASTY, "train", "val", "test"]
    with pytest.raises(ConfigError, match="translated from another task"):
        graph.plot(small_task(30))


def test_a_large_graph_is_cut(task: SubgraphTask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sub2node.runs.scene.MAX_SUBGRAPHS", 40)
    figure = s2n.translate(task).plot()
    marks = [line for line in figure.axes[0].lines if line.get_mew() != 1.6]
    assert len(marks) == 40


@pytest.mark.slow
def test_of_many_classes_the_commonest_have_colours_and_the_legend_fits() -> None:
    names = tuple(f"family of diseases {i:02}" for i in range(14))
    labels = np.repeat(np.arange(14), np.arange(14) + 2)  # the last are the commonest
    task = small_task(len(labels), 2)
    task = replace(task, labels=labels, class_names=names)
    figure = s2n.translate(task).plot(task)
    figure.draw_without_rendering()
    (legend,) = figure.legends
    told = [text.get_text() for text in legend.get_texts()]
    assert told[:10] == list(names[:3:-1])
    assert told[10:] == ["4 more", "train", "val", "test"]
    box = legend.get_window_extent()
    assert 0 <= box.x0 <= box.x1 <= figure.bbox.width
    assert box.y1 <= figure.axes[0].get_window_extent().y0


def test_missing_matplotlib_is_named(task: SubgraphTask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"matplotlib.*sub2node\[report\]"):
        made_result(task).plot()
