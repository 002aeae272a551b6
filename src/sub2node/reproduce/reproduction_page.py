"""The page of a reproduction: every table and figure beside what was published."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .. import __version__
from ..base.errors import ConfigError
from ..base.files import new_file, written
from ..efficiency.efficiency_table import METRICS
from ..report.drawing import COLOURS, house_style, inline_svg, new_figure
from ..report.efficiency_figure import (
    SHAPES,
    TITLES,
    draw_metric,
    kinds,
    shape_of,
    short_name,
)
from ..report.html.templating import load_template
from . import scarce_figures
from .agreement import agreement_figure
from .cell_journal import Record
from .cell_sheet import Sheet
from .count_tables import benchmark_of
from .paper_data import dataset_title
from .paper_tables import DISPLAY_NAMES, Entry, PaperTable
from .scarce_tables import collect_scarce_study
from .table_collection import failed, missing
from .table_text import difference_text, ours_text, published_text, short_kind

OURS = '<meta name="generator" content="sub2node reproduction'
_DATA_KINDS = {"authentic": "k0", "GLASS instance": "k2", "stand-in": "k1", "other copy": "k3"}
_WIDTH = 480  # of a panel
_FAIR = ("authentic", "GLASS instance")  # kinds of data of which differences say something


@dataclass(frozen=True)
class PageFigure:
    """Panels with a caption and a legend.

    Args:
        panels: The panels as SVG; several stand side by side where there is room.
        caption: The text under them.
        legend: The names in the legend, with those of their colours.
    """

    panels: tuple[str, ...]
    caption: str
    legend: tuple[tuple[str, str], ...] = ()


def write_reproduction(
    sheet: Sheet, records: dict[str, Record], tables: list[PaperTable], path: Path
) -> Path:
    """Write the page: one file that opens without a network.

    Args:
        sheet: Which result stands where.
        records: The results by key.
        tables: The tables of these results.
        path: The file to write; an existing page is replaced.
    """
    text = render(sheet, records, tables)
    with written(path), new_file(path) as part:
        part.write_text(text, encoding="utf-8", errors="replace")
    return path


def render(sheet: Sheet, records: dict[str, Record], tables: list[PaperTable]) -> str:
    """The page as HTML.

    Args:
        sheet: Which result stands where.
        records: The results by key.
        tables: The tables of these results.
    """
    filters: dict[str, Callable[..., object]] = {
        "ours": ours_text,
        "published": published_text,
        "difference": difference_text,
        "kind": short_kind,
        "level": _colour_level,
        "tip": _tip_text,
    }
    page, Markup, style = load_template(
        "reproduction.html", "a page", filters, home=Path(__file__).parent / "templates"
    )
    return str(
        page.render(
            version=__version__,
            ours=Markup(OURS),
            style=style,
            tables=tables,
            figures={table.name: _draw_figures(table, sheet, records) for table in tables},
            remarks={table.name: _collect_remarks(table) for table in tables},
            agreement=_draw_agreement(tables),
            kinds=_DATA_KINDS,
            counts=_count_cells(tables),
            gaps=_measure_gaps(tables),
            missing=missing(sheet),
            failed=failed(tables),
            data=_data_rows(sheet),
            machine={k: v for k, v in sheet.machine.items() if k != "packages" and v != ""},
            packages=sheet.machine.get("packages", {}),
            plans=sheet.plans,
            quick=[table.title for table in tables if table.quick],
        )
    )


def _count_cells(tables: list[PaperTable]) -> dict[str, int]:
    statuses = ("done", "missing", "left out", "failed", "not yet")
    return {status: sum(table.count(status) for table in tables) for status in statuses}


def _measure_gaps(tables: list[PaperTable]) -> dict[str, float] | None:
    """How far our scores are from the published ones, where the data are the same."""
    gaps, near = [], 0
    for table in tables:
        for line in table.lines:
            for place, entry in enumerate(line.entries):
                gap = entry.difference
                fair = table.kinds[place] in _FAIR and not table.quick
                if entry.style != "score" or gap is None or not fair:
                    continue
                gaps.append(gap)
                printed = entry.published
                near += abs(gap) <= max((printed and printed.spread) or 0.0, entry.spread or 0.0)
    if not gaps:
        return None
    return {"median": statistics.median(gaps), "count": len(gaps), "near": near}


def _data_rows(sheet: Sheet) -> list[dict[str, str]]:
    return [
        {"title": dataset_title(name), "shape": "yes" if name.startswith("like:") else "", **about}
        for name, about in sheet.data.items()
        if not name.startswith("like:") or about["kind"] == "random shape"
    ]


def _colour_level(entry: Entry) -> str:
    """How a cell is coloured: by the difference where it is a score, else by what it is."""
    if entry.status == "failed":
        return "bad"
    if entry.status != "done":
        return "none-yet"
    gap = entry.difference
    quick = entry.record is not None and entry.record.quick
    if entry.style != "score" or gap is None or entry.published is None or quick:
        return ""
    room = max(entry.published.spread or 0.0, entry.spread or 0.0, 0.5)
    return "good" if gap >= -room else "warn" if gap >= -2 * room else "bad"


def _tip_text(entry: Entry) -> str:
    """The tooltip of a cell."""
    if entry.status != "done" or entry.record is None:
        return entry.why
    record = entry.record
    parts = [
        f"on {record.data}" if record.data else "",
        f"{record.preset} settings" if record.preset else "",
        f"n = {entry.n}" if entry.n else "",
        f"validation {entry.val:.1f}" if entry.val is not None else "",
        f"p = {entry.p:.2g}" if entry.p is not None else "",
        f"{record.seconds:.3g} s on {record.device}",
    ]
    return ", ".join(part for part in parts if part)


def _collect_remarks(table: PaperTable) -> list[tuple[str, list[str]]]:
    """What single cells have to say, by row and column."""
    cells_by_note: dict[str, list[str]] = {}
    for line in table.lines:
        for place, entry in enumerate(line.entries):
            if entry.record is None or not entry.n:
                continue
            for note in entry.record.notes:
                where = f"{line.title}, {table.columns[place]}"
                cells_by_note.setdefault(note, []).append(where)
    return sorted(cells_by_note.items(), key=lambda item: -len(item[1]))


def _draw_agreement(tables: list[PaperTable]) -> str:
    figure = agreement_figure([table for table in tables if not table.quick], _DATA_KINDS)
    heading = "Our scores against the published ones"
    return "" if figure is None else inline_svg(figure, "agreement", title=heading)


def _draw_figures(table: PaperTable, sheet: Sheet, records: dict[str, Record]) -> list[PageFigure]:
    """The figures that belong to a table."""
    if table.name == "efficiency":
        return _draw_efficiency(sheet, records)
    kind, _, column = table.name.rpartition("-")
    if kind in ("data-scarce", "ratio"):
        return _draw_scarce(kind, column, table=table, sheet=sheet, records=records)
    if table.name == "theory":
        return _draw_theory(table)
    return []


@house_style()
def _draw_efficiency(sheet: Sheet, records: dict[str, Record]) -> list[PageFigure]:
    bench = benchmark_of(sheet, records)
    if not bench.data:
        return []
    labels = {word: short_name(dataset_title(word)) for word in bench.data}
    panels = []
    for metric in METRICS:
        figure, [axes] = new_figure(_WIDTH, 320)
        draw_metric(axes, bench, metric, labels)
        panels.append(inline_svg(figure, f"efficiency-{metric}", title=TITLES[metric]))
    legend = tuple((DISPLAY_NAMES.get(kind, kind), COLOURS[kind]) for kind in kinds(bench))
    convs = {row.conv for row in bench.rows if row.efficiency is not None}
    shapes = ", ".join(
        f"{shape_of(bench, conv)}: {DISPLAY_NAMES.get(conv, conv) or 'baselines'}"
        for conv in SHAPES
        if conv in convs
    )
    where = bench.machine.get("name") or bench.machine.get("processor") or ""
    caption = (
        f"{shapes[:1].upper()}{shapes[1:]}; the number over a band is the ratio of the best S2N"
        f" model to GLASS. Measured on {bench.machine.get('device', '')}: {where}."
    )
    return [PageFigure(tuple(panels), caption, legend)]


@house_style()
def _draw_scarce(
    kind: str, column: str, *, table: PaperTable, sheet: Sheet, records: dict[str, Record]
) -> list[PageFigure]:
    cells = [s for s in sheet.spots[kind] if s.table == f"{kind}:{column}"]
    study = collect_scarce_study(cells, records)
    if study is None:
        return []
    panels, seeds = [], len(study.plan.seeds)
    if kind == "ratio":
        for structure in scarce_figures.ratio_structures(study):
            figure, [axes] = new_figure(_WIDTH, 320)
            scarce_figures.draw_ratios(axes, study, structure)
            subject = f"{dataset_title(column)}, {DISPLAY_NAMES[structure]}"
            heading = f"{subject}: test micro-F1 by coarsening ratio"
            panels.append(inline_svg(figure, f"{table.name}-{structure}", title=heading))
        legend = tuple(
            (f"n = {n}", scarce_figures.size_colour(place))
            for place, n in enumerate(study.plan.sizes)
        )
        caption = f"Means over {seeds} seeds; bars are standard errors."
        return [PageFigure(tuple(panels), caption, legend)] if panels else []
    for metric, label in scarce_figures.METRICS.items():
        if metric == "score" or study.steps:
            figure, [axes] = new_figure(_WIDTH, 320)
            scarce_figures.draw_metric(axes, study, metric)
            heading = f"{dataset_title(column)}: {label} by number of training subgraphs"
            panels.append(inline_svg(figure, f"{table.name}-{metric}", title=heading))
    caption = (
        f"Means over {seeds} seeds; bars are 95 % intervals. Speed and memory are of one model"
        " on the first subset of each size."
    )
    legend = tuple((DISPLAY_NAMES[s], COLOURS[s]) for s in study.plan.structures)
    return [PageFigure(tuple(panels), caption, legend)]


def _draw_theory(table: PaperTable) -> list[PageFigure]:
    """The figures of the claims."""
    from .theory import Claim
    from .theory_figures import claim_figure

    figures = []
    for facts in table.more["claims"]:
        caption = f"{facts['title']}. {facts['statement']} {' '.join(facts['notes'])}"
        try:
            picture = claim_figure(Claim.from_dict(facts))
        except ConfigError as error:  # a claim that an older version checked
            figures.append(PageFigure((), f"{caption} ({error})"))
            continue
        drawn = inline_svg(picture, f"theory-{facts['name']}", title=facts["title"])
        figures.append(PageFigure((drawn,), caption))
    return figures
