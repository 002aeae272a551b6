"""The data-scarce figures, from single cells: performance by size and by coarsening ratio."""

from __future__ import annotations

from collections.abc import Iterable

from ...config import STRUCTURES
from ..scarce import COARSENINGS, Plan, Row, Scarce, Step
from .columns import title
from .journal import Record
from .sheet import Sheet, Spot
from .tables import WORDS, Entry, Line, Table, score_entry

_NOTES = (
    "A fresh subset for each seed, the same for all structures; the paper drew one subset for all"
    " seeds.",
    "The paper has a figure without numbers, so there is nothing to set beside these.",
    "Of CoS2N the coarsening that is best on validation stands here; all of them are in the table"
    " by ratio.",
)


def scarce_of(spots: Iterable[Spot], records: dict[str, Record]) -> Scarce | None:
    """What was found on one dataset, as ``s2n reproduce data-scarce DATA`` has it."""
    rows: list[Row] = []
    steps: list[Step] = []
    for spot in spots:
        record = records.get(spot.key)
        if record is None or not record.done:
            continue
        structure = spot.model.partition(" ")[0]
        if spot.what == "scarce":
            seeds, macro = record.facts["seeds"], record.facts["macro"]
            rows += [
                Row(structure, spot.coarsen, spot.n, int(seed), val, test, float(other))
                for seed, val, test, other in zip(
                    seeds, record.val, record.values, macro, strict=True
                )
            ]
        else:
            facts = record.facts
            steps.append(
                Step(structure, spot.coarsen, spot.n, facts["train_throughput"],
                     facts["eval_throughput"], facts["memory"], record.device)
            )  # fmt: skip
    if not rows:
        return None
    plan = Plan(
        sizes=tuple(dict.fromkeys(row.n for row in rows)),
        structures=tuple(s for s in STRUCTURES if any(row.structure == s for row in rows)),
        coarsenings=tuple(dict.fromkeys(row.coarsen for row in rows if row.coarsen)) or COARSENINGS,
        seeds=tuple(dict.fromkeys(row.seed for row in rows)),
    )
    return Scarce(plan, tuple(rows), tuple(steps))


def scarce_table(name: str, sheet: Sheet, records: dict[str, Record]) -> Table:
    """Structures by training subgraphs of each class."""
    column = name.partition(":")[2]
    spots = [s for s in sheet.spots["data-scarce"] if s.table == name]
    found = scarce_of(spots, records)
    sizes = list(dict.fromkeys(spot.column for spot in spots))
    lines, notes = [], list(_NOTES)
    for structure in STRUCTURES:
        chosen = "" if found is None else found.chosen(structure)
        own = [s for s in spots if s.model == f"{structure} gcn2" and s.what == "scarce"]
        if not own:
            continue
        entries = []
        for size in sizes:
            here = [s for s in own if s.column == size]
            best = next((s for s in here if s.coarsen == chosen), here[0])
            entries.append(score_entry(best, records))
        lines.append(Line(WORDS[structure], "", tuple(entries)))
        if chosen:
            notes.append(f"{WORDS[structure]}: {chosen}, the best on validation.")
    if found is not None:
        notes += _gains(found)
    return Table(
        name.replace(":", "-"), f"{title(column)}: few training subgraphs of each class",
        _figure(column), tuple(f"n = {size}" for size in sizes),
        (sheet.data.get(column, {}).get("kind", ""),) * len(sizes), tuple(lines), tuple(notes),
        bool(sheet.plans["data-scarce"]["quick"]), "Structure, GCNII",
    )  # fmt: skip


def _gains(found: Scarce) -> list[str]:
    """What virtual subgraphs bring, in a sentence each."""
    notes = []
    for kind in ("+0", "+a"):
        parts = []
        for n in found.plan.sizes:
            gain = found.gain(f"cos2n{kind}", f"s2n{kind}", n)
            if gain is not None:
                p = "" if gain[1] is None else f" (p {gain[1]:.2g})"
                parts.append(f"{100 * gain[0].mean:+.1f}{p} with {n}")
        if parts:
            words = f"CoS2N{kind.upper()} over S2N{kind.upper()}"
            notes.append(
                f"{words} on the same subsets, in points: {', '.join(parts)}; paired t-test."
            )
    return notes


def _figure(column: str) -> str:
    if column == "ppi_bp":
        return "fig:efficiency_by_num_training"
    return "fig:efficiency_by_num_training_em_user_3"


def ratio_table(name: str, sheet: Sheet, records: dict[str, Record]) -> Table:
    """CoS2N by coarsening ratio and size."""
    column = name.partition(":")[2]
    spots = [s for s in sheet.spots["ratio"] if s.table == name]
    sizes = list(dict.fromkeys(spot.column for spot in spots))
    rows = list(dict.fromkeys(spot.row for spot in spots))
    found: dict[tuple[str, str], Entry] = {
        (s.row, s.column): score_entry(s, records) for s in spots
    }
    lines = tuple(
        Line(f"{WORDS[row.partition(' ')[0]]}, {row.rpartition(':')[2]} of the nodes removed",
             WORDS[row.partition(" ")[0]],
             tuple(found[row, size] for size in sizes))
        for row in rows
    )  # fmt: skip
    return Table(
        name.replace(":", "-"), f"{title(column)}: CoS2N by coarsening ratio",
        "fig:performance_by_coarsening_ratio", tuple(f"n = {size}" for size in sizes),
        (sheet.data.get(column, {}).get("kind", ""),) * len(sizes), lines, _NOTES[:2],
        bool(sheet.plans["ratio"]["quick"]), "Coarsening ratio, GCNII",
    )  # fmt: skip
