"""All tables of a folder, and their files."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...files import new_file, written
from .choice import PRESETS, WORDS, kind_of
from .counts import benchmark_of, compression_table, efficiency_table, statistics_table
from .few import ratio_table, scarce_table
from .journal import Record
from .sheet import Sheet
from .tables import Entry, Line, Table, entry_of, score_table

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
    "gnns": ("GIN reads the weights of the S2N graph; the published code ignores them.",),
    "readout": ("Degree is that of the published code (degree-code), which differs from the paper's"
                " equation.",),
    "layers": ("Layers of the network on the S2N graph; those inside subgraphs stay as they are.",),
    "encoding": ("The tuned settings of the published encodings were never published.",),
}  # fmt: skip


def tables_of(sheet: Sheet, records: dict[str, Record]) -> list[Table]:
    """Every table of the sheet, in the order of the paper."""
    return [_noted(table, sheet, target) for target, table in _tables(sheet, records)]


def _tables(sheet: Sheet, records: dict[str, Record]) -> Iterator[tuple[str, Table]]:
    for target in sheet.targets:
        made: list[Table | None] = []
        if target == "table1":
            made = [
                statistics_table("datasets-real", sheet, records),
                statistics_table("datasets-synthetic", sheet, records),
                compression_table("s2n-real", sheet, records),
                compression_table("s2n-synthetic", sheet, records),
            ]
        elif target == "efficiency":
            made = [efficiency_table(sheet, records)]
        elif target in ("data-scarce", "ratio"):
            make = scarce_table if target == "data-scarce" else ratio_table
            names = dict.fromkeys(spot.table for spot in sheet.spots[target])
            made = [make(name, sheet, records) for name in names]
        elif target == "theory":
            made = [theory_table(sheet, records)]
        else:
            marked = target in ("real", "synthetic")
            made = [score_table(target, _HEADINGS[target], sheet, target, records, marked=marked)]
        yield from ((target, table) for table in made if table is not None)


def _noted(table: Table, sheet: Sheet, target: str) -> Table:
    """With what holds for all tables of its kind: protocol, settings, quick."""
    notes = list(table.notes)
    if target in _HEADINGS:
        notes = [*_PROTOCOL, *_MORE[target], *notes]
    if settings := _settings(table):
        notes.append(settings)
    plan = sheet.plans[target]
    if table.quick:
        count, most = len(plan["seeds"]), plan["epochs"]
        words = {"efficiency": "two short blocks of epochs a model, PPI-BP alone",
                 "theory": "fewer cases, and Density alone beside random graphs"}.get(
            target, f"n = {count} seeds and at most {most} epochs, real data with random vectors,"
                    " and cells left out")  # fmt: skip
        notes.insert(0, f"QUICK: {words}; a look at whether everything works, no result.")
    return replace(table, notes=tuple(notes))


def _settings(table: Table) -> str:
    """How many cells were run with which settings."""
    found = Counter(
        kind_of(entry.record.preset)
        for line in table.lines
        for entry in line.entries
        if entry.record is not None and entry.record.preset and line.group != "Simple models"
    )
    parts = [f"{found[name]} {name} ({WORDS[name]})" for name in PRESETS if found[name]]
    return f"Settings of cells: {', '.join(parts)}." if parts else ""


def theory_table(sheet: Sheet, records: dict[str, Record]) -> Table:
    """Claims with how often they held."""
    columns = ("cases", "held", "held as printed", "slack, smallest", "slack, median")
    lines, claims = [], []
    for spot in sheet.spots["theory"]:
        entry = entry_of(spot, records)
        found = entry.record.facts.get("claims", []) if entry.record is not None else []
        for claim in found:
            claims.append(claim)
            lines.append(Line(claim["title"], "", _claim(entry, claim)))
        if not found:
            lines.append(Line(spot.row, "", (entry,) * len(columns)))
    notes = ("Slack is the bound over what was measured: 1 is tight, below 1 it would not hold.",)
    return Table(
        "theory", "Claims of the theory, checked by numbers", "sec:theoretical_analysis", columns,
        ("",) * len(columns), tuple(lines), notes, bool(sheet.plans["theory"]["quick"]), "Claim",
        {"claims": claims},
    )  # fmt: skip


def _claim(entry: Entry, claim: dict[str, Any]) -> tuple[Entry, ...]:
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


def record_of(table: Table, line: Line, place: int) -> dict[str, Any]:
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


def records_of(table: Table) -> list[dict[str, Any]]:
    """All cells of a table; numbers that JSON does not know are None."""
    rows = [
        record_of(table, line, place) for line in table.lines for place in range(len(line.entries))
    ]
    return [
        {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()}
        for row in rows
    ]


def write_csv(tables: list[Table], sheet: Sheet, records: dict[str, Record], out: Path) -> None:
    """A file a table, and one with every measured speed."""
    for table in tables:
        _csv(records_of(table), out / f"{table.name}.csv")
    if "efficiency" in sheet.spots:
        measured = benchmark_of(sheet, records).records()
        if measured:
            _csv(measured, out / "efficiency-all.csv")


def _csv(rows: list[dict[str, Any]], path: Path) -> None:
    with (
        written(path),
        new_file(path) as part,
        part.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def missing(sheet: Sheet) -> list[str]:
    """What is not at hand, a sentence a dataset."""
    return [about["about"] for about in sheet.data.values() if about["kind"] == "missing"]


def failed(tables: list[Table]) -> list[str]:
    """What went wrong, a sentence a cell."""
    found = {
        f"{line.title}, {table.columns[place]}: {entry.why}": None
        for table in tables
        for line in table.lines
        for place, entry in enumerate(line.entries)
        if entry.status == "failed"
    }
    return list(found)
