"""Figures become PNG and SVG without a browser, and pictures that follow their page."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from sub2node.base.errors import MissingExtraError
from sub2node.config import STRUCTURES
from sub2node.report import drawing
from sub2node.report.drawing import (
    COLOURS,
    PALETTE,
    house_style,
    inline_svg,
    legend_below,
    new_figure,
    save_figure,
    set_log_scale,
    set_tip,
)

STYLE = Path(drawing.__file__).parent / "html" / "templates" / "style.css"
SVG = "{http://www.w3.org/2000/svg}"


@house_style()
def small_figure(label: str = "a line"):
    figure, [axes] = new_figure(480, 300, title="A title", subtitle="with a line under it")
    [line] = axes.plot([1, 2, 3], [10, 1000, 20], "o-", color=PALETTE["k3"], label=label)
    axes.fill_between([1, 2, 3], [5, 500, 10], [20, 2000, 40], color=PALETTE["k3"], alpha=0.2)
    set_tip(line, 'what <b>it</b> "says"')
    set_log_scale(axes, "y", [10, 1000])
    axes.set_xlabel(label)
    legend_below(figure, axes.get_legend_handles_labels()[0])
    return figure


def size_of_png(path: Path) -> tuple[int, int]:
    start = path.read_bytes()[:24]
    assert start[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", start[16:24])


@pytest.mark.slow
def test_png_and_svg_need_no_browser(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", "")
    written = save_figure(small_figure(), tmp_path / "deep" / "one")
    assert [path.name for path in written] == ["one.png", "one.svg"]
    assert sorted(path.name for path in (tmp_path / "deep").iterdir()) == ["one.png", "one.svg"]
    assert size_of_png(written[0]) == (960, 600)
    root = ElementTree.parse(written[1]).getroot()
    assert root.tag == f"{SVG}svg"
    assert root.attrib["viewBox"] == "0 0 480 300"
    assert "A title" in ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert "var(" not in written[1].read_text()  # other programs know no variables
    assert "DejaVu" not in written[1].read_text()
    before = [path.read_bytes() for path in written]
    save_figure(small_figure(), tmp_path / "deep" / "one")
    assert [path.read_bytes() for path in written] == before


def test_the_palette_is_that_of_the_pages() -> None:
    light = STYLE.read_text().partition("@media")[0]
    assert {name: dict(re.findall(r"--([a-z0-9-]+): (#\w{6})", light)).get(name)
                       for name in PALETTE} == PALETTE  # fmt: skip
    assert len(set(PALETTE.values())) == len(PALETTE)  # a colour tells its name
    assert set(STRUCTURES) < set(COLOURS)
    assert len(set(COLOURS.values())) == len(COLOURS)


@pytest.mark.slow
def test_a_picture_in_a_page_follows_it() -> None:
    text = inline_svg(small_figure(), "one", title="What & why", description="More.")
    root = ElementTree.fromstring(text)
    assert root.attrib["viewBox"] == "0 0 480 300"
    assert root.attrib["role"] == "img"
    assert not {"width", "height"} & root.attrib.keys()
    assert [(part.tag, part.text) for part in root[:2]] == [
        ("title", "What & why"),
        ("desc", "More."),
    ]
    assert root.attrib["aria-labelledby"].split() == [part.attrib["id"] for part in root[:2]]
    assert not re.search("#[0-9a-f]{6}|rgb|black|white", text)
    for name in ("ink", "soft", "grid", "k3"):
        assert f"var(--{name})" in text
    texts = list(root.iter("text"))
    assert texts
    assert all("fill: var(--" in part.attrib["style"] for part in texts)
    assert not list(root.iter("style"))  # a rule in it would be one of the whole page
    assert "http" not in text
    assert "<script" not in text
    assert {'what <b>it</b> "says"'} <= {part.text for part in root.iter("title")}


@pytest.mark.slow
def test_ids_of_one_page_do_not_collide() -> None:
    texts = [inline_svg(small_figure(), name, title="t") for name in ("one", "two+")]
    ids = [re.findall(r'\bid="([^"]*)"', text) for text in texts]
    assert len({*ids[0], *ids[1]}) == len(ids[0]) + len(ids[1])
    for text, own in zip(texts, ids, strict=True):
        used = re.findall(r'(?:href="|url\()#([\w-]+)', text)
        assert used
        assert set(used) <= set(own)
    assert texts[0] == inline_svg(small_figure(), "one", title="t")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["$x_$1$", "a\x00b\x1b", "名前 ∀", "x\ud800y", "<script>", "x\ny"])
def test_any_name_can_be_drawn(name: str, tmp_path: Path) -> None:
    plain = drawing.plain_text(name)
    text = inline_svg(small_figure(plain), "one", title=name, description=name)
    labels = ["".join(part.itertext()) for part in ElementTree.fromstring(text).iter("text")]
    assert labels.count(plain) == 2
    save_figure(small_figure(plain), tmp_path / "one")


@pytest.mark.slow
def test_settings_of_the_user_do_not_matter(tmp_path: Path) -> None:
    before = inline_svg(small_figure(), "one", title="t")
    with mpl.rc_context({"font.size": 30, "axes.grid": False, "svg.fonttype": "path"}):
        assert inline_svg(small_figure(), "one", title="t") == before
        assert mpl.rcParams["font.size"] == 30


def test_a_legend_is_as_wide_as_its_figure() -> None:
    with house_style():
        figure, [axes] = new_figure(480, 300)
        lines = [axes.plot([0], [0], label=f"a rather long name {n}")[0] for n in range(7)]
        legend_below(figure, lines)
        [legend] = figure.legends
        assert legend.get_window_extent().width <= figure.bbox.width
        assert [text.get_text() for text in legend.get_texts()] == [
            line.get_label() for line in lines
        ]


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([20, 300], ["20", "30", "50", "70", "100", "150", "200", "300"]),
        ([1e-16, 1e-12], [f"10⁻¹{n}" for n in "⁶⁵⁴³²"]),
        ([5e3, 5e3], ["5k", "7k"]),
        ([1001, 1012], ["700", "1k", "1.5k"]),
    ],
)  # fmt: skip
def test_ticks_of_log_axes(values, labels) -> None:
    _, [axes] = new_figure(480, 300)
    set_log_scale(axes, "y", [*values, 0.0])
    assert [label.get_text() for label in axes.get_yticklabels()] == labels
    low, high = axes.get_ylim()
    assert low < min(values) <= max(values) < high


@pytest.mark.process
def test_no_window_and_no_state_of_pyplot() -> None:
    code = (
        "from sub2node.report.drawing import inline_svg, new_figure\n"
        "inline_svg(new_figure(100, 100)[0], 'a', title='t')\n"
        "import sys; print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_without_matplotlib(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"'matplotlib'.*sub2node\[report\]"):
        new_figure(100, 100)
