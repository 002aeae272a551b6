"""Trials in Optuna's storage: drawing their points, writing and reading their results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..config.settings import flatten
from .objective import Score
from .search_result import Trial
from .search_space import Axis, Choice

if TYPE_CHECKING:
    import optuna
    from optuna.trial import FrozenTrial

    from .study_spec import Spec

REQUEUED = "again"  # marks trials that did not end and went back into the queue
_STATES = {"COMPLETE": "complete", "PRUNED": "pruned", "FAIL": "failed"}


def suggest_point(trial: optuna.Trial, spec: Spec) -> dict[str, object]:
    """Draw the point of the space that a trial tries."""
    defaults = dict(flatten(spec.config.to_dict()))
    return {
        name: _suggest_value(trial, name, axis, integer=type(defaults[name]) is int)
        for name, axis in spec.space.axes.items()
    }


def _suggest_value(trial: optuna.Trial, name: str, axis: Axis, *, integer: bool) -> object:
    if isinstance(axis, Choice):
        return trial.suggest_categorical(name, list(axis.values))
    if integer:
        low, high, step = int(axis.low), int(axis.high), int(axis.step or 1)
        return trial.suggest_int(name, low, high, step=1 if axis.log else step, log=axis.log)
    value = trial.suggest_float(name, axis.low, axis.high, step=axis.step, log=axis.log)
    return value if axis.step is None else float(f"{value:.12g}")  # 0.3, not 0.30000000000000004


def finished_trial(
    number: int, point: Mapping[str, object], *, score: Score | None, reason: str, seconds: float
) -> Trial:
    """Make the record of a trial that has just ended.

    Args:
        number: Its number in the study.
        point: The settings that were tried.
        score: Its score; None where it failed.
        reason: Why it failed.
        seconds: Time of the whole trial.
    """
    if score is None:
        return Trial(number, "failed", point, seconds=seconds, reason=reason)
    return Trial(
        number,
        "pruned" if score.ended == "stopped" else "complete",
        point,
        value=score.mean,
        values=score.values,
        loss=score.loss,
        seconds=seconds,
        training=score.training,
    )


def trial_from_dict(record: Mapping[str, Any]) -> Trial:
    """The reverse of :meth:`Trial.to_dict`."""
    return Trial(
        record["number"],
        record["state"],
        record["point"],
        value=record["value"],
        values=tuple(record["values"]),
        loss=record["loss"],
        seconds=record["seconds"],
        training=record["training_seconds"],
        reason=record["reason"],
    )


def read_trial(frozen: FrozenTrial) -> Trial | None:
    """Read a trial that ended; None for others, and for those whose process was lost."""
    if frozen.state.name not in _STATES or frozen.user_attrs.get(REQUEUED):
        return None
    record = frozen.user_attrs.get("trial")
    if record is None:
        return Trial(frozen.number, _STATES[frozen.state.name], dict(frozen.params), frozen.value)
    return trial_from_dict(record)


def store_result(study: optuna.Study, trial: Trial, trial_id: int) -> bool:
    """Store how a trial ended; False where another process had taken it over."""
    from optuna.exceptions import UpdateFinishedTrialError
    from optuna.trial import TrialState

    state = {ours: name for name, ours in _STATES.items()}[trial.state]
    value = trial.value if trial.state == "complete" else None
    try:
        study._storage.set_trial_user_attr(trial_id, "trial", trial.to_dict())
        study.tell(trial.number, value, state=TrialState[state])
    except (UpdateFinishedTrialError, ValueError, RuntimeError):
        stored = study.get_trials(deepcopy=False)[trial.number]
        return bool(stored.user_attrs.get("trial") == trial.to_dict())  # it arrived before
    return True


def requeue_trial(study: optuna.Study, frozen: FrozenTrial, axes: Mapping[str, Axis]) -> None:
    """End a trial that no process works on; its point goes back into the queue."""
    from optuna.exceptions import UpdateFinishedTrialError
    from optuna.trial import TrialState

    try:
        study._storage.set_trial_user_attr(frozen._trial_id, REQUEUED, True)
        study.tell(frozen.number, state=TrialState.FAIL)
    except (UpdateFinishedTrialError, ValueError, RuntimeError):
        return  # it ended, or another process was quicker
    if set(frozen.params) == set(axes):
        study.enqueue_trial(dict(frozen.params))


def axis_importance(study: optuna.Study, trials: list[Trial]) -> dict[str, float]:
    """Share of the variance that each axis explains, by functional ANOVA on a random forest."""
    complete = [trial for trial in trials if trial.state == "complete"]
    if len(complete) < 10 or len({trial.value for trial in complete}) < 3:
        return {}
    from optuna.importance import FanovaImportanceEvaluator, get_param_importances

    shares = get_param_importances(study, evaluator=FanovaImportanceEvaluator(seed=0))
    return {name: float(share) for name, share in shares.items()}
