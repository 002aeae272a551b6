"""The figure of efficiency says what the rows say."""

from __future__ import annotations

import pytest

from sub2node.efficiency.efficiency_table import METRICS, EfficiencyRow, EfficiencyTable
from sub2node.efficiency.measure import Efficiency, Timing
from sub2node.report import efficiency_figure as efficiency


def row(data: str, model: str, seconds: float, memory: int) -> EfficiencyRow:
    time = Timing(seconds, seconds / 2, seconds * 4, 3, 3)
    batches = 10 if model == "glass" else 1
    got = Efficiency(time, time, 100, 20, batches, batches, 500, memory, "cpu")
    return EfficiencyRow(data, model, efficiency=got)


@pytest.fixture
def table() -> EfficiencyTable:
    rows = (
        row("one", "s2n+0 gcn", 0.01, 10**6), row("one", "s2n+a gcn2", 0.02, 3 * 10**6),
        row("one", "glass", 7.11, 2 * 10**6), row("two", "s2n+0 gcn", 0.01, 10**6),
        EfficiencyRow("two", "s2n+a gcn2", reason="out of memory"),
    )  # fmt: skip
    return EfficiencyTable(rows, {"device": "cpu", "name": "", "processor": "a chip"})


def panel(figure, metric: str) -> dict[str, list[tuple[float, ...]]]:
    """Points (x, low, value, high) by structure or baseline."""
    axes = figure.axes[list(METRICS).index(metric)]
    points: dict[str, list[tuple[float, ...]]] = {}
    for container in axes.containers:
        line, _, bars = container.lines
        [x], [value] = line.get_xdata(), line.get_ydata()
        ends = bars[0].get_segments()[0][:, 1] if bars else (value, value)
        points.setdefault(container.get_label(), []).append((x, ends[0], value, ends[1]))
    return points


def values(points: list[tuple[float, ...]]) -> list[float]:
    return [value for _, _, value, _ in points]


@pytest.mark.slow
def test_points_are_medians_with_their_blocks(table) -> None:
    figure = efficiency.efficiency_figure(table)
    speed = panel(figure, "train_throughput")
    assert list(speed) == ["s2n+0", "s2n+a", "glass"]
    assert values(speed["s2n+0"]) == pytest.approx([10_000, 10_000])
    assert values(speed["s2n+a"]) == pytest.approx([5_000])  # what failed is not there
    assert speed["s2n+0"][0][1:] == pytest.approx((2_500, 10_000, 20_000))  # slowest, quickest
    waiting = panel(figure, "train_latency")
    assert values(waiting["glass"]) == pytest.approx([711])  # of one of ten batches, in ms
    assert waiting["glass"][0][3] == pytest.approx(4 * 711)
    assert values(panel(figure, "memory")["s2n+a"]) == [3]
    one, two = (point[0] for point in speed["s2n+0"])
    assert -0.5 < one < 0.5 < two < 1.5  # in the bands of their data
    assert one < speed["s2n+a"][0][0] < speed["glass"][0][0]


def dashed(axes) -> list[float]:
    """Heights of dashed lines."""
    return [
        float(lines.get_segments()[0][0, 1])
        for lines in axes.collections
        if lines.get_linestyle()[0][1] is not None
    ]


@pytest.mark.slow
def test_ratios_are_drawn_where_glass_was_measured(table) -> None:
    figure = efficiency.efficiency_figure(table)
    texts = [[text.get_text() for text in axes.texts] for axes in figure.axes]
    assert texts == [["×711"], ["×711"], ["×0.014"], ["×0.014"], ["×1.0"], ["×0.50"]]
    assert [len(dashed(axes)) for axes in figure.axes] == [2] * 6
    assert sorted(dashed(figure.axes[0])) == pytest.approx([100 / 7.11, 10_000])


def test_everything_is_inside_its_axis(table) -> None:
    figure = efficiency.efficiency_figure(table)
    for axes, metric in zip(figure.axes, METRICS, strict=True):
        low, high = axes.get_ylim()
        for points in panel(figure, metric).values():
            assert all(low < end < high for point in points for end in point[1:])


def test_without_glass_there_are_no_ratios(table) -> None:
    alone = EfficiencyTable(tuple(r for r in table.rows if r.model != "glass"), table.machine)
    for axes in efficiency.efficiency_figure(alone).axes:
        assert not axes.texts
        assert not dashed(axes)


@pytest.mark.slow
def test_the_legend_names_colours_and_shapes(table) -> None:
    [legend] = efficiency.efficiency_figure(table).legends
    names = [text.get_text() for text in legend.get_texts()]
    dashed = "GLASS, and the best of s2n+0 and s2n+a; × is their ratio"
    assert names == ["s2n+0", "s2n+a", "glass", "gcn", "gcn2", dashed]


@pytest.mark.slow
def test_one_convolution_needs_no_shapes(table) -> None:
    rows = tuple(r for r in table.rows if r.conv != "gcn2")
    figure = efficiency.efficiency_figure(EfficiencyTable(rows, table.machine))
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names[:2] == ["s2n+0", "glass"]
    assert "gcn" not in names
    assert any("All structures have gcn layers" in text.get_text() for text in figure.texts)
    markers = {line.lines[0].get_marker() for axes in figure.axes for line in axes.containers}
    assert markers == {"o", "*"}


def test_long_names_are_broken() -> None:
    assert efficiency.short_name("like:ppi_bp") == "like:ppi_bp"
    assert efficiency.short_name("generate:density,subgraphs=60") == (
        "generate:density,\nsubgraphs=60"
    )
    assert efficiency.short_name("/data/of/mine/") == "mine"
