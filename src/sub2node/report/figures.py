"""Figures as interactive HTML and as PNG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import MissingExtraError
from ..evaluate.scarce import Scarce
from ..files import new_file

COLOURS = {
    "cos2n+a": "#d1495b",
    "cos2n+0": "#edae49",
    "s2n+a": "#00798c",
    "s2n+0": "#66a182",
    "connected": "#2e4057",
    "separated": "#8d96a3",
}
_DASHES = {"s2n+0": "dash", "cos2n+0": "dash", "separated": "dot", "connected": "dot"}
_SIGNS = {"s2n+0": "square", "s2n+a": "diamond", "cos2n+0": "square-open",
          "cos2n+a": "diamond-open", "connected": "circle", "separated": "x"}  # fmt: skip


def data_scarce_figure(found: Scarce, name: str) -> Any:
    """The paper's figure: performance, training and evaluation throughput, memory against n."""
    plotly, subplots = plotly_modules()
    titles = ("Test micro-F1, %", "Training subgraphs a second", "Answers a second", "Memory, MB")
    figure = subplots.make_subplots(
        rows=2, cols=2, subplot_titles=titles, horizontal_spacing=0.1, vertical_spacing=0.14
    )
    for structure in found.plan.structures:
        coarsen = found.chosen(structure)
        label = f"{structure} ({coarsen})" if coarsen else structure
        scores = {n: found.summary(structure, n) for n in found.plan.sizes}
        points = {n: summary for n, summary in scores.items() if summary is not None}
        style = _style(structure, label)
        spans = [(s.mean - s.interval[0], s.interval[1] - s.mean) for s in points.values()]
        figure.add_trace(
            plotly.Scatter(
                x=list(points),
                y=[100 * summary.mean for summary in points.values()],
                error_y={
                    "type": "data",
                    "array": [100 * above for _, above in spans],
                    "arrayminus": [100 * below for below, _ in spans],
                    "thickness": 1.2,
                    "width": 3,
                },
                **style,
            ),
            row=1,
            col=1,
        )
        steps = sorted(
            (s for s in found.steps if (s.structure, s.coarsen) == (structure, coarsen)),
            key=lambda s: s.n,
        )
        for place, values in (
            ((1, 2), [s.train_throughput for s in steps]),
            ((2, 1), [s.eval_throughput for s in steps]),
            ((2, 2), [s.memory / 1e6 for s in steps]),
        ):
            figure.add_trace(
                plotly.Scatter(x=[s.n for s in steps], y=values, showlegend=False, **style),
                row=place[0],
                col=place[1],
            )
    _axes(figure, found.plan.sizes)
    for row, col in ((1, 2), (2, 1), (2, 2)):
        figure.update_yaxes(type="log", dtick="D2", tickformat="~s", row=row, col=col)
    under = f"{_runs(found)}; bars are 95 % intervals"
    if found.steps:
        devices = " and ".join(sorted({s.device for s in found.steps}))
        under += f"; speed and memory of one model on {devices}"
    return laid_out(figure, f"{name}: few training subgraphs", under, (1000, 760))


