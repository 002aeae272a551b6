"""``.plot()`` of results: pictures are drawn by the report, which stands above what is drawn.

Parts import only what stands below them, so an object cannot import the function that draws it.
This module is the one place that knows where pictures are drawn, by name and at the time of the
call: nothing of the report is loaded before somebody asks for a picture.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Drawing = Literal["draw_result", "draw_comparison", "draw_answer", "draw_explanation", "draw_graph"]
ResultPicture = Literal["scores", "losses", "confusion", "reliability", "interval"]
_FIGURES = "sub2node.report.notebook_figures"


def draw(drawing: Drawing, value: object, **options: object) -> Figure:
    """A Matplotlib figure of a value.

    Args:
        drawing: The function of ``sub2node.report.notebook_figures`` that draws it.
        value: What is drawn.
        options: More arguments of that function.

    Raises:
        MissingExtraError: Where Matplotlib is not installed.
    """
    figure: Figure = getattr(import_module(_FIGURES), drawing)(value, **options)
    return figure
