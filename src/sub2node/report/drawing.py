"""How figures look, and how they become PNG and SVG files or pictures in a page.

Figures are Matplotlib's, without a window and without a browser. They are drawn in the colours of
:data:`PALETTE`; in a page each becomes the variable of that name in ``style.css``, so that pictures
follow dark mode.
"""

from __future__ import annotations

import io
import math
import re
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from xml.etree import ElementTree

from ..base.errors import MissingExtraError
from ..base.files import new_file
from .number_format import log_ticks, short

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALETTE = {  # names and colours of style.css, light
    "ink": "#1c2430", "soft": "#5b6675", "grid": "#e8ebef", "paper": "#ffffff",
    "accent": "#1f6fb8", "bad": "#c1293d", "k0": "#2f7bd0", "k1": "#e07b22", "k2": "#2f9e63",
    "k3": "#b8489b", "k4": "#7a63cf", "k5": "#bd9516", "k6": "#1c9aa8", "k7": "#96603a",
    "k8": "#7b9a1e", "k9": "#4a57a8", "k10": "#8b949f",
}  # fmt: skip
COLOURS = {  # of structures and baselines, in the order in which they are listed
    "separated": "k10", "connected": "k7", "s2n+0": "k2", "s2n+a": "k0", "cos2n+0": "k1",
    "cos2n+a": "k3", "gnn-seg": "k4", "gnn-plain": "k6", "subgnn": "k5", "glass": "ink",
}  # fmt: skip
_STYLE = {
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": 13.0,
    "text.color": PALETTE["ink"], "text.parse_math": False,  # a name may hold a dollar sign
    "axes.titlesize": 13.5, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.titlepad": 10.0, "axes.labelcolor": PALETTE["ink"], "axes.labelsize": 13.0,
    "axes.labelpad": 6.0, "axes.facecolor": "none", "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "axes.spines.left": False, "axes.spines.right": False, "axes.spines.top": False,
    "axes.spines.bottom": False, "axes.grid": True, "grid.color": PALETTE["grid"],
    "grid.linewidth": 1.0, "xtick.bottom": False, "ytick.left": False,
    "xtick.labelcolor": PALETTE["soft"], "ytick.labelcolor": PALETTE["soft"],
    "legend.frameon": False, "legend.handlelength": 2.4, "legend.fontsize": 13.0,
    "lines.linewidth": 2.0, "lines.markersize": 7.0, "errorbar.capsize": 2.0,
    "figure.facecolor": PALETTE["paper"], "svg.fonttype": "none", "svg.hashsalt": "sub2node",
}  # fmt: skip
PAGE_WIDTH = 820  # points of a figure that stands alone, so that text is readable in a page
_ROLES = {colour: name for name, colour in PALETTE.items()}
_PNG_DPI = 144  # two pixels per point
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]+")
_POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_TIP = "tip "  # begins the id of an artist that has a tooltip


@contextmanager
def house_style() -> Iterator[None]:
    """Matplotlib's defaults with the style of this package, whatever the user's settings are.

    Also a decorator; a function that draws stands under it, because artists take fonts, colours and
    widths when they are made.

    Raises:
        MissingExtraError: Where Matplotlib is not installed.
    """
    try:
        from matplotlib import style
    except ImportError:
        raise MissingExtraError("matplotlib", "report", "a figure") from None
    with style.context(["default", _STYLE]), warnings.catch_warnings():
        # Text stays text in SVG: a letter that the measuring font lacks is shown in another one.
        warnings.filterwarnings("ignore", message="Glyph ", category=UserWarning)
        yield


