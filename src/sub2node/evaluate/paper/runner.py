"""Running what is not there yet, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...progress import step
from .jobs import Plan
from .journal import Journal, Record
from .running import Ready, run
from .sheet import share


def pending(jobs: Sequence[Ready], journal: Journal) -> list[Ready]:
    """Jobs of this process without a result; those that failed are tried again."""
    return [job for job in share(jobs, *journal.worker) if not journal.done(job.key)]


def work(jobs: Sequence[Ready], plan: Plan, journal: Journal) -> Iterator[Record]:
    """Run what has no result yet; every record is on disk before it is yielded.

    Args:
        jobs: All different jobs.
        plan: How.
        journal: Where records go, and which process this is.
    """
    todo = pending(jobs, journal)
    for number, job in enumerate(todo):
        step("Cells", number, len(todo), job.job.words)
        record = run(job, plan)
        journal.add(record)
        yield record
    step("Cells", len(todo), len(todo))
