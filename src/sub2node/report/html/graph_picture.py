"""The S2N graph as a picture: colour is the label, shape the part, a cross a wrong answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.ragged import Array
from ...runs.run_tables import RunPredictions, SubgraphTable
from ..drawing import PALETTE, house_style, new_figure, set_tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path

COLOURS = 10  # classes beyond these share a grey
_WIDTH, _HEIGHT = 920, 620
_STRIP = 14.0  # between subgraphs without a link
_STEPS = 200
_LINK, _MIDDLE = 1.0, 0.15  # pull of links, and towards the middle, which holds pieces together
_ORDER = {"virtual": 0, "train": 1, "val": 2, "test": 3}  # later ones lie above
_RADIUS = {"virtual": 2.5, "train": 4.0, "val": 4.5, "test": 6.0}
_LINKS = ((0.1, 0.6), (0.18, 0.8), (0.3, 0.9))  # opacity and width by strength


@dataclass(frozen=True)
class Picture:
    """The picture and what its caption needs.

    Args:
        figure: The drawn graph.
        title: What the picture shows.
        alone: Subgraphs in it without a link.
        alike: Share of its links that join subgraphs with a label in common; None without any.
        wrong: Test subgraphs with a cross.
        parts: The parts of the split that occur.
    """

    figure: Figure
    title: str
    alone: int
    alike: float | None
    wrong: int
    parts: tuple[str, ...]


@house_style()
def draw_s2n_graph(
    table: SubgraphTable,
    classes: tuple[str, ...],
    predictions: RunPredictions | None,
    *,
    show_parts: bool,
) -> Picture:
    """Draw the subgraphs that are meant for a picture.

    Args:
        table: The subgraphs and their links.
        classes: Their names, in the order of their colours.
        predictions: The predictions, to mark wrong ones.
        show_parts: Whether parts are shown; not where each random split has its own.
    """
    shown = np.flatnonzero(table.columns["shown"])
    place = np.full(len(table.columns["shown"]), -1)
    place[shown] = np.arange(len(shown))
    source, target = place[table.links["source"]], place[table.links["target"]]
    weight = table.links["weight"].astype(np.float64)
    positions, alone = _place_subgraphs(len(shown), source, target, weight)
    wrong = _wrong_ids(predictions) if show_parts and predictions is not None else set()
    rows = [{key: column[i] for key, column in table.columns.items()} for i in shown]
    for row in rows:
        row["part"] = row["part"] if show_parts or row["part"] == "virtual" else "train"
        row["wrong"] = row["subgraph_id"] in wrong and row["part"] == "test"
    figure, [axes] = new_figure(_WIDTH, _HEIGHT)
    figure.set_layout_engine("none")
    axes.set_position((0, 0, 1, 1))
    axes.set(xlim=(0, _WIDTH), ylim=(_HEIGHT, 0))  # a unit is a point, as in sizes of markers
    axes.set_axis_off()
    _draw_links(axes, positions, source=source, target=target, weight=weight)
    number_of = {name: min(place, COLOURS) for place, name in enumerate(classes)}
    for i in sorted(range(len(rows)), key=lambda i: _ORDER.get(rows[i]["part"], 0)):
        labels = [name for name in rows[i]["label"] or () if name in number_of]
        colours = [PALETTE[f"k{number_of[name]}"] for name in labels]
        _draw_subgraph(axes, rows[i], positions[i], colours)
    labels = [set(row["label"] or ()) for row in rows]
    are_alike = [
        bool(labels[a] & labels[b])
        for a, b in zip(source, target, strict=True)
        if labels[a] and labels[b]
    ]
    return Picture(
        figure,
        f"S2N graph with {len(rows)} subgraphs and {len(source)} links",
        alone,
        float(np.mean(are_alike)) if are_alike else None,
        sum(row["wrong"] for row in rows),
        tuple(dict.fromkeys(row["part"] for row in rows)) if show_parts else (),
    )


def _wrong_ids(predictions: RunPredictions) -> set[str]:
    """Test subgraphs that most seeds got wrong; multi-label: of which no label was predicted."""
    right = (predictions.predicted & predictions.truth).any(axis=2).mean(axis=0)
    return {name for name, share in zip(predictions.ids, right, strict=True) if share < 0.5}


def _place_subgraphs(count: int, source: Array, target: Array, weight: Array) -> tuple[Array, int]:
    """Coordinates (n, 2): linked subgraphs by forces, the others in a strip under them."""
    linked = np.zeros(count, bool)
    linked[source] = linked[target] = True
    near, alone = np.flatnonzero(linked), np.flatnonzero(~linked)
    place = np.full(count, -1)
    place[near] = np.arange(len(near))
    positions = np.zeros((count, 2))
    across = int((_WIDTH - 24) // _STRIP)
    strip = math.ceil(len(alone) / across) * _STRIP + (12 if len(alone) else 0)
    if len(near):
        raw = layout(len(near), place[source], place[target], weight)
        low, high = raw.min(axis=0), raw.max(axis=0)
        room = np.array([_WIDTH - 32, _HEIGHT - 32 - strip])
        positions[near] = 16 + (raw - low) / np.maximum(high - low, 1e-9) * room
    positions[alone, 0] = 16 + _STRIP * (np.arange(len(alone)) % across)
    positions[alone, 1] = _HEIGHT - strip + 12 + _STRIP * (np.arange(len(alone)) // across)
    return positions, len(alone)


def layout(count: int, source: Array, target: Array, weight: Array) -> Array:
    """Positions (n, 2) of a few hundred nodes: links pull, all nodes push; always the same."""
    pull = np.zeros((count, count))
    pull[source, target] = pull[target, source] = weight
    total = np.sqrt(np.maximum(pull.sum(axis=0), 1e-9))
    pull *= _LINK / (total[:, None] * total)  # a hub pulls at each of its many neighbours less
    positions = np.random.default_rng(0).normal(size=(count, 2)) * math.sqrt(count)
    heat = math.sqrt(count) / 4
    for step in range(_STEPS):
        gap = positions[:, None] - positions[None]
        force = ((1 / ((gap**2).sum(axis=2) + 0.01) - pull)[:, :, None] * gap).sum(axis=1)
        force -= _MIDDLE * positions
        length = np.sqrt((force**2).sum(axis=1, keepdims=True))
        most = heat * (1 - step / _STEPS)
        positions += force * np.minimum(1, most / np.maximum(length, 1e-9))
    positions -= positions.mean(axis=0)
    axes = np.linalg.svd(positions, full_matrices=False)[2]
    turned: Array = positions @ axes.T  # the longest side lies across
    return turned


def _draw_links(
    axes: Axes, positions: Array, *, source: Array, target: Array, weight: Array
) -> None:
    """Draw links in three strengths, one path per strength."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    top = float(weight.max()) if len(weight) else 1.0
    strength = np.minimum((3 * weight / max(top, 1e-9)).astype(int), 2)
    for level, (alpha, width) in enumerate(_LINKS):
        chosen = strength == level
        if chosen.any():
            ends = np.stack([positions[source[chosen]], positions[target[chosen]]], axis=1).reshape(
                -1, 2
            )
            path = Path(ends, np.tile([Path.MOVETO, Path.LINETO], int(chosen.sum())))
            style = {"ec": PALETTE["soft"], "alpha": alpha, "lw": width}
            axes.add_patch(PathPatch(path, fc="none", clip_on=False, **style))


