"""Which result stands where: table cells with the keys of their records, kept beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..base.errors import DataError, Sub2NodeError
from ..base.files import new_file, written
from ..base.progress import counted
from ..base.structured_text import parse_json
from .job_execution import PreparedJob, prepare
from .jobs import Job, PlannedCell, ReproductionPlan
from .paper_data import REAL_DATA, SYNTHETIC_DATA, DatasetCache, PaperDataset
from .paper_targets import TARGETS, Target, planned_cells

FILE = "sheet.json"


@dataclass(frozen=True)
class TableCell:
    """A cell of a table, with the key of its record.

    Args:
        table: The name of our table.
        row: The row as in the published table.
        column: The column of the table.
        key: The key of its record; empty where it is not run.
        why: What keeps it from being run: ``missing``, ``left out`` or ``failed``, and a sentence.
        data: The dataset of the paper; of ``theory`` nothing.
        job: The job in words.
        model: The name of the model, as ``s2n+a gcn2`` or ``glass``.
        n: Training subgraphs of each class; 0: all.
        coarsen: The coarsening of CoS2N, as method and ratio.
        what: The kind of the job.
    """

    table: str
    row: str
    column: str
    key: str
    why: tuple[str, str]
    data: str
    job: str
    model: str
    n: int
    coarsen: str
    what: str

    @property
    def place(self) -> tuple[str, ...]:
        """Where it stands; scores, speeds and coarsenings of a structure share a row."""
        return self.table, self.row, self.column, self.what, self.coarsen


@dataclass
class Sheet:
    """All table cells of some targets.

    Args:
        spots: The cells by target.
        data: By dataset of the paper, what stands there (word, kind, about), or why nothing does.
        plans: Seeds, quick and epochs by target.
        machine: The machine that everything was run on.
    """

    spots: dict[str, list[TableCell]] = field(default_factory=dict)
    data: dict[str, dict[str, str]] = field(default_factory=dict)
    plans: dict[str, dict[str, Any]] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)

    @property
    def targets(self) -> list[Target]:
        """The targets of the sheet, in the order of the paper."""
        return [target for target in TARGETS if target in self.spots]

    def save(self, folder: Path) -> None:
        """Write it; what earlier runs had and this one has not stays."""
        old = read_sheet(folder) if (folder / FILE).exists() else Sheet()
        for target in set(self.spots) & set(old.spots):
            if old.plans.get(target) == self.plans.get(target):
                self.spots[target] = _merge_cells(old.spots[target], self.spots[target])
        for name in ("spots", "data", "plans", "machine"):
            setattr(self, name, {**getattr(old, name), **getattr(self, name)})
        with written(folder / FILE), new_file(folder / FILE) as part:
            part.write_text(json.dumps(asdict(self), ensure_ascii=False) + "\n", encoding="utf-8")


def _merge_cells(old: list[TableCell], new: list[TableCell]) -> list[TableCell]:
    """New cells beside old ones of other datasets; what was measured is not taken back."""
    old_cells = {cell.place: cell for cell in old}
    merged = {}
    for cell in new:
        before = old_cells.get(cell.place)
        keep = before is not None and before.key and cell.why[0] == "not yet"
        merged[cell.place] = before if keep and before is not None else cell
    rest = [cell for place, cell in old_cells.items() if place not in merged]
    return [*merged.values(), *rest]


def read_sheet(folder: Path) -> Sheet:
    """Read the sheet that an earlier run wrote.

    Raises:
        DataError: There is none, or it is no such file.
    """
    path = folder / FILE
    try:
        content = parse_json(path.read_text(encoding="utf-8"))
        cells = {
            target: [TableCell(**{**cell, "why": tuple(cell["why"])}) for cell in listed]
            for target, listed in content["spots"].items()
        }
        return Sheet(cells, dict(content["data"]), dict(content["plans"]), dict(content["machine"]))
    except FileNotFoundError:
        raise DataError(
            "there is nothing to report here; run s2n reproduce with this folder first.",
            path=folder,
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"this is not what s2n reproduce left ({error!r}).", path=path) from None


def resolve(
    targets: Sequence[Target],
    datasets: DatasetCache,
    *,
    plan: ReproductionPlan,
    machine: Mapping[str, object],
    timed: bool = True,
) -> tuple[Sheet, list[PreparedJob]]:
    """Find all table cells of some targets, and the different jobs that they need.

    Args:
        targets: The tables and figures to make.
        datasets: The data at hand.
        plan: Seeds, epochs and device of all runs.
        machine: The machine that everything is run on.
        timed: Whether times are measured too, which processes beside this one would spoil.
    """
    sheet = Sheet(machine=dict(machine))
    keys: dict[Job, tuple[str, tuple[str, str]]] = {}  # and why there is none
    prepared: dict[str, PreparedJob] = {}
    planned = [(target, place) for target in targets for place in planned_cells(target, plan)]
    for target, place in counted(
        planned, "Preparing cell", name=lambda one: one[1].job.description, even=False
    ):
        job, free = place.job, place.job.what == "theory"
        if not free and not datasets.is_requested(job.column):
            continue
        if place.why_omitted:
            key, why = "", _why_omitted(place, datasets)
        elif job.what == "speed" and not timed:
            key, why = "", ("not yet", "times are measured by a run without --shard")
        else:
            if job not in keys:
                keys[job] = _prepare_once(job, datasets, plan, prepared)
            key, why = keys[job]
        cell = TableCell(
            table=place.table,
            row=place.row,
            column=place.column,
            key=key,
            why=why,
            data="" if free else job.column,
            job=job.description,
            model=job.model or f"{job.structure} {job.conv}".strip(),
            n=job.n,
            coarsen=job.coarsen,
            what=job.what,
        )
        sheet.spots.setdefault(target, []).append(cell)
    all_cells = [cell for cells in sheet.spots.values() for cell in cells]
    columns = [s.data for s in all_cells if s.data and (s.what != "speed" or s.n)]
    sheet.data = {column: _describe_data(column, datasets) for column in dict.fromkeys(columns)}
    sheet.data |= {
        f"like:{job.column}": _describe_data(job.column, datasets, shape=True)
        for job in keys
        if job.what == "speed" and not job.n
    }
    settings = {"seeds": list(plan.seeds), "quick": plan.quick, "epochs": plan.epochs}
    sheet.plans = dict.fromkeys(sheet.spots, settings)
    return sheet, _order_jobs(prepared.values(), sheet)


def _why_omitted(place: PlannedCell, datasets: DatasetCache) -> tuple[str, str]:
    """Why a cell is left out; that its data are missing counts for more."""
    data = "" if place.table == "efficiency" else datasets.load(place.job.column)
    return ("missing", data) if data and isinstance(data, str) else ("left out", place.why_omitted)


def _order_jobs(jobs: Iterable[PreparedJob], sheet: Sheet) -> list[PreparedJob]:
    """Target by target, in each dataset by dataset, so that what was translated last is of use."""
    first: dict[str, int] = {}
    for number, target in enumerate(sheet.targets):
        for cell in sheet.spots[target]:
            first.setdefault(cell.key, number)
    columns = [*REAL_DATA, *SYNTHETIC_DATA]

    def order(prepared: PreparedJob) -> tuple[int, int]:
        column = prepared.job.column
        return first[prepared.key], columns.index(column) if column in columns else len(columns)

    return sorted(jobs, key=order)


def _prepare_once(
    job: Job, datasets: DatasetCache, plan: ReproductionPlan, prepared: dict[str, PreparedJob]
) -> tuple[str, tuple[str, str]]:
    """The key of a job, which is put among those to run; or why there is none."""
    try:
        result = prepare(job, datasets, plan)
    except Sub2NodeError as error:
        return "", ("failed", str(error))
    if isinstance(result, str):
        return "", ("missing", result)
    prepared.setdefault(result.key, result)
    return result.key, ("", "")


def _describe_data(column: str, datasets: DatasetCache, *, shape: bool = False) -> dict[str, str]:
    data = datasets.load_shape(column) if shape else datasets.load(column)
    if isinstance(data, PaperDataset):
        return {"word": data.load_name, "kind": data.kind, "about": data.about}
    return {"word": "", "kind": "missing", "about": data}


def share(jobs: Iterable[PreparedJob], number: int, count: int) -> list[PreparedJob]:
    """The jobs of one of several processes: about equal shares, without communication.

    Jobs that measure time belong to no process while several processes share a machine.

    Args:
        jobs: The jobs of all processes.
        number: The number of this process, from 1.
        count: The number of processes.
    """
    if count == 1:
        return list(jobs)
    jobs = [job for job in jobs if not job.alone]
    loads, mine = [0.0] * count, set[str]()
    for job in sorted(jobs, key=lambda job: (-job.cost, job.key)):  # the longest first
        least = loads.index(min(loads))
        loads[least] += job.cost
        if least == number - 1:
            mine.add(job.key)
    return [job for job in jobs if job.key in mine]
