"""Pictures by name: each function that may be asked for is there, and gets its arguments."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import get_args

import pytest

from sub2node.base import plotting
from sub2node.base.plotting import Drawing, draw


def test_a_picture_is_drawn_by_the_function_of_its_name(monkeypatch) -> None:
    drawn = SimpleNamespace(draw_graph=lambda value, **options: (value, options))
    monkeypatch.setitem(sys.modules, plotting._FIGURES, drawn)
    assert draw("draw_graph", 3, width=4) == (3, {"width": 4})


@pytest.mark.parametrize("name", get_args(Drawing))
def test_every_picture_has_its_function(name: str) -> None:
    pytest.importorskip("matplotlib")
    from sub2node.report import notebook_figures

    assert callable(getattr(notebook_figures, name))
