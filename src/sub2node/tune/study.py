"""A study in its storage: created, joined, and worked on by one process or many."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError, DataError, Sub2NodeError
from ..evaluate.benchmark import reason_of
from ..files import written
from ..progress import step
from .found import Found, Trial
from .objective import Objective, Score
from .records import drawn, ended, from_facts, importance, put_back, read, told
from .spec import Spec
from .storage import StorageGoneError, is_gone, need_optuna, open_storage, patiently, shown

if TYPE_CHECKING:
    import optuna

_HOPELESS = 10  # failures of a process in a row after which nothing will come
_POLL = 0.5  # seconds between looks while others finish
_SOON = 5.0  # seconds that a study may take to say what it searches


@dataclass
class Study:
    """Trials in a storage.

    Args:
        inner: Optuna's study.
        spec: What is searched.
        url: Of the storage.
        folder: Where results are kept that the storage did not take; None: nowhere.
        beat: Seconds between signs of life of a trial.
        grace: Seconds without one after which a trial's process counts as lost.
    """

    inner: optuna.Study
    spec: Spec
    url: str
    folder: Path | None = None
    beat: float = 10.0
    grace: float = 60.0
    _seen: dict[int, tuple[Any, float]] = field(default_factory=dict)

    @classmethod
    def create(cls, spec: Spec, url: str, *, trials: int | None, resume: bool,
               name: str | None = None, storage: Any = None, folder: Path | None = None
               ) -> Study:  # fmt: skip
        """A new study, or with ``resume`` one that exists and searches the same.

        Args:
            spec: What to search.
            url: Of the storage.
            trials: How many; None: 100, or as many as were wanted before.
            resume: Go on with a study.
            name: Of the study in the storage.
            storage: That of the URL, where it is open already.
            folder: As of the class.
        """
        need_optuna()
        storage = open_storage(url) if storage is None else storage
        inner, known = patiently(url, lambda: _opened(storage, name or spec.title, url, resume))
        _draw_by(inner, spec)
        found = cls(inner, spec, url, folder)
        if known:
            spec.require_same(_spec_of(inner, url), shown(url))
        wanted = trials or (inner.user_attrs.get("trials") if known else None) or 100
        patiently(url, lambda: inner.set_user_attr("trials", wanted))
        if not known:  # the specification last: a study that has it is whole
            for point in spec.first_points():
                patiently(url, lambda point=point: inner.enqueue_trial(point))  # type: ignore[misc]
            patiently(url, lambda: inner.set_user_attr("spec", spec.to_dict()))
        found._send_unsent()
        return found

    @classmethod
    def join(cls, url: str, name: str | None = None, folder: Path | None = None) -> Study:
        """A study that another process began."""
        need_optuna()
        import optuna

        storage = open_storage(url)
        names = patiently(url, lambda: optuna.get_all_study_names(storage))
        if name is None and len(names) == 1:
            name = names[0]
        if name not in names:
            there = f"; it has {', '.join(map(repr, names))}" if names else " and no other"
            what = f"no study {name!r}" if name else "not exactly one study"
            raise ConfigError(
                f"{shown(url)} has {what}{there}: begin one without --worker, or name one with"
                " --study."
            )
        inner = optuna.load_study(study_name=name, storage=storage)
        spec = _spec_of(inner, url)
        _draw_by(inner, spec)
        found = cls(inner, spec, url, folder)
        found._send_unsent()
        return found

    @property
    def target(self) -> int:
        """How many trials are wanted."""
        return int(patiently(self.url, lambda: self.inner.user_attrs)["trials"])

    def work(self, objective: Objective, *, wait: bool, tell: Callable[[Trial], None] | None = None
             ) -> str:  # fmt: skip
        """Try points until as many trials as wanted have ended.

        Args:
            objective: Scores a point.
            wait: Stay until trials of other processes have ended too, and take over lost ones.
            tell: Called with each trial that ended here.

        Returns:
            ``complete`` or ``interrupted``.
        """
        objective.require(self.spec, shown(self.url))
        target, failures = self.target, 0
        try:
            while True:
                over, running = self._counts()
                step("Searching", len(over), target, _best_so_far(over))
                if len(over) >= target or (len(over) + running >= target and not wait):
                    return "complete"
                if len(over) + running >= target:
                    time.sleep(_POLL)
                    continue
                trial, stop = self._try(objective)
                if trial is not None:
                    failures = failures + 1 if trial.state == "failed" else 0
                    if tell is not None:
                        tell(trial)
                    _require_hope(trial, failures)
                if stop:
                    return "interrupted"
        except KeyboardInterrupt:
            return "interrupted"

    def _counts(self) -> tuple[list[Trial], int]:
        """Trials that ended, and how many are being worked on by processes that live."""
        over, running = [], 0
        for frozen in self._frozen():
            if frozen.state.name != "RUNNING":
                if (trial := read(frozen)) is not None:
                    over.append(trial)
            elif self._silence(frozen) > self.grace:
                patiently(self.url, lambda f=frozen: put_back(self.inner, f, self.spec.space.axes))  # type: ignore[misc]
            else:
                running += 1
        return over, running

    def _silence(self, frozen: Any) -> float:
        """Seconds since a trial gave a new sign of life, by the clock of this machine alone."""
        beat, now = frozen.user_attrs.get("beat"), time.monotonic()
        if frozen.number not in self._seen or self._seen[frozen.number][0] != beat:
            self._seen[frozen.number] = beat, now
        return now - self._seen[frozen.number][1]

    def _frozen(self) -> list[Any]:
        return patiently(self.url, lambda: self.inner.get_trials(deepcopy=False))

    def _try(self, objective: Objective) -> tuple[Trial | None, bool]:
        """One trial, None where its result does not count; and whether the user wants to stop."""
        begun = time.perf_counter()
        asked, point = patiently(self.url, self._ask)
        score: Score | None = None
        reason = ""
        try:
            with _alive(asked, self.beat):
                score = objective(self.spec.settings(point), self._report(asked))
        except Sub2NodeError as error:
            reason = str(error)
        except (MemoryError, RuntimeError) as error:
            if "memory" not in str(error).lower() and not isinstance(error, MemoryError):
                self._give_back(asked)
                raise
            reason = reason_of(error)
        except BaseException:
            self._give_back(asked)
            raise
        if score is not None and score.ended == "interrupted":
            self._give_back(asked)
            return None, True
        trial = ended(asked.number, point, score, reason, time.perf_counter() - begun)
        try:
            kept = patiently(self.url, lambda: told(self.inner, trial, asked._trial_id))
        except StorageGoneError as error:
            raise StorageGoneError(f"{error} {self._keep_unsent(trial)}") from error
        return trial if kept else None, score is not None and score.wished

    def _ask(self) -> tuple[Any, dict[str, Any]]:
        asked = self.inner.ask()
        asked.set_user_attr("beat", time.time())
        return asked, drawn(asked, self.spec)

    def _report(self, asked: Any) -> Callable[[int, float], bool]:
        """Tells the storage how far a trial is; one that does not answer ends no trial."""
        from optuna.exceptions import UpdateFinishedTrialError

        def report(rung: int, value: float) -> bool:
            try:
                asked.report(value, rung)
                return bool(asked.should_prune())
            except (UpdateFinishedTrialError, ValueError):
                return True  # another process took it over
            except Exception as error:
                if not is_gone(error):
                    raise
                return False

        return report

    def _give_back(self, asked: Any) -> None:
        """A trial that was broken off: its point is tried first when the study goes on."""
        with suppress(Exception):
            put_back(self.inner, self._frozen()[asked.number], self.spec.space.axes)

    def _keep_unsent(self, trial: Trial) -> str:
        if self.folder is None:
            return f"The result of trial {trial.number} is lost; with -o it would be kept."
        file = self.folder / "unsent.jsonl"
        with written(file):
            self.folder.mkdir(parents=True, exist_ok=True)
            with file.open("a", encoding="utf-8") as lines:
                line = {"study": self.inner.study_name, **trial.to_dict()}
                lines.write(json.dumps(line) + "\n")
        return (
            f"The result of trial {trial.number} is kept in {file} and is sent when this process is"
            " started again with the same -o."
        )

    def _send_unsent(self) -> None:
        file = None if self.folder is None else self.folder / "unsent.jsonl"
        if file is None or not file.exists():
            return
        known = {frozen.number: frozen for frozen in self._frozen()}
        left = []
        for line in file.read_text(encoding="utf-8").splitlines():
            try:
                facts = json.loads(line)
                name, trial = facts["study"], from_facts(facts)
            except (ValueError, KeyError, TypeError):
                raise DataError("this is no result of a trial.", path=file) from None
            frozen = known.get(trial.number)
            if name != self.inner.study_name:
                left.append(line + "\n")
            elif frozen is not None and _same(frozen.params, trial.point):
                told(self.inner, trial, frozen._trial_id)
        file.write_text("".join(left), encoding="utf-8") if left else file.unlink()

    def found(self, *, seconds: float = 0.0, ended: str = "complete", weigh: bool = True) -> Found:
        """What is known so far.

        Args:
            seconds: How long this process worked.
            ended: How it ended.
            weigh: Whether to ask how much each axis matters, which takes some seconds.
        """
        trials = [each for each in map(read, self._frozen()) if each is not None]
        shares = importance(self.inner, trials) if weigh else {}
        return Found(self.spec, tuple(trials), shares, seconds, ended, self.spec.notes)


def _opened(storage: Any, title: str, url: str, resume: bool) -> tuple[Any, bool]:
    """A study by its name, and whether it was there."""
    import optuna

    names = optuna.get_all_study_names(storage)
    if title in names and not resume:
        raise ConfigError(
            f"{shown(url)} has a study {title!r} already; go on with it (--resume), or name"
            " another one (--study, -o)."
        )
    if resume and title not in names:
        there = f"; it has {', '.join(map(repr, names))}" if names else ""
        raise ConfigError(f"{shown(url)} has no study {title!r} to go on with{there}.")
    if resume:
        return optuna.load_study(study_name=title, storage=storage), True
    try:
        return optuna.create_study(storage=storage, study_name=title, direction="maximize"), False
    except optuna.exceptions.DuplicatedStudyError:
        raise ConfigError(
            f"another process has just begun {title!r} in {shown(url)}; help it with --worker."
        ) from None


def _draw_by(inner: Any, spec: Spec) -> None:
    from .sampler import ByTrial, pruner

    inner.sampler, inner.pruner = ByTrial(spec.seed), pruner(spec.prune)


def _spec_of(inner: Any, url: str) -> Spec:
    deadline = time.monotonic() + _SOON
    while True:
        known = patiently(url, lambda: inner.user_attrs)
        if isinstance(known.get("spec"), dict):
            return Spec.from_dict(known["spec"])
        if "trials" not in known or time.monotonic() > deadline:
            raise DataError(f"{shown(url)} has a study that s2n tune did not begin, or not wholly.")
        time.sleep(0.2)


def _same(one: Any, other: Any) -> bool:
    """Whether two points are the same, up to the last digits of a step."""
    return set(one) == set(other) and all(
        abs(value - other[name]) < 1e-9 if isinstance(value, float) else value == other[name]
        for name, value in one.items()
    )


def _require_hope(trial: Trial, failures: int) -> None:
    if failures >= _HOPELESS:
        raise ConfigError(
            f"{failures} points in a row could not be trained here, as if the search space admitted"
            f" nothing; the last one because {trial.reason}"
        )


def _best_so_far(over: list[Trial]) -> str:
    values = [trial.value for trial in over if trial.state == "complete" and trial.value]
    return f"best so far {100 * max(values):.1f}" if values else ""


@contextmanager
def _alive(asked: Any, every: float) -> Iterator[None]:
    """Inside the block the trial gives signs of life; they stop with the process."""
    done = threading.Event()

    def beat() -> None:
        while not done.wait(every):
            with suppress(Exception):  # a storage that is gone is told of elsewhere
                asked.set_user_attr("beat", time.time())

    thread = threading.Thread(target=beat, daemon=True, name="s2n-tune-beat")
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(timeout=every)
