"""Training of structures one after the other within a time, as ``advise`` and ``auto`` do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from time import perf_counter
from typing import NamedTuple

from ..base.errors import Sub2NodeError
from ..base.progress import counted
from ..efficiency.benchmark import reason_of
from ..models.candidates import TrainedNetwork


class StructureChoice(NamedTuple):
    """A structure with a convolution, by name."""

    structure: str
    conv: str


class TrialState(StrEnum):
    """How a trial ended."""

    COMPLETE = "complete"
    CUT_SHORT = "cut short"
    FAILED = "failed"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, eq=False)
class StructureTrial:
    """A structure and convolution that were to be tried.

    Args:
        choice: The structure and convolution.
        state: How it ended.
        trained: The network; None where it failed or was not tried.
        seconds: Time of the trial.
        reason: Why it failed.
    """

    choice: StructureChoice
    state: TrialState
    trained: TrainedNetwork | None = None
    seconds: float = 0.0
    reason: str = ""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended its training."""
        return self.trained is not None and self.trained.fitted.ended == "interrupted"

    def __str__(self) -> str:
        return f"{self.state}: {self.reason}" if self.reason else str(self.state)


def try_structures(
    choices: Sequence[StructureChoice],
    fit: Callable[[StructureChoice, float], TrainedNetwork],
    *,
    seconds: float,
    weights: Sequence[float] | None = None,
) -> Iterator[StructureTrial]:
    """Train one after the other; one that fails does not end the others, Ctrl-C does.

    The first is tried even where there is no time; those that the time does not reach are not.

    Args:
        choices: Structures and convolutions, the most important first.
        fit: Trains one of them within a number of seconds.
        seconds: Time for all of them.
        weights: Expected time of each one relative to the others; it gets at most twice its share
            of the remaining time. None: each may take all of the remaining time.
    """
    deadline = perf_counter() + seconds
    numbered = counted(
        enumerate(choices),
        "Structure",
        name=lambda one: f"{one[1].structure} {one[1].conv}",
        total=len(choices),
        even=False,
    )
    for number, choice in numbered:
        start = perf_counter()
        left = deadline - start
        if left <= 0 and number:
            yield StructureTrial(choice, TrialState.NOT_TRIED)
            continue
        share = max(left, 0.0)
        if weights is not None:
            share *= min(1.0, 2 * weights[number] / sum(weights[number:]))
        try:
            trained = fit(choice, share)
        except (Sub2NodeError, MemoryError, RuntimeError) as error:
            spent = perf_counter() - start
            yield StructureTrial(choice, TrialState.FAILED, seconds=spent, reason=reason_of(error))
            continue
        late = trained.fitted.ended in ("late", "interrupted")
        state = TrialState.CUT_SHORT if late else TrialState.COMPLETE
        trial = StructureTrial(choice, state, trained, perf_counter() - start)
        yield trial
        if trial.interrupted:
            return
