"""All tables of a folder of ``s2n reproduce``, and their CSV files."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..base.files import new_file, written
from ..base.notes import Note, NoteKind
from .cell_journal import Record
from .cell_settings import PRESET_ORIGINS, PRESETS, preset_kind
from .cell_sheet import Sheet
from .count_tables import benchmark_of, compression_table, efficiency_table, statistics_table
from .paper_tables import Entry, Line, PaperTable, make_entry, score_table
from .scarce_tables import ratio_table, scarce_table

_HEADINGS = {
    "real": "Micro-F1 on real-world datasets",
    "synthetic": "Micro-F1 on synthetic datasets",
    "gnns": "Micro-F1 with other convolutions",
    "readout": "Micro-F1 by readout",
    "layers": "Micro-F1 by layers of the network on S2N",
    "encoding": "Micro-F1 by positional encoding",
}
_PROTOCOL = (
    "Ours: the epoch that is best on validation answers (of ties the first, or that of the lowest"
    " loss where the settings say so), the test part is read once; ± is the standard deviation over"
    " seeds (n - 1).",
    "Published: ± is the population standard deviation over ten runs, of GLASS the standard error."
    " S2N settings were chosen by test score by their authors; GLASS took the best test score among"
    " the epochs that tie on validation.",
)
_MORE = {
    "real": (
        "PPI-BP: the released file as a whole, val and test exchanged as in the published readers.",
        "Node vectors are pre-trained here by link prediction; the published ones are not at hand.",
        "Sub2Vec and GBDT are variants of ours; the papers do not say enough to repeat theirs.",
    ),
    "synthetic": (
        "S2N+A GIN is not in the paper: GIN adds up what its neighbours send, so that it can count"
        " edges; encoding and settings are those of its search.",
        "Constants are frozen, without which the published numbers cannot be had.",
        "GLASS's published numbers are of random 50/25/25 splits, all others of the file's split.",
        "Test parts have 23 to 25 subgraphs: one of them is four points. Exact statistics solve all"
        " four: these sets ask whether a model can see such statistics.",
    ),
    "gnns": ("GIN reads links of the S2N graph without weights, as the published code does.",),
    "readout": (
        "Degree is that of the published code (degree-code), which differs from the paper's"
        " equation.",
    ),
    "layers": ("Layers of the network on the S2N graph; those inside subgraphs stay as they are.",),
    "encoding": ("The tuned settings of the published encodings were never published.",),
}


def tables_of(sheet: Sheet, records: dict[str, Record]) -> list[PaperTable]:
    """Every table of the sheet, in the order of the paper."""
    return [_add_notes(table, sheet, target) for target, table in _make_tables(sheet, records)]


def _make_tables(sheet: Sheet, records: dict[str, Record]) -> Iterator[tuple[str, PaperTable]]:
    for target in sheet.targets:
        tables: list[PaperTable | None] = []
        if target == "table1":
            tables = [
                statistics_table("datasets-real", sheet, records),
                statistics_table("datasets-synthetic", sheet, records),
                statistics_table("attributes-synthetic", sheet, records),
                compression_table("s2n-real", sheet, records),
                compression_table("s2n-synthetic", sheet, records),
            ]
        elif target == "efficiency":
            tables = [efficiency_table(sheet, records)]
        elif target in ("data-scarce", "ratio"):
            make = scarce_table if target == "data-scarce" else ratio_table
            names = dict.fromkeys(cell.table for cell in sheet.spots[target])
            tables = [make(name, sheet, records) for name in names]
        elif target == "theory":
            tables = [theory_table(sheet, records)]
        else:
            marked = target in ("real", "synthetic")
            tables = [
                score_table(
                    target, sheet, heading=_HEADINGS[target], records=records, marked=marked
                )
            ]
        yield from ((target, table) for table in tables if table is not None)


def _add_notes(table: PaperTable, sheet: Sheet, target: str) -> PaperTable:
    """The table with what holds for all tables of its kind: protocol, settings, quick."""
    notes = list(table.notes)
    if target in _HEADINGS:
        notes = [*_PROTOCOL, *_MORE[target], *notes]
    if settings := _count_settings(table):
        notes.append(settings)
    plan = sheet.plans[target]
    if table.quick:
        count, most = len(plan["seeds"]), plan["epochs"]
        scope = {
            "efficiency": "two short blocks of epochs per model, PPI-BP alone",
            "theory": "fewer cases, and Density alone beside random graphs",
        }.get(
            target,
            f"n = {count} seeds and at most {most} epochs, real data with random vectors,"
            " and cells left out",
        )
        text = f"QUICK: {scope}; a look at whether everything works, no result."
        notes.insert(0, Note(NoteKind.QUICK, text))
    return replace(table, notes=tuple(notes))


def _count_settings(table: PaperTable) -> str:
    """How many cells were run with which settings."""
    counts = Counter(
        preset_kind(entry.record.preset)
        for line in table.lines
        for entry in line.entries
        if entry.record is not None and entry.record.preset and line.group != "Simple models"
    )
    parts = [f"{counts[name]} {name} ({PRESET_ORIGINS[name]})" for name in PRESETS if counts[name]]
    return f"Settings of cells: {', '.join(parts)}." if parts else ""


def theory_table(sheet: Sheet, records: dict[str, Record]) -> PaperTable:
    """Claims with how often they held."""
    columns = ("cases", "held", "held as printed", "slack, smallest", "slack, median")
    lines, claims = [], []
    for cell in sheet.spots["theory"]:
        entry = make_entry(cell, records)
        verified = entry.record.facts.get("claims", []) if entry.record is not None else []
        for claim in verified:
            claims.append(claim)
            lines.append(Line(claim["title"], "", _claim_entries(entry, claim)))
        if not verified:
            lines.append(Line(cell.row, "", (entry,) * len(columns)))
    notes = ("Slack is the bound over what was measured: 1 is tight, below 1 it would not hold.",)
    return PaperTable(
        name="theory",
        title="Claims of the theory, checked by numbers",
        source="sec:theoretical_analysis",
        columns=columns,
        kinds=("",) * len(columns),
        lines=tuple(lines),
        notes=notes,
        quick=bool(sheet.plans["theory"]["quick"]),
        head="Claim",
        more={"claims": claims},
    )


def _claim_entries(entry: Entry, claim: dict[str, Any]) -> tuple[Entry, ...]:
    slack = claim["slack"] or {"low": None, "median": None}
    counts = [claim["cases"], claim["held"], claim["printed_held"]]
    values = [(value, "count") for value in counts]
    values += [(slack["low"], "plain"), (slack["median"], "plain")]
    return tuple(
        replace(entry, text="-", style=style)
        if value is None
        else replace(entry, ours=float(value), style=style)
        for value, style in values
    )


def record_of(table: PaperTable, line: Line, place: int) -> dict[str, object]:
    """A cell as a line of CSV or JSON."""
    entry = line.entries[place]
    printed, record = entry.published, entry.record
    return {
        "table": table.name,
        "source": table.source,
        "group": line.group,
        "row": line.title,
        "column": table.columns[place],
        "data": record.data if record is not None else "",
        "kind": table.kinds[place],
        "status": entry.status,
        "ours": entry.ours,
        "ours_text": entry.text,
        "ours_sd": entry.spread,
        "n": entry.n or None,
        "validation": entry.val,
        "published": None if printed is None else printed.value,
        "published_text": "" if printed is None else printed.text,
        "published_spread": None if printed is None else printed.spread,
        "published_spread_kind": "" if printed is None or printed.spread is None else printed.kind,
        "published_mark": "" if printed is None else printed.mark,
        "difference": entry.difference,
        "mark": entry.mark,
        "p": entry.p,
        "settings": record.preset if record is not None else "",
        "quick": table.quick,
        "epochs": record.epochs if record is not None else None,
        "seconds": record.seconds if record is not None else None,
        "device": record.device if record is not None else "",
        "why": entry.why,
        "key": record.key if record is not None else "",
        "notes": " ".join(record.notes) if record is not None else "",
    }


def records_of(table: PaperTable) -> list[dict[str, object]]:
    """All cells of a table; numbers that JSON cannot hold are None."""
    rows = [
        record_of(table, line, place) for line in table.lines for place in range(len(line.entries))
    ]
    return [
        {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()}
        for row in rows
    ]


def write_csv(
    tables: list[PaperTable], sheet: Sheet, records: dict[str, Record], out: Path
) -> None:
    """Write a file per table, and one with every measured speed."""
    for table in tables:
        _write_csv_file(records_of(table), out / f"{table.name}.csv")
    if "efficiency" in sheet.spots:
        measured = benchmark_of(sheet, records).records()
        if measured:
            _write_csv_file(measured, out / "efficiency-all.csv")


def _write_csv_file(rows: Sequence[Mapping[str, object]], path: Path) -> None:
    with (
        written(path),
        new_file(path) as part,
        part.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def missing(sheet: Sheet) -> list[str]:
    """What is not at hand, one sentence per dataset."""
    return [about["about"] for about in sheet.data.values() if about["kind"] == "missing"]


def failed(tables: list[PaperTable]) -> list[str]:
    """What went wrong, one sentence per cell."""
    sentences = {
        f"{line.title}, {table.columns[place]}: {entry.why}": None
        for table in tables
        for line in table.lines
        for place, entry in enumerate(line.entries)
        if entry.status == "failed"
    }
    return list(sentences)
