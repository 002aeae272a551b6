"""The figure of a search: how it went, and which settings mattered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.plural import plural
from ..tune.search_result import SearchResult
from .drawing import PAGE_WIDTH, PALETTE, house_style, legend_below, new_figure, set_tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LOOKS: dict[str, tuple[str, dict[str, Any]]] = {
    "complete": ("completed", {"mfc": PALETTE["k0"], "mec": PALETTE["k0"]}),
    "pruned": ("given up early", {"mfc": "none", "mec": PALETTE["k10"]}),
}
_BARS = 8  # axes shown, the most important ones


@house_style()
def study_figure(result: SearchResult) -> Figure:
    """Scores by trial with the best so far, and how much of their variance each axis explains."""
    importance = dict(list(result.importance.items())[:_BARS])
    winner = result.best
    figure, panels = new_figure(
        PAGE_WIDTH,
        440,
        cols=2 if importance else 1,
        title=f"Search on {result.spec.name or 'this task'}: {result.spec.model}",
        subtitle=f"{plural(len(result.trials), 'trial')} of {plural(len(winner.values), 'seed')};"
        f" the best is trial {winner.number} with {winner.score_text}; trials far below are not"
        " shown",
        width_ratios=[0.65, 0.35] if importance else [1.0],
    )
    _draw_trials(panels[0], result)
    legend_below(figure, panels[0].get_legend_handles_labels()[0])
    if importance:
        _draw_importance(panels[1], importance)
    return figure


def _draw_trials(axes: Axes, result: SearchResult) -> None:
    for state, (label, style) in _LOOKS.items():
        trials = [trial for trial in result.trials if trial.state == state]
        for place, trial in enumerate(trials):
            point = ", ".join(
                f"{key} = {_value_text(trial.point[key])}" for key in result.spec.space.axes
            )
            score = 100 * (trial.value or 0)
            [mark] = axes.plot(
                [trial.number], [score], "o", ms=6, **style, label="" if place else label
            )
            set_tip(mark, f"trial {trial.number}: {score:.1f}; {point}")
    complete = [trial for trial in result.trials if trial.state == "complete"]
    scores = np.array([100 * (trial.value or 0) for trial in complete])
    best = np.maximum.accumulate(scores)
    axes.step(
        [trial.number for trial in complete],
        best,
        where="post",
        color=PALETTE["k1"],
        label="best so far",
    )
    axes.set_title("Score of each trial, micro-F1 in %")
    axes.set_xlabel("trial")
    axes.set_ylim(np.percentile(scores, 5) - 3, best[-1] + 2)


def _draw_importance(axes: Axes, importance: dict[str, float]) -> None:
    shares = [100 * share for share in importance.values()]
    bars = axes.barh(list(importance), shares, color=PALETTE["k2"], height=0.7)
    axes.bar_label(bars, [f"{share:.0f} %" for share in shares], padding=4)
    axes.set(xlim=(0, 1.18 * max(shares)), xticks=[])
    axes.invert_yaxis()
    axes.grid(visible=False)
    axes.set_title("Variance explained")


def _value_text(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
