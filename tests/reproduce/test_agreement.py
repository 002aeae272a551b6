"""Our scores against the published ones, as a figure."""

from __future__ import annotations

from types import SimpleNamespace

from sub2node.report.drawing import PALETTE
from sub2node.reproduce.agreement import agreement_figure


def entry(style: str, ours: float | None, published: float | None) -> SimpleNamespace:
    text = f"{published} ± 1"
    return SimpleNamespace(
        style=style, ours=ours, published=SimpleNamespace(value=published, text=text)
    )


def test_every_score_with_a_published_one_is_a_dot() -> None:
    entries = (entry("score", 61.0, 63.0), entry("score", None, 50.0), entry("score", 70.0, None),
               entry("ratio", 5.0, 7.0), entry("score", 81.5, 80.0))  # fmt: skip
    line = SimpleNamespace(title="S2N+0", entries=entries)
    kinds = ("authentic", "authentic", "authentic", "authentic", "stand-in")
    table = SimpleNamespace(lines=[line], kinds=kinds, columns=("PPI-BP", "b", "c", "d", "HPO"))
    figure = agreement_figure([table], {"authentic": "k0"})
    [axes] = figure.axes
    equal, *dots = axes.lines
    assert list(equal.get_xdata()) == list(equal.get_ydata()) == list(axes.get_xlim())
    assert [(dot.get_xdata()[0], dot.get_ydata()[0]) for dot in dots] == [(63, 61), (80, 81.5)]
    assert [dot.get_color() for dot in dots] == [PALETTE["k0"], PALETTE["k10"]]
    assert dots[0].get_gid() == "tip S2N+0, PPI-BP: 61.0, published 63.0 ± 1"
    assert agreement_figure([], {}) is None