def ratio_figure(found: Scarce, name: str) -> Any | None:
    """Performance of CoS2N by coarsening ratio, a line a size; None without two of a method."""
    structures = [s for s in found.plan.structures if s.startswith("cos2n")]
    ratios: dict[str, list[tuple[float, str]]] = {}
    for coarsen in found.plan.coarsenings:
        method, _, ratio = coarsen.rpartition(":")
        ratios.setdefault(method, []).append((float(ratio or 0), coarsen))
    methods = [method for method, found_ratios in ratios.items() if len(found_ratios) > 1]
    if not structures or not methods:
        return None
    plotly, subplots = plotly_modules()
    figure = subplots.make_subplots(
        rows=1, cols=len(structures), subplot_titles=structures, shared_yaxes=True,
        horizontal_spacing=0.05,
    )  # fmt: skip
    shades = ("#9ecae1", "#4292c6", "#08519c", "#08306b")
    dashes = ("solid", "dash", "dot", "dashdot")
    for column, structure in enumerate(structures, start=1):
        for m, method in enumerate(methods):
            for place, n in enumerate(found.plan.sizes):
                both = [(r, found.summary(structure, n, c)) for r, c in sorted(ratios[method])]
                points = [(r, summary) for r, summary in both if summary is not None]
                label = f"n = {n}" if len(methods) == 1 else f"n = {n}, {method}"
                figure.add_trace(
                    plotly.Scatter(
                        x=[r for r, _ in points],
                        y=[100 * summary.mean for _, summary in points],
                        error_y={"type": "data", "thickness": 1, "width": 3,
                                 "array": [100 * summary.se for _, summary in points]},
                        name=label, legendgroup=label, showlegend=column == 1,
                        mode="lines+markers",
                        line={"color": shades[place % 4], "dash": dashes[m % 4]},
                    ),
                    row=1, col=column,
                )  # fmt: skip
        figure.update_xaxes(title="Coarsening ratio (fraction of nodes removed)", col=column)
    figure.update_yaxes(title="Test micro-F1, %", col=1)
    under = f"{', '.join(methods)}; {_runs(found)}; bars are standard errors"
    return laid_out(figure, f"{name}: CoS2N by coarsening ratio", under, (1000, 480))


def save_figure(figure: Any, path: Path) -> str:
    """Write ``path.html``, which needs nothing from outside, and ``path.png``.

    Returns:
        What kept the PNG from being made, or nothing.
    """
    with new_file(path.with_suffix(".html")) as part:
        figure.write_html(part, include_plotlyjs=True)
    try:
        with new_file(path.with_suffix(".png")) as part:
            figure.write_image(part, scale=2)
    except Exception as error:  # kaleido raises what its browser gives it
        path.with_suffix(".png").unlink(missing_ok=True)
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        return (
            f"{path.with_suffix('.png').name} was not made: it needs the package kaleido and Chrome"
            f" or Chromium ({first[:120]})."
        )
    return ""


def _style(structure: str, label: str) -> dict[str, Any]:
    return {
        "name": label,
        "legendgroup": structure,
        "mode": "lines+markers",
        "line": {"color": COLOURS[structure], "dash": _DASHES.get(structure, "solid"), "width": 2},
        "marker": {"symbol": _SIGNS[structure], "size": 9},
    }


def _axes(figure: Any, sizes: tuple[int, ...]) -> None:
    figure.update_xaxes(
        type="log", tickvals=list(sizes), ticktext=[str(n) for n in sizes],
        title="Training subgraphs of each class",
    )  # fmt: skip


def _runs(found: Scarce) -> str:
    kind = "fresh subsets" if found.plan.subsets == "fresh" else "one subset as published"
    count = len({row.seed for row in found.rows})
    return f"{count} seeds, {kind}"


def laid_out(figure: Any, title: str, under: str, size: tuple[int, int]) -> Any:
    """The figure with a title, a line under it, and the house style."""
    figure.update_layout(
        template="plotly_white",
        title={"text": f"{title}<br><sup>{under}</sup>", "x": 0.02},
        width=size[0], height=size[1],
        font={"family": "Helvetica, Arial, sans-serif", "size": 13},
        legend={"orientation": "h", "y": -0.14 if size[1] > 600 else -0.22, "x": 0},
        margin={"l": 60, "r": 20, "t": 90, "b": 60},
    )  # fmt: skip
    return figure


def plotly_modules() -> tuple[Any, Any]:
    """``plotly.graph_objects`` and ``plotly.subplots``."""
    try:
        from plotly import graph_objects, subplots
    except ImportError:
        raise MissingExtraError("plotly", "report", "a figure") from None
    return graph_objects, subplots
