"""Figures of a reproduction: lines by size, points by dataset, ours against published."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ...evaluate.paper.tables import WORDS, Table
from ...evaluate.ratios import METRICS, Benchmark, Row
from ...evaluate.scarce import Scarce
from ..numbers import log_ticks, ratio_text, short
from .svg import Axis, element, figure, grid_x, grid_y, path, wide, words

WIDTH = 480.0
KINDS = ("separated", "connected", "s2n+0", "s2n+a", "cos2n+0", "cos2n+a", "subgnn", "glass")
_TITLES = {
    "train_throughput": "Training subgraphs a second",
    "eval_throughput": "Answers a second",
    "train_latency": "Training, ms a batch",
    "eval_latency": "Evaluation, ms a batch",
    "parameters": "Parameters",
    "memory": "Memory, MB",
}
_UNITS = {"train_latency": 1e3, "eval_latency": 1e3, "memory": 1e-6}
_TOP, _BOTTOM = 44.0, 250.0
Point = tuple[float, float, float, float]  # x, y, and the ends of a bar


@dataclass(frozen=True)
class Series:
    """A line: what the legend calls it, the number of its colour, its points."""

    name: str
    colour: int
    points: tuple[Point, ...]


def colour_of(kind: str) -> int:
    """The same for a structure in every figure."""
    return KINDS.index(kind) if kind in KINDS else 9


def scarce_panels(found: Scarce, name: str) -> list[str]:
    """Performance, throughput of training and answers, memory: each against n."""
    sizes = found.plan.sizes
    chosen = {s: found.chosen(s) for s in found.plan.structures}
    scores = [
        Series(WORDS[s], colour_of(s), tuple(_interval(found, s, n) for n in sizes
                                            if found.summary(s, n) is not None))
        for s in found.plan.structures
    ]  # fmt: skip
    panels = [_lines(scores, sizes, "Test micro-F1, %", name)]
    for metric, scale in (("train_throughput", 1.0), ("eval_throughput", 1.0), ("memory", 1e-6)):
        series = []
        for s in found.plan.structures:
            steps = [t for t in found.steps if (t.structure, t.coarsen) == (s, chosen[s])]
            values = {t.n: scale * float(getattr(t, metric)) for t in steps}
            points = tuple((n, values[n], values[n], values[n]) for n in sizes if n in values)
            series.append(Series(WORDS[s], colour_of(s), points))
        if any(line.points for line in series):
            panels.append(_lines(series, sizes, _TITLES[metric], name, log=True))
    return panels


def _interval(found: Scarce, structure: str, n: int) -> Point:
    summary = found.summary(structure, n)
    assert summary is not None
    low, high = summary.interval
    return n, 100 * summary.mean, 100 * low, 100 * high


def ratio_panels(found: Scarce, name: str) -> list[str]:
    """Performance of CoS2N by coarsening ratio, a line a size."""
    panels = []
    ratios = sorted({float(c.rpartition(":")[2]) for c in found.plan.coarsenings})
    by_ratio = {float(c.rpartition(":")[2]): c for c in found.plan.coarsenings}
    for structure in [s for s in found.plan.structures if s.startswith("cos2n")]:
        series = []
        for place, n in enumerate(found.plan.sizes):
            summaries = {r: found.summary(structure, n, by_ratio[r]) for r in ratios}
            points = tuple(
                (r, 100 * s.mean, 100 * (s.mean - s.se), 100 * (s.mean + s.se))
                for r, s in summaries.items()
                if s is not None
            )
            series.append(Series(f"n = {n}", place, points))
        label = f"{name}, {WORDS[structure]}"
        panels.append(_lines(series, ratios, f"{WORDS[structure]}: test micro-F1, %", label,
                             under="Share of nodes removed"))  # fmt: skip
    return panels


def _lines(
    series: Sequence[Series], ticks: Sequence[float], title: str, name: str, *, log: bool = False,
    under: str = "Training subgraphs of each class",
) -> str:  # fmt: skip
    """One panel; places on the horizontal axis are as far apart as they are many."""
    x = Axis(0, max(len(ticks) - 1, 1), 70, WIDTH - 30)
    places = {tick: x(number) for number, tick in enumerate(ticks)}
    ends = [end for line in series for point in line.points for end in point[1:]]
    y, marks = _scale(ends, log=log)
    parts = [*marks(64, WIDTH - 16, title)]
    for tick, spot in places.items():
        parts.append(words(spot, _BOTTOM + 18, f"{tick:g}", text_anchor="middle"))
    parts.append(words((64 + WIDTH - 16) / 2, _BOTTOM + 37, under, text_anchor="middle",
                       class_="axis"))  # fmt: skip
    for line in series:
        parts += _line(line, places, y)
    label = f"{name}: {title} by {under.lower()}: {', '.join(line.name for line in series)}"
    return figure(WIDTH, _BOTTOM + 46, label, parts)


def _line(line: Series, places: dict[float, float], y: Callable[[float], float]) -> list[str]:
    shift = (line.colour - 3.5) * 1.5  # bars beside each other
    spots = [(places[x] + shift, y(value)) for x, value, _, _ in line.points]
    parts = [path(spots, class_=f"line s{line.colour}")]
    for (spot, height), (_, value, low, high) in zip(spots, line.points, strict=True):
        if high > low:
            parts.append(element("line", x1=spot, x2=spot, y1=y(low), y2=y(high),
                                 class_=f"bars s{line.colour}"))  # fmt: skip
        tip = element("title", f"{line.name}: {short(value)}")
        parts.append(element("circle", tip, cx=spot, cy=height, r=4.5, class_=f"c{line.colour}"))
    return parts


def _scale(
    values: Sequence[float], *, log: bool
) -> tuple[Callable[[float], float], Callable[[float, float, str], list[str]]]:
    """A vertical axis for some numbers: from number to coordinate, and its lines."""
    values = [v for v in values if math.isfinite(v) and (v > 0 or not log)] or [1.0, 2.0]
    if not log:
        axis = wide(min(values), max(values), _BOTTOM, _TOP)
        return axis, lambda left, right, title: grid_y(axis, left, right, title)
    low, high = math.log10(min(values)), math.log10(max(values))
    room = max(high - low, 0.3)
    scale = Axis(low - 0.08 * room, high + 0.12 * room, _BOTTOM, _TOP)

    def place(value: float) -> float:
        return scale(math.log10(max(value, 1e-300)))

    def marks(left: float, right: float, title: str) -> list[str]:
        parts = [words(4, _TOP - 18, title, class_="axis")]
        for tick in log_ticks(10**scale.low, 10**scale.high):
            y = place(tick)
            parts.append(element("line", x1=left, x2=right, y1=y, y2=y, class_="grid"))
            parts.append(words(left - 7, y + 4, short(tick), text_anchor="end"))
        return parts

    return place, marks


def efficiency_panels(found: Benchmark, titles: dict[str, str]) -> list[str]:
    """Six panels on log axes: a band for each dataset, a dot for each model, and the ratio.

    Args:
        found: What was measured.
        titles: What a dataset is called, by its name.
    """
    return [_efficiency(found, metric, titles) for metric in METRICS]


def _efficiency(found: Benchmark, metric: str, titles: dict[str, str]) -> str:
    unit = _UNITS.get(metric, 1.0)
    rows = [row for data in found.data for row in found.of(data) if row.found is not None]
    y, marks = _scale([unit * (row.value(metric) or 0) for row in rows], log=True)
    arrow = "↑" if METRICS[metric] else "↓"
    parts = [*marks(64, WIDTH - 16, f"{_TITLES[metric]} {arrow}")]
    bands = Axis(-0.5, len(found.data) - 0.5, 70, WIDTH - 20)
    for number, data in enumerate(found.data):
        best, middle = found.best(data, metric), bands(number)
        ratio = None if best is None else found.ratio(best, metric)
        parts.append(words(middle, _BOTTOM + 18, titles.get(data, data), text_anchor="middle"))
        if ratio is not None:
            parts.append(words(middle, _TOP + 4, ratio_text(ratio), text_anchor="middle",
                               class_="key"))  # fmt: skip
        if number:
            edge = bands(number - 0.5)
            parts.append(element("line", x1=edge, x2=edge, y1=_TOP, y2=_BOTTOM, class_="grid"))
        parts += _dots(found.of(data), metric, unit, bands, number, y)
    label = f"{_TITLES[metric]} of {', '.join(dict.fromkeys(row.model for row in rows))}"
    return figure(WIDTH, _BOTTOM + 30, label, parts)


def _dots(
    rows: Iterable[Row], metric: str, unit: float, bands: Axis, number: int,
    y: Callable[[float], float],
) -> list[str]:  # fmt: skip
    parts = []
    kinds = [kind for kind in KINDS if not kind.startswith("cos2n")]
    for row in rows:
        value, kind = row.value(metric), row.structure or row.model
        if value is None or kind not in kinds:
            continue
        x = bands(number + (kinds.index(kind) - (len(kinds) - 1) / 2) * 0.13)
        tip = element("title", f"{row.model}: {short(unit * value)}")
        shape = f"c{colour_of(kind)}"
        height = y(unit * value)
        if row.conv == "gcn2":
            side = f"M{x:.1f} {height - 6:.1f}l6 6-6 6-6-6z"
            parts.append(element("path", tip, d=side, class_=shape))
        else:
            parts.append(element("circle", tip, cx=x, cy=height, r=4.5, class_=shape))
    return parts


def agreement(tables: Iterable[Table], names: dict[str, int]) -> str:
    """Every score that has a published one, ours against it, with the line where both are equal.

    Args:
        tables: All of them.
        names: Colours by kind of data.
    """
    points = [
        (entry.published.value, entry.ours, table.kinds[place],
         f"{line.title}, {table.columns[place]}: {entry.ours:.1f}, published"
         f" {entry.published.text}")
        for table in tables
        for line in table.lines
        for place, entry in enumerate(line.entries)
        if entry.style == "score" and entry.ours is not None and entry.published is not None
        and entry.published.value is not None
    ]  # fmt: skip
    if not points:
        return ""
    both = [value for x, y, _, _ in points for value in (x, y)]
    x = wide(min(both), max(both), 60, WIDTH - 20)
    y = Axis(x.low, x.high, 380, _TOP)
    parts = [*grid_y(y, x.start, x.stop, "Ours, micro-F1 in %"),
             *grid_x(x, y.start, y.start, "Published, micro-F1 in %"),
             path([(x(x.low), y(x.low)), (x(x.high), y(x.high))], class_="ideal")]  # fmt: skip
    for a, b, kind, tip in points:
        shape = f"dot c{names.get(kind, 9)}"
        parts.append(element("circle", element("title", tip), cx=x(a), cy=y(b), r=4.5,
                             class_=shape))  # fmt: skip
    return figure(WIDTH, 424, f"Ours against published: {len(points)} scores", parts)
