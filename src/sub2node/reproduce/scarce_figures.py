"""Figures of the study with few training subgraphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..config import Structure
from ..evaluate.significance import Summary
from ..report.drawing import (
    PAGE_WIDTH,
    PALETTE,
    colour_of,
    house_style,
    legend_below,
    new_figure,
    set_log_scale,
    set_tip,
)
from ..report.number_format import short
from .scarce import ScarceStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

METRICS = {
    "score": "Test micro-F1, %",
    "train_throughput": "Training subgraphs per second",
    "eval_throughput": "Answers per second",
    "memory": "Memory, MB",
}
_DASHES = {"s2n+0": "--", "cos2n+0": "--", "separated": ":", "connected": ":"}
_MARKERS = {
    "s2n+0": "s",
    "s2n+a": "D",
    "cos2n+0": "s",
    "cos2n+a": "D",
    "connected": "o",
    "separated": "X",
}
_DODGE = 11  # points between the bars of two structures, where the panel is as wide as a page
_METHOD_DASHES = ("-", "--", ":", "-.")
Point = tuple[float, float, float, float]  # x, y and the ends of the bar


@house_style()
def data_scarce_figure(study: ScarceStudy, name: str) -> Figure:
    """The paper's figure: performance, and where they were measured training and evaluation
    throughput and memory, against n."""
    subtitle = f"{_describe_runs(study)}; bars are 95 % intervals, drawn side by side"
    title = f"{name}: few training subgraphs"
    metrics = list(METRICS) if study.steps else ["score"]
    layout = {"rows": 2, "cols": 2} if study.steps else {}
    if study.steps:
        devices = " and ".join(sorted({s.device for s in study.steps}))
        subtitle += f"; speed and memory of one model on {devices}"
    height = 840 if study.steps else 500
    figure, panels = new_figure(PAGE_WIDTH, height, title=title, subtitle=subtitle, **layout)
    for axes, metric in zip(panels, metrics, strict=True):
        draw_metric(axes, study, metric, dodge=5 if study.steps else _DODGE)
    legend_below(figure, panels[0].get_legend_handles_labels()[0])
    return figure


def draw_metric(axes: Axes, study: ScarceStudy, metric: str, *, dodge: float = 5) -> None:
    """One panel: a line for each structure against the number of training subgraphs.

    Args:
        axes: The panel to draw in.
        study: The results to draw.
        metric: One of :data:`METRICS`.
        dodge: Points between the bars of two structures at the same size.
    """
    shown: list[float] = []
    structures = study.plan.structures
    for place, structure in enumerate(structures):
        points = list(_curve_points(study, structure, metric))
        coarsen = study.chosen(structure)
        _draw_line(
            axes,
            points,
            shift=dodge * (place - (len(structures) - 1) / 2) if metric == "score" else 0.0,
            color=colour_of(structure),
            ls=_DASHES.get(structure, "-"),
            marker=_MARKERS[structure],
            mfc="none" if Structure(structure).coarsened else None,
            label=f"{structure} ({coarsen})" if coarsen else structure,
        )
        shown += [value for point in points for value in point[1:]]
    axes.set_title(METRICS[metric])
    set_log_scale(axes, "x", study.plan.sizes, ticks=study.plan.sizes, room=(0.1, 0.1))
    axes.set_xlabel("Training subgraphs of each class")
    if metric != "score" and shown:
        set_log_scale(axes, "y", shown)


def _curve_points(study: ScarceStudy, structure: str, metric: str) -> Iterable[Point]:
    if metric == "score":
        for n in study.plan.sizes:
            summary = study.summary(structure, n)
            if summary is not None:
                low, high = summary.interval or (summary.mean, summary.mean)
                yield n, 100 * summary.mean, 100 * low, 100 * high
        return
    scale, coarsen = 1e-6 if metric == "memory" else 1.0, study.chosen(structure)
    for step in sorted(study.steps, key=lambda step: step.n):
        if (step.structure, step.coarsen) == (structure, coarsen):
            value = scale * float(getattr(step, metric))
            yield step.n, value, value, value


@house_style()
def ratio_figure(study: ScarceStudy, name: str) -> Figure | None:
    """Performance of CoS2N by coarsening ratio, a line per size; None without two of a method."""
    structures = ratio_structures(study)
    if not structures:
        return None
    figure, panels = new_figure(
        PAGE_WIDTH,
        470,
        cols=len(structures),
        sharey=True,
        title=f"{name}: CoS2N by coarsening ratio",
        subtitle=f"{', '.join(_ratios_by_method(study))}; {_describe_runs(study)}; bars are"
        " standard errors, drawn side by side",
    )
    for axes, structure in zip(panels, structures, strict=True):
        draw_ratios(axes, study, structure, dodge=7)
    legend_below(figure, panels[0].get_legend_handles_labels()[0])
    return figure


def draw_ratios(axes: Axes, study: ScarceStudy, structure: str, *, dodge: float = 5) -> None:
    """One panel: test micro-F1 of a structure by coarsening ratio, a line per size and method.

    Args:
        axes: The panel to draw in.
        study: The results to draw.
        structure: A structure with virtual subgraphs.
        dodge: Points between the bars of two sizes at the same ratio.
    """
    ratios, sizes = _ratios_by_method(study), study.plan.sizes
    for method_place, (method, settings) in enumerate(ratios.items()):
        for place, n in enumerate(sizes):
            summaries = [(r, study.summary(structure, n, c)) for r, c in sorted(settings)]
            _draw_line(
                axes,
                [_with_error(r, s) for r, s in summaries if s is not None],
                shift=dodge * (place - (len(sizes) - 1) / 2),
                color=PALETTE[size_colour(place)],
                ls=_METHOD_DASHES[method_place % 4],
                marker="o",
                label=f"n = {n}" if len(ratios) == 1 else f"n = {n}, {method}",
            )
    axes.set_xticks(sorted({ratio for settings in ratios.values() for ratio, _ in settings}))
    axes.set_title(f"{structure}: test micro-F1, %")
    axes.set_xlabel("Share of the nodes removed")


def size_colour(place: int) -> str:
    """The name of the colour of a size, by its place among them."""
    return f"k{place % 10}"


def ratio_structures(study: ScarceStudy) -> list[Structure]:
    """The structures with virtual subgraphs; none where no method has two ratios."""
    structures = [s for s in study.plan.structures if Structure(s).coarsened]
    return structures if _ratios_by_method(study) else []


def _ratios_by_method(study: ScarceStudy) -> dict[str, list[tuple[float, str]]]:
    """Ratios and settings by method, of methods with two of them at least."""
    ratios: dict[str, list[tuple[float, str]]] = {}
    for coarsen in study.plan.coarsenings:
        method, _, ratio = coarsen.rpartition(":")
        ratios.setdefault(method, []).append((float(ratio or 0), coarsen))
    return {method: settings for method, settings in ratios.items() if len(settings) > 1}


def _with_error(x: float, summary: Summary) -> Point:
    mean, error = 100 * summary.mean, 100 * (summary.se or 0.0)
    return x, mean, mean - error, mean + error


def _draw_line(axes: Axes, points: Sequence[Point], *, shift: float, **style: Any) -> None:
    """A line with bars, moved aside by some points of length so that bars do not cover others."""
    from matplotlib.transforms import ScaledTranslation

    figure = axes.figure
    assert figure is not None
    aside = axes.transData + ScaledTranslation(shift / 72, 0, figure.dpi_scale_trans)
    x, y, low, high = ([point[side] for point in points] for side in range(4))
    bars = [
        [b - a for a, b in zip(low, y, strict=True)],
        [b - a for a, b in zip(y, high, strict=True)],
    ]
    line = axes.errorbar(
        x, y, yerr=bars if low != high else None, transform=aside, elinewidth=1.2, **style
    )
    # Limits are not taken from lines that are moved aside.
    axes.update_datalim([(point[0], end) for point in points for end in point[1:]])
    axes.autoscale_view()
    values = ", ".join(f"{short(a)}: {short(b)}" for a, b in zip(x, y, strict=True))
    set_tip(line[0], f"{style['label']} ({values})")


def _describe_runs(study: ScarceStudy) -> str:
    kind = "fresh subsets" if study.plan.subsets == "fresh" else "one subset as published"
    count = len({row.seed for row in study.rows})
    return f"{count} seeds, {kind}"
