"""How a reproduced table writes its numbers, on the terminal and on the page."""

from __future__ import annotations

import math

from ..report.number_format import ratio_text
from .paper_tables import Entry

_STATUS = {"missing": "no data", "left out": "left out", "failed": "failed", "not yet": "not yet"}


def ours_text(entry: Entry) -> str:
    """Our number with its spread and mark, or the word that says why there is none."""
    if entry.status != "done":
        return _STATUS[entry.status]
    if entry.ours is None:
        return entry.text or "-"
    if entry.style == "ratio":
        return ratio_text(entry.ours)
    text = number_text(entry.ours, entry.style)
    if entry.spread is not None and (entry.n > 1 or (entry.style != "score" and entry.spread)):
        small = entry.style == "plain" and entry.spread < 10
        text += (
            f" ± {entry.spread:.2g}" if small else f" ± {number_text(entry.spread, entry.style)}"
        )
    return f"{text}{entry.mark}"


def number_text(value: float, style: str) -> str:
    """``63.7`` for scores, ``17,080`` for counts, three digits otherwise."""
    if not math.isfinite(value):
        return "-"
    if style == "score":
        return f"{value:.1f}"
    if style == "count":
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 10 else f"{value:.1f}"


def published_text(entry: Entry) -> str:
    """What the paper printed, with its mark; (e) where ± is a standard error."""
    printed = entry.published
    if printed is None:
        return ""
    text = printed.text
    if entry.style == "count" and printed.value is not None and "," not in text:
        text = f"{printed.value:,.0f}"
    error = " (e)" if printed.kind == "se" and printed.spread is not None else ""
    return f"{text}{printed.mark}{error}"


def difference_text(entry: Entry) -> str:
    """Our number minus the published one in points; of counts and measures the ratio."""
    gap = entry.difference
    if gap is None or entry.published is None or entry.ours is None:
        return ""
    if entry.style == "score":
        return f"{round(gap, 1) + 0.0:+.1f}"
    if not entry.published.value or entry.ours <= 0:
        return ""
    ratio = entry.ours / entry.published.value
    return "=" if abs(ratio - 1) < 0.005 else f"×{ratio:.2f}"


def short_kind(kind: str) -> str:
    """The kind of data over a column."""
    return {"random shape": "random graph of its shape", "missing": "not at hand"}.get(kind, kind)
