"""Figures of the study with few subgraphs show what its numbers say."""

from __future__ import annotations

import pytest

from sub2node.reproduce import scarce_figures as figures
from sub2node.reproduce.scarce import ScarcePlan, ScarceRun, ScarceSpeed, ScarceStudy

SEEDS = (1, 2, 3, 4, 5)
PLAN = ScarcePlan((10, 20), ("s2n+0", "cos2n+0"), ("heavy_edge:0.2", "heavy_edge:0.3"), SEEDS)


@pytest.fixture
def found() -> ScarceStudy:
    rows, steps = [], []
    for place, (structure, coarsen) in enumerate(PLAN.models):
        for n in PLAN.sizes:
            steps.append(
                ScarceSpeed(structure, coarsen, n, 100.0 + n, 1000.0 + place, 10**6 * n, "cpu")
            )
            rows += [
                ScarceRun(
                    structure, coarsen, n, seed, 0.5 + place / 10, (n + seed + place) / 100, 0.1
                )
                for seed in PLAN.seeds
            ]
    return ScarceStudy(PLAN, tuple(rows), tuple(steps))


def lines(axes) -> dict[str, tuple[list[float], list[float]]]:
    """Places and heights of the points of each line, by its name in the legend."""
    return {
        line.get_label(): (list(line.lines[0].get_xdata()), list(line.lines[0].get_ydata()))
        for line in axes.containers
    }


def test_points_are_means_with_intervals(found: ScarceStudy) -> None:
    figure = figures.data_scarce_figure(found, "data")
    scores, _, _, memory = map(lines, figure.axes)
    assert set(scores) == {"s2n+0", "cos2n+0 (heavy_edge:0.3)"}  # the best on validation
    assert scores["s2n+0"] == ([10, 20], pytest.approx([13, 23]))
    assert scores["cos2n+0 (heavy_edge:0.3)"][1] == pytest.approx([15, 25])
    summary = found.summary("s2n+0", 10)
    bar = figure.axes[0].containers[0].lines[2][0].get_segments()[0]
    assert list(bar[:, 1]) == pytest.approx([100 * end for end in summary.interval])
    assert [heights for _, heights in memory.values()] == [[10, 20], [10, 20]]
    for axes in figure.axes:  # bars moved aside do not hide: everything is inside
        low, high = axes.get_ylim()
        assert all(low < y < high for _, ys in lines(axes).values() for y in ys)


def test_a_line_for_each_size_by_ratio(found: ScarceStudy) -> None:
    [axes] = figures.ratio_figure(found, "data").axes
    assert list(lines(axes)) == ["n = 10", "n = 20"]
    assert lines(axes)["n = 10"] == ([0.2, 0.3], pytest.approx([14, 15]))
    single = ScarceStudy(ScarcePlan((10,), ("s2n+0",), (), (1,)), (), ())
    assert figures.ratio_figure(single, "data") is None


def test_a_missing_model_leaves_its_line_out(found: ScarceStudy) -> None:
    some = ScarceStudy(PLAN, tuple(r for r in found.rows if r.structure == "s2n+0"), ())
    figure = figures.data_scarce_figure(some, "data")
    assert lines(figure.axes[0])["cos2n+0"] == ([], [])


def test_ratios_are_drawn_however_they_are_written() -> None:
    plan = ScarcePlan((2,), ("cos2n+0",), ("heavy_edge:0.30", "heavy_edge:0.40"), (10,))
    rows = tuple(ScarceRun("cos2n+0", c, 2, 10, 0.5, 0.5, 0.5) for c in plan.coarsenings)
    [axes] = figures.ratio_figure(ScarceStudy(plan, rows, ()), "x").axes
    assert lines(axes)["n = 2"][0] == [0.3, 0.4]


def test_lines_go_from_small_to_large_after_resume() -> None:
    plan = ScarcePlan((10, 20, 40), ("s2n+0",), (), (10,))
    rows = tuple(ScarceRun("s2n+0", "", n, 10, 0.5, 0.5, 0.5) for n in (10, 40, 20))
    steps = tuple(ScarceSpeed("s2n+0", "", n, 1.0, 1.0, 1, "cpu") for n in (10, 40, 20))
    figure = figures.data_scarce_figure(ScarceStudy(plan, rows, steps), "x")
    assert [lines(axes)["s2n+0"][0] for axes in figure.axes] == [[10, 20, 40]] * 4
