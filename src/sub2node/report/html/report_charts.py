"""Charts of a report: scores of models, reliability, and training by epoch."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.ragged import Array
from ...runs.run_tables import Curves
from ..drawing import PALETTE, house_style, new_figure, plain_text
from .prediction_measures import BINS, Calibration
from .report_wording import Numbers, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH = 420  # little more than a phone is wide, so that letters stay readable there
_ROW = 36
_MOST_POINTS = 300
_LONG = 20  # letters in a line of a name


@house_style()
def intervals(models: Sequence[Numbers], main: str) -> Figure:
    """Test micro-F1 of each model in a row: its name, mark, 95 % intervals and mean.

    A bar is the interval over runs, a thin line the one that allows for other test subgraphs too;
    small dots are single runs. Without an interval there is no bar, or no line.
    """
    figure, [axes] = new_figure(_WIDTH, _ROW * len(models) + 62)
    for place, model in enumerate(models):
        _draw_interval(axes, model, -place, is_main=model["name"] == main)
    axes.set_ylim(0.45 - len(models), 0.55)
    axes.set_yticks(
        [-place for place in range(len(models))],
        [_row_label(model["name"]) for model in models],
        linespacing=1.0,
    )
    for label, model in zip(axes.get_yticklabels(), models, strict=True):
        label.set(**_label_style(model, is_main=model["name"] == main))
    axes.tick_params(axis="y", pad=10)
    axes.grid(visible=False, axis="y")
    low, high = axes.get_xlim()
    if high - low < 1:  # every run of every model has the same score
        low, high = low - 0.5, high + 0.5
    room = 0.05 * (high - low)  # of marks at an end of the scale
    axes.set_xlim(max(low, -room), min(high, 100 + room))
    axes.set_xticks(
        [tick for tick in axes.get_xticks() if low <= tick <= high and 0 <= tick <= 100]
    )
    axes.set_xlabel("Test micro-F1, %", weight="bold")
    return figure


def _row_label(name: str) -> str:
    """A name in two lines at most."""
    lines = textwrap.wrap(plain_text(name), _LONG)
    return "\n".join(lines if len(lines) < 3 else [lines[0], f"{lines[1][: _LONG - 1]}…"])


def _label_style(model: Numbers, *, is_main: bool) -> dict[str, Any]:
    colour = "accent" if is_main else "soft" if model["simple"] else "ink"
    return {"color": PALETTE[colour], "weight": "bold" if is_main else "normal"}


def _draw_interval(axes: Axes, model: Numbers, y: float, *, is_main: bool) -> None:
    score = model["test"]["micro_f1"]
    colour = PALETTE["accent" if is_main else "k10" if model["simple"] else "k2"]
    wide = model["test_intervals"].get("micro_f1")
    if wide is not None:
        axes.plot([100 * end for end in wide], [y, y], "|-", color=colour, lw=1.5, ms=9)
    if score["interval"] is not None:
        ends = [100 * end for end in score["interval"]]
        axes.plot(ends, [y, y], color=colour, lw=4, alpha=0.55, solid_capstyle="round")
    values = [100 * value for value in score["values"]]
    axes.plot(values, [y] * len(values), "o", ms=5, color=colour, alpha=0.45, mew=0)
    axes.plot(
        [100 * score["mean"]],
        [y],
        "D" if model["simple"] else "o",
        color=colour,
        ms=9 if model["simple"] else 12,
        mec=PALETTE["paper"],
        mew=1.5,
    )
    axes.annotate(
        percent(score["mean"]),
        (1, y),
        (12, 0),
        xycoords=axes.get_yaxis_transform(),
        textcoords="offset points",
        va="center",
        **_label_style(model, is_main=is_main),
    )


@house_style()
def reliability(mean: Calibration, by_seed: Sequence[Calibration], subject: str) -> Figure:
    """Share of true answers against probability, and under it the number of answers by probability.

    Args:
        mean: The calibration of the mean probability over seeds.
        by_seed: The calibrations of single seeds.
        subject: Whose probability it is.
    """
    figure, [upper, lower] = new_figure(_WIDTH, 530, rows=2, sharex=True, height_ratios=[4, 1])
    upper.plot([0, 1], [0, 1], "--", color=PALETTE["soft"], lw=1)
    for one in by_seed if len(by_seed) > 1 else ():
        _draw_reliability(upper, one, color=PALETTE["k10"], lw=1, alpha=0.45)
    _draw_reliability(upper, mean, color=PALETTE["accent"])
    most = max(int(mean.count.max()), 1)
    sizes = (6 + 12 * np.sqrt(mean.count / most)) ** 2
    nonempty = mean.count > 0
    upper.scatter(
        mean.confidence[nonempty],
        mean.frequency[nonempty],
        s=sizes[nonempty],
        zorder=3,
        color=PALETTE["accent"],
        edgecolor=PALETTE["paper"],
        linewidth=1,
    )
    upper.set_title("Share that is true")
    upper.set(xlim=(0, 1), ylim=(-0.03, 1.03))
    centres = (np.arange(BINS) + 0.5) / BINS
    lower.bar(centres, mean.count, width=0.94 / BINS, color=PALETTE["accent"], alpha=0.55)
    for centre, count in zip(centres, mean.count, strict=True):
        if count:
            lower.text(
                centre,
                count + 0.04 * most,
                f"{count:,}",
                ha="center",
                size=10.5,
                color=PALETTE["soft"],
            )
    lower.set_title("Answers")
    lower.set(ylim=(0, 1.25 * most), yticks=[])
    lower.grid(visible=False)
    lower.set_xlabel(f"Probability of {subject}", weight="bold")
    return figure


def _draw_reliability(axes: Axes, calibration: Calibration, **style: Any) -> None:
    nonempty = calibration.count > 0
    axes.plot(calibration.confidence[nonempty], calibration.frequency[nonempty], **style)


@house_style()
def curves(training: Curves, names: dict[str, str], title: str, *, scale: float = 1.0) -> Figure:
    """Columns by epoch: the mean of the seeds, their range, and where the best epochs are.

    Args:
        training: Losses and scores by epoch.
        names: The names in the legend, by column.
        title: The title of the vertical axis.
        scale: A factor for all numbers.
    """
    columns = {key: scale * training.columns[key] for key in names if key in training.columns}
    values = np.concatenate([column.ravel() for column in columns.values()])
    values = values[np.isfinite(values)]
    low = float(values.min()) if len(values) else 0.0
    high = max(float(np.percentile(values, 99)) if len(values) else 1.0, low + 1e-9)
    figure, [axes] = new_figure(_WIDTH, 300)
    epochs = np.unique(np.linspace(0, training.epochs - 1, _MOST_POINTS).astype(int))
    room = 0.05 * (high - low)
    for place, (key, column) in enumerate(columns.items()):
        shown = np.clip(column[epochs], None, high + room)  # a jump is cut off at the top
        _draw_band(axes, epochs + 1, shown, colour=PALETTE[f"k{place}"], label=names[key])
    best = [epoch for epoch in training.best_epoch if epoch]
    axes.plot(
        best,
        [0.02] * len(best),
        "^",
        ms=8,
        color=PALETTE["ink"],
        mew=0,
        transform=axes.get_xaxis_transform(),
    )
    axes.set(xlim=(1, max(training.epochs, 2)), ylim=(low - room, high + room))
    axes.set_title(title)
    axes.set_xlabel("Epoch", weight="bold")
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderpad=0.2, handlelength=1.4)
    return figure


def _draw_band(axes: Axes, epochs: Array, column: Array, *, colour: str, label: str) -> None:
    """Mean and range over seeds, where any of them is a number."""
    good = np.isfinite(column).any(axis=1)
    epochs, column = epochs[good], np.where(np.isfinite(column), column, np.nan)[good]
    if not len(epochs):
        return
    if column.shape[1] > 1:
        low, high = np.nanmin(column, axis=1), np.nanmax(column, axis=1)
        axes.fill_between(epochs, low, high, color=colour, alpha=0.18, lw=0)
    axes.plot(epochs, np.nanmean(column, axis=1), color=colour, label=label)