@house_style()
def new_figure(
    width: float,
    height: float,
    *,
    rows: int = 1,
    cols: int = 1,
    title: str = "",
    subtitle: str = "",
    **layout: Any,
) -> tuple[Figure, list[Axes]]:
    """An empty figure and its panels, row by row.

    Args:
        width: The width in points, which are pixels in a page.
        height: The height in points.
        rows: The number of rows of panels.
        cols: The number of columns of panels.
        title: A heading over all panels, where the figure stands alone.
        subtitle: A smaller line under the title.
        layout: More options for ``Figure.subplots``, such as ``sharey=True``.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / 72, height / 72))
    lines = textwrap.wrap(plain_text(subtitle), int(width / 6.4))
    top = (34 if title else 0) + 16 * len(lines) + 4 * bool(lines)
    figure.set_layout_engine(
        "constrained",
        rect=(0, 0, 1, 1 - top / height),
        w_pad=6 / 72,
        h_pad=5 / 72,
        wspace=0.03,
        hspace=0.06,
    )
    if title:
        figure.text(10 / width, 1 - 10 / height, plain_text(title), size=16, va="top")
        figure.text(
            10 / width, 1 - 36 / height, "\n".join(lines), size=12, va="top", color=PALETTE["soft"]
        )
    panels = figure.subplots(rows, cols, squeeze=False, **layout)
    return figure, list(panels.flat)


def colour_of(kind: str) -> str:
    """The colour of a structure or baseline, the same in every figure."""
    return PALETTE[COLOURS[kind]]


def plain_text(text: str) -> str:
    """A user's name in one line, with nothing in it that cannot be written."""
    return " ".join(_UNPRINTABLE.sub(" ", text).split())


def set_tip(artist: Artist, text: str) -> None:
    """Give an artist a tooltip, which SVG shows on hover."""
    artist.set_gid(f"{_TIP}{plain_text(text)}")


def set_log_scale(
    axes: Axes,
    which: Literal["x", "y"],
    values: Sequence[float],
    *,
    ticks: Sequence[float] | None = None,
    room: tuple[float, float] = (0.08, 0.08),
) -> None:
    """A log axis that holds these values, with round numbers as ticks.

    Args:
        axes: The panel.
        which: The axis of the panel that becomes logarithmic.
        values: The values that the axis shows; those that are not positive are ignored.
        ticks: Where ticks stand; by default at round numbers.
        room: Free space below and above the values, as shares of their range.
    """
    from matplotlib.ticker import NullLocator

    logs = [math.log10(value) for value in values if value > 0 and math.isfinite(value)] or [0.0]
    narrow = max(0.3 - (max(logs) - min(logs)), 0) / 2  # a factor of two at least holds a tick
    low, high = min(logs) - narrow, max(logs) + narrow
    ends = 10 ** (low - room[0] * (high - low)), 10 ** (high + room[1] * (high - low))
    places = list(ticks) if ticks is not None else log_ticks(*ends)
    powers = ticks is None and (min(places) < 1e-3 or max(places) > 1e6 * min(places))
    labels = [_power_text(tick) if powers else short(tick) for tick in places]
    if which == "x":
        axes.set_xscale("log")
        axes.set_xlim(*ends)
        axes.set_xticks(places, labels)
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        axes.set_yscale("log")
        axes.set_ylim(*ends)
        axes.set_yticks(places, labels)
        axes.yaxis.set_minor_locator(NullLocator())


def _power_text(value: float) -> str:
    """``10⁻³`` or ``2·10⁻³``; small powers as they are."""
    power = math.floor(math.log10(value) + 1e-9)
    if -1 <= power <= 1:
        return f"{value:g}"
    factor = f"{value / 10.0**power:.2g}"
    return f"{'' if factor == '1' else f'{factor}·'}10{str(power).translate(_POWERS)}"


def legend_below(figure: Figure, handles: Sequence[Artist]) -> None:
    """A legend under all panels, in as few rows as fit."""
    for rows in range(1, len(handles) + 1):
        legend = figure.legend(
            handles=list(handles),
            loc="outside lower left",
            ncols=math.ceil(len(handles) / rows),
            columnspacing=1.6,
            markerscale=1.2,
        )
        if legend.get_window_extent().width <= figure.bbox.width or rows == len(handles):
            for handle in legend.legend_handles:
                if handle is not None:
                    handle.set_alpha(1)  # also where points are transparent
            return
        legend.remove()


