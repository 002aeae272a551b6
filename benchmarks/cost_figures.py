"""Figures of what steps cost: operations and time of a layer, growth with the size of the data."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sub2node.report.drawing import (
    PAGE_WIDTH,
    PALETTE,
    colour_of,
    house_style,
    legend_below,
    new_figure,
    set_log_scale,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Rows = list[dict[str, str]]
MARKS = {"glass": "*", "connected": "o", "s2n+0": "s", "s2n+a": "D"}


def read_rows(path: Path) -> Rows:
    """The rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@house_style()
def operations_figure(path: Path) -> Figure:
    """Counted multiplications of a layer against the formula of Proposition 1."""
    rows = [row for row in read_rows(path) if row["batch"] == "0"]
    held = sum(1 <= _ratio(row) <= float(row["most"]) for row in rows)
    most = {row["structure"]: row["most"] for row in rows}
    figure, [axes] = new_figure(
        PAGE_WIDTH,
        520,
        title="Proposition 1: operations of one layer",
        subtitle=f"1 to k times the formula (dashed: once) in {held} of {len(rows)} cases; k = "
        + ", ".join(f"{count} ({name})" for name, count in most.items()),
    )
    _draw_dots(axes, rows, "formula", "counted")
    _draw_equal(axes, [float(row[name]) for row in rows for name in ("formula", "counted")])
    axes.set_title("Multiplications, counted")
    axes.set_xlabel("Multiplications by the formula")
    legend_below(figure, axes.get_legend_handles_labels()[0])
    return figure


def _ratio(row: dict[str, str]) -> float:
    return float(row["counted"]) / float(row["formula"])


@house_style()
def time_figure(path: Path) -> Figure:
    """Milliseconds of a layer against the formula, and against its terms with fitted constants."""
    rows = read_rows(path)
    for row in rows:
        row["ms"], row["fitted"] = (
            f"{1000 * float(row[name]):g}" for name in ("seconds", "fitted_seconds")
        )
    held = sum(0.5 <= float(row["fitted"]) / float(row["ms"]) <= 2 for row in rows)
    figure, [left, right] = new_figure(
        PAGE_WIDTH,
        480,
        cols=2,
        sharey=True,
        title="Proposition 1: time of one layer",
        subtitle=f"the fit is within a factor of 2 in {held} of {len(rows)} cases",
    )
    milliseconds = [float(row["ms"]) for row in rows]
    _draw_dots(left, rows, "formula", "ms")
    _draw_dots(right, rows, "fitted", "ms")
    set_log_scale(left, "x", [float(row["formula"]) for row in rows])
    both = [*milliseconds, *(float(row["fitted"]) for row in rows)]
    _draw_equal(right, both)
    left.set_title("Milliseconds, measured")
    left.set_xlabel("Multiplications by the formula")
    right.set_xlabel("Milliseconds by fitted constants")
    legend_below(figure, left.get_legend_handles_labels()[0])
    return figure


def _draw_dots(axes: Axes, rows: Rows, x: str, y: str) -> None:
    for structure, mark in MARKS.items():
        mine = [row for row in rows if row["structure"] == structure]
        axes.plot(
            [float(row[x]) for row in mine],
            [float(row[y]) for row in mine],
            mark,
            color=colour_of(structure),
            markersize=9 if mark == "*" else 6,
            alpha=0.75,
            markeredgewidth=0,
            label=structure,
        )


def _draw_equal(axes: Axes, values: Sequence[float]) -> None:
    """Log axes of the same range, and the line where both are equal."""
    set_log_scale(axes, "x", values)
    set_log_scale(axes, "y", values)
    axes.plot(axes.get_xlim(), axes.get_xlim(), "--", color=PALETTE["k10"], lw=1.5)


@house_style()
def translate_growth_figure(path: Path) -> Figure:
    """Seconds of a translation by the number of pairs that it joins."""
    rows = [row for row in read_rows(path) if row["block"] == "growth"]
    figure, [axes] = new_figure(PAGE_WIDTH, 440)
    _draw_growth(axes, [float(row["pairs"]) for row in rows],
                 [float(row["seconds"]) for row in rows], "translate, in memory")  # fmt: skip
    axes.set_title("Seconds to translate 10³ to 10⁶ subgraphs of 20 nodes")
    axes.set_xlabel("Pairs of members joined by an edge,  Σ |subs(u)| · |subs(v)|")
    legend_below(figure, axes.get_legend_handles_labels()[0])
    return figure


@house_style()
def coarsen_growth_figure(path: Path) -> Figure:
    """Seconds and memory of a coarsening by the number of edges."""
    rows = [row for row in read_rows(path) if row["block"] == "growth"]
    edges = [float(row["edges"]) for row in rows]
    figure, panels = new_figure(PAGE_WIDTH, 400, cols=2)
    for axes, (name, title) in zip(
        panels, {"seconds": "Seconds", "peak_mb": "Peak memory, MB"}.items(), strict=True
    ):
        values = [float(row[name]) for row in rows]
        _draw_growth(axes, edges, values, "variation_edges, r = 0.5")
        set_log_scale(axes, "x", edges, ticks=edges)
        axes.set_title(title)
        axes.set_xlabel("Edges of the graph")
    legend_below(figure, panels[0].get_legend_handles_labels()[0])
    return figure


def _draw_growth(axes: Axes, x: Sequence[float], y: Sequence[float], label: str) -> None:
    """A cost by size, with a line that grows as the size does."""
    line = [y[0] * value / x[0] for value in x]
    axes.plot(x, y, "o-", color=PALETTE["accent"], label=label)
    axes.plot(x, line, "--", color=PALETTE["k10"], label="proportional growth")
    set_log_scale(axes, "x", x)
    set_log_scale(axes, "y", [*y, *line])


@house_style()
def guard_figure(path: Path) -> Figure:
    """Ratios to plain versions, commit by commit."""
    rows = read_rows(path)
    commits = list(dict.fromkeys(row["commit"] for row in rows))
    figure, [axes] = new_figure(
        PAGE_WIDTH,
        420,
        title="Ratios to plain versions, by commit",
        subtitle="processor time of the plain version by that of ours, in the same run",
    )
    for number, job in enumerate(dict.fromkeys(row["job"] for row in rows)):
        points = [(commits.index(r["commit"]), float(r["ratio"])) for r in rows if r["job"] == job]
        colour = PALETTE[f"k{number % 11}"]
        axes.plot(*zip(*points, strict=True), "o-", color=colour, label=job)
    set_log_scale(axes, "y", [float(row["ratio"]) for row in rows])
    axes.set_xticks(range(len(commits)), commits)
    axes.set_xlim(-0.3, max(len(commits) - 0.7, 0.7))
    legend_below(figure, axes.get_legend_handles_labels()[0])
    return figure
