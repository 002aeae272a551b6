"""The best trials of a search once more, on splits that the search did not see."""

from __future__ import annotations

from dataclasses import replace

from ..base.errors import ConfigError
from ..base.progress import item
from .objective import Objective
from .search_result import SearchResult, Trial
from .study_spec import Spec

TOP = 5  # trials that are scored again, beside what the search began with
FIRST_SPLIT = 10  # splits before it are those of searches, or of more rehearsals than that
_FIRST_SEED = 100


def fresh_objective(objective: Objective, spec: Spec, splits: int) -> Objective:
    """Scores settings on parts held out of train and val that no rehearsal held out so.

    Args:
        objective: That of the search.
        spec: The specification of the study.
        splits: The number of splits; each has a seed of its own.
    """
    if splits < 2:
        raise ConfigError(f"a confirmation takes two splits or more, found {splits}.")
    seeds = range(_FIRST_SEED, _FIRST_SEED + splits)
    first = max(FIRST_SPLIT, spec.rehearse)
    return replace(objective, seeds=seeds, rehearse=splits, first_split=first)


def confirm(result: SearchResult, objective: Objective) -> SearchResult:
    """Score the best trials, and what the search began with, on fresh splits.

    The best of a hundred is partly the luckiest of a hundred; of few on fresh splits much less so.
    What is interrupted confirms nothing.

    Args:
        result: The search.
        objective: As :func:`fresh_objective` makes it.
    """
    candidates = _candidates(result)
    confirmed: list[Trial] = []
    try:
        for number, trial in enumerate(candidates):
            item("Confirmation", number, len(candidates), f"trial {trial.number}")
            score = objective(result.spec.settings(trial.point))
            if score.ended == "interrupted" or score.wished:
                return replace(result, ended="interrupted")
            confirmed.append(replace(trial, value=score.mean, values=score.values, loss=score.loss))
    except KeyboardInterrupt:
        return replace(result, ended="interrupted")
    return replace(result, confirmed=tuple(confirmed))


def _candidates(result: SearchResult) -> list[Trial]:
    """The best complete trials first; then those that the search began with."""
    complete = [trial for trial in result.trials if trial.state == "complete"]
    ranked = sorted(complete, key=lambda t: (-(t.value or 0.0), t.loss or 0.0, t.number))
    begun = len(result.spec.first_points())
    return ranked[:TOP] + [trial for trial in ranked[TOP:] if trial.number < begun]
