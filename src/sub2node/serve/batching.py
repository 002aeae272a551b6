"""One thread runs the model; requests that wait for it go through together.

Nothing waits for company: while a pass runs, requests gather; the next pass takes all of them, up
to a maximum. Each request is looked up by itself first, so one that is wrong fails alone.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from .answers import Said
from .limits import Limits, RefusalError

if TYPE_CHECKING:
    from ..scoring import Query, Scorer

    Outcome = bytes | Exception


@dataclass(frozen=True)
class Ask:
    """Subgraphs to label, which may share a pass with others.

    Args:
        count: How many they are.
        query: Looks them up; an error it raises is this request's alone.
        render: The answer, from what a pass gave and this request's rows in it.
    """

    count: int
    query: Callable[[], Query]
    render: Callable[[Said, range], bytes]


@dataclass(frozen=True)
class Errand:
    """Anything else for the model's thread, done alone."""

    run: Callable[[], bytes]


@dataclass(frozen=True, eq=False)
class _Job:
    work: Ask | Errand
    answer: asyncio.Future[bytes]

    @property
    def wanted(self) -> bool:
        return not self.answer.done()

    def deliver(self, outcome: Outcome) -> None:
        try:
            self.answer.get_loop().call_soon_threadsafe(self._set, outcome)
        except RuntimeError:  # the loop is closed: nobody waits
            return

    def _set(self, outcome: Outcome) -> None:
        if not self.wanted:
            return
        if isinstance(outcome, Exception):
            self.answer.set_exception(outcome)
        else:
            self.answer.set_result(outcome)


class ModelThread:
    """The queue before the model, and the thread that empties it.

    Args:
        scorer: The model.
        limits: How many requests may wait, and how large a pass may be.
        ran: Told after each pass: its subgraphs and its requests.
    """

    def __init__(self, scorer: Scorer, limits: Limits, ran: Callable[[int, int], None]) -> None:
        self._scorer, self._limits, self._ran = scorer, limits, ran
        self._waiting: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def submit(self, work: Ask | Errand) -> asyncio.Future[bytes]:
        """Queue work; the future brings its answer. One that is done is skipped.

        Raises:
            RefusalError: Too many wait already.
        """
        job = _Job(work, asyncio.get_running_loop().create_future())
        with self._changed:
            if len(self._waiting) >= self._limits.waiting:
                self._waiting = deque(other for other in self._waiting if other.wanted)
            if len(self._waiting) >= self._limits.waiting or self._closed:
                raise RefusalError(
                    503,
                    "the service is busy: too many requests wait; try again in a second.",
                    headers={"Retry-After": "1"},
                )
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="model", daemon=True)
                self._thread.start()
            self._waiting.append(job)
            self._changed.notify()
        return job.answer

    def open(self) -> None:
        """Take work, again if the thread was ended."""
        with self._changed:
            self._closed, self._thread = False, None

    def close(self) -> None:
        """Finish what waits, then end the thread; one whose client is gone is not waited for."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(self._limits.timeout)

    def _serve(self) -> None:
        while jobs := self._next():
            first = jobs[0].work
            if isinstance(first, Errand):
                jobs[0].deliver(_outcome(first.run))
            else:
                self._answer([(job, job.work) for job in jobs if isinstance(job.work, Ask)])

    def _next(self) -> list[_Job]:
        """The front of the queue: an errand, or as many asks in a row as fit; none at the end."""
        with self._changed:
            while True:
                while self._waiting and not self._waiting[0].wanted:
                    self._waiting.popleft()
                if self._waiting:
                    break
                if self._closed:
                    return []
                self._changed.wait()
            jobs = [self._waiting.popleft()]
            if isinstance(jobs[0].work, Errand):
                return jobs
            size = jobs[0].work.count
            while self._waiting and isinstance(work := self._waiting[0].work, Ask):
                if not self._waiting[0].wanted:
                    self._waiting.popleft()
                    continue
                size += work.count
                if size > self._limits.batch:
                    break
                jobs.append(self._waiting.popleft())
            return jobs

    def _answer(self, asks: list[tuple[_Job, Ask]]) -> None:
        """Look each request up by itself, then let the model see those that are right."""
        good: list[tuple[_Job, Ask, Query]] = []
        for job, ask in asks:
            query = _outcome(ask.query)
            if isinstance(query, Exception):
                job.deliver(query)
            else:
                good.append((job, ask, query))
        if not good:
            return
        queries = [query for _, _, query in good]
        said = _outcome(partial(self._predict, queries))
        if isinstance(said, Exception) and len(good) > 1:
            for one in good:  # only the one at fault is to fail
                self._answer([one[:2]])
            return
        start = 0
        for job, ask, query in good:
            rows = range(start, start + len(query))
            start += len(query)
            failed = isinstance(said, Exception)
            job.deliver(said if failed else _outcome(partial(ask.render, said, rows)))
        self._ran(start, len(good))

    def _predict(self, queries: list[Query]) -> Said:
        query = queries[0] if len(queries) == 1 else type(queries[0]).join(queries)
        return Said.of(self._scorer.classes, self._scorer.predict(query))


def _outcome(work: Callable[[], Any]) -> Any:
    """What the work gives, or the error that it raises."""
    try:
        return work()
    except Exception as error:
        return error
