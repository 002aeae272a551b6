"""A reproduction as a whole, without a command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base.environment import versions
from ..base.errors import ConfigError, suggest
from ..efficiency.efficiency_table import machine
from ..evaluate.seeds import seed_list
from .cell_journal import Journal, Record
from .cell_sheet import Sheet, resolve
from .job_execution import PreparedJob
from .job_queue import pending, run_pending
from .jobs import QUICK_SEEDS, ReproductionPlan
from .paper_data import DatasetCache
from .paper_targets import TARGETS, Target


@dataclass(frozen=True, eq=False)
class Session:
    """What is to be run, and where it goes.

    Args:
        sheet: Which result stands where.
        jobs: All different jobs.
        plan: Seeds, epochs and device of all runs.
        journal: The results of earlier runs, and where new ones are written.
    """

    sheet: Sheet
    jobs: list[PreparedJob]
    plan: ReproductionPlan
    journal: Journal

    @property
    def known(self) -> int:
        """Jobs with a result."""
        return sum(self.journal.done(job.key) for job in self.jobs)

    @property
    def todo(self) -> list[PreparedJob]:
        """Jobs of this process that are left."""
        return pending(self.jobs, self.journal)

    def run(self) -> Iterator[Record]:
        """Run what is left; every record is on disk before it comes."""
        return run_pending(self.jobs, self.plan, self.journal)


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
    """Look at data and settings, and find what there is to run.

    Args:
        targets: Names of :data:`TARGETS`, or ``all``.
        folder: Where results go, and where those of earlier runs are.
        seeds: The number of seeds; None: 10, or 2 if quick.
        quick: Use few seeds, epochs and cells.
        data: The datasets to use; None: all.
        device: ``auto``, ``cpu`` or ``cuda``.
        worker: Number of this process and of all that share the folder, from 1.

    Raises:
        ConfigError: Nothing at all can be run.
    """
    count = seeds if seeds is not None else QUICK_SEEDS if quick else 10
    plan = ReproductionPlan(tuple(seed_list(count)), quick, device)
    datasets = DatasetCache(None if data is None else tuple(data))
    journal = Journal(Path(folder), worker)
    facts = {**machine(device), "packages": versions()}
    requested = parse_targets(targets)
    sheet, jobs = resolve(requested, datasets, plan=plan, machine=facts, timed=worker[1] == 1)
    is_possible = any(cell.key for cells in sheet.spots.values() for cell in cells)
    reason = _explain_omissions(sheet)
    sheet.save(journal.folder)
    sheet.spots = {target: sheet.spots[target] for target in requested if target in sheet.spots}
    if not is_possible:
        raise ConfigError(f"nothing could be done: {reason}")
    return Session(sheet, jobs, plan, journal)


def parse_targets(targets: Sequence[str]) -> list[Target]:
    """Targets by name, each once, in the order of the paper."""
    for name in targets:
        if name not in (*TARGETS, "all"):
            raise ConfigError(f"there is no target {name!r}.{suggest(name, (*TARGETS, 'all'))}")
    return [target for target in TARGETS if target in targets or "all" in targets]


def _explain_omissions(sheet: Sheet) -> str:
    """Why nothing can be run, in a sentence."""
    reasons = dict.fromkeys(cell.why[1] for cells in sheet.spots.values() for cell in cells)
    return " ".join(list(reasons)[:3]) or "no dataset of these targets was asked for."
