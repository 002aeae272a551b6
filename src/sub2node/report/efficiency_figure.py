"""The paper's figure of efficiency: throughput, latency, parameters and memory by data set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..efficiency.efficiency_table import METRICS, REFERENCE, EfficiencyRow, EfficiencyTable
from .drawing import (
    COLOURS,
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


@house_style()
def efficiency_figure(benchmark: EfficiencyTable) -> Figure:
    """Six panels on log axes; dashed lines and a ratio for the best S2N model against GLASS."""
    machine = benchmark.machine
    name = machine.get("name") or machine.get("processor", "")
    figure, panels = new_figure(
        max(900, 320 + 240 * len(benchmark.data)),
        1180,
        rows=3,
        cols=2,
        title="Efficiency of structures and baselines",
        subtitle=f"{machine.get('device', '')}: {name}; medians, bars from the quickest to the"
        " slowest block; dashed: GLASS and the best of S2N+0 and S2N+A, with their ratio",
    )
    labels = {data: short_name(data) for data in benchmark.data}
    for axes, metric in zip(panels, METRICS, strict=True):
        draw_metric(axes, benchmark, metric, labels)
    legend_below(figure, list(_legend_handles(benchmark)))
    return figure


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
        shape = SHAPES.get(row.conv, "circles")
        points = axes.errorbar(
            [x],
            [value],
            yerr=[[value - low], [high - value]] if high > low else None,
            fmt=_MARKERS[shape],
            ms=11 if shape == "stars" else 7,
            color=colour_of(kind),
            mec=PALETTE["paper"],
            mew=0.5,
            elinewidth=1.2,
            label=kind,
        )
        set_tip(points[0], _tip_text(benchmark, row, metric))


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
    """Colours for structures and baselines, shapes for convolutions."""
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
    for conv, shape in SHAPES.items():
        if conv and any(row.conv == conv for row in benchmark.rows):
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
