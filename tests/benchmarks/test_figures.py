"""Pictures that come from rows: never older than those, readable, with bars side by side."""

from __future__ import annotations

import csv
import importlib.util
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image  # comes with Matplotlib

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))
SPEC = importlib.util.spec_from_file_location(
    "benchmarks_figures", ROOT / "benchmarks" / "figures.py"
)
figures = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = figures  # dataclasses look there for their types
SPEC.loader.exec_module(figures)

PAGE = 800  # pixels that a page gives to a picture


@pytest.mark.parametrize("name", figures.PICTURES)
def test_a_picture_is_not_older_than_its_rows(name: str) -> None:
    with Image.open(figures.PICTURES[name].folder / f"{name}.png") as image:
        drawn = image.text[figures.KEY]
    assert drawn == figures.PICTURES[name].checksum, "python benchmarks/figures.py"


def test_every_picture_is_drawn_from_rows_or_is_of_a_page() -> None:
    folders = (figures.DOCS, figures.HERE)
    there = {path.stem for folder in folders for path in folder.glob("**/*.png")}
    assert there - set(figures.PICTURES) == {"report", "page", "case"}  # benchmarks/pictures.py


def labels_of_ticks_outside(figure: Figure) -> Iterator[Text]:
    """Labels that are not drawn, because their ticks lie outside of what the axis shows."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            ticks = axis.get_major_ticks()
            yield from (tick.label1 for tick in ticks if not low <= tick.get_loc() <= high)


@pytest.mark.slow
@pytest.mark.parametrize("name", figures.PICTURES)
def test_text_is_readable_at_the_width_of_a_page(name: str) -> None:
    picture = figures.PICTURES[name]
    figure = picture.draw(figures.ROWS / picture.rows)
    figure.draw_without_rendering()
    scale = PAGE / (72 * figure.get_size_inches()[0])
    unseen = set(labels_of_ticks_outside(figure))
    texts = [text for text in figure.findobj(match=lambda artist: hasattr(artist, "get_fontsize"))
             if text.get_text().strip() and text.get_visible() and text not in unseen]  # fmt: skip
    assert len(texts) > 8
    assert min(text.get_fontsize() for text in texts) * scale >= 11
    inside = figure.bbox.padded(1)
    for text in texts:
        box = text.get_window_extent()
        assert inside.contains(box.x0, box.y0), text.get_text()
        assert inside.contains(box.x1, box.y1), text.get_text()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["data-scarce", "coarsening-ratios"])
def test_bars_do_not_overlap(name: str) -> None:
    picture = figures.PICTURES[name]
    figure = picture.draw(figures.ROWS / picture.rows)
    figure.draw_without_rendering()
    for axes in figure.axes:
        places = {}  # of the bars of each line, in pixels
        for line in axes.containers:
            bars = line.lines[2][0]
            ends = bars.get_transform().transform(np.concatenate(bars.get_segments()))
            places[line.get_label()] = ends[::2, 0]
        assert len(places) > 3
        for one, other in combinations(places.values(), 2):
            assert np.abs(one - other).min() > 4  # a bar's caps are four points wide


def test_points_are_the_means_of_the_rows() -> None:
    path = figures.ROWS / "ppi_bp-scarce.csv"
    with path.open(newline="", encoding="utf-8") as file:
        scores = [float(row["test"]) for row in csv.DictReader(file)
                  if (row["structure"], row["n"]) == ("connected", "40")]  # fmt: skip
    assert len(scores) == 10
    [axes] = figures.few_subgraphs(path).axes
    [line] = [line for line in axes.containers if line.get_label() == "connected"]
    heights = dict(zip(line.lines[0].get_xdata(), line.lines[0].get_ydata(), strict=True))
    assert heights[40] == pytest.approx(100 * np.mean(scores))


@pytest.mark.slow
def test_the_figure_of_efficiency_is_that_of_its_rows() -> None:
    path = figures.ROWS / "efficiency-h200.csv"
    figure = figures.efficiency_on_h200(path)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    drawn = sorted(line.lines[0].get_ydata()[0] for line in figure.axes[0].containers)
    assert drawn == pytest.approx(sorted(float(row["train_throughput"]) for row in rows))
    names = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert names == ["ppi_bp", "hpo_neuro", "hpo_metab", "em_user"]
    [legend] = figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels[:5] == ["separated", "connected", "s2n+0", "s2n+a", "glass"]
    assert labels[5:] == ["GLASS, and the best of s2n+0 and s2n+a; × is their ratio"]