def _draw_subgraph(axes: Axes, row: dict[str, Any], position: Array, colours: list[str]) -> None:
    """One subgraph: a disc or, in val, a square, in as many pieces as there are labels."""
    part, radius = row["part"], _RADIUS.get(row["part"], 4.0)
    title = row.get("title") or row["subgraph_id"]
    tip_parts = (
        title,
        row["subgraph_id"] if title != row["subgraph_id"] else "",
        part,
        ", ".join(row["label"] or ()),
        f"{row['size']} nodes",
        "wrong" if row["wrong"] else "",
    )
    tip = " · ".join(part for part in tip_parts if part)
    style: dict[str, Any] = {"ms": 2 * radius, "clip_on": False, "ls": "none"}
    pieces: list[str | Path] = ["s" if part == "val" else "o"]
    if len(colours) > 1:
        pieces = [_marker_piece(n, len(colours), square=part == "val") for n in range(len(colours))]
    for marker, colour in zip(pieces, colours or [PALETTE["paper"]], strict=True):
        edge = {"mec": PALETTE["k10"], "mew": 1.0} if not colours else {"mew": 0}
        [mark] = axes.plot(*position[:, None], marker=marker, color=colour, **edge, **style)
        set_tip(mark, tip)
    if part == "test":
        axes.plot(
            *position[:, None],
            marker="o",
            mfc="none",
            mew=1.6,
            mec=PALETTE["bad" if row["wrong"] else "ink"],
            **style,
        )
    if row["wrong"]:
        style["ms"] += 6
        axes.plot(*position[:, None], marker="x", color=PALETTE["bad"], mew=1.6, **style)


def _marker_piece(number: int, count: int, *, square: bool) -> Path:
    """A strip of a square or a slice of a disc, as a marker."""
    from matplotlib.path import Path

    if square:
        left, right = (2 * place / count - 1 for place in (number, number + 1))
        piece = Path([(left, -1), (right, -1), (right, 1), (left, 1), (left, -1)])
    else:
        piece = Path.wedge(90 - 360 * (number + 1) / count, 90 - 360 * number / count)
    # Markers are scaled to their largest coordinate: a corner keeps pieces of one size.
    return Path.make_compound_path(Path([(1, 1)], [Path.MOVETO]), piece)
