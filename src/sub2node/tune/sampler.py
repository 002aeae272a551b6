"""Which point to try next: TPE, seeded trial by trial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from optuna.pruners import PercentilePruner
from optuna.samplers import BaseSampler, TPESampler

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

STARTUP = 20  # random trials before TPE begins, as published
CANDIDATES = 24  # points that TPE weighs, as published
_KEPT = 60.0  # percent of trials that go on at a rung
_DRAW, _ASIDE = "draw", 10**6


class ByTrial(BaseSampler):
    """TPE whose draws depend on the seed, on which draw it is, and on what is known by then.

    So a study that is resumed, or shared by several processes, never draws the same points twice,
    and one process alone repeats itself exactly. Points that are given, or tried again after their
    process was lost, are no draws: the others draw what they would have drawn without them.

    Args:
        seed: Of the study.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._made: tuple[int, TPESampler] | None = None

    def _of(self, study: Study, trial: FrozenTrial) -> TPESampler:
        if self._made is None or self._made[0] != trial.number:
            sequence = np.random.SeedSequence([self.seed, _draw(study, trial)])
            tpe = TPESampler(
                n_startup_trials=STARTUP, n_ei_candidates=CANDIDATES,
                seed=int(sequence.generate_state(1)[0]), multivariate=False, constant_liar=True,
            )  # fmt: skip
            self._made = trial.number, tpe
        return self._made[1]

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Axes that are drawn together: none, as published."""
        return {}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Values of these."""
        return {}

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:  # fmt: skip
        """The value of one axis."""
        return self._of(study, trial).sample_independent(
            study, trial, param_name, param_distribution
        )


def _draw(study: Study, trial: FrozenTrial) -> int:
    """Which draw of the study this is: the first that no other trial has taken."""

    def taken() -> set[int]:
        others = study.get_trials(deepcopy=False)
        found = (other.user_attrs.get(_DRAW) for other in others if other.number != trial.number)
        return {number for number in found if number is not None}

    before = taken()
    number = next(k for k in range(len(before) + 1) if k not in before)
    study._storage.set_trial_user_attr(trial._trial_id, _DRAW, number)
    if number in taken():  # by another process, at the same moment
        number = _ASIDE + trial.number
        study._storage.set_trial_user_attr(trial._trial_id, _DRAW, number)
    return number


def pruner(pruning: bool) -> Any:
    """Ends trials that are behind most others at the same epoch; None: ends none."""
    from optuna.pruners import NopPruner

    return PercentilePruner(_KEPT, n_startup_trials=STARTUP) if pruning else NopPruner()
