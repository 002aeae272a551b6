"""The sampler that draws the next point: TPE, seeded trial by trial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from optuna.pruners import PercentilePruner
from optuna.samplers import BaseSampler, TPESampler

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.pruners import BasePruner
    from optuna.trial import FrozenTrial

STARTUP = 20  # random trials before TPE begins, as published
CANDIDATES = 24  # points that TPE weighs, as published
_CONTINUED = 60.0  # percent of trials that continue at a rung
_DRAW, _COLLISION = "draw", 10**6  # attribute of the draw number; offset where two collide


class TrialSeededTPE(BaseSampler):
    """TPE whose draws depend on the seed, on which draw it is, and on the results so far.

    So a study that is resumed, or shared by several processes, never draws the same points twice,
    and one process alone repeats itself exactly. Points that are queued, or tried again after their
    process was lost, are no draws: the others draw what they would have drawn without them.

    Args:
        seed: The seed of the study.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._current: tuple[int, TPESampler] | None = None

    def _sampler_of(self, study: Study, trial: FrozenTrial) -> TPESampler:
        if self._current is None or self._current[0] != trial.number:
            sequence = np.random.SeedSequence([self.seed, _claim_draw(study, trial)])
            tpe = TPESampler(
                n_startup_trials=STARTUP,
                n_ei_candidates=CANDIDATES,
                seed=int(sequence.generate_state(1)[0]),
                multivariate=False,
                constant_liar=True,
            )
            self._current = trial.number, tpe
        return self._current[1]

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Axes that are drawn together: none, as published."""
        return {}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Values of the axes that are drawn together: none."""
        return {}

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Draw the value of one axis."""
        return self._sampler_of(study, trial).sample_independent(
            study, trial, param_name, param_distribution
        )


def _claim_draw(study: Study, trial: FrozenTrial) -> int:
    """Number of this draw in the study: the first that no other trial has taken."""

    def taken_draws() -> set[int]:
        others = study.get_trials(deepcopy=False)
        draws = (other.user_attrs.get(_DRAW) for other in others if other.number != trial.number)
        return {number for number in draws if number is not None}

    taken = taken_draws()
    number = next(k for k in range(len(taken) + 1) if k not in taken)
    study._storage.set_trial_user_attr(trial._trial_id, _DRAW, number)
    if number in taken_draws():  # by another process, at the same moment
        number = _COLLISION + trial.number
        study._storage.set_trial_user_attr(trial._trial_id, _DRAW, number)
    return number


def make_pruner(pruning: bool) -> BasePruner:
    """Make what ends trials that are behind most others at the same epoch, or ends none."""
    from optuna.pruners import NopPruner

    return PercentilePruner(_CONTINUED, n_startup_trials=STARTUP) if pruning else NopPruner()
