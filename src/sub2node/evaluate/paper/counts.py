"""The tables that count: datasets, S2N compression, efficiency."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..ratios import METRICS, Benchmark, row_of_record
from .columns import title
from .journal import Record
from .published import Published, published
from .sheet import Sheet
from .tables import Entry, Line, Table, entry_of
from .targets import SOURCES

_STATISTICS = {
    "nodes": ("Nodes in the graph", "count"),
    "edges": ("Edges in the graph", "count"),
    "internal_edges": ("Internal edges in subgraphs", "count"),
    "subgraphs": ("Subgraphs", "count"),
    "density": ("Density of the graph", "plain"),
    "subgraph_density": ("Density of subgraphs, mean", "plain"),
    "subgraph_nodes": ("Nodes a subgraph, mean", "plain"),
    "subgraph_components": ("Components a subgraph, mean", "plain"),
    "classes": ("Classes", "count"),
    "labels": ("Single- or multi-label", "text"),
    "split": ("Train/val/test, %", "text"),
}
_COMPRESSION = {
    "nodes original": ("Nodes of the graph", "nodes_before"),
    "nodes s2n": ("Nodes of S2N", "nodes_after"),
    "edges original": ("Edges of the graph", "edges_before"),
    "edges s2n": ("Entries of S2N", "entries"),
    "edges joined": ("Joined pairs of S2N", "joined"),
    "homophily": ("Edge homophily with self-loops", "homophily"),
    "homophily bare": ("Edge homophily", "homophily_bare"),
}
_METRICS = {
    "train_throughput": "Training throughput",
    "eval_throughput": "Evaluation throughput",
    "train_latency": "Training latency",
    "eval_latency": "Evaluation latency",
    "parameters": "Parameters",
    "memory": "Memory",
}
_S2N_NOTES = (
    "S2N numbers are means over the settings of S2N+0 and S2N+A with GCN and GCNII, as published.",
    "The published edges of S2N count both directions and the self-loops of the test graph: entries"
    " compare with them, joined pairs are edges as such. The published homophily counts self-loops"
    " too, which inflates it.",
)
_DATA_NOTES = {
    "datasets-real": (
        "± is over subgraphs. Densities of subgraphs count self-loops, as the published ones do.",
        "PPI-BP: the paper's 17,080 nodes are those below that number in the released file, which"
        " its code used as a whole.",
        "The paper prints the internal edges of HPO-Neuro and HPO-Metab the other way round.",
    ),
    "datasets-synthetic": (
        "± is over subgraphs.",
        "The published table describes another draw of the same generators than the files that the"
        " results come from.",
    ),
}


def statistics_table(name: str, sheet: Sheet, records: dict[str, Record]) -> Table | None:
    """One of the paper's dataset tables."""
    spots = [spot for spot in sheet.spots["table1"] if spot.table == name]
    if not spots:
        return None
    columns = list(dict.fromkeys(spot.column for spot in spots))
    rows = list(dict.fromkeys(spot.row for spot in spots))
    found = {}
    for spot in spots:
        style = _STATISTICS[spot.row][1]
        printed = published(SOURCES[name], spot.row, spot.column)
        entry = entry_of(spot, records, published=printed, style=style)
        if entry.record is not None and entry.record.done:
            entry = _filled(entry, entry.record.facts[spot.row])
        found[spot.row, spot.column] = entry
    lines = tuple(Line(_STATISTICS[r][0], "", tuple(found[r, c] for c in columns)) for r in rows)
    kind = "Real" if name == "datasets-real" else "Synthetic"
    return _table(name, f"{kind} datasets", f"tab:{SOURCES[name]}", columns, sheet, lines,
                    _DATA_NOTES[name], "Statistic")  # fmt: skip


def _filled(entry: Entry, value: Any) -> Entry:
    """With a number, a mean and its spread, or a word."""
    if value is None:
        return replace(entry, text="none")
    if isinstance(value, str):
        return replace(entry, text=value)
    if isinstance(value, list):
        return replace(entry, ours=value[0], spread=value[1])
    return replace(entry, ours=float(value))


