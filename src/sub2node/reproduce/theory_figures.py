"""Figures of the theory: one per claim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, get_args

import numpy as np

from ..base.errors import ConfigError, suggest
from ..base.ragged import Array
from ..report.drawing import (
    PAGE_WIDTH,
    PALETTE,
    house_style,
    legend_below,
    new_figure,
    set_log_scale,
)
from .theory import Claim
from .theory.sampling import Degrees, Sets
from .theory.theory_cases import FEATURES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SHADES = tuple(PALETTE[name] for name in ("k9", "k1", "k2", "k3", "k6"))
_FAILED, _GREY = PALETTE["bad"], PALETTE["k10"]
_SMALLEST = 1e-18  # where a difference of 0 stands on a log axis
_MANY = 300  # points from which a cloud is one image in SVG


@house_style()
def claim_figure(claim: Claim) -> Figure:
    """The figure of a claim, from its data alone."""
    if claim.name not in _FIGURES:
        raise ConfigError(f"no figure shows {claim.name!r}.{suggest(claim.name, _FIGURES)}")
    return _FIGURES[claim.name](claim)


def _draw_lemma(claim: Claim) -> Figure:
    figure, [axes] = new_figure(
        PAGE_WIDTH,
        520,
        title=claim.title,
        subtitle=f"{_describe_count(claim)}; below the dashed line both sides count as equal",
    )
    names, rng = list(claim.data["differences"]), np.random.default_rng(0)
    for place, values in enumerate(claim.data["differences"].values()):
        shown = np.maximum(values, _SMALLEST)
        line = {"color": _SHADES[0], "linewidth": 1.2}
        axes.boxplot(
            [shown],
            positions=[place],
            widths=0.5,
            showfliers=False,
            patch_artist=True,
            boxprops={"facecolor": "none", "edgecolor": _SHADES[0], "linewidth": 1.2},
            medianprops=line,
            whiskerprops=line,
            capprops=line,
            manage_ticks=False,
        )
        aside = place + rng.uniform(-0.14, 0.14, len(shown))
        _draw_cloud(axes, aside, shown, size=16, colour=_SHADES[0])
    axes.axhline(1e-12, ls="--", color=_FAILED)
    set_log_scale(axes, "y", [_SMALLEST, 1e-12])
    many = len(names) >= 8
    axes.set_xticks(
        range(len(names)),
        names,
        rotation=30 if many else 0,
        ha="right" if many else "center",
        rotation_mode="anchor",
    )
    axes.set_title("Largest difference of an entry (0 at the bottom), by kind of subgraphs")
    axes.grid(visible=False, axis="x")
    return figure


def _draw_errors(claim: Claim) -> Figure:
    """Bound against error, corrected and printed, with the line where they are equal."""
    subtitle = _describe_count(claim)
    if claim.printed_held is not None:
        subtitle += f"; as printed in {claim.printed_held:,}"
    figure, panels = new_figure(
        PAGE_WIDTH,
        540,
        cols=2,
        sharey=True,
        title=claim.title,
        subtitle=f"{subtitle}; above the line the bound holds",
    )
    # Errors that are rounding alone, with X = R X̂ or no edges, would stretch the axes.
    points = [p for p in claim.data["points"] if p[1] != "rebuilt" and p[2] > 1e-9 * max(p[3:])]
    there = {p[1] for p in points}
    kinds = [kind for kind in FEATURES if kind in there]  # of one colour in both figures
    for axes, place, title in zip(
        panels, (3, 4), ("Corrected bound", "Printed bound"), strict=True
    ):
        for kind, shade in zip(kinds, _SHADES, strict=False):
            chosen = [p for p in points if p[1] == kind]
            _draw_cloud(
                axes,
                [p[2] for p in chosen],
                [p[place] for p in chosen],
                size=20,
                colour=shade,
                label=f"{kind} features",
            )
        failed = [p for p in points if p[2] > p[place] * (1 + 1e-9)]
        axes.plot(
            [p[2] for p in failed],
            [p[place] for p in failed],
            "x",
            ms=7,
            mew=2,
            color=_FAILED,
            label="does not hold",
        )
        _draw_diagonal(axes, [v for p in points for v in p[2:]])
        axes.set_title(title)
        axes.set_xlabel("Measured error")
    legend_below(figure, panels[0].get_legend_handles_labels()[0])
    return figure


def _draw_links(claim: Claim) -> Figure:
    """P(Â ≥ c) by c, one panel for each way of drawing sets and each distribution of degrees."""
    from matplotlib.lines import Line2D

    sets, degrees = get_args(Sets), get_args(Degrees)
    ways = ("uniform sets", "sets by degree", "sets by walks")
    curves, levels = claim.data["curves"], claim.data["levels"]
    nodes = min(curve["nodes"] for curve in curves)
    chosen = [c for c in curves if c["nodes"] == nodes and c["sizes"] == "fixed"]
    sizes = sorted({curve["size"] for curve in chosen})
    figure, panels = new_figure(
        PAGE_WIDTH,
        900,
        rows=3,
        cols=3,
        sharex=True,
        sharey=True,
        title=claim.title,
        subtitle=f"P(Âᵢⱼ ≥ c) by c, kind of sets and kind of degrees; {_describe_count(claim)}"
        f" (uniform sets); shown: {nodes} nodes, sets of fixed size",
    )
    for curve in chosen:
        row, column = sets.index(curve["sets"]), degrees.index(curve["degrees"])
        shade = _SHADES[sizes.index(curve["size"])]
        for what, dash in (("measured", "-o"), ("bound", "--"), ("general", ":")):
            if what == "general" and curve["sets"] == "uniform":
                continue
            values = [value if value > 0 else np.nan for value in curve[what]]
            panels[3 * row + column].plot(
                levels,
                values,
                dash,
                color=shade,
                ms=5,
                label="" if what == "general" else f"{what}, size {curve['size']}",
            )
    for axes, (way, one) in zip(panels, [(w, d) for w in ways for d in degrees], strict=True):
        axes.set_title(f"{way}, {one}")
        set_log_scale(axes, "x", levels, ticks=levels, room=(0.05, 0.05))
        set_log_scale(axes, "y", [0.5 / claim.data["pairs"], 10], room=(0, 0))
    for axes in panels[6:]:
        axes.set_xlabel("c")
    handles = list(panels[0].get_legend_handles_labels()[0])
    dotted = Line2D([], [], color=_GREY, ls=":", label="pᵀ A p / c")
    legend_below(figure, [*handles, dotted])
    return figure


def _draw_virtual(claim: Claim) -> Figure:
    """With over without virtual subgraphs by ratio: error, rest with Rᵀ X, rest with the best X̂."""
    parts = {
        "error": "Error of the original subgraphs",
        "rest": "‖X - R Rᵀ X‖",
        "best": "‖X - R X̂‖ with the best X̂",
    }
    figure, panels = new_figure(
        PAGE_WIDTH,
        520,
        cols=3,
        sharey=True,
        title=claim.title,
        subtitle=f"with / without virtual subgraphs; error fell in {claim.printed_held:,} of"
        f" {claim.cases:,} cases; medians, bars are the middle half",
    )
    points = claim.data["points"]
    data = sorted({p["data"] for p in points}, key=lambda name: (name != "random graphs", name))
    for axes, (what, title) in zip(panels, parts.items(), strict=True):
        for number, name in enumerate(data):
            for side, (features, dash) in enumerate((("smooth", "-o"), ("normal", "--o"))):
                aside = 0.016 * (2 * number + side - len(data) + 0.5)  # bars stand side by side
                mine = [p for p in points if (p["data"], p["features"]) == (name, features)]
                ratios = sorted({p["ratio"] for p in mine})
                spread = [
                    [p[what][1] / max(p[what][0], 1e-300) for p in mine if p["ratio"] == r]
                    for r in ratios
                ]
                middle = np.array([float(np.median(values)) for values in spread])
                ends = np.array([np.quantile(values, (0.25, 0.75)) for values in spread])
                bars = np.abs(ends.reshape(-1, 2).T - middle)
                axes.errorbar(
                    [ratio + aside for ratio in ratios],
                    middle,
                    yerr=bars,
                    fmt=dash,
                    ms=5,
                    elinewidth=1,
                    color=_SHADES[number % 5],
                    label=f"{name}, {features}",
                )
        axes.axhline(1, ls=":", color=_FAILED)
        axes.set_ylim(bottom=0)
        axes.set_title(title)
        axes.set_xlabel("Coarsening ratio (nodes removed)")
    legend_below(figure, panels[0].get_legend_handles_labels()[0])
    return figure


def _draw_cloud(
    axes: Axes,
    x: Sequence[float] | Array,
    y: Sequence[float] | Array,
    *,
    size: float,
    colour: str,
    label: str = "",
) -> None:
    """Many points that lie upon each other; as one image in SVG where they are very many."""
    axes.scatter(
        x, y, s=size, color=colour, alpha=0.45, linewidth=0, label=label, rasterized=len(x) > _MANY
    )


def _draw_diagonal(axes: Axes, values: list[float]) -> None:
    """Log axes, and the line where both are equal."""
    positive = [value for value in values if value > 0] or [1.0]
    set_log_scale(axes, "x", positive)
    set_log_scale(axes, "y", positive)
    axes.plot(axes.get_xlim(), axes.get_xlim(), "--", color=_GREY, lw=1.5)


def _describe_count(claim: Claim) -> str:
    return f"held in {claim.held:,} of {claim.cases:,} cases"


_FIGURES: dict[str, Callable[[Claim], Figure]] = {
    "lemma": _draw_lemma,
    "gcn-error": _draw_errors,
    "gin-error": _draw_errors,
    "link-probability": _draw_links,
    "virtual-subgraphs": _draw_virtual,
}
