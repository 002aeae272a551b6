"""The figure of a reproduction: every score of ours against the published one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ..report.drawing import PALETTE, house_style, new_figure, set_tip
from .paper_tables import PaperTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@house_style()
def agreement_figure(tables: Iterable[PaperTable], colours: Mapping[str, str]) -> Figure | None:
    """Every score that has a published one, and the line where both are equal; None without any.

    Args:
        tables: All tables of the reproduction.
        colours: Names of colours by kind of data.
    """
    points = [
        (
            entry.published.value,
            entry.ours,
            table.kinds[place],
            f"{line.title}, {table.columns[place]}: {entry.ours:.1f}, published"
            f" {entry.published.text}",
        )
        for table in tables
        for line in table.lines
        for place, entry in enumerate(line.entries)
        if entry.style == "score"
        and entry.ours is not None
        and entry.published is not None
        and entry.published.value is not None
    ]
    if not points:
        return None
    figure, [axes] = new_figure(480, 440)
    values = [value for x, y, _, _ in points for value in (x, y)]
    room = max(0.04 * (max(values) - min(values)), 0.5)
    ends = (min(values) - room, max(values) + room)
    axes.plot(ends, ends, "--", color=PALETTE["soft"], lw=1)
    for x, y, kind, tip in points:
        colour = PALETTE[colours.get(kind, "k10")]
        [dot] = axes.plot([x], [y], "o", ms=8, color=colour, alpha=0.75, mew=0)
        set_tip(dot, tip)
    axes.set(xlim=ends, ylim=ends)
    axes.set_title("Ours, micro-F1 in %")
    axes.set_xlabel("Published, micro-F1 in %", weight="bold")
    return figure
