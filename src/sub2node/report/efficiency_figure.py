"""The paper's figure of efficiency: throughput, latency, parameters and memory by data set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..efficiency.efficiency_table import METRICS, REFERENCE, EfficiencyRow, EfficiencyTable
from .drawing import (
    COLOURS,
    PAGE_WIDTH,
    PALETTE,
    colour_of,
    house_style,
    legend_below,
    new_figure,
    plain_text,
    set_log_scale,
    set_tip,
)
from .number_format import ratio_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

TITLES = {
    "train_throughput": "Training subgraphs per second ↑",
    "eval_throughput": "Evaluated subgraphs per second ↑",
    "train_latency": "Training, ms per batch ↓",
    "eval_latency": "Evaluation, ms per batch ↓",
    "parameters": "Parameters ↓",
    "memory": "Memory, MB ↓",
}
SHAPES = {
    "gcn": "circles",
    "gcn2": "diamonds",
    "gin": "squares",
    "gatv2": "triangles",
    "sage": "crosses",
    "": "stars",
}
_MARKERS = {
    "circles": "o",
    "diamonds": "D",
    "squares": "s",
    "triangles": "^",
    "crosses": "X",
    "stars": "*",
}
_UNITS = {"train_latency": 1e3, "eval_latency": 1e3, "memory": 1e-6}
_BAND = 0.84  # of a data set's band, which is 1 wide, is used
_SHAPE = "like:"  # begins the name of random data of a published shape
_MOST_BESIDE = 5  # data sets whose names fit under half of a page


@house_style()
def efficiency_figure(benchmark: EfficiencyTable) -> Figure:
    """Six panels on log axes; dashed lines and a ratio for the best S2N model against GLASS."""
    machine, count = benchmark.machine, len(benchmark.data)
    name = machine.get("name") or machine.get("processor", "")
    where = f"{machine.get('device', '')}: {name}" if name else str(machine.get("device", ""))
    columns = 2 if count <= _MOST_BESIDE else 1
    figure, panels = new_figure(
        PAGE_WIDTH,
        1120 if columns == 2 else 1900,
        rows=6 // columns,
        cols=columns,
        title="Efficiency of structures and baselines",
        subtitle=". ".join(
            [
                f"{where}; marks are medians, bars reach from the quickest to the slowest block",
                *_describe_convolution(benchmark),
                *_describe_shapes(benchmark),
            ]
        ),
    )
    labels = {data: short_name(data.removeprefix(_SHAPE)) for data in benchmark.data}
    for axes, metric in zip(panels, METRICS, strict=True):
        draw_metric(axes, benchmark, metric, labels)
    legend_below(figure, list(_legend_handles(benchmark)))
    return figure


def _describe_convolution(benchmark: EfficiencyTable) -> list[str]:
    """The convolution, where all structures have the same."""
    convs = measured_convolutions(benchmark)
    return [f"All structures have {convs[0]} layers"] if len(convs) == 1 else []


def _describe_shapes(benchmark: EfficiencyTable) -> list[str]:
    """What the names under the panels stand for, where they are not those of data."""
    drawn = any(data.startswith(_SHAPE) for data in benchmark.data)
    return ["Data: random graphs with the published counts of these benchmarks"] if drawn else []


def measured_convolutions(benchmark: EfficiencyTable) -> list[str]:
    """The convolutions of the structures that were measured."""
    return list(dict.fromkeys(row.conv for row in benchmark.rows if row.conv and row.efficiency))


def draw_metric(
    axes: Axes, benchmark: EfficiencyTable, metric: str, labels: Mapping[str, str]
) -> None:
    """One panel: a band for each data set, in it a point for each model, and the ratio.

    Args:
        axes: The panel to draw in.
        benchmark: The measured rows.
        metric: One of ``METRICS``.
        labels: The text under a band, by data set.
    """
    measured = kinds(benchmark)
    for kind in measured:
        _draw_kind(axes, benchmark, kind=kind, metric=metric, measured=measured)
    ends = [
        end
        for kind in measured
        for row in _measured_rows(benchmark, kind)
        for end in _value_and_ends(row, metric)[1:]
    ]
    axes.set_title(TITLES[metric])
    set_log_scale(axes, "y", ends, room=(0.08, 0.17))
    for place, data in enumerate(benchmark.data):
        _draw_ratio(axes, benchmark, data, metric)
        if place:
            axes.axvline(place - 0.5, color=PALETTE["grid"], lw=1)
    count = len(benchmark.data)
    axes.set_xticks(range(count), [labels.get(data, data) for data in benchmark.data])
    axes.set_xlim(-0.5, count - 0.5)
    axes.grid(visible=False, axis="x")


def kinds(benchmark: EfficiencyTable) -> list[str]:
    """Structures and baselines that were measured."""
    return [kind for kind in COLOURS if any(_measured_rows(benchmark, kind))]


def _measured_rows(benchmark: EfficiencyTable, kind: str) -> Iterator[EfficiencyRow]:
    """Rows of a structure or of a baseline that were measured."""
    for row in benchmark.rows:
        if row.efficiency is not None and kind in (row.structure, row.model):
            yield row


def _value_and_ends(row: EfficiencyRow, metric: str) -> tuple[float, float, float]:
    """Median and the ends of its bar, in the unit of the panel."""
    measured = row.efficiency
    assert measured is not None
    value = float(getattr(measured, metric)) * _UNITS.get(metric, 1)
    if metric in ("parameters", "memory"):
        return value, value, value
    timing = measured.train if metric.startswith("train") else measured.evaluation
    ends = (timing.low / timing.median, timing.high / timing.median)
    if METRICS[metric]:  # a throughput is one over a time
        return value, value / ends[1], value / ends[0]
    return value, value * ends[0], value * ends[1]


def _draw_kind(
    axes: Axes, benchmark: EfficiencyTable, *, kind: str, metric: str, measured: list[str]
) -> None:
    """Draw one structure or baseline on all data sets."""
    rows, slot = list(_measured_rows(benchmark, kind)), _BAND / len(measured)
    convs = [conv for conv in SHAPES if any(row.conv == conv for row in rows)]
    for row in rows:
        x = (
            benchmark.data.index(row.data)
            + (measured.index(kind) - (len(measured) - 1) / 2) * slot
            + (convs.index(row.conv) - (len(convs) - 1) / 2) * slot * 0.8 / len(convs)
        )
        value, low, high = _value_and_ends(row, metric)
        shape = shape_of(benchmark, row.conv)
        points = axes.errorbar(
            [x],
            [value],
            yerr=[[value - low], [high - value]] if high > low else None,
            fmt=_MARKERS[shape],
            ms=12 if shape == "stars" else 8,
            color=colour_of(kind),
            mec=PALETTE["paper"],
            mew=0.5,
            elinewidth=1.2,
            label=kind,
        )
        set_tip(points[0], _tip_text(benchmark, row, metric))


def shape_of(benchmark: EfficiencyTable, conv: str) -> str:
    """The shape of a convolution; circles where there is only one, so that nothing is unnamed."""
    lone = conv and len(measured_convolutions(benchmark)) == 1
    return "circles" if lone else SHAPES.get(conv, "circles")


def _tip_text(benchmark: EfficiencyTable, row: EfficiencyRow, metric: str) -> str:
    value, low, high = _value_and_ends(row, metric)
    ratio = benchmark.ratio(row, metric)
    against = "" if ratio is None else f", {ratio_text(ratio)} of GLASS"
    span = "" if low == high else f" ({low:.4g} … {high:.4g})"
    return f"{row.data}, {row.model}: {value:.4g}{span}{against}"


def _draw_ratio(axes: Axes, benchmark: EfficiencyTable, data: str, metric: str) -> None:
    """Dashed lines at GLASS and at the best S2N model, and their ratio at the top of the band."""
    best, glass = benchmark.best(data, metric), benchmark.reference(data)
    if best is None or glass is None:
        return
    place = benchmark.data.index(data)
    for row, kind in ((glass, REFERENCE), (best, best.structure)):
        ends = (place - _BAND / 2, place + _BAND / 2)
        axes.hlines(
            _value_and_ends(row, metric)[0], *ends, color=colour_of(kind), lw=1.2, ls="--", zorder=1
        )
    ratio = benchmark.ratio(best, metric)
    assert ratio is not None
    axes.text(
        place,
        1,
        ratio_text(ratio),
        transform=axes.get_xaxis_transform(),
        ha="center",
        va="top",
        weight="bold",
        color=colour_of(best.structure),
    )


def short_name(data: str) -> str:
    """A name that fits under its band: the end of a path, broken where it is long."""
    pieces = re.split(r"(?<=[:,])", plain_text(data).rstrip("/").rsplit("/", 1)[-1])
    lines = [""]
    for piece in pieces:
        if lines[-1] and len(lines[-1]) + len(piece) > 18:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line if len(line) < 24 else f"{line[:22]}…" for line in lines[:3])


def _legend_handles(benchmark: EfficiencyTable) -> Iterator[Line2D]:
    """Colours for structures and baselines, shapes for convolutions, and the dashed lines."""
    from matplotlib.lines import Line2D

    for kind in kinds(benchmark):
        baseline = all(row.conv == "" for row in _measured_rows(benchmark, kind))
        marker = "*" if baseline else "o"
        yield Line2D(
            [],
            [],
            ls="",
            color=colour_of(kind),
            marker=marker,
            label=kind,
            ms=12 if baseline else 9,
        )
    convs = measured_convolutions(benchmark)
    for conv, shape in SHAPES.items():
        if conv in convs and len(convs) > 1:
            yield Line2D(
                [],
                [],
                ls="",
                marker=_MARKERS[shape],
                ms=8,
                mfc="none",
                mec=PALETTE["soft"],
                label=conv,
            )
    if any(benchmark.reference(data) and benchmark.best(data, "memory") for data in benchmark.data):
        text = "GLASS, and the best of s2n+0 and s2n+a; × is their ratio"
        yield Line2D([], [], ls="--", lw=1.2, color=PALETTE["soft"], label=text)
