"""The figure of a search: how it went, and which settings mattered."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tune.found import Found, Trial
from .figures import laid_out, plotly_modules

_LOOKS = {
    "complete": ("completed", "#00798c", "circle"),
    "pruned": ("given up early", "#b8bec6", "circle-open"),
}
_BARS = 8  # axes shown, the most important ones


def study_figure(found: Found) -> Any:
    """Scores by trial with the best so far, and how much of their variance each axis explains."""
    plotly, subplots = plotly_modules()
    importance = dict(list(found.importance.items())[:_BARS])
    shown = "Score of each trial, micro-F1 in %"
    figure = subplots.make_subplots(
        rows=1, cols=2 if importance else 1, column_widths=[0.58, 0.42] if importance else [1.0],
        subplot_titles=(shown, "Share of the variance explained") if importance else (shown,),
        horizontal_spacing=0.24,
    )  # fmt: skip
    for state, (name, colour, sign) in _LOOKS.items():
        trials = [trial for trial in found.trials if trial.state == state]
        if trials:
            figure.add_trace(_dots(plotly, found, trials, name, colour, sign), row=1, col=1)
    whole = [trial for trial in found.trials if trial.state == "complete"]
    best = np.maximum.accumulate([100 * (trial.value or 0) for trial in whole])
    line = {"color": "#d1495b", "shape": "hv", "width": 2}
    figure.add_trace(
        plotly.Scatter(x=[trial.number for trial in whole], y=best, name="best so far",
                       mode="lines", line=line),
        row=1, col=1,
    )  # fmt: skip
    figure.update_xaxes(title="trial", row=1, col=1)
    low = np.percentile([100 * (t.value or 0) for t in whole], 5)
    figure.update_yaxes(range=[low - 3, float(best[-1]) + 2], row=1, col=1)
    if importance:
        names, shares = list(importance), [100 * share for share in importance.values()]
        figure.add_trace(
            plotly.Bar(x=shares[::-1], y=names[::-1], orientation="h", marker_color="#66a182",
                       text=[f"{share:.0f} %" for share in shares[::-1]], textposition="outside",
                       cliponaxis=False, showlegend=False),
            row=1, col=2,
        )  # fmt: skip
        figure.update_xaxes(range=[0, 1.18 * max(shares)], showticklabels=False, row=1, col=2)
    spec, winner = found.spec, found.best
    under = (
        f"{len(found.trials)} trials of {len(winner.values)} seeds; the best is trial"
        f" {winner.number} with {100 * (winner.value or 0):.1f} ± {100 * winner.sd:.1f}; trials far"
        " below are not shown"
    )
    config = spec.config
    title = f"Search on {spec.name or 'this task'}: {config.structure} {config.conv}"
    return laid_out(figure, title, under, (1060, 460))


def _dots(plotly: Any, found: Found, trials: list[Trial], name: str, colour: str, sign: str) -> Any:
    words = [
        "<br>".join(f"{axis} = {_short(trial.point[axis])}" for axis in found.spec.space.axes)
        for trial in trials
    ]
    return plotly.Scatter(
        x=[trial.number for trial in trials], y=[100 * (trial.value or 0) for trial in trials],
        mode="markers", name=name, marker={"color": colour, "symbol": sign, "size": 7},
        hovertext=words, hoverinfo="x+y+text",
    )  # fmt: skip


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
