"""The picture of the README and of the landing page: node sets, their S2N graph, an answer.

    python docs/picture.py            # writes docs/picture.svg

Everything in it is computed by the package: the weights between the sets by ``translate``, the
bars by a classifier that learned from labelled sets of the same graph. Three of those are drawn,
one of each class, and the new set that the classifier is asked about.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Polygon
from matplotlib.patheffects import Normal, Stroke
from scipy.spatial import ConvexHull, Delaunay

import sub2node as s2n

TITLE = "Node sets in a graph, their S2N graph, and the answer for a new set"
CLASSES = ("A", "B", "C")
NEW = "?"
COLORS = {"A": "#3566c8", "B": "#d96f0e", "C": "#1f8a5b", NEW: "#3c3c46"}
CENTRES = {"A": (0.9, 3.0), "B": (4.4, 2.8), "C": (1.4, 0.6), NEW: (3.0, 1.8)}
SIZES = {"A": 7, "B": 8, "C": 6, NEW: 6}  # nodes of the sets that are drawn
LABELLED = 20  # sets of each class that the classifier learns from
INK, EDGE = "#22222a", "#b9bcc6"
WIDTH, HEIGHT = 8.0, 3.1  # inches
NAMED_AT = {"A": (0.42, 3.08), "B": (4.22, 3.05), "C": (1.28, 0.36), NEW: (3.2, 1.42)}
TRANSLATED_AT = {"A": (0.1, 0.86), "B": (0.95, 0.86), "C": (0.1, 0.14), NEW: (0.78, 0.24)}


@dataclass(frozen=True)
class Scene:
    """What is drawn.

    Args:
        points: Where the nodes are, (N, 2).
        edges: Pairs of nodes, (E, 2).
        sets: The members of the drawn sets, by name.
        weights: Raw weights of the S2N graph between drawn sets, where there are any.
        answer: Probability of each class for the new set.
    """

    points: np.ndarray
    edges: np.ndarray
    sets: dict[str, list[int]]
    weights: dict[tuple[str, str], int]
    answer: dict[str, float]

    def describe(self) -> str:
        """The numbers of the picture in words; they are kept in the file."""
        weights = ", ".join(f"{a}{b} {w}" for (a, b), w in self.weights.items())
        answer = ", ".join(f"{name} {p:.2f}" for name, p in self.answer.items())
        return f"Weights: {weights}. Answer: {answer}."


def compute_scene(seed: int = 0) -> Scene:
    """A graph in the plane, sets of neighbouring nodes, their weights and an answer."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(np.arange(7), np.arange(5)), axis=-1).reshape(-1, 2) * [0.9, 0.9]
    points = grid + rng.uniform(-0.22, 0.22, grid.shape)
    edges = _near_pairs(points, longest=1.15)
    graph = s2n.Graph.from_edges(*edges.T, num_nodes=len(points))
    sets = {name: _nearest(points, CENTRES[name], SIZES[name]) for name in CENTRES}
    weights = _set_weights(graph, sets)
    known, labels = _labelled_sets(points, sets, rng)
    settings = {"features.kind": "random", "training.ties": "loss"}
    model = s2n.SubgraphClassifier(preset="fast", settings=settings, device="cpu")
    model.fit(graph, known, labels)
    (probabilities,) = model.predict_proba([sets[NEW]])
    by_class = dict(zip(model.classes_.tolist(), probabilities.tolist(), strict=True))
    return Scene(points, edges, sets, weights, {name: by_class[name] for name in CLASSES})


def _near_pairs(points: np.ndarray, longest: float) -> np.ndarray:
    """Edges of the Delaunay triangulation that are not too long."""
    corners = Delaunay(points).simplices
    pairs = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]]), 1)
    pairs = np.unique(pairs, axis=0)
    length = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
    return pairs[length < longest]


def _nearest(points: np.ndarray, centre: tuple[float, float] | np.ndarray, size: int) -> list[int]:
    """The nodes nearest to a place."""
    return sorted(np.argsort(np.linalg.norm(points - centre, axis=1))[:size].tolist())


def _set_weights(graph: s2n.Graph, sets: dict[str, list[int]]) -> dict[tuple[str, str], int]:
    """Raw weights of the S2N graph between different sets: edges between, and shared nodes."""
    names = list(sets)
    subgraphs = s2n.Subgraphs.from_lists(list(sets.values()))
    split = s2n.Split(np.zeros(len(names), dtype=np.int8))
    raw = s2n.translate(s2n.SubgraphTask(graph, subgraphs, split=split)).weights.toarray()
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    return {(names[i], names[j]): int(raw[i, j]) for i, j in pairs if raw[i, j]}


def _labelled_sets(
    points: np.ndarray, sets: dict[str, list[int]], rng: np.random.Generator
) -> tuple[list[list[int]], list[str]]:
    """Sets to learn from: those that are drawn, and others about the same centres."""
    known, labels = [], []
    for name in CLASSES:
        places = np.array(CENTRES[name]) + rng.normal(0, 0.9, (LABELLED - 1, 2))
        others = [_nearest(points, place, int(rng.integers(5, 9))) for place in places]
        known += [sets[name], *others]
        labels += [name] * LABELLED
    return known, labels


