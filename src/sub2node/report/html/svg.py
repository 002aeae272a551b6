"""Small pieces of SVG, as text; whatever comes from users is escaped here."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

import numpy as np


def element(name: str, *inside: str, **attributes: object) -> str:
    """An element; ``inside`` is SVG already, attributes are escaped (``class_`` is ``class``)."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{given}>{''.join(inside)}</{name}>" if inside else f"<{name}{given}/>"


def words(x: float, y: float, text: str, **attributes: object) -> str:
    """A line of text."""
    return element("text", escape(text), x=x, y=y, **attributes)


def figure(width: float, height: float, label: str, inside: Iterable[str]) -> str:
    """A picture that fits its column and is read out as its label."""
    return element(
        "svg", *inside, viewBox=f"0 0 {number(width)} {number(height)}", role="img",
        aria_label=label, style=f"max-width:{number(width)}px",
    )  # fmt: skip


def path(points: Iterable[tuple[float, float]], **attributes: object) -> str:
    """A line through points; those that are not finite leave a gap."""
    steps, pen = [], "M"
    for x, y in points:
        if not (math.isfinite(x) and math.isfinite(y)):
            pen = "M"
            continue
        steps.append(f"{pen}{number(x)} {number(y)}")
        pen = "L"
    return element("path", d="".join(steps), **attributes) if steps else ""


def number(value: float) -> str:
    """A coordinate, to a tenth."""
    return f"{float(value):.1f}".removesuffix(".0")


def _value(value: object) -> str:
    return number(float(value)) if isinstance(value, float | np.floating) else str(value)


@dataclass(frozen=True)
class Axis:
    """A straight scale from numbers to coordinates.

    Args:
        low: The number at ``start``.
        high: The number at ``stop``.
        start: A coordinate.
        stop: Another one.
    """

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        """The coordinate of a number."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.start + share * (self.stop - self.start)

    def ticks(self, count: int = 5) -> list[float]:
        """Round numbers, about so many."""
        step = _step((self.high - self.low) / count)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(step * tick, 10) for tick in range(first, last + 1)]


def wide(low: float, high: float, start: float, stop: float) -> Axis:
    """An axis that holds these numbers and begins and ends at round ones."""
    if not (math.isfinite(low) and math.isfinite(high)):
        low, high = 0.0, 1.0
    if high - low < 1e-12:
        low, high = low - 0.5, high + 0.5
    step = _step((high - low) / 5)
    return Axis(math.floor(low / step) * step, math.ceil(high / step) * step, start, stop)


def _step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, not below."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * size for size in (1, 2, 5, 10) if power * size >= rough * (1 - 1e-9))


def tick_text(value: float) -> str:
    """A number under a tick."""
    return f"{value:.4g}"


def grid_x(axis: Axis, top: float, bottom: float, title: str, count: int = 5) -> list[str]:
    """Lines, numbers and a title for a horizontal axis."""
    parts = []
    for tick in axis.ticks(count):
        x = axis(tick)
        parts.append(element("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid"))
        parts.append(words(x, bottom + 17, tick_text(tick), text_anchor="middle"))
    middle = (axis.start + axis.stop) / 2
    return [*parts, words(middle, bottom + 36, title, text_anchor="middle", class_="axis")]


def grid_y(axis: Axis, left: float, right: float, title: str, count: int = 5) -> list[str]:
    """Likewise, vertical; the title stands over it."""
    parts = []
    for tick in axis.ticks(count):
        y = axis(tick)
        parts.append(element("line", x1=left, x2=right, y1=y, y2=y, class_="grid"))
        parts.append(words(left - 7, y + 4, tick_text(tick), text_anchor="end"))
    return [*parts, words(4, min(axis.start, axis.stop) - 12, title, class_="axis")]
