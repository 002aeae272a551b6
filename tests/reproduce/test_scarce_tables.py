"""Tables of few training subgraphs, from single cells."""

from __future__ import annotations

import pytest

from paper_cells import record, sheet_of, table_cell
from sub2node.reproduce.scarce_tables import collect_scarce_study, ratio_table, scarce_table

SCORES = {  # by structure and coarsening: val and test of five seeds
    ("s2n+0", ""): (0.5, [0.4, 0.6, 0.5, 0.4, 0.6]),
    ("cos2n+0", "heavy_edge:0.1"): (0.7, [0.5, 0.8, 0.6, 0.6, 0.7]),
    ("cos2n+0", "heavy_edge:0.2"): (0.6, [0.9] * 5),
}


def cells_of(kind: str) -> tuple[list, dict]:
    cells, records = [], {}
    for (structure, coarsen), (val, test) in SCORES.items():
        row = structure if kind == "data-scarce" else f"{structure} {coarsen}"
        cell = table_cell(
            f"{kind}:ppi_bp", row, "10", key=f"{structure} {coarsen}", data="ppi_bp",
            model=f"{structure} gcn2", n=10, coarsen=coarsen, what="scarce",
        )  # fmt: skip
        cells.append(cell)
        facts = {"seeds": list(range(5)), "macro": test}
        records[cell.key] = record(cell.key, values=tuple(test), val=(val,) * 5, facts=facts)
    return cells, records


def test_a_study_is_collected_from_its_cells() -> None:
    cells, records = cells_of("data-scarce")
    speed = table_cell(
        "data-scarce:ppi_bp", "s2n+0", "10", key="speed", model="s2n+0 gcn2", n=10, what="speed"
    )
    facts = {"train_throughput": 2.0, "eval_throughput": 3.0, "memory": 100}
    study = collect_scarce_study(
        [*cells, speed], {**records, "speed": record("speed", facts=facts)}
    )
    assert (study.plan.sizes, study.plan.seeds) == ((10,), (0, 1, 2, 3, 4))
    assert study.plan.structures == ("s2n+0", "cos2n+0")
    assert study.plan.coarsenings == ("heavy_edge:0.1", "heavy_edge:0.2")
    assert len(study.rows) == 15
    assert [step.train_throughput for step in study.steps] == [2.0]
    assert collect_scarce_study(cells, {}) is None


def test_the_coarsening_that_is_best_on_validation_stands_in_the_table() -> None:
    cells, records = cells_of("data-scarce")
    table = scarce_table("data-scarce:ppi_bp", sheet_of("data-scarce", cells), records)
    entries = {line.title: line.entries[0] for line in table.lines}
    assert entries["S2N+0"].ours == pytest.approx(50)
    assert entries["CoS2N+0"].ours == pytest.approx(64)  # the other is better on test
    assert (table.columns, table.name) == (("n = 10",), "data-scarce-ppi_bp")
    assert "CoS2N+0: heavy_edge:0.1, the best on validation." in table.notes
    assert any(
        "CoS2N+0 over S2N+0 on the same subsets, in points: +14.0 (p " in n for n in table.notes
    )


def test_ratios_have_a_row_each() -> None:
    cells, records = cells_of("ratio")
    table = ratio_table("ratio:ppi_bp", sheet_of("ratio", cells[1:]), records)
    assert [line.title for line in table.lines] == [
        "CoS2N+0, 0.1 of the nodes removed", "CoS2N+0, 0.2 of the nodes removed"
    ]  # fmt: skip
    assert [line.entries[0].ours for line in table.lines] == pytest.approx([64, 90])
