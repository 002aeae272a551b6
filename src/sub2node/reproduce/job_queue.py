"""Running the jobs that have no result yet, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..base.progress import counted
from .cell_journal import Journal, Record
from .cell_sheet import share
from .job_execution import PreparedJob, run_job
from .jobs import ReproductionPlan


def pending(jobs: Sequence[PreparedJob], journal: Journal) -> list[PreparedJob]:
    """Jobs of this process without a result; those that failed are tried again."""
    return [job for job in share(jobs, *journal.worker) if not journal.done(job.key)]


def run_pending(
    jobs: Sequence[PreparedJob], plan: ReproductionPlan, journal: Journal
) -> Iterator[Record]:
    """Run what has no result yet; every record is on disk before it is yielded.

    Args:
        jobs: All different jobs.
        plan: Seeds, epochs and device of all runs.
        journal: Where records go, and which process this is.
    """
    todo = pending(jobs, journal)
    for job in counted(todo, "Cell", name=lambda job: job.job.description, even=False):
        record = run_job(job, plan)
        journal.add(record)
        yield record
