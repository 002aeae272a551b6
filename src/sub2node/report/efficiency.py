"""The paper's figure of efficiency: throughput, latency, parameters and memory by data set."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from ..config import STRUCTURES
from ..evaluate.ratios import METRICS, REFERENCE, Benchmark, Row
from .figures import COLOURS, laid_out, plotly_modules
from .numbers import log_ticks, ratio_text, short

_TITLES = {
    "train_throughput": "Training throughput, subgraphs a second ↑",
    "eval_throughput": "Evaluation throughput, subgraphs a second ↑",
    "train_latency": "Training latency, ms a batch ↓",
    "eval_latency": "Evaluation latency, ms a batch ↓",
    "parameters": "Parameters ↓",
    "memory": "Memory, MB ↓",
}
_BASELINES = {"gnn-seg": "#bdbdbd", "gnn-plain": "#9e9e9e", "subgnn": "#757575", "glass": "#111111"}
_SIGNS = {"gcn": "circle", "gcn2": "diamond", "gin": "square", "gatv2": "triangle-up", "sage": "x",
          "": "star"}  # fmt: skip
_UNITS = {"train_latency": 1e3, "eval_latency": 1e3, "memory": 1e-6}
_WIDTH = 0.84  # of a data set's band, which is 1 wide


def efficiency_figure(found: Benchmark) -> Any:
    """Six panels on log axes; dashed lines and a ratio for the best S2N model against GLASS."""
    plotly, subplots = plotly_modules()
    figure = subplots.make_subplots(
        rows=3, cols=2, subplot_titles=[_TITLES[metric] for metric in METRICS],
        horizontal_spacing=0.07, vertical_spacing=0.08,
    )  # fmt: skip
    kinds = [kind for kind in (*STRUCTURES, *_BASELINES) if list(_rows(found, kind))]
    for number, metric in enumerate(METRICS):
        place = {"row": number // 2 + 1, "col": number % 2 + 1}
        for kind in kinds:
            figure.add_trace(_points(plotly, found, kind, kinds, metric), **place)
        _compare(figure, found, metric, place)
        _axes(figure, found, metric, place)
    for entry in _legend(plotly, found, kinds):
        figure.add_trace(entry, row=1, col=1)
    where = found.machine
    name = where.get("name") or where.get("processor", "")
    under = (
        f"{where.get('device', '')}: {name}; medians, bars from the quickest to the slowest block;"
        " dashed: GLASS and the best of S2N+0 and S2N+A, with their ratio"
    )
    laid_out(
        figure,
        "Efficiency of structures and baselines",
        under,
        (max(900, 380 + 255 * len(found.data)), 1180),
    )
    figure.update_layout(
        legend={"y": -0.05, "x": 0.5, "xanchor": "center", "itemsizing": "constant"},
        margin={"l": 60, "r": 20, "t": 110, "b": 90},
    )
    return figure


def _rows(found: Benchmark, kind: str) -> Iterator[Row]:
    """Rows of a structure or of a baseline that were measured."""
    for row in found.rows:
        if row.found is not None and kind in (row.structure, row.model):
            yield row


def _values(row: Row, metric: str) -> tuple[float, float, float]:
    """Median and the ends of its bar, in the unit of the panel."""
    got = row.found
    assert got is not None
    value = float(getattr(got, metric)) * _UNITS.get(metric, 1)
    if metric in ("parameters", "memory"):
        return value, value, value
    timing = got.train if metric.startswith("train") else got.evaluation
    ends = (timing.low / timing.median, timing.high / timing.median)
    if METRICS[metric]:  # a throughput is one over a time
        return value, value / ends[1], value / ends[0]
    return value, value * ends[0], value * ends[1]


def _points(plotly: Any, found: Benchmark, kind: str, kinds: list[str], metric: str) -> Any:
    """One structure or baseline on all data sets."""
    rows = list(_rows(found, kind))
    data, slot = found.data, _WIDTH / len(kinds)
    convs = [conv for conv in _SIGNS if any(row.conv == conv for row in rows)]
    spots = [
        data.index(row.data) + (kinds.index(kind) - (len(kinds) - 1) / 2) * slot
        + (convs.index(row.conv) - (len(convs) - 1) / 2) * slot * 0.8 / len(convs)
        for row in rows
    ]  # fmt: skip
    values = [_values(row, metric) for row in rows]
    return plotly.Scatter(
        x=spots, y=[value for value, _, _ in values], mode="markers", legendgroup=kind,
        showlegend=False, name=kind,
        text=[_words(found, row, metric) for row in rows], hoverinfo="text",
        marker={"color": _colour(kind), "size": 8 if kind in _BASELINES else 7,
                "symbol": [_SIGNS[row.conv] for row in rows],
                "line": {"color": "white", "width": 0.5}},
        error_y={"type": "data", "array": [high - value for value, _, high in values],
                 "arrayminus": [value - low for value, low, _ in values], "thickness": 1,
                 "width": 2, "color": _colour(kind)},
    )  # fmt: skip


def _words(found: Benchmark, row: Row, metric: str) -> str:
    value, low, high = _values(row, metric)
    ratio = found.ratio(row, metric)
    against = "" if ratio is None else f"<br>{ratio_text(ratio)} of GLASS"
    span = "" if low == high else f" ({low:.4g} … {high:.4g})"
    return f"{row.data}<br>{row.model}<br>{value:.4g}{span}{against}"


def _compare(figure: Any, found: Benchmark, metric: str, place: dict[str, int]) -> None:
    """Dashed lines at GLASS and at the best S2N model, and their ratio at the top of the band."""
    for number, data in enumerate(found.data):
        best, glass = found.best(data, metric), found.reference(data)
        if best is None or glass is None:
            continue
        for row, colour in ((glass, _colour(REFERENCE)), (best, _colour(best.structure))):
            level = _values(row, metric)[0]
            figure.add_shape(
                type="line", x0=number - _WIDTH / 2, x1=number + _WIDTH / 2, y0=level, y1=level,
                line={"color": colour, "width": 1.2, "dash": "dash"}, layer="below", **place,
            )  # fmt: skip
        ratio = found.ratio(best, metric)
        assert ratio is not None
        axis = figure.get_subplot(place["row"], place["col"])
        figure.add_annotation(
            text=f"<b>{ratio_text(ratio)}</b>", x=number, xref=axis.yaxis.anchor,
            y=1, yref=f"{axis.xaxis.anchor} domain", yanchor="top", showarrow=False,
            bgcolor="white", font={"size": 13, "color": _colour(best.structure)},
        )  # fmt: skip


def _axes(figure: Any, found: Benchmark, metric: str, place: dict[str, int]) -> None:
    """Log axes with room for the ratios, a name under each band, a line between bands."""
    ends = [
        end for row in found.rows if row.found is not None for end in _values(row, metric)[1:]
    ]  # fmt: skip
    low, high = math.log10(max(min(ends), 1e-12)), math.log10(max(*ends, 1e-12))
    room = max(high - low, 0.5)
    low, high = low - 0.08 * room, high + 0.17 * room
    ticks = log_ticks(10**low, 10**high)
    figure.update_yaxes(
        type="log", range=[low, high], tickvals=ticks, ticktext=[short(tick) for tick in ticks],
        **place,
    )  # fmt: skip
    count = len(found.data)
    figure.update_xaxes(
        tickvals=list(range(count)), ticktext=[_label(data) for data in found.data], tickangle=0,
        range=[-0.5, count - 0.5], showgrid=False, zeroline=False, **place,
    )  # fmt: skip
    for number in range(1, count):
        figure.add_vline(number - 0.5, line={"color": "#dddddd", "width": 1}, **place)


def _label(data: str) -> str:
    """A name that fits under its band: the end of a path, broken where it is long."""
    words = re.split(r"(?<=[:,])", data.rstrip("/").rsplit("/", 1)[-1])
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) > 18:
            lines.append("")
        lines[-1] += word
    return "<br>".join(line if len(line) < 24 else f"{line[:22]}…" for line in lines[:3])


def _legend(plotly: Any, found: Benchmark, kinds: list[str]) -> Iterator[Any]:
    """Colours for structures and baselines, signs for convolutions."""
    for kind in kinds:
        sign = "star" if kind in _BASELINES else "circle"
        marker = {"color": _colour(kind), "size": 11, "symbol": sign}
        yield plotly.Scatter(x=[None], y=[None], mode="markers", name=kind, legendgroup=kind,
                             marker=marker)  # fmt: skip
    for conv, sign in _SIGNS.items():
        if conv and any(row.conv == conv for row in found.rows):
            marker = {"color": "#555555", "size": 10, "symbol": f"{sign}-open"}
            yield plotly.Scatter(x=[None], y=[None], mode="markers", name=conv,
                                 legendgroup=f"sign {conv}", marker=marker)  # fmt: skip


def _colour(kind: str) -> str:
    return COLOURS[kind] if kind in COLOURS else _BASELINES[kind]
