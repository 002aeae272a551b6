"""Each claim has a figure that says what its data say."""

from __future__ import annotations

import pytest

from sub2node.errors import ConfigError
from sub2node.evaluate.theory import CLAIMS, Claim
from sub2node.evaluate.theory.bounds import error_claim, lemma_claim
from sub2node.evaluate.theory.bridges import virtual_claim
from sub2node.evaluate.theory.links import links_claim
from sub2node.report.theory import _FIGURES, claim_figure


def claim(name: str, data: dict) -> Claim:
    return Claim(name, name, "a sentence.", 4, 4, 3, None, None, ("a note.",), (), data)


def test_every_claim_has_one() -> None:
    assert set(_FIGURES) == set(CLAIMS)
    with pytest.raises(ConfigError, match="no figure shows 'times'"):
        claim_figure(claim("times", {}))


def test_failed_cases_are_marked() -> None:
    points = [["few", "worst", 2.0, 3.0, 1.0], ["few", "worst", 1.0, 3.0, 2.0],
              ["few", "rebuilt", 1e-16, 1e-16, 1e-16]]  # fmt: skip
    figure = claim_figure(claim("gcn-error", {"points": points}))
    failed = [trace for trace in figure.data if trace.name == "does not hold"]
    assert [list(trace.y) for trace in failed] == [[], [1.0]]
    assert "held in 4 of 4 cases; as printed in 3" in figure.layout.title.text


def test_operations_and_times() -> None:
    figure = claim_figure(claim("operations", {"points": [["glass", 10, 50], ["s2n+0", 4, 5]]}))
    assert {t.name: list(t.y) for t in figure.data if t.name}["glass"] == [50]
    points = [["s2n+0", "M", 100, 1000, 0.001, 0.002]]
    figure = claim_figure(claim("time", {"points": points}))
    shown = [(t.x[0], t.y[0]) for t in figure.data if t.name == "s2n+0"]
    assert shown == [(1000, 1.0), (2.0, 1.0)]


def test_the_real_ones_are_drawn() -> None:
    found = [
        lemma_claim(25, 0, {}),
        error_claim("gin", 25, 0, {}),
        links_claim(200, 0, {}, nodes=(60,)),
        virtual_claim(4, 0, {}, ratios=(0.4, 0.8)),
    ]
    for one in found:
        figure = claim_figure(one)
        assert one.title in figure.layout.title.text
        assert len(figure.data) > 3
    lines = [t for t in claim_figure(found[2]).data if t.name == "measured, size 2"]
    assert len(lines) == 9
