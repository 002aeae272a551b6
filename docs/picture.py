"""The picture of the README and of the landing page: a patient among diseases, and the answer.

    python docs/picture.py            # writes docs/picture.svg; needs the extras hpo and report

Everything in it is computed by the package: the weights between the sets by ``translate``, the bars
by ``make demo``, whose transcript is in ``benchmarks/results/printed``. Three of its diseases are
drawn, and its patient, who is none of them. Phenotypes that join the patient to one of them
have their names; of the others there are as many dots as phenotypes.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Polygon
from scipy.spatial import ConvexHull

import sub2node as s2n

ROOT = Path(__file__).parents[1]
PATIENT = ROOT / "examples" / "patient.json"
TITLE = "A patient's symptoms among those of diseases, the S2N graph, and the answer"
NEW = "?"
DISEASES = {"A": "OMIM:607731", "B": "OMIM:607584", "C": "OMIM:618848"}
CAPTIONS = {"A": "Charcot-Marie-Tooth 2H", "B": "Spastic paraplegia 24",
            "C": "Limb-girdle dystrophy 26", NEW: "the patient"}  # fmt: skip
COLORS = {"A": "#3566c8", "B": "#d96f0e", "C": "#1f8a5b", NEW: "#3c3c46"}
OTHER, INK, EDGE = "#8a8d98", "#22222a", "#7d818e"
WIDTH, HEIGHT, MARGIN = 9.0, 3.9, 0.2  # inches; around a set
TRANSCRIPT = ROOT / "benchmarks" / "results" / "printed" / "demo.txt"
SHOWN = 3  # families
# Where named phenotypes are, in inches; their names stand above.
NAMED_AT = {
    "HP:0003693": (1.0, 2.28),  # Distal amyotrophy
    "HP:0008944": (2.38, 2.28),  # Distal lower limb amyotrophy
    "HP:0002460": (1.0, 1.55),  # Distal muscle weakness
    "HP:0009053": (2.38, 1.55),  # Distal lower limb muscle weakness
    "HP:0003376": (1.0, 0.86),  # Steppage gait
    "HP:0001288": (2.72, 0.86),  # Gait disturbance
    "HP:0001761": (1.68, 0.34),  # Pes cavus
    "HP:0030051": (4.45, 2.02),  # Tip-toe gait
    "HP:0002527": (4.45, 0.86),  # Falls
    "HP:0012548": (3.72, 0.3),  # Fatty replacement of skeletal muscle
}
OTHERS_AT = {"A": (0.1, 0.5), "B": (4.2, 2.32), "C": (4.35, 0.1), NEW: (3.05, 1.55)}
COLUMNS = {"A": 2, "B": 4, "C": 4, NEW: 2}
CAPTIONED_AT = {"A": (0.92, 2.86), NEW: (2.72, 2.86), "B": (4.55, 2.86), "C": (4.55, -0.26)}
TRANSLATED_AT = {"A": (0.0, 0.5), NEW: (0.85, 0.5), "B": (0.85, 1.0), "C": (0.85, 0.0)}


@dataclass(frozen=True)
class Scene:
    """What is drawn.

    Args:
        sets: The phenotypes of the drawn sets, by name.
        names: What phenotypes are called.
        edges: Links of the ontology between phenotypes of different sets.
        weights: Raw weights of the S2N graph between drawn sets, where there are any.
        answer: The likeliest families and their probabilities.
        families: The families of the drawn diseases.
    """

    sets: dict[str, set[str]]
    names: dict[str, str]
    edges: list[tuple[str, str]]
    weights: dict[tuple[str, str], int]
    answer: dict[str, float]
    families: dict[str, str]

    @property
    def joined(self) -> set[str]:
        """Phenotypes of several sets, or with a link to one of another set."""
        shared = {one for one in self.names if sum(one in own for own in self.sets.values()) > 1}
        return shared | {end for edge in self.edges for end in edge}

    def describe(self) -> str:
        """The numbers of the picture in words; they are kept in the file."""
        weights = ", ".join(f"{a}{b} {w}" for (a, b), w in self.weights.items())
        answer = ", ".join(f"{name} {p:.2f}" for name, p in self.answer.items())
        joined = ", ".join(sorted(self.names[one] for one in self.joined))
        return f"Joined: {joined}. Weights: {weights}. Answer: {answer}."


def read_answer() -> dict[str, float]:
    """The likeliest families of the patient and their probabilities, as the demo printed them."""
    _, answer = TRANSCRIPT.read_text(encoding="utf-8").split("\nProbabilities", 1)
    rows = re.findall(r"^  (\w.*?) +(\d\.\d{3})\b", answer.split("\nWhy ")[0], re.MULTILINE)
    return {family: float(probability) for family, probability in rows[:SHOWN]}


def compute_scene(answer: dict[str, float]) -> Scene:
    """The drawn sets, their weights and the answer for the patient.

    Args:
        answer: The likeliest families and their probabilities.
    """
    task = s2n.load_task("disease_families")
    features = json.loads(PATIENT.read_text(encoding="utf-8"))["phenotypicFeatures"]
    patient = [one["type"]["id"] for one in features if not one.get("excluded")]
    lists = {name: task.members(disease) for name, disease in DISEASES.items()} | {NEW: patient}
    graph = task.graph
    number = {name: i for i, name in enumerate(graph.names or ())}
    sets = [[number[one] for one in own] for own in lists.values()]
    titles = graph.titles or ()
    rows = {name: task.subgraph_ids.index(disease) for name, disease in DISEASES.items()}
    return Scene(
        sets={name: set(own) for name, own in lists.items()},
        names={one: titles[number[one]] for own in lists.values() for one in own},
        edges=_edges_between(graph, lists),
        weights=_set_weights(graph, list(lists), sets),
        answer=answer,
        families={name: task.class_names[task.labels[row]] for name, row in rows.items()},
    )


def _edges_between(graph: s2n.Graph, lists: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Links of the graph from a member of one set to a member of another."""
    names = graph.names or ()
    number = {name: i for i, name in enumerate(names)}
    owners: dict[str, set[str]] = {}
    for name, own in lists.items():
        for one in own:
            owners.setdefault(one, set()).add(name)
    found = list[tuple[str, str]]()
    for one in sorted(owners):
        start, end = graph.indptr[number[one] : number[one] + 2]
        others = [names[i] for i in graph.indices[start:end] if names[i] in owners]
        found += [(one, other) for other in others if one < other and owners[one] != owners[other]]
    return found