def compression_table(name: str, sheet: Sheet, records: dict[str, Record]) -> Table | None:
    """Nodes and edges before and after translation."""
    spots = [spot for spot in sheet.spots["table1"] if spot.table == name]
    if not spots:
        return None
    columns = list(dict.fromkeys(spot.column for spot in spots))
    found = {}
    for spot in spots:
        plain = spot.row.startswith("homophily")
        printed = (
            published("homophily", "edge", spot.column) if spot.row == "homophily"
            else published("s2n_statistics", spot.row, spot.column)
        )  # fmt: skip
        style = "plain" if plain else "count"
        entry = entry_of(spot, records, published=printed, style=style)
        if entry.record is not None and entry.record.done:
            entry = _filled(entry, entry.record.facts[_COMPRESSION[spot.row][1]])
        found[spot.row, spot.column] = entry
    lines = tuple(
        Line(words, "", tuple(found[row, column] for column in columns))
        for row, (words, _) in _COMPRESSION.items()
        if any(spot.row == row for spot in spots)
    )
    kind = "Real" if name == "s2n-real" else "Synthetic"
    source = "tab:s2n_statistics" if name == "s2n-real" else ""
    return _table(name, f"{kind} graphs before and after translation", source, columns, sheet,
                  lines, _S2N_NOTES, "Number")  # fmt: skip


def _table(name: str, heading: str, source: str, columns: list[str], sheet: Sheet,
             lines: tuple[Line, ...], notes: tuple[str, ...], head: str) -> Table:  # fmt: skip
    kinds = tuple(sheet.data.get(column, {}).get("kind", "") for column in columns)
    titles = tuple(map(title, columns))
    quick = False  # nothing is trained: these numbers are the same
    return Table(name, heading, source, titles, kinds, lines, notes, quick, head)


def benchmark_of(sheet: Sheet, records: dict[str, Record]) -> Benchmark:
    """What was measured, as ``s2n bench efficiency`` has it."""
    rows = []
    for spot in sheet.spots.get("efficiency", []):
        record = records.get(spot.key)
        if record is not None and record.done:
            rows.append(row_of_record({**record.facts, "data": _word(sheet, spot.data)}))
    return Benchmark(tuple(rows), sheet.machine)


def _word(sheet: Sheet, column: str) -> str:
    return sheet.data.get(f"like:{column}", {}).get("word") or column


def efficiency_table(sheet: Sheet, records: dict[str, Record]) -> Table:
    """The best S2N model against GLASS, beside the published range of ratios."""
    spots = sheet.spots["efficiency"]
    columns = list(dict.fromkeys(spot.column for spot in spots))
    bench = benchmark_of(sheet, records)
    lines = []
    for metric, words in _METRICS.items():
        printed = _range(metric)
        entries = [
            replace(_ratio(metric, column, sheet, records, bench), published=printed)
            for column in columns
        ]
        lines.append(Line(words, "", tuple(entries)))
    quick = bool(sheet.plans["efficiency"]["quick"])
    notes = (
        "Each ratio is the best of S2N+0 and S2N+A with GCN and GCNII over GLASS on the same data"
        " and machine; throughput: more is better, all else: less.",
        "The paper has a figure and, in its text, the range over four datasets; one S2N epoch is"
        " one batch and one of GLASS is 15 to 37, so batch sizes are in these ratios too.",
        "Here the clock waits for the device and warm-up does not count; the published code does"
        " neither, and ran on a GTX 1080 Ti.",
        "Speed is measured with vectors that start at random. On a random graph of a published"
        " shape the S2N graph is cut to the published number of edges.",
    )
    kinds = tuple(sheet.data.get(f"like:{column}", {}).get("kind", "") for column in columns)
    return Table("efficiency", "Efficiency: the best S2N model over GLASS", "fig:efficiency_all",
                   tuple(map(title, columns)), kinds, tuple(lines), notes, quick,
                   "Ratio")  # fmt: skip


def _range(metric: str) -> Published | None:
    """The published range over the datasets as a text; there is no number for a single one."""
    ends = [published("efficiency", metric, end) for end in ("low", "high")]
    if ends[0] is None or ends[1] is None:
        return None
    text = f"×{ends[0].text} … ×{ends[1].text}"
    return replace(ends[0], text=text, value=None)


def _ratio(metric: str, column: str, sheet: Sheet, records: dict[str, Record],
           bench: Benchmark) -> Entry:  # fmt: skip
    """The best ratio on a dataset; where there is none, why."""
    assert metric in METRICS
    word = _word(sheet, column)
    best = bench.best(word, metric)
    ratio = None if best is None else bench.ratio(best, metric)
    spots = [spot for spot in sheet.spots["efficiency"] if spot.column == column]
    if best is not None and ratio is not None:
        spot = next(spot for spot in spots if spot.model == best.model)
        return Entry("done", ratio, text=best.model, spot=spot, record=records[spot.key],
                     style="ratio")  # fmt: skip
    entries = [entry_of(spot, records, style="ratio") for spot in spots]
    bad = next((entry for entry in entries if entry.status != "done"), entries[0])
    return replace(bad, record=None)
