"""Tables beside what was published: marks against the strongest baseline."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_ind

from paper_cells import score_cell
from sub2node.reproduce.cell_journal import Record
from sub2node.reproduce.cell_sheet import Sheet
from sub2node.reproduce.paper_tables import score_table


def test_marks_are_those_of_welch_against_the_strongest_baseline() -> None:
    rng = np.random.default_rng(0)
    scores = {"glass": 0.6, "subgnn": 0.5, "s2n+a gcn2": 0.7, "s2n+0 gcn2": 0.6, "s2n+0 gcn": 0.4}
    values = {row: tuple(mean + 0.02 * rng.normal(size=10)) for row, mean in scores.items()}
    records = {row: Record(row, row, values=v, val=v, preset="paper") for row, v in values.items()}
    spots = [score_cell(row, row) for row in scores]
    sheet = Sheet({"real": spots}, {"ppi_bp": {"kind": "authentic"}}, {"real": {"quick": False}})
    table = score_table("real", sheet, heading="Scores", records=records, marked=True)
    entries = {line.title: line.entries[0] for line in table.lines}
    assert entries["S2N+A GCNII"].mark == "∗"
    assert entries["S2N+0 GCNII"].mark == "∼"
    assert entries["S2N+0 GCN"].mark == ""
    assert entries["GLASS"].p is None
    expected = ttest_ind(values["s2n+a gcn2"], values["glass"], equal_var=False).pvalue
    assert entries["S2N+A GCNII"].p == pytest.approx(expected)
    assert entries["GLASS"].difference == pytest.approx(100 * np.mean(values["glass"]) - 61.9)
    assert "PPI-BP: GLASS" in table.notes[0]
    assert len(table.notes) == 1  # no simple model was run
    plain = {"bag": Record("bag", "bag", values=(0.65,), val=(0.65,))}
    sheet.spots["real"].append(score_cell("bag", "bag"))
    more = score_table("real", sheet, heading="Scores", records={**records, **plain}, marked=True)
    gap = 100 * np.mean(values["s2n+a gcn2"]) - 65
    assert f"S2N+A GCNII {gap:+.1f} points to bag of nodes, p = " in more.notes[1]
