"""The figure of efficiency says what the rows say."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node.errors import MissingExtraError
from sub2node.evaluate.efficiency import Efficiency, Timing
from sub2node.evaluate.ratios import METRICS, Benchmark, Row
from sub2node.report import efficiency
from sub2node.report.numbers import log_ticks, ratio_text, short


def row(data: str, model: str, seconds: float, memory: int) -> Row:
    time = Timing(seconds, seconds / 2, seconds * 4, 3, 3)
    batches = 10 if model == "glass" else 1
    got = Efficiency(time, time, 100, 20, batches, batches, 500, memory, "cpu")
    return Row(data, model, found=got)


@pytest.fixture
def found() -> Benchmark:
    rows = (
        row("one", "s2n+0 gcn", 0.01, 10**6), row("one", "s2n+a gcn2", 0.02, 3 * 10**6),
        row("one", "glass", 7.11, 2 * 10**6), row("two", "s2n+0 gcn", 0.01, 10**6),
        Row("two", "s2n+a gcn2", reason="out of memory"),
    )  # fmt: skip
    return Benchmark(rows, {"device": "cpu", "name": "", "processor": "a chip"})


def panel(figure, metric: str) -> dict[str, object]:
    number = list(METRICS).index(metric) + 1
    axis = "y" if number == 1 else f"y{number}"
    traces = [t for t in figure.data if t.yaxis == axis and t.x[0] is not None]
    return {trace.name: trace for trace in traces}


def test_points_are_medians_with_their_blocks(found) -> None:
    figure = efficiency.efficiency_figure(found)
    speed = panel(figure, "train_throughput")
    assert list(speed) == ["s2n+0", "s2n+a", "glass"]
    assert list(speed["s2n+0"].y) == pytest.approx([10_000, 10_000])
    assert list(speed["s2n+a"].y) == pytest.approx([5_000])  # what failed is not there
    assert speed["s2n+0"].error_y.array[0] == pytest.approx(10_000)  # the quickest block
    assert speed["s2n+0"].error_y.arrayminus[0] == pytest.approx(7_500)
    waiting = panel(figure, "train_latency")
    assert list(waiting["glass"].y) == pytest.approx([711])  # of one of ten batches, in ms
    assert waiting["glass"].error_y.array[0] == pytest.approx(3 * 711)
    assert list(panel(figure, "memory")["s2n+a"].y) == [3]
    one, two = speed["s2n+0"].x
    assert -0.5 < one < 0.5 < two < 1.5  # in the bands of their data
    assert one < speed["s2n+a"].x[0] < speed["glass"].x[0]


def test_ratios_are_drawn_where_glass_was_measured(found) -> None:
    figure = efficiency.efficiency_figure(found)
    texts = {a.yref: a.text for a in figure.layout.annotations if "×" in a.text}
    assert texts == {
        "y domain": "<b>×711</b>", "y2 domain": "<b>×711</b>", "y3 domain": "<b>×0.014</b>",
        "y4 domain": "<b>×0.014</b>", "y5 domain": "<b>×1.0</b>", "y6 domain": "<b>×0.50</b>",
    }  # fmt: skip
    dashed = [shape for shape in figure.layout.shapes if shape.line.dash == "dash"]
    assert len(dashed) == 2 * 6
    levels = sorted(shape.y0 for shape in dashed if shape.yref == "y")
    assert levels == pytest.approx([100 / 7.11, 10_000])


def test_everything_is_inside_its_axis(found) -> None:
    figure = efficiency.efficiency_figure(found)
    for number, metric in enumerate(METRICS, start=1):
        low, high = figure.layout[f"yaxis{number if number > 1 else ''}"].range
        for trace in panel(figure, metric).values():
            for value in trace.y:
                assert low < math.log10(value) < high


def test_without_glass_there_are_no_ratios(found) -> None:
    alone = Benchmark(tuple(r for r in found.rows if r.model != "glass"), found.machine)
    figure = efficiency.efficiency_figure(alone)
    assert not [a for a in figure.layout.annotations if "×" in a.text]
    assert len(figure.layout.shapes) == 6  # lines between the two data sets


def test_long_names_are_broken() -> None:
    assert efficiency._label("like:ppi_bp") == "like:ppi_bp"
    assert efficiency._label("generate:density,subgraphs=60") == (
        "generate:density,<br>subgraphs=60"
    )
    assert efficiency._label("/data/of/mine/") == "mine"


def test_without_plotly(found, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "plotly", None)
    with pytest.raises(MissingExtraError, match="report"):
        efficiency.efficiency_figure(found)


@given(st.floats(1e-9, 1e12))
def test_short_numbers_are_near(value) -> None:
    text = short(value)
    size = {"k": 1e3, "M": 1e6, "G": 1e9}.get(text[-1], 1)
    assert float(text.rstrip("kMG")) * size == pytest.approx(value, rel=0.0051)
    if 0.001 < value < 999e9:
        assert len(text) <= 8


@pytest.mark.parametrize(
    ("value", "text"), [(999.4, "999"), (999.6, "1k"), (12345, "12.3k"), (1, "1"), (0.012, "0.012")]
)  # fmt: skip
def test_short_numbers(value, text) -> None:
    assert short(value) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(710.7, "×711"), (9.96, "×10"), (7.34, "×7.3"), (1.05, "×1.1"), (0.0523, "×0.052"),
     (12345, "×12,345")],
)  # fmt: skip
def test_ratios_as_text(ratio, text) -> None:
    assert ratio_text(ratio) == text


@given(st.floats(1e-6, 1e9), st.floats(1.7, 1e12))
def test_ticks_are_few_and_inside(low, times) -> None:
    ticks = log_ticks(low, low * times)
    assert 1 <= len(ticks) <= 8
    assert all(low <= tick <= low * times for tick in ticks)
    assert ticks == sorted(set(ticks))
