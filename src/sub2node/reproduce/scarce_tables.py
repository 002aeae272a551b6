"""The data-scarce figures, from single cells: performance by size and by coarsening ratio."""

from __future__ import annotations

from collections.abc import Iterable

from ..config import STRUCTURES
from .cell_journal import Record
from .cell_sheet import Sheet, TableCell
from .paper_data import dataset_title
from .paper_tables import DISPLAY_NAMES, Line, PaperTable, make_score_entry
from .scarce import COARSENINGS, ScarcePlan, ScarceRun, ScarceSpeed, ScarceStudy

_NOTES = (
    "A fresh subset for each seed, the same for all structures; the paper drew one subset for all"
    " seeds.",
    "The paper has a figure without numbers, so there is nothing to set beside these.",
    "Of CoS2N the coarsening that is best on validation stands here; all of them are in the table"
    " by ratio.",
)


def collect_scarce_study(
    cells: Iterable[TableCell], records: dict[str, Record]
) -> ScarceStudy | None:
    """The results on one dataset, as ``s2n reproduce data-scarce DATA`` has it."""
    rows: list[ScarceRun] = []
    steps: list[ScarceSpeed] = []
    for cell in cells:
        record = records.get(cell.key)
        if record is None or not record.done:
            continue
        structure, facts = cell.model.partition(" ")[0], record.facts
        if cell.what == "scarce":
            rows += [
                ScarceRun(structure, cell.coarsen, cell.n, int(seed), val, test, float(macro))
                for seed, val, test, macro in zip(
                    facts["seeds"], record.val, record.values, facts["macro"], strict=True
                )
            ]
        else:
            steps.append(
                ScarceSpeed(
                    structure=structure,
                    coarsen=cell.coarsen,
                    n=cell.n,
                    train_throughput=facts["train_throughput"],
                    eval_throughput=facts["eval_throughput"],
                    memory=facts["memory"],
                    device=record.device,
                )
            )
    if not rows:
        return None
    plan = ScarcePlan(
        sizes=tuple(dict.fromkeys(row.n for row in rows)),
        structures=tuple(s for s in STRUCTURES if any(row.structure == s for row in rows)),
        coarsenings=tuple(dict.fromkeys(row.coarsen for row in rows if row.coarsen)) or COARSENINGS,
        seeds=tuple(dict.fromkeys(row.seed for row in rows)),
    )
    return ScarceStudy(plan, tuple(rows), tuple(steps))


def scarce_table(name: str, sheet: Sheet, records: dict[str, Record]) -> PaperTable:
    """Structures by training subgraphs of each class."""
    column = name.partition(":")[2]
    cells = [s for s in sheet.spots["data-scarce"] if s.table == name]
    study = collect_scarce_study(cells, records)
    sizes = list(dict.fromkeys(cell.column for cell in cells))
    lines, notes = [], list(_NOTES)
    for structure in STRUCTURES:
        chosen = "" if study is None else study.chosen(structure)
        own = [s for s in cells if s.model == f"{structure} gcn2" and s.what == "scarce"]
        if not own:
            continue
        entries = []
        for size in sizes:
            of_size = [s for s in own if s.column == size]
            best = next((s for s in of_size if s.coarsen == chosen), of_size[0])
            entries.append(make_score_entry(best, records))
        lines.append(Line(DISPLAY_NAMES[structure], "", tuple(entries)))
        if chosen:
            notes.append(f"{DISPLAY_NAMES[structure]}: {chosen}, the best on validation.")
    if study is not None:
        notes += _describe_gains(study)
    return PaperTable(
        name=name.replace(":", "-"),
        title=f"{dataset_title(column)}: few training subgraphs of each class",
        source=_figure_label(column),
        columns=tuple(f"n = {size}" for size in sizes),
        kinds=(sheet.data.get(column, {}).get("kind", ""),) * len(sizes),
        lines=tuple(lines),
        notes=tuple(notes),
        quick=bool(sheet.plans["data-scarce"]["quick"]),
        head="Structure, GCNII",
    )


def _describe_gains(study: ScarceStudy) -> list[str]:
    """What virtual subgraphs bring, one sentence per kind of structure."""
    notes = []
    for kind in ("+0", "+a"):
        parts = []
        for n in study.plan.sizes:
            gain = study.gain(f"cos2n{kind}", f"s2n{kind}", n)
            if gain is not None:
                p = "" if gain[1] is None else f" (p {gain[1]:.2g})"
                parts.append(f"{100 * gain[0].mean:+.1f}{p} with {n}")
        if parts:
            notes.append(
                f"CoS2N{kind.upper()} over S2N{kind.upper()} on the same subsets, in points:"
                f" {', '.join(parts)}; paired t-test."
            )
    return notes


def _figure_label(column: str) -> str:
    if column == "ppi_bp":
        return "fig:efficiency_by_num_training"
    return "fig:efficiency_by_num_training_em_user_3"


def ratio_table(name: str, sheet: Sheet, records: dict[str, Record]) -> PaperTable:
    """CoS2N by coarsening ratio and size."""
    column = name.partition(":")[2]
    cells = [s for s in sheet.spots["ratio"] if s.table == name]
    sizes = list(dict.fromkeys(cell.column for cell in cells))
    rows = list(dict.fromkeys(cell.row for cell in cells))
    entries = {(s.row, s.column): make_score_entry(s, records) for s in cells}
    lines = tuple(
        Line(
            f"{structure}, {row.rpartition(':')[2]} of the nodes removed",
            structure,
            tuple(entries[row, size] for size in sizes),
        )
        for row in rows
        for structure in (DISPLAY_NAMES[row.partition(" ")[0]],)
    )
    return PaperTable(
        name=name.replace(":", "-"),
        title=f"{dataset_title(column)}: CoS2N by coarsening ratio",
        source="fig:performance_by_coarsening_ratio",
        columns=tuple(f"n = {size}" for size in sizes),
        kinds=(sheet.data.get(column, {}).get("kind", ""),) * len(sizes),
        lines=lines,
        notes=_NOTES[:2],
        quick=bool(sheet.plans["ratio"]["quick"]),
        head="Coarsening ratio, GCNII",
    )