@house_style()
def save_figure(figure: Figure, path: Path) -> tuple[Path, Path]:
    """Write ``path.png`` and ``path.svg``, each of them atomically.

    Returns:
        The two files.
    """
    png, svg = path.with_suffix(".png"), path.with_suffix(".svg")
    with new_file(png) as part:
        figure.savefig(part, dpi=_PNG_DPI, metadata={"Software": None})
    root = _svg_tree(figure, PALETTE["paper"])
    width, height = (f"{72 * float(side):g}" for side in figure.get_size_inches())
    root.attrib.update(
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": width,
            "height": height,
            "xmlns:xlink": "http://www.w3.org/1999/xlink",
        }
    )
    for element in root.iter():
        if "style" in element.attrib:
            style = element.attrib["style"]
            element.set("style", style.replace("'DejaVu Sans', sans-serif", "sans-serif"))
    with new_file(svg) as part:
        ElementTree.ElementTree(root).write(part, encoding="utf-8", xml_declaration=True)
    return png, svg


@house_style()
def inline_svg(figure: Figure, name: str, *, title: str, description: str = "") -> str:
    """The figure as an ``<svg>`` element for a page.

    It fills its column up to its own width, has the page's font, takes its colours from the page's
    variables and is read out as its title and description.

    Args:
        figure: The figure to draw.
        name: A prefix for every id in it, so that figures of one page do not collide.
        title: What it shows.
        description: What can be seen in it.
    """
    root, name = _svg_tree(figure, "none"), re.sub(r"[^\w-]", "-", name)
    for element in root.iter():
        if "style" in element.attrib:
            style = re.sub("#[0-9a-f]{6}", _colour_variable, element.attrib["style"])
            style = style.replace("'DejaVu Sans', sans-serif", "system-ui, sans-serif")
            element.set("style", style)
        for key, value in element.attrib.items():
            if key == "id":
                element.set(key, f"{name}-{value}")
            elif key in ("xlink:href", "clip-path"):
                element.set(key, re.sub(r"^(url\()?#", rf"\1#{name}-", value))
        if "xlink:href" in element.attrib:
            element.set("href", element.attrib.pop("xlink:href"))
    labels = {"title": title, "desc": description}
    for place, (tag, text) in enumerate((tag, text) for tag, text in labels.items() if text):
        label = ElementTree.Element(tag, id=f"{name}-{tag}")
        label.text = plain_text(text)
        root.insert(place, label)
    width = f"{72 * float(figure.get_size_inches()[0]):g}px"
    root.set("style", f"max-width: {width}; {root.attrib.get('style', '')}")
    root.set("role", "img")
    root.set("aria-labelledby", " ".join(f"{name}-{tag}" for tag, text in labels.items() if text))
    return ElementTree.tostring(root, encoding="unicode")


def _colour_variable(colour: re.Match[str]) -> str:
    role = _ROLES.get(colour[0])
    return colour[0] if role is None else f"var(--{role})"


def _svg_tree(figure: Figure, background: str) -> ElementTree.Element:
    """What Matplotlib draws, as plain elements without namespaces, and always the same."""
    buffer = io.StringIO()
    no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(buffer, format="svg", facecolor=background, dpi=_PNG_DPI, metadata=no_metadata)
    root = ElementTree.fromstring(buffer.getvalue().encode())
    root.attrib = {"viewBox": root.attrib["viewBox"]}
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt")
    root.remove(root[0])  # the same as a rule for all elements, which would be one of the page
    used_ids = {
        value.rstrip(")").rpartition("#")[2]
        for element in root.iter()
        for value in element.attrib.values()
        if "#" in value
    }
    for element in list(root.iter()):
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {
            key.replace("{http://www.w3.org/1999/xlink}", "xlink:"): _shorten_coordinates(
                key, value
            )
            for key, value in element.attrib.items()
            if not (key == "id" and value not in used_ids and not value.startswith(_TIP))
        }
        if element.get("id", "").startswith(_TIP):
            tip = ElementTree.Element("title")
            tip.text = element.attrib.pop("id").removeprefix(_TIP)
            element.insert(0, tip)
        if element.tag not in ("text", "title", "tspan"):
            element.text = None
        element.tail = None
    return root


def _shorten_coordinates(key: str, value: str) -> str:
    """Round coordinates to a hundredth of a point."""
    if key in ("d", "x", "y", "transform"):
        return re.sub(r"(\.\d\d)\d+", r"\1", " ".join(value.split()))
    return value
