"""Which result stands where: places with the keys of their records, kept beside the records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ...errors import DataError, Sub2NodeError
from ...files import new_file, written
from ...progress import step
from .columns import MADE, REAL, Data, Shelf
from .jobs import Job, Place, Plan
from .running import Ready, prepare
from .targets import TARGETS, Target, places

FILE = "sheet.json"


@dataclass(frozen=True)
class Spot:
    """A place of a table, resolved.

    Args:
        table: Of ours.
        row: As in the published table.
        column: Of the table.
        key: Of its record; empty where it is not run.
        why: What keeps it from being run: ``missing``, ``left out`` or ``failed``, and a sentence.
        data: The dataset of the paper; of ``theory`` nothing.
        job: In words.
        model: As ``s2n+a gcn2`` or ``glass``.
        n: Training subgraphs of each class; 0: all.
        coarsen: Method and ratio of CoS2N.
        what: Kind of the job.
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
    """All places of some targets.

    Args:
        spots: By target.
        data: By dataset of the paper: what stands there (word, kind, about), or why nothing does.
        plans: By target: seeds, quick, epochs.
        machine: What it was run on.
    """

    spots: dict[str, list[Spot]] = field(default_factory=dict)
    data: dict[str, dict[str, str]] = field(default_factory=dict)
    plans: dict[str, dict[str, Any]] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)

    @property
    def targets(self) -> list[Target]:
        """Those that it has, in the order of the paper."""
        return [target for target in TARGETS if target in self.spots]

    def save(self, folder: Path) -> None:
        """Write it; what earlier runs had and this one has not stays."""
        old = read_sheet(folder) if (folder / FILE).exists() else Sheet()
        for target in set(self.spots) & set(old.spots):
            if old.plans.get(target) == self.plans.get(target):
                self.spots[target] = _merged(old.spots[target], self.spots[target])
        for name in ("spots", "data", "plans", "machine"):
            setattr(self, name, {**getattr(old, name), **getattr(self, name)})
        with written(folder / FILE), new_file(folder / FILE) as part:
            part.write_text(json.dumps(asdict(self), ensure_ascii=False) + "\n", encoding="utf-8")


def _merged(old: list[Spot], new: list[Spot]) -> list[Spot]:
    """New places beside old ones of other datasets; what was measured is not taken back."""
    known = {spot.place: spot for spot in old}
    found = {}
    for spot in new:
        before = known.get(spot.place)
        kept = before is not None and before.key and spot.why[0] == "not yet"
        found[spot.place] = before if kept and before is not None else spot
    rest = [spot for place, spot in known.items() if place not in found]
    return [*found.values(), *rest]


def read_sheet(folder: Path) -> Sheet:
    """What an earlier run wrote.

    Raises:
        DataError: There is none, or it is no such file.
    """
    path = folder / FILE
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        spots = {
            target: [Spot(**{**spot, "why": tuple(spot["why"])}) for spot in listed]
            for target, listed in found["spots"].items()
        }
        return Sheet(spots, dict(found["data"]), dict(found["plans"]), dict(found["machine"]))
    except FileNotFoundError:
        raise DataError(
            "there is nothing to report here; run s2n reproduce with this folder first.",
            path=folder,
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"this is not what s2n reproduce left ({error!r}).", path=path) from None


def resolve(
    targets: Sequence[Target],
    shelf: Shelf,
    plan: Plan,
    machine: Mapping[str, Any],
    *,
    timed: bool = True,
) -> tuple[Sheet, list[Ready]]:
    """All places of some targets, and the different jobs that they need.

    Args:
        targets: Which.
        shelf: The data.
        plan: How everything is run.
        machine: What it is run on.
        timed: Whether times are measured too, which processes beside this one would spoil.
    """
    sheet, found = Sheet(machine=dict(machine)), dict[Job, tuple[str, tuple[str, str]]]()
    ready: dict[str, Ready] = {}
    asked = [(target, place) for target in targets for place in places(target, plan)]
    for number, (target, place) in enumerate(asked):
        step("Looking at data and settings", number, len(asked), place.job.words)
        job, free = place.job, place.job.what == "theory"
        if not free and not shelf.wants(job.column):
            continue
        if place.left:
            key, why = "", _left(place, shelf)
        elif job.what == "speed" and not timed:
            key, why = "", ("not yet", "times are measured by a run without --worker")
        else:
            if job not in found:
                found[job] = _prepared(job, shelf, plan, ready)
            key, why = found[job]
        name = job.model or f"{job.structure} {job.conv}".strip()
        spot = Spot(place.table, place.row, place.column, key, why, "" if free else job.column,
                    job.words, name, job.n, job.coarsen, job.what)  # fmt: skip
        sheet.spots.setdefault(target, []).append(spot)
    step("Looking at data and settings", 1, 1)
    all_spots = [spot for spots in sheet.spots.values() for spot in spots]
    columns = [s.data for s in all_spots if s.data and (s.what != "speed" or s.n)]
    sheet.data = {column: _about(column, shelf) for column in dict.fromkeys(columns)}
    sheet.data |= {
        f"like:{job.column}": _about(job.column, shelf, shape=True)
        for job in found
        if job.what == "speed" and not job.n
    }
    about = {"seeds": list(plan.seeds), "quick": plan.quick, "epochs": plan.epochs}
    sheet.plans = dict.fromkeys(sheet.spots, about)
    return sheet, _by_data(ready.values(), sheet)


def _left(place: Place, shelf: Shelf) -> tuple[str, str]:
    """Why a place is left out; that its data are missing counts for more."""
    data = "" if place.table == "efficiency" else shelf.data(place.job.column)
    return ("missing", data) if data and isinstance(data, str) else ("left out", place.left)


def _by_data(jobs: Iterable[Ready], sheet: Sheet) -> list[Ready]:
    """Target by target, in each dataset by dataset, so that what was translated last is of use."""
    first: dict[str, int] = {}
    for number, target in enumerate(sheet.targets):
        for spot in sheet.spots[target]:
            first.setdefault(spot.key, number)
    columns = [*REAL, *MADE]

    def order(ready: Ready) -> tuple[int, int]:
        column = ready.job.column
        return first[ready.key], columns.index(column) if column in columns else len(columns)

    return sorted(jobs, key=order)


def _prepared(
    job: Job, shelf: Shelf, plan: Plan, ready: dict[str, Ready]
) -> tuple[str, tuple[str, str]]:
    """The key of a job, which is put among those to run; or why there is none."""
    try:
        got = prepare(job, shelf, plan)
    except Sub2NodeError as error:
        return "", ("failed", str(error))
    if isinstance(got, str):
        return "", ("missing", got)
    ready.setdefault(got.key, got)
    return got.key, ("", "")


def _about(column: str, shelf: Shelf, *, shape: bool = False) -> dict[str, str]:
    found = shelf.shape(column) if shape else shelf.data(column)
    if isinstance(found, Data):
        return {"word": found.word, "kind": found.kind, "about": found.about}
    return {"word": "", "kind": "missing", "about": found}


def share(jobs: Iterable[Ready], number: int, count: int) -> list[Ready]:
    """What one of several processes does: about as much as any other, decided without talking.

    Jobs that measure time are nobody's while several processes share a machine.

    Args:
        jobs: All of them.
        number: Of this process, from 1.
        count: Of processes.
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
