"""Trials as Optuna keeps them, and as we read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..settings import flatten
from .found import Trial
from .objective import Score
from .space import Axis, Choice

if TYPE_CHECKING:
    from .spec import Spec

AGAIN = "again"  # marks trials that did not end and were put back in the queue
_STATES = {"COMPLETE": "complete", "PRUNED": "pruned", "FAIL": "failed"}


def drawn(asked: Any, spec: Spec) -> dict[str, Any]:
    """The point of the space that a trial is given."""
    known = dict(flatten(spec.config.to_dict()))
    return {
        name: _suggest(asked, name, axis, whole=type(known[name]) is int)
        for name, axis in spec.space.axes.items()
    }


def _suggest(asked: Any, name: str, axis: Axis, *, whole: bool) -> Any:
    if isinstance(axis, Choice):
        return asked.suggest_categorical(name, list(axis.values))
    if whole:
        more = {"log": True} if axis.log else {"step": int(axis.step or 1)}
        return asked.suggest_int(name, int(axis.low), int(axis.high), **more)
    value = asked.suggest_float(name, axis.low, axis.high, step=axis.step, log=axis.log)
    return value if axis.step is None else float(f"{value:.12g}")  # 0.3, not 0.30000000000000004


def ended(
    number: int, point: Mapping[str, Any], score: Score | None, reason: str, seconds: float
) -> Trial:
    """A trial that has just ended."""
    if score is None:
        return Trial(number, "failed", point, seconds=seconds, reason=reason)
    state = "pruned" if score.ended == "stopped" else "complete"
    return Trial(
        number, state, point, score.mean, score.values, score.loss, seconds, score.training
    )


def from_facts(facts: Mapping[str, Any]) -> Trial:
    """The reverse of :meth:`Trial.to_dict`."""
    return Trial(
        facts["number"], facts["state"], facts["point"], facts["value"], tuple(facts["values"]),
        facts["loss"], facts["seconds"], facts["training_seconds"], facts["reason"],
    )  # fmt: skip


def read(frozen: Any) -> Trial | None:
    """A trial that ended; None for others, and for those whose process was lost."""
    if frozen.state.name not in _STATES or frozen.user_attrs.get(AGAIN):
        return None
    facts = frozen.user_attrs.get("trial")
    if facts is None:
        return Trial(frozen.number, _STATES[frozen.state.name], dict(frozen.params), frozen.value)
    return from_facts(facts)


def told(study: Any, trial: Trial, trial_id: int) -> bool:
    """Tell a study how a trial ended; False where it had been given to another process."""
    from optuna.exceptions import UpdateFinishedTrialError
    from optuna.trial import TrialState

    state = {word: name for name, word in _STATES.items()}[trial.state]
    value = trial.value if trial.state == "complete" else None
    try:
        study._storage.set_trial_user_attr(trial_id, "trial", trial.to_dict())
        study.tell(trial.number, value, state=TrialState[state])
    except (UpdateFinishedTrialError, ValueError, RuntimeError):
        kept = study.get_trials(deepcopy=False)[trial.number]
        same = kept.user_attrs.get("trial") == trial.to_dict()  # told before the storage went
        return bool(same)
    return True


def put_back(study: Any, frozen: Any, axes: Mapping[str, Axis]) -> None:
    """End a trial that nobody works on; its point goes back into the queue."""
    from optuna.exceptions import UpdateFinishedTrialError
    from optuna.trial import TrialState

    try:
        study._storage.set_trial_user_attr(frozen._trial_id, AGAIN, True)
        study.tell(frozen.number, state=TrialState.FAIL)
    except (UpdateFinishedTrialError, ValueError, RuntimeError):
        return  # it ended, or another process was quicker
    if set(frozen.params) == set(axes):
        study.enqueue_trial(dict(frozen.params))


def importance(study: Any, trials: list[Trial]) -> dict[str, float]:
    """How much of the variance each axis explains, by functional ANOVA on a random forest."""
    whole = [trial for trial in trials if trial.state == "complete"]
    if len(whole) < 10 or len({trial.value for trial in whole}) < 3:
        return {}
    from optuna.importance import FanovaImportanceEvaluator, get_param_importances

    found = get_param_importances(study, evaluator=FanovaImportanceEvaluator(seed=0))
    return {name: float(share) for name, share in found.items()}
