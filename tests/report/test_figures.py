"""Figures say what the numbers say, and are files that a person can open."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sub2node.errors import MissingExtraError
from sub2node.evaluate.scarce import Plan, Row, Scarce, Step
from sub2node.report import figures

PLAN = Plan((10, 20), ("s2n+0", "cos2n+0"), ("heavy_edge:0.2", "heavy_edge:0.3"), (1, 2))


@pytest.fixture
def found() -> Scarce:
    rows, steps = [], []
    for place, (structure, coarsen) in enumerate(PLAN.models):
        for n in PLAN.sizes:
            steps.append(Step(structure, coarsen, n, 100.0 + n, 1000.0 + place, 10**6 * n, "cpu"))
            rows += [
                Row(structure, coarsen, n, seed, 0.5 + place / 10, (n + seed + place) / 100, 0.1)
                for seed in PLAN.seeds
            ]
    return Scarce(PLAN, tuple(rows), tuple(steps))


def test_points_are_means_with_intervals(found: Scarce) -> None:
    figure = figures.data_scarce_figure(found, "data")
    scores = {trace.name: trace for trace in figure.data if trace.error_y.array is not None}
    assert set(scores) == {"s2n+0", "cos2n+0 (heavy_edge:0.3)"}  # the best on validation
    assert list(scores["s2n+0"].x) == [10, 20]
    assert list(scores["s2n+0"].y) == pytest.approx([11.5, 21.5])
    assert list(scores["cos2n+0 (heavy_edge:0.3)"].y) == pytest.approx([13.5, 23.5])
    summary = found.summary("s2n+0", 10)
    assert scores["s2n+0"].error_y.array[0] == pytest.approx(
        100 * (summary.interval[1] - summary.mean)
    )
    memory = [trace for trace in figure.data if trace.yaxis == "y4"]
    assert [list(trace.y) for trace in memory] == [[10, 20], [10, 20]]


def test_a_line_for_each_size_by_ratio(found: Scarce) -> None:
    figure = figures.ratio_figure(found, "data")
    assert [trace.name for trace in figure.data] == ["n = 10", "n = 20"]
    assert list(figure.data[0].x) == [0.2, 0.3]
    assert list(figure.data[0].y) == pytest.approx([12.5, 13.5])
    single = Scarce(Plan((10,), ("s2n+0",), (), (1,)), (), ())
    assert figures.ratio_figure(single, "data") is None


def test_a_missing_model_leaves_its_line_out(found: Scarce) -> None:
    some = Scarce(PLAN, tuple(r for r in found.rows if r.structure == "s2n+0"), ())
    figure = figures.data_scarce_figure(some, "data")
    assert next(list(t.y) for t in figure.data if t.name == "cos2n+0") == []


def test_html_needs_nothing_and_png_says_what_it_needs(found, tmp_path: Path, monkeypatch) -> None:
    figure = figures.ratio_figure(found, "data")

    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("no browser here\nand more")

    monkeypatch.setattr(type(figure), "write_image", fails)
    why = figures.save_figure(figure, tmp_path / "one")
    assert "Chrome" in why
    assert "no browser here" in why
    assert [p.name for p in tmp_path.iterdir()] == ["one.html"]


@pytest.mark.skipif(not shutil.which("chromium"), reason="PNG needs Chromium, which is not here")
def test_png(found: Scarce, tmp_path: Path) -> None:
    pytest.importorskip("kaleido")
    assert figures.save_figure(figures.data_scarce_figure(found, "data"), tmp_path / "one") == ""
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")


def test_without_plotly(monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "plotly", None)
    with pytest.raises(MissingExtraError, match="report"):
        figures.ratio_figure(Scarce(PLAN, (), ()), "data")
