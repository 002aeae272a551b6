"""The page of a reproduction: every table and figure beside what was published."""

from __future__ import annotations

import base64
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import __version__
from ...evaluate.paper.collect import failed, missing
from ...evaluate.paper.columns import title
from ...evaluate.paper.counts import benchmark_of
from ...evaluate.paper.few import scarce_of
from ...evaluate.paper.journal import Record
from ...evaluate.paper.sheet import Sheet
from ...evaluate.paper.tables import WORDS, Entry, Table
from ...files import new_file, written
from ..reproduction import difference_text, ours_text, published_text, short_kind
from .plots import KINDS, agreement, colour_of, efficiency_panels, ratio_panels, scarce_panels
from .templating import template

OURS = '<meta name="generator" content="sub2node reproduction'
_DATA_KINDS = {"authentic": 0, "GLASS instance": 2, "stand-in": 1, "other copy": 3}
_FAIR = ("authentic", "GLASS instance")  # kinds of data of which differences say something


@dataclass(frozen=True)
class Figure:
    """Panels with a caption and a legend.

    Args:
        panels: Pictures as SVG.
        caption: Under them.
        legend: Names and the numbers of their colours.
        image: A picture as a data URI, instead of panels.
    """

    panels: tuple[Any, ...]
    caption: str
    legend: tuple[tuple[str, int], ...] = ()
    image: str = ""


def write_reproduction(
    sheet: Sheet, records: dict[str, Record], tables: list[Table], path: Path
) -> Path:
    """Write the page: one file that opens without a network.

    Args:
        sheet: Which result stands where.
        records: The results, by key.
        tables: Made of both.
        path: Where; a page that is there is replaced.
    """
    text = render(sheet, records, tables, path.parent / "figures")
    with written(path), new_file(path) as part:
        part.write_text(text, encoding="utf-8", errors="replace")
    return path


def render(sheet: Sheet, records: dict[str, Record], tables: list[Table], kept: Path) -> str:
    """The page as HTML.

    Args:
        sheet: Which result stands where.
        records: The results.
        tables: Made of both.
        kept: Where pictures that take time to make are kept.
    """
    filters = {
        "ours": ours_text, "published": published_text, "difference": difference_text,
        "kind": short_kind, "level": _level, "tip": _tip,
    }  # fmt: skip
    page, Markup, style = template("reproduction.html", "a page", filters)
    drawn = agreement([table for table in tables if not table.quick], _DATA_KINDS)
    return str(
        page.render(
            version=__version__,
            ours=Markup(OURS),
            style=style,
            tables=tables,
            figures={table.name: _figures(table, sheet, records, kept, Markup) for table in tables},
            remarks={table.name: _remarks(table) for table in tables},
            agreement=Markup(drawn) if drawn else "",
            kinds=_DATA_KINDS,
            counts=_counts(tables),
            gaps=_gaps(tables),
            missing=missing(sheet),
            failed=failed(tables),
            data=_data(sheet),
            machine={k: v for k, v in sheet.machine.items() if k != "packages" and v != ""},
            packages=sheet.machine.get("packages", {}),
            plans=sheet.plans,
            quick=[table.title for table in tables if table.quick],
        )
    )


def _counts(tables: list[Table]) -> dict[str, int]:
    words = ("done", "missing", "left out", "failed", "not yet")
    return {word: sum(table.count(word) for table in tables) for word in words}


def _gaps(tables: list[Table]) -> dict[str, Any] | None:
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


def _data(sheet: Sheet) -> list[dict[str, str]]:
    return [
        {"title": title(name), "shape": "yes" if name.startswith("like:") else "", **about}
        for name, about in sheet.data.items()
        if not name.startswith("like:") or about["kind"] == "random shape"
    ]


def _level(entry: Entry) -> str:
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


def _tip(entry: Entry) -> str:
    """What a cell says when it is pointed at."""
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


def _remarks(table: Table) -> list[tuple[str, list[str]]]:
    """What single cells have to say, by row and column."""
    found: dict[str, list[str]] = {}
    for line in table.lines:
        for place, entry in enumerate(line.entries):
            if entry.record is None or not entry.n:
                continue
            for note in entry.record.notes:
                where = f"{line.title}, {table.columns[place]}"
                found.setdefault(note, []).append(where)
    return sorted(found.items(), key=lambda item: -len(item[1]))


def _figures(
    table: Table, sheet: Sheet, records: dict[str, Record], kept: Path, markup: Any
) -> list[Figure]:
    """The figures that belong to a table."""
    if table.name == "efficiency":
        return _efficiency(sheet, records, markup)
    kind, _, column = table.name.rpartition("-")
    if kind in ("data-scarce", "ratio"):
        return _scarce(kind, column, table, sheet, records, markup)
    if table.name == "theory":
        return _theory(table, kept)
    return []


def _efficiency(sheet: Sheet, records: dict[str, Record], markup: Any) -> list[Figure]:
    bench = benchmark_of(sheet, records)
    if not bench.data:
        return []
    titles = {word: title(word) for word in bench.data}
    there = {row.structure or row.model for row in bench.rows}
    legend = tuple((WORDS[k], colour_of(k)) for k in KINDS if k in there)
    where = bench.machine.get("name") or bench.machine.get("processor") or ""
    caption = (
        f"Circles: GCN and baselines, diamonds: GCNII; the number over a band is the ratio of the"
        f" best S2N model to GLASS. Measured on {bench.machine.get('device', '')}: {where}."
    )
    return [Figure(tuple(map(markup, efficiency_panels(bench, titles))), caption, legend)]


def _scarce(
    kind: str, column: str, table: Table, sheet: Sheet, records: dict[str, Record], markup: Any
) -> list[Figure]:
    spots = [s for s in sheet.spots[kind] if s.table == f"{kind}:{column}"]
    found = scarce_of(spots, records)
    if found is None:
        return []
    seeds = len(found.plan.seeds)
    if kind == "ratio":
        if len(found.plan.coarsenings) < 2:
            return []
        panels = ratio_panels(found, title(column))
        legend = tuple((f"n = {n}", place) for place, n in enumerate(found.plan.sizes))
        caption = f"Means over {seeds} seeds; bars are standard errors."
    else:
        panels = scarce_panels(found, title(column))
        legend = tuple((WORDS[s], colour_of(s)) for s in found.plan.structures)
        caption = (
            f"Means over {seeds} seeds; bars are 95 % intervals. Speed and memory are of one model"
            " on the first subset of each size."
        )
    return [Figure(tuple(map(markup, panels)), caption, legend)]


def _theory(table: Table, kept: Path) -> list[Figure]:
    """The figures of the claims as pictures; none where no browser can draw them."""
    from ...evaluate.theory import Claim
    from ...task.content import digest
    from ..theory import claim_figure

    made = []
    for facts in table.more["claims"]:
        place = kept / f"theory-{facts['name']}-{digest(repr(facts))[:8]}.png"
        try:
            if not place.exists():
                with new_file(place) as part:
                    claim_figure(Claim.from_dict(facts)).write_image(part, scale=1.5)
        except Exception as error:  # plotly is missing, or kaleido raises what its browser gives it
            why = (str(error).strip() or type(error).__name__).splitlines()[0][:160]
            made.append(Figure((), f"{facts['title']}: the figure could not be drawn ({why})."))
            continue
        image = base64.b64encode(place.read_bytes()).decode()
        notes = " ".join(facts["notes"])
        caption = f"{facts['title']}. {facts['statement']} {notes}"
        made.append(Figure((), caption, image=f"data:image/png;base64,{image}"))
    return made
