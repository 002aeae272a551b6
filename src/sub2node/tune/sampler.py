"""Which point to try next: TPE, seeded trial by trial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from optuna.pruners import PercentilePruner
from optuna.samplers import BaseSampler, TPESampler

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial, TrialState

STARTUP = 20  # random trials before TPE begins, as published
CANDIDATES = 24  # points that TPE weighs, as published
_KEPT = 60.0  # percent of trials that go on at a rung


class ByTrial(BaseSampler):
    """TPE whose draws depend on the seed, the trial's number and what is known by then.

    So a study that is resumed, or shared by several processes, never draws the same points twice,
    and one process alone repeats itself exactly.

    Args:
        seed: Of the study.
        again: Marks trials that did not end and are repeated under another number; they do not
            count, so that the others draw what they would have drawn without them.
    """

    def __init__(self, seed: int, again: str) -> None:
        self.seed, self.again = seed, again
        self._made: tuple[int, TPESampler] | None = None

    def _of(self, study: Study, trial: FrozenTrial) -> TPESampler:
        if self._made is None or self._made[0] != trial.number:
            before = study.get_trials(deepcopy=False)[: trial.number]
            number = sum(not other.user_attrs.get(self.again) for other in before)
            state = np.random.SeedSequence([self.seed, number]).generate_state(1)
            tpe = TPESampler(
                n_startup_trials=STARTUP, n_ei_candidates=CANDIDATES, seed=int(state[0]),
                multivariate=False, constant_liar=True,
            )  # fmt: skip
            self._made = trial.number, tpe
        return self._made[1]

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Axes that are drawn together."""
        return self._of(study, trial).infer_relative_search_space(study, trial)

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Values of these."""
        return self._of(study, trial).sample_relative(study, trial, search_space)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:  # fmt: skip
        """The value of one axis."""
        return self._of(study, trial).sample_independent(
            study, trial, param_name, param_distribution
        )

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Called before values are drawn."""
        self._of(study, trial).before_trial(study, trial)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Any) -> None:
        """Called when a trial has ended."""
        self._of(study, trial).after_trial(study, trial, state, values)


def pruner(pruning: bool) -> Any:
    """Ends trials that are behind most others at the same epoch; None: ends none."""
    from optuna.pruners import NopPruner

    return PercentilePruner(_KEPT, n_startup_trials=STARTUP) if pruning else NopPruner()
