"""The S2N graph as a picture: colour is the label, shape the part, a cross a wrong answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from ...ragged import Array
from .svg import element, figure, number
from .tables import Answers, Subgraphs

WIDTH, HEIGHT = 920.0, 620.0
COLOURS = 10  # classes beyond these share a grey
_STRIP = 14.0  # between subgraphs without a link
_STEPS = 200
_LINK, _MIDDLE = 1.0, 0.15  # pull of links, and towards the middle, which holds pieces together


@dataclass(frozen=True)
class Picture:
    """The picture and what its caption needs.

    Args:
        svg: The picture.
        alone: Subgraphs in it without a link.
        alike: Share of its links that join subgraphs with a label in common; None without any.
        wrong: Test subgraphs with a cross.
        parts: Parts that occur.
    """

    svg: str
    alone: int
    alike: float | None
    wrong: int
    parts: tuple[str, ...]


def draw(
    known: Subgraphs, classes: tuple[str, ...], found: Answers | None, *, parted: bool
) -> Picture:
    """Draw the subgraphs that are meant for a picture.

    Args:
        known: Subgraphs and links.
        classes: Names, in the order of their colours.
        found: Answers, to mark wrong ones.
        parted: Whether parts are shown; not where each random split has its own.
    """
    shown = np.flatnonzero(known.columns["shown"])
    place = np.full(len(known.columns["shown"]), -1)
    place[shown] = np.arange(len(shown))
    source, target = place[known.links["source"]], place[known.links["target"]]
    weight = known.links["weight"].astype(np.float64)
    spots, alone = _spots(len(shown), source, target, weight)
    wrong = _wrong(found) if parted and found is not None else set()
    rows = [{key: column[i] for key, column in known.columns.items()} for i in shown]
    number_of = {name: place for place, name in enumerate(classes)}
    marks, crossed = [], 0
    order = {"virtual": 0, "train": 1, "val": 2, "test": 3}
    for i in sorted(range(len(rows)), key=lambda i: order.get(rows[i]["part"], 0)):
        row = rows[i]
        row["part"] = row["part"] if parted or row["part"] == "virtual" else "train"
        bad = row["subgraph_id"] in wrong and row["part"] == "test"
        crossed += bad
        colours = [number_of[name] for name in row["label"] or () if name in number_of]
        x, y = map(float, spots[i])
        marks.append(_mark(row, x, y, colours, bad=bad))
    labels = [set(row["label"] or ()) for row in rows]
    both = [bool(labels[a] & labels[b]) for a, b in zip(source, target, strict=True)
            if labels[a] and labels[b]]  # fmt: skip
    parts = tuple(dict.fromkeys(row["part"] for row in rows)) if parted else ()
    label = f"S2N graph with {len(rows)} subgraphs and {len(source)} links"
    lines = _lines(spots, source, target, weight)
    svg = figure(WIDTH, HEIGHT, label, [*lines, *marks])
    return Picture(svg, alone, float(np.mean(both)) if both else None, crossed, parts)


def _wrong(found: Answers) -> set[str]:
    """Test subgraphs that most seeds got wrong; multi-label: of which no label was said."""
    right = (found.said & found.truth).any(axis=2).mean(axis=0)
    return {name for name, share in zip(found.ids, right, strict=True) if share < 0.5}


def _spots(count: int, source: Array, target: Array, weight: Array) -> tuple[Array, int]:
    """Coordinates (n, 2): linked subgraphs by forces, the others in a strip under them."""
    linked = np.zeros(count, bool)
    linked[source] = linked[target] = True
    near, alone = np.flatnonzero(linked), np.flatnonzero(~linked)
    place = np.full(count, -1)
    place[near] = np.arange(len(near))
    spots = np.zeros((count, 2))
    across = int((WIDTH - 24) // _STRIP)
    strip = math.ceil(len(alone) / across) * _STRIP + (12 if len(alone) else 0)
    if len(near):
        raw = layout(len(near), place[source], place[target], weight)
        low, high = raw.min(axis=0), raw.max(axis=0)
        room = np.array([WIDTH - 32, HEIGHT - 32 - strip])
        spots[near] = 16 + (raw - low) / np.maximum(high - low, 1e-9) * room
    spots[alone, 0] = 16 + _STRIP * (np.arange(len(alone)) % across)
    spots[alone, 1] = HEIGHT - strip + 12 + _STRIP * (np.arange(len(alone)) // across)
    return spots, len(alone)


def layout(count: int, source: Array, target: Array, weight: Array) -> Array:
    """Positions (n, 2) of a few hundred nodes: links pull, all nodes push; always the same."""
    pull = np.zeros((count, count))
    pull[source, target] = pull[target, source] = weight
    total = np.sqrt(np.maximum(pull.sum(axis=0), 1e-9))
    pull *= _LINK / (total[:, None] * total)  # a hub pulls at each of its many neighbours less
    spots = np.random.default_rng(0).normal(size=(count, 2)) * math.sqrt(count)
    heat = math.sqrt(count) / 4
    for step in range(_STEPS):
        gap = spots[:, None] - spots[None]
        force = ((1 / ((gap**2).sum(axis=2) + 0.01) - pull)[:, :, None] * gap).sum(axis=1)
        force -= _MIDDLE * spots
        length = np.sqrt((force**2).sum(axis=1, keepdims=True))
        most = heat * (1 - step / _STEPS)
        spots += force * np.minimum(1, most / np.maximum(length, 1e-9))
    spots -= spots.mean(axis=0)
    axes = np.linalg.svd(spots, full_matrices=False)[2]
    turned: Array = spots @ axes.T  # the longest side lies across
    return turned


def _lines(spots: Array, source: Array, target: Array, weight: Array) -> list[str]:
    """Links in three strengths, one path each."""
    top = float(weight.max()) if len(weight) else 1.0
    strength = np.minimum((3 * weight / max(top, 1e-9)).astype(int), 2)
    parts = []
    for level in range(3):
        here = strength == level
        steps = [
            f"M{number(a[0])} {number(a[1])}L{number(b[0])} {number(b[1])}"
            for a, b in zip(spots[source[here]], spots[target[here]], strict=True)
        ]
        if steps:
            parts.append(element("path", d="".join(steps), class_=f"link l{level}"))
    return parts


def _mark(row: dict[str, Any], x: float, y: float, colours: list[int], *, bad: bool) -> str:
    """One subgraph."""
    part, title = row["part"], row.get("title") or ""
    said = " · ".join(
        word
        for word in (
            row["subgraph_id"],
            title if title != row["subgraph_id"] else "",
            part,
            ", ".join(row["label"] or ()),
            f"{row['size']} nodes",
            "wrong" if bad else "",
        )
        if word
    )
    radius = {"virtual": 2.5, "train": 4.0, "val": 4.5, "test": 6.0}.get(part, 4.0)
    kinds = [f"c{min(colour, COLOURS)}" for colour in colours] or ["none"]
    shapes = _strips(x, y, radius, kinds) if part == "val" else _slices(x, y, radius, kinds)
    if part == "test":
        shapes += element("circle", cx=x, cy=y, r=radius, class_="ring bad" if bad else "ring")
    if bad:
        arm = radius + 3
        shapes += element(
            "path", class_="cross",
            d=f"M{number(x - arm)} {number(y - arm)}l{number(2 * arm)} {number(2 * arm)}"
              f"m{number(-2 * arm)} 0l{number(2 * arm)} {number(-2 * arm)}",
        )  # fmt: skip
    return element("g", element("title", escape(said)), shapes)


def _slices(x: float, y: float, radius: float, kinds: list[str]) -> str:
    """A disc, in as many slices as there are labels."""
    if len(kinds) == 1:
        return element("circle", cx=x, cy=y, r=radius, class_=kinds[0])
    angles = np.linspace(0, 2 * math.pi, len(kinds) + 1) - math.pi / 2
    ends = [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles]
    return "".join(
        element(
            "path", class_=kind,
            d=f"M{number(x)} {number(y)}L{number(a[0])} {number(a[1])}A{radius} {radius} 0"
              f" {int(len(kinds) == 1)} 1 {number(b[0])} {number(b[1])}z",
        )
        for kind, a, b in zip(kinds, ends[:-1], ends[1:], strict=True)
    )  # fmt: skip


def _strips(x: float, y: float, radius: float, kinds: list[str]) -> str:
    """A square, in as many strips as there are labels."""
    width = 2 * radius / len(kinds)
    return "".join(
        element("rect", x=x - radius + place * width, y=y - radius, width=width,
                height=2 * radius, class_=kind)
        for place, kind in enumerate(kinds)
    )  # fmt: skip
