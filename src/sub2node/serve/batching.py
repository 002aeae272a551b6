"""One thread runs the model; requests that wait for it go through together.

No request waits for others: while a pass runs, requests queue; the next pass takes all of them, up
to a maximum. The nodes of each request are looked up separately first, so a wrong one fails alone.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from .request_limits import Limits, RefusalError

if TYPE_CHECKING:
    from ..scoring import Answers, Query, Scorer

    Outcome = bytes | Exception

ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class BatchedJob:
    """Subgraphs to label, which may share a pass with those of other requests.

    Args:
        count: Number of subgraphs.
        query: Looks the nodes up; an error it raises fails this request only.
        render: Makes the response from the answers of a pass and this request's rows in it.
    """

    count: int
    query: Callable[[], Query]
    render: Callable[[Answers, range], bytes]


@dataclass(frozen=True)
class SingleJob:
    """Any other work for the model's thread, which runs alone."""

    run: Callable[[], bytes]


@dataclass(frozen=True, eq=False)
class _QueuedJob:
    work: BatchedJob | SingleJob
    answer: asyncio.Future[bytes]

    @property
    def is_pending(self) -> bool:
        return not self.answer.done()

    def deliver(self, outcome: Outcome) -> None:
        try:
            self.answer.get_loop().call_soon_threadsafe(self._set, outcome)
        except RuntimeError:  # the loop is closed: no client waits
            return

    def _set(self, outcome: Outcome) -> None:
        if not self.is_pending:
            return
        if isinstance(outcome, Exception):
            self.answer.set_exception(outcome)
        else:
            self.answer.set_result(outcome)


class ModelThread:
    """The queue before the model, and the thread that empties it.

    Args:
        scorer: The model.
        limits: Limits on waiting requests and on the size of a pass.
        count_pass: Called after each pass with its numbers of subgraphs and of requests.
    """

    def __init__(
        self, scorer: Scorer, limits: Limits, count_pass: Callable[[int, int], None]
    ) -> None:
        self._scorer, self._limits, self._count_pass = scorer, limits, count_pass
        self._waiting: deque[_QueuedJob] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def submit(self, work: BatchedJob | SingleJob) -> asyncio.Future[bytes]:
        """Queue work; the future gets its answer. Work whose future is done is skipped.

        Raises:
            RefusalError: Too many requests wait already.
        """
        job = _QueuedJob(work, asyncio.get_running_loop().create_future())
        with self._changed:
            if len(self._waiting) >= self._limits.waiting:
                self._waiting = deque(queued for queued in self._waiting if queued.is_pending)
            if len(self._waiting) >= self._limits.waiting or self._closed:
                raise RefusalError(
                    503,
                    "the service is busy: too many requests wait; try again in a second.",
                    headers={"Retry-After": "1"},
                )
            if self._thread is None:
                self._thread = threading.Thread(target=self._run_jobs, name="model", daemon=True)
                self._thread.start()
            self._waiting.append(job)
            self._changed.notify()
        return job.answer

    def open(self) -> None:
        """Accept work, again after the thread ended."""
        with self._changed:
            self._closed, self._thread = False, None

    def close(self, seconds: float) -> None:
        """Finish the queue, then end the thread; requests without a client are skipped.

        Args:
            seconds: How long to wait for the end; a pass of the model cannot be interrupted.
        """
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(seconds)

    def _run_jobs(self) -> None:
        while jobs := self._take_jobs():
            first = jobs[0].work
            if isinstance(first, SingleJob):
                jobs[0].deliver(_outcome(first.run))
            else:
                self._answer([(job, job.work) for job in jobs if isinstance(job.work, BatchedJob)])

    def _take_jobs(self) -> list[_QueuedJob]:
        """The front of the queue: a single job, or batched ones that fit; empty at the end."""
        with self._changed:
            while True:
                while self._waiting and not self._waiting[0].is_pending:
                    self._waiting.popleft()
                if self._waiting:
                    break
                if self._closed:
                    return []
                self._changed.wait()
            jobs = [self._waiting.popleft()]
            if isinstance(jobs[0].work, SingleJob):
                return jobs
            size = jobs[0].work.count
            while self._waiting and isinstance(work := self._waiting[0].work, BatchedJob):
                if not self._waiting[0].is_pending:
                    self._waiting.popleft()
                    continue
                size += work.count
                if size > self._limits.batch:
                    break
                jobs.append(self._waiting.popleft())
            return jobs

    def _answer(self, batch: list[tuple[_QueuedJob, BatchedJob]]) -> None:
        """Look each request up separately, then run the model on those without errors."""
        valid: list[tuple[_QueuedJob, BatchedJob, Query]] = []
        for job, request in batch:
            query = _outcome(request.query)
            if isinstance(query, Exception):
                job.deliver(query)
            else:
                valid.append((job, request, query))
        if not valid:
            return
        queries = [query for _, _, query in valid]
        answers = _outcome(partial(self._predict, queries))
        if isinstance(answers, Exception) and len(valid) > 1:
            for job, request, _ in valid:  # only the one at fault fails
                self._answer([(job, request)])
            return
        start = 0
        for job, request, query in valid:
            rows = range(start, start + len(query))
            start += len(query)
            if isinstance(answers, Exception):
                job.deliver(answers)
            else:
                job.deliver(_outcome(partial(request.render, answers, rows)))
        self._count_pass(start, len(valid))

    def _predict(self, queries: list[Query]) -> Answers:
        query = queries[0] if len(queries) == 1 else type(queries[0]).join(queries)
        return self._scorer.predict(query)


def _outcome(work: Callable[[], ResultT]) -> ResultT | Exception:
    """The result of the work, or the error that it raises."""
    try:
        return work()
    except Exception as error:
        return error
