"""Tables that count: numbers of records beside published ones, and ratios to GLASS."""

from __future__ import annotations

import pytest

from paper_cells import record, sheet_of, table_cell
from sub2node.efficiency.efficiency_table import METRICS, EfficiencyRow, EfficiencyTable
from sub2node.efficiency.measure import Efficiency, Timing
from sub2node.reproduce.count_tables import (
    benchmark_of,
    compression_table,
    efficiency_table,
    statistics_table,
)


def test_statistics_stand_beside_the_published_ones() -> None:
    rows = {"nodes": 17_080, "subgraph_nodes": [10.2, 10.5], "labels": "Single-label"}
    cells = [table_cell("datasets-real", row, "ppi_bp", key="one") for row in rows]
    sheet = sheet_of("table1", cells)
    table = statistics_table("datasets-real", sheet, {"one": record("one", facts=rows)})
    nodes, size, labels = (line.entries[0] for line in table.lines)
    assert (nodes.ours, nodes.style, nodes.difference) == (17_080, "count", 0.0)
    assert (size.ours, size.spread) == (10.2, 10.5)
    assert (labels.text, labels.ours) == ("Single-label", None)
    assert table.lines[0].title == "Nodes in the graph"
    assert (table.columns, table.kinds) == (("PPI-BP",), ("authentic",))
    assert statistics_table("datasets-synthetic", sheet, {}) is None
    waiting = statistics_table("datasets-real", sheet, {})
    assert waiting.count("not yet") == 3


def test_attributes_stand_beside_the_words_of_the_paper() -> None:
    facts = {"internal": "0.91 (density)", "border": "0.10 (cut ratio)"}
    cells = [table_cell("attributes-synthetic", row, "density", key="one") for row in facts]
    table = statistics_table(
        "attributes-synthetic", sheet_of("table1", cells), {"one": record("one", facts=facts)}
    )
    internal, border = (line.entries[0] for line in table.lines)
    assert (internal.text, internal.published.text) == ("0.91 (density)", "Internal structure")
    assert (border.text, border.published.text) == ("0.10 (cut ratio)", "-")
    assert [line.title for line in table.lines] == ["Internal structure", "Border structure"]
    assert (table.source, table.head) == ("tab:syn_properties", "Attribute")


def test_compression_has_counts_and_shares() -> None:
    facts = {"nodes_after": 1591, "entries": [2000.0, 10.0], "homophily_bare": None}
    rows = ("nodes s2n", "edges s2n", "homophily bare")
    cells = [table_cell("s2n-real", row, "ppi_bp", key="one") for row in rows]
    table = compression_table(
        "s2n-real", sheet_of("table1", cells), {"one": record("one", facts=facts)}
    )
    nodes, edges, homophily = (line.entries[0] for line in table.lines)
    assert (nodes.ours, nodes.style) == (1591, "count")
    assert (edges.ours, edges.spread) == (2000, 10)
    assert (homophily.text, homophily.style) == ("none", "plain")


def speed(model: str, seconds: float) -> dict:
    """A record as ``s2n bench efficiency`` writes it."""
    time = Timing(seconds, seconds, seconds, 3, 3)
    measured = Efficiency(time, time, 100, 20, 1, 1, int(1000 * seconds), 10**6, "cpu")
    return EfficiencyTable((EfficiencyRow("ppi_bp", model, efficiency=measured),)).records()[0]


def test_ratios_are_of_the_best_s2n_model_to_glass() -> None:
    seconds = {"s2n+0 gcn": 0.5, "s2n+a gcn2": 0.25, "glass": 5.0}
    cells = [table_cell("efficiency", model, "ppi_bp", what="speed") for model in seconds]
    records = {
        cell.key: record(cell.key, facts=speed(cell.row, seconds[cell.row])) for cell in cells
    }
    sheet = sheet_of("efficiency", cells)
    assert len(benchmark_of(sheet, records).rows) == 3
    table = efficiency_table(sheet, records)
    assert len(table.lines) == len(METRICS)
    entries = dict(zip(METRICS, (line.entries[0] for line in table.lines), strict=True))
    assert entries["train_throughput"].ours == pytest.approx(20)
    assert entries["train_throughput"].text == "s2n+a gcn2"
    assert entries["train_latency"].ours == pytest.approx(1 / 20)
    assert entries["memory"].ours == pytest.approx(1)
    assert entries["train_throughput"].published.text.startswith("×")
    assert entries["train_throughput"].published.value is None
    without = {key: value for key, value in records.items() if "glass" not in key}
    (entry,) = efficiency_table(sheet, without).lines[0].entries
    assert (entry.status, entry.record) == ("not yet", None)
