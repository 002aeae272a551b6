"""Each claim has a figure that says what its data say."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from sub2node.base.errors import ConfigError
from sub2node.report.drawing import inline_svg
from sub2node.reproduce.theory import CLAIMS, Claim
from sub2node.reproduce.theory.bounds import error_claim, lemma_claim
from sub2node.reproduce.theory.link_probability_claim import links_claim
from sub2node.reproduce.theory.virtual_subgraph_claim import virtual_claim
from sub2node.reproduce.theory_figures import _FIGURES, claim_figure


def claim(name: str, data: dict) -> Claim:
    return Claim(name, name, "a sentence.", 4, 4, 3, None, None, ("a note.",), (), data)


def test_every_claim_has_one() -> None:
    assert set(_FIGURES) == set(CLAIMS)
    with pytest.raises(ConfigError, match="no figure shows 'times'"):
        claim_figure(claim("times", {}))


def heights(figure, label: str) -> list[list[float]]:
    """Heights of the points of the lines with this name, one list per panel."""
    return [
        list(line.get_ydata())
        for axes in figure.axes
        for line in axes.lines
        if line.get_label() == label
    ]


def texts(figure) -> str:
    return " ".join(text.get_text() for text in figure.texts)


def test_failed_cases_are_marked() -> None:
    points = [["few", "worst", 2.0, 3.0, 1.0], ["few", "worst", 1.0, 3.0, 2.0],
              ["few", "rebuilt", 1e-16, 1e-16, 1e-16]]  # fmt: skip
    figure = claim_figure(claim("gcn-error", {"points": points}))
    assert heights(figure, "does not hold") == [[], [1.0]]
    assert "held in 4 of 4 cases; as printed in 3" in texts(figure)


@pytest.mark.slow
def test_the_real_ones_are_drawn() -> None:
    found = [
        lemma_claim(25, 0, {}),
        error_claim("gin", 25, 0, {}),
        links_claim(200, 0, {}, nodes=(60,)),
        virtual_claim(4, 0, {}, ratios=(0.4, 0.8)),
    ]
    for one in found:
        figure = claim_figure(one)
        assert one.title in texts(figure)
        assert sum(len(axes.lines) + len(axes.collections) for axes in figure.axes) > 3
        ElementTree.fromstring(inline_svg(figure, one.name, title=one.title))
    assert len(heights(claim_figure(found[2]), "measured, size 2")) == 9


@pytest.mark.slow
def test_clouds_of_points_are_images() -> None:
    points = [["few", "worst", 1.0 + n, 3.0 + n, 2.0 + n] for n in range(1000)]
    text = inline_svg(claim_figure(claim("gcn-error", {"points": points})), "a", title="t")
    assert text.count("<image") == 2
    assert len(text) < 200_000