def _set_weights(
    graph: s2n.Graph, names: list[str], sets: list[list[int]]
) -> dict[tuple[str, str], int]:
    """Raw weights of the S2N graph between different sets: edges between, and shared nodes."""
    subgraphs = s2n.Subgraphs.from_lists(sets)
    split = s2n.Split(np.zeros(len(names), dtype=np.int8))
    raw = s2n.translate(s2n.SubgraphTask(graph, subgraphs, split=split)).weights.toarray()
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    return {(names[i], names[j]): int(raw[i, j]) for i, j in pairs if raw[i, j]}


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
    draw_sets(figure.add_axes((0.01, 0.01, 0.6, 0.86)), scene)
    draw_translated(figure.add_axes((0.65, 0.14, 0.13, 0.6)), scene)
    draw_answer(figure.add_axes((0.83, 0.12, 0.15, 0.64)), scene)
    for place, text in ((0.31, "symptoms in an ontology"), (0.715, "S2N graph"),
                        (0.907, f"answer for {NEW}")):  # fmt: skip
        figure.text(place, 0.9, text, ha="center", fontsize=14, color=INK, weight="bold")
    for place in (0.622, 0.805):
        figure.text(place, 0.46, "➜", ha="center", va="center", fontsize=22, color=INK)
    return figure


def place_nodes(scene: Scene) -> dict[str, tuple[float, float]]:
    """Where each phenotype is: those with a name by hand, the others of a set in rows."""
    places = {one: NAMED_AT[one] for one in sorted(scene.joined)}
    for name, own in scene.sets.items():
        left, bottom = OTHERS_AT[name]
        for i, one in enumerate(sorted(own - scene.joined)):
            row, column = divmod(i, COLUMNS[name])
            places[one] = (left + 0.2 * column, bottom + 0.22 * row)
    return places


