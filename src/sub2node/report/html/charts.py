"""Figures of a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ragged import Array
from .measures import BINS, Calibration
from .svg import Axis, element, figure, grid_x, grid_y, path, wide, words
from .tables import Curves
from .words import percent

WIDTH = 480.0
_ROW = 44.0
_MOST_POINTS = 300
_LONG = 44  # letters of a name that fit over a line


def intervals(models: Sequence[dict[str, Any]], main: str) -> str:
    """Test micro-F1 of each model: its runs as small dots, the mean and its 95 % interval."""
    scores = [model["test"]["micro_f1"] for model in models]
    values = [100 * value for score in scores for value in score["values"]]
    axis = wide(min(values), max(values), 12, WIDTH - 16)
    bottom = _ROW * len(models) + 8
    parts = grid_x(axis, 8, bottom, "Test micro-F1, %")
    for place, (model, score) in enumerate(zip(models, scores, strict=True)):
        parts += _interval(model, score, main, axis, _ROW * place + 8)
    label = "; ".join(
        f"{model['name']} {percent(score['mean'])} ({percent(score['interval'][0])} to"
        f" {percent(score['interval'][1])})"
        for model, score in zip(models, scores, strict=True)
    )
    return figure(WIDTH, bottom + 46, f"Test micro-F1 in percent: {label}", parts)


def _interval(
    model: dict[str, Any], score: dict[str, Any], main: str, axis: Axis, top: float
) -> list[str]:
    kind = "main" if model["name"] == main else "simple" if model["simple"] else "other"
    name, y = model["name"], top + 30
    name = name if len(name) <= _LONG else f"{name[: _LONG - 1]}…"
    low, high = (axis(100 * end) for end in score["interval"])
    x = axis(100 * score["mean"])
    parts = [
        words(12, top + 15, name, class_=f"name {kind}"),
        words(WIDTH - 16, top + 15, percent(score["mean"]), text_anchor="end",
              class_=f"name {kind}"),
        element("line", x1=low, x2=high, y1=y, y2=y, class_=f"span {kind}"),
    ]  # fmt: skip
    parts += [
        element("circle", cx=axis(100 * value), cy=y, r=2.5, class_=f"run {kind}")
        for value in score["values"]
    ]
    if kind == "simple":
        parts.append(element("path", d=f"M{x:.1f} {y - 7:.1f}l7 7-7 7-7-7z", class_=f"mean {kind}"))
    else:
        parts.append(element("circle", cx=x, cy=y, r=6, class_=f"mean {kind}"))
    return parts


def reliability(mean: Calibration, each: Sequence[Calibration], what: str) -> str:
    """Share of true answers against probability, and under it how often which one was given."""
    x, y = Axis(0, 1, 46, WIDTH - 16), Axis(0, 1, 366, 30)
    parts = grid_y(y, x.start, x.stop, "Share that is true")
    parts.append(path([(x(0), y(0)), (x(1), y(1))], class_="ideal"))
    if len(each) > 1:
        parts += [_curve(found, x, y, "seed") for found in each]
    parts.append(_curve(mean, x, y, "curve"))
    most = max(int(mean.count.max()), 1)
    for count, confidence, frequency in zip(
        mean.count, mean.confidence, mean.frequency, strict=True
    ):
        if count:
            tip = element("title", f"{count} answers, mean probability {percent(confidence)} %,"
                                   f" {percent(frequency)} % true")  # fmt: skip
            radius = 3 + 6 * float(np.sqrt(count / most))
            parts.append(element("circle", tip, cx=x(confidence), cy=y(frequency), r=radius,
                                 class_="bin"))  # fmt: skip
    base, height = 486.0, 70.0
    parts.append(words(4, base - height - 18, "Answers", class_="axis"))
    for place, count in enumerate(mean.count):
        tall = height * count / most
        left, right = x(place / BINS) + 1, x((place + 1) / BINS) - 1
        parts.append(element("rect", x=left, y=base - tall, width=right - left, height=tall,
                             class_="bar"))  # fmt: skip
        if count:
            parts.append(words((left + right) / 2, base - tall - 4, f"{count:,}",
                               text_anchor="middle", class_="small"))  # fmt: skip
    parts += grid_x(x, base, base, f"Probability of {what}")
    label = (
        f"Reliability of {what}: expected calibration error {percent(mean.error)} percent of the"
        f" mean probability over {int(mean.count.sum()):,} answers"
    )
    return figure(WIDTH, base + 44, label, parts)


def _curve(found: Calibration, x: Axis, y: Axis, kind: str) -> str:
    there = found.count > 0
    points = zip(found.confidence[there], found.frequency[there], strict=True)
    return path([(x(confidence), y(frequency)) for confidence, frequency in points], class_=kind)


def curves(found: Curves, names: dict[str, str], title: str, *, scale: float = 1.0) -> str:
    """Columns by epoch: the mean of the seeds, their range, and where the best epochs are.

    Args:
        found: The training.
        names: What the legend calls a column, by column.
        title: Of the vertical axis.
        scale: What the numbers are multiplied by.
    """
    columns = {key: scale * found.columns[key] for key in names if key in found.columns}
    values = np.concatenate([column.ravel() for column in columns.values()])
    values = values[np.isfinite(values)]
    top = float(np.percentile(values, 99)) if len(values) else 1.0
    low = float(values.min()) if len(values) else 0.0
    x = Axis(1, max(found.epochs, 2), 46, WIDTH - 16)
    y = wide(low, max(top, low + 1e-9), 250, 40)
    parts = [*grid_y(y, x.start, x.stop, title), *grid_x(x, y.start, y.start, "Epoch")]
    epochs = np.unique(np.linspace(0, found.epochs - 1, _MOST_POINTS).astype(int))
    for place, (key, column) in enumerate(columns.items()):
        parts += _band(epochs, column[epochs], x, y, place)
        parts.append(words(WIDTH - 16, 28 + 16 * place, names[key], text_anchor="end",
                           class_=f"key t{place}"))  # fmt: skip
    for epoch in found.best_epoch:
        if epoch:
            parts.append(
                element("path", d=f"M{x(epoch):.1f} {y.start:.1f}l4 -8h-8z", class_="best")
            )
    label = f"{title} over {found.epochs} epochs: {', '.join(names[key] for key in columns)}"
    return figure(WIDTH, 296, label, parts)


def _band(epochs: Array, column: Array, x: Axis, y: Axis, place: int) -> list[str]:
    """Mean and range over seeds; what lies above the axis is cut off there."""
    column = np.where(np.isfinite(column), np.clip(column, y.low, y.high), np.nan)
    good = np.isfinite(column).any(axis=1)
    epochs, column = epochs[good] + 1, column[good]
    if not len(epochs):
        return []
    low, high, mean = (f(column, axis=1) for f in (np.nanmin, np.nanmax, np.nanmean))
    there = [(x(e), y(v)) for e, v in zip(epochs, high, strict=True)]
    back = [(x(e), y(v)) for e, v in zip(epochs[::-1], low[::-1], strict=True)]
    line = [(x(e), y(v)) for e, v in zip(epochs, mean, strict=True)]
    band = path(there + back, class_=f"band c{place}") if column.shape[1] > 1 else ""
    return [band, path(line, class_=f"line s{place}")]
