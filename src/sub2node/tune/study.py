"""A study in its storage: created, joined, and worked on by one process or many."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.errors import ConfigError, DataError, Sub2NodeError
from ..base.progress import item
from ..efficiency.benchmark import reason_of
from ..runs.journal import LineJournal
from .objective import Objective, Report, Score
from .search_result import SearchResult, Trial
from .study_spec import Spec
from .study_storage import (
    StorageGoneError,
    call_with_retries,
    hide_password,
    is_storage_error,
    open_storage,
    require_optuna,
)
from .trial_records import (
    axis_importance,
    finished_trial,
    read_trial,
    requeue_trial,
    store_result,
    suggest_point,
    trial_from_dict,
)

if TYPE_CHECKING:
    import optuna
    from optuna.storages import BaseStorage
    from optuna.trial import FrozenTrial

_MAX_FAILURES = 10  # failures of a process in a row after which it stops
_POLL = 0.5  # seconds between queries while other processes finish
_SPEC_WAIT = 5.0  # seconds to wait for the specification of a study


@dataclass
class Study:
    """Trials in a storage.

    Args:
        inner: Optuna's study.
        spec: The specification of the study.
        url: The URL of the storage.
        folder: Keeps results that the storage could not take; None: they are lost.
        beat: Seconds between heartbeats of a trial.
        grace: Seconds without a heartbeat after which a trial's process counts as lost.
    """

    inner: optuna.Study
    spec: Spec
    url: str
    folder: Path | None = None
    beat: float = 10.0
    grace: float = 60.0
    _seen: dict[int, tuple[object, float]] = field(default_factory=dict)

    @classmethod
    def create(
        cls,
        spec: Spec,
        url: str,
        *,
        trials: int | None,
        resume: bool,
        name: str | None = None,
        storage: BaseStorage | None = None,
        folder: Path | None = None,
    ) -> Study:
        """Create a study, or with ``resume`` open one that searches the same.

        Args:
            spec: The specification of the study.
            url: The URL of the storage.
            trials: The number of trials; None: 100, or as many as were wanted before.
            resume: Whether to continue a study.
            name: The name of the study in the storage; by default the title of ``spec``.
            storage: The storage of the URL, where it is open already.
            folder: Keeps results that the storage could not take.
        """
        require_optuna()
        opened = open_storage(url) if storage is None else storage
        title = name or spec.title
        inner, exists = call_with_retries(
            url, lambda: _open_study(opened, title, url=url, resume=resume)
        )
        _set_sampler(inner, spec)
        study = cls(inner, spec, url, folder)
        if exists:
            spec.require_same(_read_spec(inner, url), hide_password(url))
        wanted = trials or (inner.user_attrs.get("trials") if exists else None) or 100
        call_with_retries(url, lambda: inner.set_user_attr("trials", wanted))
        if not exists:  # the specification last: a study that has it is complete
            for point in spec.first_points():
                call_with_retries(url, partial(inner.enqueue_trial, point))
            call_with_retries(url, lambda: inner.set_user_attr("spec", spec.to_dict()))
        study._send_unsent()
        return study

    @classmethod
    def join(cls, url: str, name: str | None = None, folder: Path | None = None) -> Study:
        """Join a study that another process began."""
        require_optuna()
        import optuna

        storage = open_storage(url)
        names = call_with_retries(url, lambda: optuna.get_all_study_names(storage))
        if name is None and len(names) == 1:
            name = names[0]
        if name not in names:
            others = f"; it has {', '.join(map(repr, names))}" if names else " and no other"
            missing = f"no study {name!r}" if name else "not exactly one study"
            raise ConfigError(
                f"{hide_password(url)} has {missing}{others}: begin one without --worker, or name"
                " one with --study."
            )
        inner = optuna.load_study(study_name=name, storage=storage)
        spec = _read_spec(inner, url)
        spec.refuse_import_paths(hide_password(url))
        _set_sampler(inner, spec)
        study = cls(inner, spec, url, folder)
        study._send_unsent()
        return study

    @property
    def target(self) -> int:
        """The number of trials that are wanted."""
        return int(call_with_retries(self.url, lambda: self.inner.user_attrs)["trials"])

    def work(
        self, objective: Objective, *, wait: bool, tell: Callable[[Trial], None] | None = None
    ) -> str:
        """Try points until as many trials as wanted have ended.

        Args:
            objective: Scores a point.
            wait: Whether to stay until trials of other processes have ended too, and take over
                lost ones.
            tell: Called with each trial that ended in this process.

        Returns:
            ``complete`` or ``interrupted``.
        """
        objective.require(self.spec, hide_password(self.url))
        target, failures = self.target, 0
        try:
            while True:
                ended, running = self._read_trials()
                item("Trial", len(ended), target, _best_so_far(ended))
                if len(ended) >= target or (len(ended) + running >= target and not wait):
                    return "complete"
                if len(ended) + running >= target:
                    time.sleep(_POLL)
                    continue
                trial, stop = self._run_trial(objective)
                if trial is not None:
                    failures = failures + 1 if trial.state == "failed" else 0
                    if tell is not None:
                        tell(trial)
                    _check_failures(trial, failures)
                if stop:
                    return "interrupted"
        except KeyboardInterrupt:
            return "interrupted"

    def _read_trials(self) -> tuple[list[Trial], int]:
        """Read the trials that ended, and count those that living processes work on."""
        ended, running = [], 0
        for frozen in self._frozen_trials():
            if frozen.state.name != "RUNNING":
                if (trial := read_trial(frozen)) is not None:
                    ended.append(trial)
            elif self._seconds_silent(frozen) > self.grace:
                call_with_retries(
                    self.url, partial(requeue_trial, self.inner, frozen, self.spec.space.axes)
                )
            else:
                running += 1
        return ended, running

    def _seconds_silent(self, frozen: FrozenTrial) -> float:
        """Seconds since a trial had a new heartbeat, by the clock of this machine alone."""
        beat, now = frozen.user_attrs.get("beat"), time.monotonic()
        if frozen.number not in self._seen or self._seen[frozen.number][0] != beat:
            self._seen[frozen.number] = beat, now
        return now - self._seen[frozen.number][1]

    def _frozen_trials(self) -> list[FrozenTrial]:
        return call_with_retries(self.url, lambda: self.inner.get_trials(deepcopy=False))

    def _run_trial(self, objective: Objective) -> tuple[Trial | None, bool]:
        """One trial, None where its result does not count; and whether the user wants to stop."""
        start = time.perf_counter()
        running, point = call_with_retries(self.url, self._begin_trial)
        score: Score | None = None
        reason = ""
        try:
            with _heartbeat(running, self.beat):
                score = objective(self.spec.settings(point), self._make_report(running))
        except Sub2NodeError as error:
            reason = str(error)
        except (MemoryError, RuntimeError) as error:
            if "memory" not in str(error).lower() and not isinstance(error, MemoryError):
                self._requeue(running)
                raise
            reason = reason_of(error)
        except BaseException:
            self._requeue(running)
            raise
        if score is not None and score.ended == "interrupted":
            self._requeue(running)
            return None, True
        seconds = time.perf_counter() - start
        trial = finished_trial(running.number, point, score=score, reason=reason, seconds=seconds)
        try:
            stored = call_with_retries(
                self.url, lambda: store_result(self.inner, trial, running._trial_id)
            )
        except StorageGoneError as error:
            raise StorageGoneError(f"{error} {self._keep_unsent(trial)}") from error
        return trial if stored else None, score is not None and score.wished

    def _begin_trial(self) -> tuple[optuna.Trial, dict[str, object]]:
        trial = self.inner.ask()
        trial.set_user_attr("beat", time.time())
        return trial, suggest_point(trial, self.spec)

    def _make_report(self, trial: optuna.Trial) -> Report:
        """Make what reports a score so far; a storage that does not answer ends no trial."""
        from optuna.exceptions import UpdateFinishedTrialError

        def report(rung: int, value: float) -> bool:
            try:
                trial.report(value, rung)
                return bool(trial.should_prune())
            except (UpdateFinishedTrialError, ValueError):
                return True  # another process took it over
            except Exception as error:
                if not is_storage_error(error):
                    raise
                return False

        return report

    def _requeue(self, trial: optuna.Trial) -> None:
        """Put an interrupted trial back: its point is tried first when the study continues."""
        with suppress(Exception):
            requeue_trial(self.inner, self._frozen_trials()[trial.number], self.spec.space.axes)

    def _keep_unsent(self, trial: Trial) -> str:
        if self.folder is None:
            return f"The result of trial {trial.number} is lost; with -o it would be kept."
        unsent = LineJournal(self.folder, "unsent")
        unsent.append({"study": self.inner.study_name, **trial.to_dict()})
        return (
            f"The result of trial {trial.number} is kept in {unsent.file} and is sent when this"
            " process is started again with the same -o."
        )

    def _send_unsent(self) -> None:
        if self.folder is None or not (self.folder / "unsent.jsonl").exists():
            return
        unsent = LineJournal(self.folder, "unsent")
        lines, _ = unsent.read(lambda facts: (facts["study"], trial_from_dict(facts)))
        stored = {frozen.number: frozen for frozen in self._frozen_trials()}
        left = []
        for name, trial in lines:
            frozen = stored.get(trial.number)
            if name != self.inner.study_name:
                left.append({"study": name, **trial.to_dict()})
            elif frozen is not None and _is_same_point(frozen.params, trial.point):
                store_result(self.inner, trial, frozen._trial_id)
        unsent.replace(left)

    def result(
        self, *, seconds: float = 0.0, ended: str = "complete", weigh: bool = True
    ) -> SearchResult:
        """The result of the search so far.

        Args:
            seconds: How long this process worked.
            ended: ``complete`` or ``interrupted``.
            weigh: Whether to compute the importance of each axis, which takes some seconds.
        """
        trials = [trial for trial in map(read_trial, self._frozen_trials()) if trial is not None]
        return SearchResult(
            self.spec,
            tuple(trials),
            importance=axis_importance(self.inner, trials) if weigh else {},
            seconds=seconds,
            ended=ended,
            notes=self.spec.notes,
        )


def _open_study(
    storage: BaseStorage, title: str, *, url: str, resume: bool
) -> tuple[optuna.Study, bool]:
    """Open a study by its name, or create it; and whether it existed."""
    import optuna

    names = optuna.get_all_study_names(storage)
    if title in names and not resume:
        raise ConfigError(
            f"{hide_password(url)} has a study {title!r} already; go on with it (--resume), or name"
            " another one (--study, -o)."
        )
    if resume and title not in names:
        others = f"; it has {', '.join(map(repr, names))}" if names else ""
        raise ConfigError(f"{hide_password(url)} has no study {title!r} to go on with{others}.")
    if resume:
        return optuna.load_study(study_name=title, storage=storage), True
    try:
        return optuna.create_study(storage=storage, study_name=title, direction="maximize"), False
    except optuna.exceptions.DuplicatedStudyError:
        raise ConfigError(
            f"another process has just begun {title!r} in {hide_password(url)}; help it with"
            " --worker."
        ) from None


def _set_sampler(inner: optuna.Study, spec: Spec) -> None:
    from .sampler import TrialSeededTPE, make_pruner

    inner.sampler, inner.pruner = TrialSeededTPE(spec.seed), make_pruner(spec.prune)


def _read_spec(inner: optuna.Study, url: str) -> Spec:
    deadline = time.monotonic() + _SPEC_WAIT
    while True:
        attributes = call_with_retries(url, lambda: inner.user_attrs)
        if isinstance(attributes.get("spec"), dict):
            return Spec.from_dict(attributes["spec"])
        if "trials" not in attributes or time.monotonic() > deadline:
            raise DataError(
                f"{hide_password(url)} has a study that s2n tune did not begin, or not wholly."
            )
        time.sleep(0.2)


def _is_same_point(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two points are the same, up to the last digits of a step."""
    return set(one) == set(other) and all(
        abs(value - other[name]) < 1e-9 if isinstance(value, float) else value == other[name]
        for name, value in one.items()
    )


def _check_failures(trial: Trial, failures: int) -> None:
    if failures >= _MAX_FAILURES:
        raise ConfigError(
            f"{failures} points in a row could not be trained here, as if the search space admitted"
            f" nothing; the last one because {trial.reason}"
        )


def _best_so_far(ended: list[Trial]) -> str:
    values = [trial.value for trial in ended if trial.state == "complete" and trial.value]
    return f"best so far {100 * max(values):.1f}" if values else ""


@contextmanager
def _heartbeat(trial: optuna.Trial, every: float) -> Iterator[None]:
    """Inside the block the trial has heartbeats; they stop with the process."""
    done = threading.Event()

    def beat() -> None:
        while not done.wait(every):
            with suppress(Exception):  # an unreachable storage is reported elsewhere
                trial.set_user_attr("beat", time.time())

    thread = threading.Thread(target=beat, daemon=True, name="s2n-tune-beat")
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(timeout=every)
