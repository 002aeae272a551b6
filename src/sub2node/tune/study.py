"""A study in its storage: created, joined, and worked on by one process or many."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError, DataError, Sub2NodeError
from ..files import written
from ..progress import step
from .found import Found, Trial
from .objective import Objective, Score
from .space import Axis, Choice
from .spec import Spec
from .storage import StorageGoneError, is_gone, need_optuna, open_storage, patiently, shown

if TYPE_CHECKING:
    import optuna

_HOPELESS = 10  # failures without a success after which nothing will come
_STATES = {"COMPLETE": "complete", "PRUNED": "pruned", "FAIL": "failed"}
_AGAIN = "again"  # marks trials that did not end and were put back in the queue
_POLL = 0.5  # seconds between looks while others finish


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

    @classmethod
    def create(cls, spec: Spec, url: str, *, trials: int, resume: bool, name: str | None = None,
               storage: Any = None, folder: Path | None = None) -> Study:  # fmt: skip
        """A new study, or with ``resume`` one that exists and searches the same."""
        need_optuna()
        import optuna

        from .sampler import ByTrial, pruner

        storage = open_storage(url) if storage is None else storage
        title = name or spec.title

        def make() -> tuple[optuna.Study, bool]:
            known = title in optuna.get_all_study_names(storage)
            if known and not resume:
                raise ConfigError(
                    f"{shown(url)} has a study {title!r} already; go on with it (--resume), or name"
                    " another one (--study, -o)."
                )
            ways: dict[str, Any] = {
                "storage": storage, "study_name": title, "sampler": ByTrial(spec.seed),
                "pruner": pruner(spec.prune),
            }  # fmt: skip
            if known:
                return optuna.load_study(**ways), True
            return optuna.create_study(**ways, direction="maximize"), False

        inner, known = patiently(url, make)
        found = cls(inner, spec, url, folder)
        if known:
            found.spec.require_same(_spec_of(inner, url), shown(url))
        else:
            patiently(url, lambda: inner.set_user_attr("spec", spec.to_dict()))
            if (point := spec.first_point()) is not None:
                patiently(url, lambda: inner.enqueue_trial(point))
        patiently(url, lambda: inner.set_user_attr("trials", trials))
        found._send_unsent()
        return found

    @classmethod
    def join(cls, url: str, name: str | None = None, folder: Path | None = None) -> Study:
        """A study that another process began."""
        need_optuna()
        import optuna

        from .sampler import ByTrial, pruner

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
        inner.sampler, inner.pruner = ByTrial(spec.seed), pruner(spec.prune)
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
        if objective.task.hash != self.spec.data:
            raise ConfigError(
                f"the study in {shown(self.url)} is of other data ({self.spec.name or 'no name'});"
                " give it the same."
            )
        target = self.target
        while True:
            ended, running = self._counts()
            step("Searching", len(ended), target, _best_so_far(ended))
            if len(ended) >= target:
                return "complete"
            self._require_hope(ended)
            if len(ended) + running >= target:
                if not wait:
                    return "complete"
                time.sleep(_POLL)
                continue
            try:
                trial = self._try(objective)
            except KeyboardInterrupt:
                return "interrupted"
            if trial is None:
                return "interrupted"
            if tell is not None:
                tell(trial)

    def _counts(self) -> tuple[list[Trial], int]:
        """Trials that ended, and how many are being worked on by processes that live."""
        ended, running = [], 0
        for frozen in self._frozen():
            if frozen.state.name != "RUNNING":
                if (trial := _trial(frozen)) is not None:
                    ended.append(trial)
            elif time.time() - _last_beat(frozen) > self.grace:
                self._put_back(frozen)
            else:
                running += 1
        return ended, running

    def _frozen(self) -> list[Any]:
        return patiently(self.url, lambda: self.inner.get_trials(deepcopy=False))

    def _put_back(self, frozen: Any) -> None:
        """A trial whose process is gone: its point goes back into the queue."""
        from optuna.exceptions import UpdateFinishedTrialError

        storage = self.inner._storage
        with suppress(UpdateFinishedTrialError, RuntimeError, ValueError):
            storage.set_trial_user_attr(frozen._trial_id, _AGAIN, True)
            self.inner.tell(frozen.number, state=_state("FAIL"))
            if set(frozen.params) == set(self.spec.space.axes):
                self.inner.enqueue_trial(dict(frozen.params))

    def _try(self, objective: Objective) -> Trial | None:
        """One trial; None where it was interrupted."""
        begun = time.perf_counter()
        asked, point = patiently(self.url, self._ask)
        score, reason = None, ""
        try:
            with _alive(asked, self.beat):
                score = objective(self.spec.settings(point), self._report(asked))
        except Sub2NodeError as error:
            reason = str(error)
        except KeyboardInterrupt:
            self._give_back(asked)
            raise
        if score is not None and score.ended == "interrupted":
            self._give_back(asked)
            return None
        trial = _ended(asked.number, point, score, reason, time.perf_counter() - begun)
        try:
            patiently(self.url, lambda: self._tell(trial, asked._trial_id))
        except StorageGoneError as error:
            raise StorageGoneError(f"{error} {self._keep_unsent(trial)}") from error
        return trial

    def _ask(self) -> tuple[Any, dict[str, Any]]:
        asked = self.inner.ask()
        asked.set_user_attr("beat", time.time())
        whole = _whole(self.spec)
        point = {
            name: _suggest(asked, name, axis, name in whole)
            for name, axis in self.spec.space.axes.items()
        }
        return asked, point

    def _report(self, asked: Any) -> Callable[[int, float], bool]:
        """Tells the storage how far a trial is; one that does not answer ends no trial."""

        def report(rung: int, value: float) -> bool:
            try:
                asked.report(value, rung)
                return bool(asked.should_prune())
            except Exception as error:
                if not is_gone(error):
                    raise
                return False

        return report

    def _tell(self, trial: Trial, trial_id: int) -> None:
        from optuna.exceptions import UpdateFinishedTrialError

        facts = trial.to_dict()
        with suppress(UpdateFinishedTrialError):  # told before the storage went away
            self.inner._storage.set_trial_user_attr(trial_id, "trial", facts)
            state = {"complete": "COMPLETE", "pruned": "PRUNED", "failed": "FAIL"}[trial.state]
            value = trial.value if trial.state == "complete" else None
            self.inner.tell(trial.number, value, state=_state(state))

    def _give_back(self, asked: Any) -> None:
        """An interrupted trial: its point is tried first when the study goes on."""
        with suppress(Exception):
            frozen = self._frozen()[asked.number]
            self._put_back(frozen)

    def _require_hope(self, ended: list[Trial]) -> None:
        if len(ended) >= _HOPELESS and all(trial.state == "failed" for trial in ended):
            raise ConfigError(
                f"the search space admits nothing that can be trained: all {len(ended)} points"
                f" tried so far failed, the last one because {ended[-1].reason}"
            )

    def _keep_unsent(self, trial: Trial) -> str:
        if self.folder is None:
            return f"Its last result is lost (trial {trial.number})."
        file = self.folder / "unsent.jsonl"
        with written(file):
            self.folder.mkdir(parents=True, exist_ok=True)
            with file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(trial.to_dict()) + "\n")
        return (
            f"The result of trial {trial.number} is kept in {file} and is sent when the study goes"
            " on (--resume)."
        )

    def _send_unsent(self) -> None:
        file = None if self.folder is None else self.folder / "unsent.jsonl"
        if file is None or not file.exists():
            return
        known = {frozen.number: frozen for frozen in self._frozen()}
        for line in file.read_text(encoding="utf-8").splitlines():
            try:
                trial = _from_facts(json.loads(line))
            except (ValueError, KeyError, TypeError):
                raise DataError("this is no result of a trial.", path=file) from None
            if (frozen := known.get(trial.number)) is not None:
                self._tell(trial, frozen._trial_id)
        file.unlink()

    def found(self, *, seconds: float = 0.0, ended: str = "complete") -> Found:
        """What is known so far."""
        trials = [each for each in map(_trial, self._frozen()) if each is not None]
        notes = list(self.spec.base.notes)
        return Found(
            self.spec, tuple(trials), _importance(self.inner, trials), seconds, ended, tuple(notes)
        )


def _spec_of(inner: Any, url: str) -> Spec:
    tree = patiently(url, lambda: inner.user_attrs).get("spec")
    if not isinstance(tree, dict):
        raise DataError(f"{shown(url)} has a study that s2n tune did not begin.")
    return Spec.from_dict(tree)


def _whole(spec: Spec) -> set[str]:
    """Axes of settings that are whole numbers."""
    from ..settings import flatten

    known = dict(flatten(spec.config.to_dict()))
    return {name for name in spec.space.axes if type(known[name]) is int}


def _suggest(asked: Any, name: str, axis: Axis, whole: bool) -> Any:
    if isinstance(axis, Choice):
        return asked.suggest_categorical(name, list(axis.values))
    if whole:
        more = {"log": True} if axis.log else {"step": int(axis.step or 1)}
        return asked.suggest_int(name, int(axis.low), int(axis.high), **more)
    value = asked.suggest_float(name, axis.low, axis.high, step=axis.step, log=axis.log)
    return value if axis.step is None else float(f"{value:.12g}")  # 0.3, not 0.30000000000000004


def _last_beat(frozen: Any) -> float:
    """When a trial last gave a sign of life."""
    begun = frozen.datetime_start
    return float(frozen.user_attrs.get("beat", begun.timestamp() if begun else time.time()))


def _ended(
    number: int, point: dict[str, Any], score: Score | None, reason: str, seconds: float
) -> Trial:
    if score is None:
        return Trial(number, "failed", point, seconds=seconds, reason=reason)
    state = "pruned" if score.ended == "stopped" else "complete"
    return Trial(
        number, state, point, score.mean, score.values, score.loss, seconds, score.training
    )


def _from_facts(facts: dict[str, Any]) -> Trial:
    return Trial(
        facts["number"], facts["state"], facts["point"], facts["value"], tuple(facts["values"]),
        facts["loss"], facts["seconds"], facts["training_seconds"], facts["reason"],
    )  # fmt: skip


def _trial(frozen: Any) -> Trial | None:
    """A trial that ended; None for others, and for those whose process was lost."""
    if frozen.state.name not in _STATES or frozen.user_attrs.get(_AGAIN):
        return None
    facts = frozen.user_attrs.get("trial")
    if facts is None:
        return Trial(frozen.number, _STATES[frozen.state.name], dict(frozen.params), frozen.value)
    return _from_facts(facts)


def _state(name: str) -> Any:
    from optuna.trial import TrialState

    return TrialState[name]


def _best_so_far(ended: list[Trial]) -> str:
    values = [trial.value for trial in ended if trial.state == "complete" and trial.value]
    return f"best so far {100 * max(values):.1f}" if values else ""


def _importance(inner: Any, trials: list[Trial]) -> dict[str, float]:
    """How much of the variance each axis explains, by functional ANOVA on a random forest."""
    whole = [trial for trial in trials if trial.state == "complete"]
    if len(whole) < 10 or len({trial.value for trial in whole}) < 3:
        return {}
    from optuna.importance import FanovaImportanceEvaluator, get_param_importances

    found = get_param_importances(inner, evaluator=FanovaImportanceEvaluator(seed=0))
    return {name: float(share) for name, share in found.items()}


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