def draw(scene: Scene) -> Figure:
    """Three panels on a white card with arrows between them."""
    figure = Figure(figsize=(WIDTH, HEIGHT), facecolor="none")
    card = FancyBboxPatch(
        (0.004, 0.01),
        0.992,
        0.98,
        boxstyle="round,pad=0,rounding_size=0.02",
        transform=figure.transFigure,
        facecolor="white",
        edgecolor="#d5d7de",
        mutation_aspect=WIDTH / HEIGHT,
        zorder=-1,  # below the panels
    )
    figure.patches.append(card)
    draw_sets(figure.add_axes((0.03, 0.06, 0.34, 0.72)), scene)
    draw_translated(figure.add_axes((0.44, 0.04, 0.27, 0.76)), scene)
    draw_answer(figure.add_axes((0.83, 0.1, 0.145, 0.68)), scene)
    for place, text in (
        (0.2, "sets in a graph"),
        (0.57, "S2N graph"),
        (0.875, f"answer for {NEW}"),
    ):
        figure.text(place, 0.87, text, ha="center", fontsize=15.5, color=INK, weight="bold")
    for place in (0.407, 0.743):
        figure.text(place, 0.42, "➜", ha="center", va="center", fontsize=25, color=INK)
    return figure


def draw_sets(axes: Axes, scene: Scene) -> None:
    """The graph, a coloured hull around each set, and its name."""
    points = scene.points
    for a, b in scene.edges:
        axes.plot(*points[[a, b]].T, color=EDGE, linewidth=1.1, zorder=1)
    axes.scatter(*points.T, s=34, color="white", edgecolor="#8a8d98", linewidth=1.2, zorder=4)
    for name, members in scene.sets.items():
        own = points[members]
        corners = own[ConvexHull(own).vertices]
        style = {"joinstyle": "round", "alpha": 0.2, "clip_on": False, "zorder": 2}
        axes.add_patch(Polygon(corners, color=COLORS[name], linewidth=24, **style))
        axes.scatter(*own.T, s=46, color=COLORS[name], zorder=5)
        text = axes.text(*NAMED_AT[name], name, color=COLORS[name], zorder=6)
        text.set(fontsize=17, weight="bold", ha="center", va="center")
        text.set_path_effects([Stroke(linewidth=4, foreground="white"), Normal()])
    for name, other in combinations(scene.sets, 2):  # a node of two sets has both colours
        shared = sorted(set(scene.sets[name]) & set(scene.sets[other]))
        ring = {"color": COLORS[name], "edgecolor": COLORS[other], "linewidth": 2.4}
        axes.scatter(*points[shared].T, s=52, zorder=5, **ring)
    axes.set_aspect("equal")
    axes.set_axis_off()


def draw_translated(axes: Axes, scene: Scene) -> None:
    """One node for each set, and edges as wide as their weight."""
    for (a, b), weight in scene.weights.items():
        ends = np.array([TRANSLATED_AT[a], TRANSLATED_AT[b]])
        axes.plot(*ends.T, color="#9599a6", linewidth=weight, zorder=1, solid_capstyle="butt")
        label = axes.text(*ends.mean(axis=0), str(weight), color=INK, zorder=2)
        label.set(fontsize=14, ha="center", va="center")
        label.set_bbox({"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"})
    for name, (x, y) in TRANSLATED_AT.items():
        axes.scatter([x], [y], s=900, color=COLORS[name], zorder=3)
        text = axes.text(x, y - 0.01, name, color="white", zorder=4)
        text.set(fontsize=17, weight="bold", ha="center", va="center")
    axes.set(xlim=(-0.1, 1.12), ylim=(-0.08, 1.08))
    axes.set_axis_off()


def draw_answer(axes: Axes, scene: Scene) -> None:
    """A bar for each class."""
    for row, (name, value) in enumerate(scene.answer.items()):
        axes.barh(-row, 1, height=0.46, color="#eceef3")
        axes.barh(-row, value, height=0.46, color=COLORS[name])
        text = axes.text(-0.08, -row, name, color=COLORS[name])
        text.set(fontsize=17, weight="bold", ha="right", va="center")
        axes.text(1.0, -row + 0.3, f"{value:.0%}", ha="right", fontsize=14, color=INK)
    axes.set(xlim=(0, 1), ylim=(-2.4, 0.8))
    axes.set_axis_off()


def write_picture(path: Path) -> Scene:
    """Draw the picture, the same bytes each time for the same numbers."""
    scene = compute_scene()
    with mpl.rc_context({"svg.hashsalt": "sub2node", "font.family": "DejaVu Sans"}):
        metadata = {"Date": None, "Title": TITLE, "Description": scene.describe()}
        FigureCanvasSVG(draw(scene)).print_svg(path, metadata=metadata)
    return scene


if __name__ == "__main__":
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("picture.svg")
    print(write_picture(out).describe())