def draw_sets(axes: Axes, scene: Scene) -> None:
    """The phenotypes, a coloured hull around each set, and names."""
    places = place_nodes(scene)
    for edge in scene.edges:
        axes.plot(*np.transpose([places[end] for end in edge]), color=EDGE, linewidth=1.4, zorder=3)
    for name, own in scene.sets.items():
        points = np.array([places[one] for one in sorted(own)])
        style = {"alpha": 0.17, "linewidth": 0, "clip_on": False, "zorder": 2}
        axes.add_patch(Polygon(_round_hull(points), color=COLORS[name], **style))
        axes.scatter(*points.T, s=30, color=COLORS[name], zorder=5, clip_on=False)
        caption = axes.text(*CAPTIONED_AT[name], f"{name}  {CAPTIONS[name]}", color=COLORS[name])
        caption.set(fontsize=10.5, weight="bold", ha="center", va="center", zorder=6)
    for one in sorted(scene.joined):
        owners = [name for name in scene.sets if one in scene.sets[name]]
        if len(owners) > 1:  # a phenotype of two sets has both colours
            ring = {"color": COLORS[owners[0]], "edgecolor": COLORS[owners[1]], "linewidth": 2.2}
            axes.scatter(*np.transpose([places[one]]), s=46, zorder=5, **ring)
        x, y = NAMED_AT[one]
        text = axes.text(x, y + 0.09, _in_two_lines(scene.names[one]), color=INK, zorder=7)
        text.set(fontsize=9, ha="center", va="bottom", linespacing=0.95)
    axes.set(xlim=(-0.2, 5.35), ylim=(-0.4, 3.0), aspect="equal")
    axes.set_axis_off()


def _round_hull(points: np.ndarray) -> np.ndarray:
    """Corners of the smallest convex shape that has a disc around each of these points."""
    angles = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    disc = MARGIN * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rims = (points[:, None] + disc).reshape(-1, 2)
    return np.asarray(rims[ConvexHull(rims).vertices])


def _in_two_lines(name: str) -> str:
    """A long name broken at the space nearest to its middle."""
    spaces = [i for i, letter in enumerate(name) if letter == " "]
    if len(name) < 18 or not spaces:
        return name
    at = min(spaces, key=lambda i: abs(i - len(name) / 2))
    return f"{name[:at]}\n{name[at + 1 :]}"


def draw_translated(axes: Axes, scene: Scene) -> None:
    """One node for each set, and edges as wide as their weight."""
    for (a, b), weight in scene.weights.items():
        ends = np.array([TRANSLATED_AT[a], TRANSLATED_AT[b]])
        axes.plot(*ends.T, color="#9599a6", linewidth=1.6 * weight, solid_capstyle="butt")
        label = axes.text(*ends.mean(axis=0), str(weight), color=INK, zorder=2)
        label.set(fontsize=13, ha="center", va="center")
        label.set_bbox({"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none"})
    for name, (x, y) in TRANSLATED_AT.items():
        axes.scatter([x], [y], s=620, color=COLORS[name], zorder=3, clip_on=False)
        text = axes.text(x, y - 0.01, name, color="white", zorder=4)
        text.set(fontsize=15, weight="bold", ha="center", va="center")
    axes.set(xlim=(-0.15, 1.15), ylim=(-0.1, 1.1))
    axes.set_axis_off()


def draw_answer(axes: Axes, scene: Scene) -> None:
    """A bar for each of the likeliest families."""
    colours = {family: COLORS[name] for name, family in scene.families.items()}
    for row, (family, value) in enumerate(scene.answer.items()):
        colour = colours.get(family, OTHER)
        axes.barh(-row, 1, height=0.24, color="#eceef3")
        axes.barh(-row, value, height=0.24, color=colour)
        text = axes.text(0, -row + 0.18, _in_two_lines(family), color=INK)
        text.set(fontsize=9, ha="left", va="bottom", linespacing=0.95)
        axes.text(1.4, -row, f"{value:.0%}", ha="right", va="center", fontsize=12, color=INK)
    axes.set(xlim=(0, 1.4), ylim=(-2.3, 0.75))
    axes.set_axis_off()


def write_picture(path: Path) -> Scene:
    """Draw the picture, the same bytes each time for the same numbers."""
    scene = compute_scene(read_answer())
    with mpl.rc_context({"svg.hashsalt": "sub2node", "font.family": "DejaVu Sans"}):
        metadata = {"Date": None, "Title": TITLE, "Description": scene.describe()}
        FigureCanvasSVG(draw(scene)).print_svg(path, metadata=metadata)
    return scene


if __name__ == "__main__":
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("picture.svg")
    print(write_picture(out).describe())
