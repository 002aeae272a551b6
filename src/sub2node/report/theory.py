"""Figures of the theory: one a claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, get_args

import numpy as np

from ..errors import ConfigError, suggest
from ..evaluate.theory import Claim
from ..evaluate.theory.sampling import Degrees, Sets
from .figures import COLOURS, laid_out, plotly_modules

_SHADES = ("#2e4057", "#00798c", "#66a182", "#edae49", "#8d96a3")
_FAILED, _GREY = "#d1495b", "#8d96a3"
_STRUCTURES = {**COLOURS, "glass": "#111111"}
_SIGNS = {"glass": "star", "connected": "circle", "s2n+0": "square", "s2n+a": "diamond"}
_SMALLEST = 1e-18  # where a difference of 0 stands on a log axis


def claim_figure(claim: Claim) -> Any:
    """The figure of a claim, from its data alone."""
    if claim.name not in _FIGURES:
        raise ConfigError(f"no figure shows {claim.name!r}.{suggest(claim.name, _FIGURES)}")
    return _FIGURES[claim.name](claim)


def _lemma(claim: Claim) -> Any:
    plotly, subplots = plotly_modules()
    figure = subplots.make_subplots(rows=1, cols=1)
    for sets, values in claim.data["differences"].items():
        shown = np.maximum(values, _SMALLEST)
        figure.add_trace(plotly.Box(y=shown, name=sets, boxpoints="all", jitter=0.4, pointpos=0,
                                    marker={"size": 4, "opacity": 0.5, "color": _SHADES[1]},
                                    line={"width": 1}, showlegend=False))  # fmt: skip
    figure.add_hline(y=1e-12, line={"dash": "dash", "color": _FAILED})
    figure.update_yaxes(type="log", exponentformat="power", dtick=2, range=[-18.3, -11],
                        title="Largest difference of an entry (0 at the bottom)")  # fmt: skip
    figure.update_xaxes(title="Subgraphs", tickangle=0 if len(figure.data) < 8 else 30)
    under = f"{_count(claim)}; below the dashed line both sides count as equal"
    figure = laid_out(figure, claim.title, under, (1000, 520))
    return figure.update_layout(margin={"l": 90})


def _errors(claim: Claim) -> Any:
    """Bound against error, corrected and printed, with the line where they are equal."""
    plotly, subplots = plotly_modules()
    titles = ("Corrected bound", "Printed bound")
    figure = subplots.make_subplots(rows=1, cols=2, subplot_titles=titles, horizontal_spacing=0.09)
    # Errors that are rounding alone, with X = R X̂ or no edges, would stretch the axes.
    points = [p for p in claim.data["points"] if p[1] != "rebuilt" and p[2] > 1e-9 * max(p[3:])]
    kinds = list(dict.fromkeys(p[1] for p in points))
    for column, place in ((1, 3), (2, 4)):
        for kind, shade in zip(kinds, _SHADES, strict=False):
            chosen = [p for p in points if p[1] == kind]
            figure.add_trace(
                plotly.Scattergl(
                    x=[p[2] for p in chosen], y=[p[place] for p in chosen], mode="markers",
                    name=f"{kind} features", legendgroup=kind, showlegend=column == 1,
                    text=[p[0] for p in chosen],
                    marker={"size": 5, "opacity": 0.55, "color": shade},
                ),
                row=1, col=column,
            )  # fmt: skip
        failed = [p for p in points if p[2] > p[place] * (1 + 1e-9)]
        figure.add_trace(
            plotly.Scattergl(
                x=[p[2] for p in failed], y=[p[place] for p in failed], mode="markers",
                name="does not hold", legendgroup="failed", showlegend=column == 2,
                text=[p[0] for p in failed],
                marker={"size": 8, "color": _FAILED, "symbol": "x"},
            ),
            row=1, col=column,
        )  # fmt: skip
        _diagonal(plotly, figure, [v for p in points for v in p[2:]], column)
    figure.update_yaxes(title="Bound", col=1)
    figure.update_xaxes(title="Measured error")
    under = _count(claim)
    if claim.printed_held is not None:
        under += f"; as printed in {claim.printed_held:,}"
    return laid_out(figure, claim.title, f"{under}; above the line the bound holds", (1000, 520))


def _links(claim: Claim) -> Any:
    """P(Â ≥ c) by c, one panel for each way of drawing sets and each distribution of degrees."""
    plotly, subplots = plotly_modules()
    sets, degrees = get_args(Sets), get_args(Degrees)
    ways = ("sets drawn uniformly", "sets drawn by degree", "sets met by walks")
    titles = [f"{way}, {one} degrees" for way in ways for one in degrees]
    figure = subplots.make_subplots(
        rows=3, cols=3, subplot_titles=titles, shared_xaxes=True, shared_yaxes=True,
        horizontal_spacing=0.03, vertical_spacing=0.07,
    )  # fmt: skip
    curves, levels = claim.data["curves"], claim.data["levels"]
    nodes = min(curve["nodes"] for curve in curves)
    chosen = [c for c in curves if c["nodes"] == nodes and c["sizes"] == "fixed"]
    sizes = sorted({curve["size"] for curve in chosen})
    for curve in chosen:
        row, column = sets.index(curve["sets"]) + 1, degrees.index(curve["degrees"]) + 1
        shade, first = _SHADES[sizes.index(curve["size"])], row == column == 1
        for what, dash in (("measured", "solid"), ("bound", "dash"), ("general", "dot")):
            if what == "general" and curve["sets"] == "uniform":
                continue
            values = [value if value > 0 else None for value in curve[what]]
            figure.add_trace(
                plotly.Scatter(
                    x=levels, y=values, mode="lines+markers" if what == "measured" else "lines",
                    name=f"{what}, size {curve['size']}", legendgroup=f"{what}{curve['size']}",
                    showlegend=first and what != "general",
                    line={"color": shade, "dash": dash, "width": 2}, marker={"size": 6},
                ),
                row=row, col=column,
            )  # fmt: skip
    dotted = {"color": _GREY, "dash": "dot"}
    figure.add_trace(
        plotly.Scatter(x=[None], y=[None], mode="lines", name="pᵀ A p / c", line=dotted),
        row=1, col=1,
    )  # fmt: skip
    figure.update_xaxes(type="log", tickvals=levels, ticktext=[str(c) for c in levels])
    figure.update_xaxes(title="c", row=3)
    low = 0.5 / claim.data["pairs"]
    figure.update_yaxes(type="log", exponentformat="power", range=[np.log10(low), 1], dtick=1)
    figure.update_yaxes(title="P(Â<sub>ij</sub> ≥ c)", col=1)
    under = f"{_count(claim)} (uniform sets); shown: {nodes} nodes, sets of fixed size"
    figure = laid_out(figure, claim.title, under, (1050, 900))
    return figure.update_layout(legend={"y": -0.09}, margin={"b": 100})


def _virtual(claim: Claim) -> Any:
    """With over without virtual subgraphs by ratio: error, rest with Rᵀ X, rest with the best X̂."""
    plotly, subplots = plotly_modules()
    parts = {"error": "Error of the original subgraphs", "rest": "‖X - R Rᵀ X‖",
             "best": "‖X - R X̂‖ with the best X̂"}  # fmt: skip
    figure = subplots.make_subplots(
        rows=1, cols=3, subplot_titles=list(parts.values()), shared_yaxes=True,
        horizontal_spacing=0.03,
    )  # fmt: skip
    points = claim.data["points"]
    data = sorted({p["data"] for p in points}, key=lambda name: (name != "random graphs", name))
    for column, what in enumerate(parts, start=1):
        for number, name in enumerate(data):
            for features, dash in (("smooth", "solid"), ("normal", "dash")):
                mine = [p for p in points if (p["data"], p["features"]) == (name, features)]
                ratios = sorted({p["ratio"] for p in mine})
                spread = [
                    [p[what][1] / max(p[what][0], 1e-300) for p in mine if p["ratio"] == r]
                    for r in ratios
                ]
                middle = [float(np.median(values)) for values in spread]
                ends = [np.quantile(values, (0.25, 0.75)) for values in spread]
                figure.add_trace(
                    plotly.Scatter(
                        x=ratios, y=middle, mode="lines+markers", name=f"{name}, {features}",
                        legendgroup=name + features, showlegend=column == 1,
                        line={"color": _SHADES[number % 5], "dash": dash, "width": 2},
                        error_y={"type": "data", "thickness": 1, "width": 3,
                                 "array": [e[1] - m for e, m in zip(ends, middle, strict=True)],
                                 "arrayminus": [m - e[0]
                                                for e, m in zip(ends, middle, strict=True)]},
                    ),
                    row=1, col=column,
                )  # fmt: skip
        figure.add_hline(y=1, line={"color": _FAILED, "dash": "dot"}, row=1, col=column)
    figure.update_xaxes(title="Coarsening ratio (fraction of nodes removed)")
    figure.update_yaxes(title="With / without virtual subgraphs", col=1)
    figure.update_yaxes(rangemode="tozero")
    under = f"error fell in {claim.printed_held:,} of {claim.cases:,} cases; medians,"
    return laid_out(figure, claim.title, f"{under} bars are the middle half", (1100, 500))


def _operations(claim: Claim) -> Any:
    plotly, subplots = plotly_modules()
    figure = subplots.make_subplots(rows=1, cols=1)
    points = claim.data["points"]
    for structure, sign in _SIGNS.items():
        mine = [p for p in points if p[0] == structure]
        figure.add_trace(_dots(plotly, [p[1:] for p in mine], structure, sign))
    _diagonal(plotly, figure, [v for p in points for v in p[1:]], 1)
    figure.update_xaxes(title="Formula")
    figure.update_yaxes(title="Counted multiplications")
    return laid_out(
        figure, claim.title, f"{_count(claim)}; line: as many as the formula", (800, 560)
    )


def _time(claim: Claim) -> Any:
    plotly, subplots = plotly_modules()
    titles = ("Time against the formula", "Time against the fitted sum of terms")
    figure = subplots.make_subplots(rows=1, cols=2, subplot_titles=titles, horizontal_spacing=0.1)
    points = claim.data["points"]
    for structure, sign in _SIGNS.items():
        mine = [p for p in points if p[0] == structure]
        words = [f"{p[1]} = {p[2]}" for p in mine]
        for column, values in ((1, [(p[3], 1e3 * p[4]) for p in mine]),
                               (2, [(1e3 * p[5], 1e3 * p[4]) for p in mine])):  # fmt: skip
            trace = _dots(plotly, values, structure, sign, words)
            trace.showlegend = column == 1
            figure.add_trace(trace, row=1, col=column)
    figure.update_xaxes(type="log", exponentformat="power", dtick=1, title="Formula", col=1)
    figure.update_yaxes(type="log", exponentformat="power", dtick=1, title="Milliseconds", col=1)
    _diagonal(plotly, figure, [1e3 * v for p in points for v in p[4:]], 2)
    figure.update_xaxes(title="Fitted milliseconds", col=2)
    return laid_out(figure, claim.title, f"{_count(claim)} to a factor of 2", (1000, 520))


def _dots(
    plotly: Any, values: Iterable[Any], structure: str, sign: str, words: list[str] | None = None
) -> Any:
    pairs = list(values)
    return plotly.Scatter(
        x=[x for x, _ in pairs], y=[y for _, y in pairs], mode="markers", name=structure,
        legendgroup=structure, text=words,
        marker={"color": _STRUCTURES[structure], "symbol": sign, "size": 8, "opacity": 0.75},
    )  # fmt: skip


def _diagonal(plotly: Any, figure: Any, values: list[float], column: int) -> None:
    """Log axes, and the line where both are equal."""
    positive = [value for value in values if value > 0] or [1.0]
    ends = [min(positive) / 1.5, max(positive) * 1.5]
    figure.add_trace(
        plotly.Scatter(x=ends, y=ends, mode="lines", line={"color": _GREY, "dash": "dash"},
                       showlegend=False, hoverinfo="skip"),
        row=1, col=column,
    )  # fmt: skip
    decades = float(np.log10(ends[1] / ends[0]))
    step = max(1, round(decades / 6))
    figure.update_xaxes(type="log", exponentformat="power", dtick=step, col=column)
    figure.update_yaxes(type="log", exponentformat="power", dtick=step, col=column)


def _count(claim: Claim) -> str:
    return f"held in {claim.held:,} of {claim.cases:,} cases"


_FIGURES: dict[str, Callable[[Claim], Any]] = {
    "lemma": _lemma,
    "gcn-error": _errors,
    "gin-error": _errors,
    "link-probability": _links,
    "virtual-subgraphs": _virtual,
    "operations": _operations,
    "time": _time,
}
