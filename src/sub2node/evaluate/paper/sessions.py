"""A reproduction as a whole, without a command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import ConfigError, suggest
from ...versions import versions
from ..protocol import seed_list
from ..ratios import machine
from .columns import Shelf
from .jobs import QUICK_SEEDS, Plan
from .journal import Journal, Record
from .runner import pending, work
from .running import Ready
from .sheet import Sheet, resolve
from .targets import TARGETS, Target


@dataclass(frozen=True, eq=False)
class Session:
    """What is to be run, and where it goes.

    Args:
        sheet: Which result stands where.
        jobs: All different ones.
        plan: How.
        journal: What is there already, and where more is written.
    """

    sheet: Sheet
    jobs: list[Ready]
    plan: Plan
    journal: Journal

    @property
    def known(self) -> int:
        """Jobs with a result."""
        return sum(self.journal.done(job.key) for job in self.jobs)

    @property
    def todo(self) -> list[Ready]:
        """Jobs of this process that are left."""
        return pending(self.jobs, self.journal)

    def run(self) -> Iterator[Record]:
        """Run what is left; every record is on disk before it comes."""
        return work(self.jobs, self.plan, self.journal)


def session(
    targets: Sequence[str],
    folder: str | Path,
    *,
    seeds: int | None = None,
    quick: bool = False,
    data: Sequence[str] | None = None,
    device: str = "auto",
    worker: tuple[int, int] = (1, 1),
) -> Session:
    """Look at data and settings; what there is to run.

    Args:
        targets: Of :data:`TARGETS`, or ``all``.
        folder: Where results go, and where those of earlier runs are.
        seeds: How many; None: 10, of a quick look 2.
        quick: Few seeds, epochs and cells.
        data: Datasets to restrict it to.
        device: ``auto``, ``cpu`` or ``cuda``.
        worker: Number of this process and of all that share the folder, from 1.

    Raises:
        ConfigError: Nothing at all can be run.
    """
    count = seeds if seeds is not None else QUICK_SEEDS if quick else 10
    plan = Plan(tuple(seed_list(count)), quick, device)
    shelf = Shelf(None if data is None else tuple(data))
    journal = Journal(Path(folder), worker)
    facts = {**machine(device), "packages": versions()}
    wanted = chosen(targets)
    sheet, jobs = resolve(wanted, shelf, plan, facts, timed=worker[1] == 1)
    able = any(spot.key for spots in sheet.spots.values() for spot in spots)
    reason = _reason(sheet)
    sheet.save(journal.folder)
    sheet.spots = {target: sheet.spots[target] for target in wanted if target in sheet.spots}
    if not able:
        raise ConfigError(f"nothing could be done: {reason}")
    return Session(sheet, jobs, plan, journal)


def chosen(targets: Sequence[str]) -> list[Target]:
    """Targets by name, each once, in the order of the paper."""
    for name in targets:
        if name not in (*TARGETS, "all"):
            raise ConfigError(f"there is no target {name!r}.{suggest(name, (*TARGETS, 'all'))}")
    return [target for target in TARGETS if target in targets or "all" in targets]


def _reason(sheet: Sheet) -> str:
    """Why nothing can be run, in a sentence."""
    whys = dict.fromkeys(spot.why[1] for spots in sheet.spots.values() for spot in spots)
    return " ".join(list(whys)[:3]) or "no dataset of these targets was asked for."
