"""Advice before training: which structure fits this data, with its evidence.

The paper leaves it to experiments which structure is right for a task. Here they are made small:
characteristics are measured, costs are timed, and short trainings on train and val compared.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace

from ..base.environment import find_device, free_memory
from ..base.errors import ConfigError
from ..base.notes import data_changes
from ..base.plural import plural
from ..config import STRUCTURES, Structure
from ..evaluate.protocol import split_if_needed
from ..evaluate.seeds import seed_list
from ..nn.custom_convolution import find_convolution
from ..task import SubgraphTask
from .chooser import TrialState
from .probes import (
    Budget,
    Draws,
    Probe,
    clear_features,
    probe_simple,
    probe_structures,
    share_out,
    within_noise,
)
from .rules import Reason, ranking, reasons
from .task_parts import check_size, why_not_probed, without_test_part
from .timing import Cost, time_structures
from .traits import Traits, traits

_RUN_SEEDS = 10  # of ``s2n run``, whose costs are estimated
_ENOUGH_EPOCHS = 150  # after which labels that depend on shape alone are usually learned


@dataclass(frozen=True, eq=False)
class Advice:
    """Which structure, and why.

    Args:
        name: The name of the data.
        traits: Characteristics of the data.
        costs: Costs of all structures, for ten seeds.
        reasons: Rules that hold, before anything is trained.
        points: Points of each structure by those rules.
        probes: Structures that were tried, failed ones included.
        simple: Simple models that were tried.
        val: Number of validation subgraphs.
        seeds: Replicas of a probe.
        epochs: Epochs of a probe.
        by_rules: The structure that rules alone would advise; None without any usable one.
        notes: Remarks for the reader, one sentence each.
        conv: The convolution.
        seconds: Time of all measurements and probes.
        interrupted: Whether Ctrl-C came before everything was tried.
        left_out: Structures that there was no time to probe.
        draws: Bootstrap draws of the scores.
    """

    name: str
    traits: Traits
    costs: tuple[Cost, ...]
    reasons: tuple[Reason, ...]
    points: dict[Structure, int]
    probes: tuple[Probe, ...]
    simple: tuple[Probe, ...]
    val: int
    seeds: int
    epochs: int
    by_rules: Structure | None
    notes: tuple[str, ...] = ()
    conv: str = "gcn2"
    seconds: float = 0.0
    interrupted: bool = False
    left_out: tuple[Structure, ...] = ()
    draws: Draws = field(default_factory=lambda: Draws(()), repr=False)

    @property
    def price(self) -> dict[str, Cost]:
        """Costs by structure."""
        return {cost.structure: cost for cost in self.costs}

    @property
    def worked(self) -> tuple[Probe, ...]:
        """Structures that could be tried."""
        return tuple(probe for probe in self.probes if not probe.failed)

    @property
    def tried(self) -> tuple[Probe, ...]:
        """Simple models and structures that have a score."""
        return (*(probe for probe in self.simple if not probe.failed), *self.worked)

    @property
    def best(self) -> Probe | None:
        """The structure with the best score, noise or not."""
        return max(self.worked, key=lambda probe: probe.score, default=None)

    @property
    def tied(self) -> tuple[str, ...]:
        """Structures that noise alone may keep from the best score; it is among them."""
        return within_noise(self.worked)

    @property
    def by_probes(self) -> Structure | None:
        """The cheapest structure within noise of the best; None where none was compared."""
        if len(self.worked) < 2:
            return None
        return Structure(min(self.tied, key=self._seconds))

    @property
    def short(self) -> bool:
        """Whether probes had so few epochs that what learns slowly looks like the others."""
        return bool(self.worked) and self.epochs < _ENOUGH_EPOCHS

    @property
    def structure(self) -> Structure | None:
        """The advised structure: by probes, otherwise by rules.

        Short probes that cannot distinguish what rules advise from the best leave it to the rules.
        """
        if self.short and self.by_rules in self.tied:
            return self.by_rules
        return self.by_probes or self.by_rules

    def _seconds(self, name: str) -> float:
        cost = self.price.get(name)
        return math.inf if cost is None else cost.seconds

    def verdict(self, name: str) -> str:
        """The verdict on a structure, in a few words."""
        if self.price[name].reason:
            return f"cannot be used: {self.price[name].reason}"
        if name == self.structure:
            return "advised" if self.by_probes else "advised by rules"
        probe = {probe.name: probe for probe in self.probes}.get(name)
        if probe is None:
            return "no time to probe it" if name in self.left_out else "not probed"
        if probe.failed or self.best is None:
            return probe.outcome
        if name in self.tied:
            slower = self._seconds(name) >= self._seconds(str(self.structure))
            return "within noise, slower" if slower else "within noise"
        low, high = self.draws.behind(name, self.best.name)
        text = f"behind by {100 * low:.0f} to {100 * high:.0f} points"
        return text if probe.state is TrialState.COMPLETE else f"{text}, {probe.state}"

    def to_dict(self) -> dict[str, object]:
        """The advice with its evidence, for JSON."""
        from .wording import next_commands, recommendation

        return {
            "data": self.name,
            "structure": self.structure,
            "by_probes": self.by_probes,
            "by_rules": self.by_rules,
            "within_noise": list(self.tied),
            "recommendation": recommendation(self),
            "next": next_commands(self),
            "traits": self.traits.to_dict(),
            "structures": [
                {
                    **cost.to_dict(),
                    "points": self.points.get(cost.structure),
                    "verdict": self.verdict(cost.structure),
                }
                for cost in self.costs
            ],
            "reasons": [reason.to_dict() for reason in self.reasons],
            "probes": [probe.to_dict(self.draws.interval(probe.name)) for probe in self.tried],
            "validation_subgraphs": self.val,
            "seeds": self.seeds,
            "epochs": self.epochs,
            "conv": self.conv,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "notes": list(self.notes),
        }


def advise(
    task: SubgraphTask,
    *,
    minutes: float = 2.0,
    probes: bool = True,
    conv: str = "gcn2",
    seeds: int = 2,
    device: str = "auto",
) -> Advice:
    """Advise a structure for a task; the test part is never read.

    Args:
        task: The data; without labels nothing is tried, and a missing split is drawn.
        minutes: About how long all of it may take.
        probes: Whether to train; otherwise rules about characteristics and costs decide.
        conv: The convolution by name.
        seeds: Replicas of each probe.
        device: ``auto``, ``cpu`` or ``cuda``.

    Example:
        >>> advise(task, minutes=1).structure
    """
    if isinstance(minutes, bool) or not (0 < minutes < math.inf):
        raise ConfigError(f"a time is a number of minutes above 0, found {minutes!r}.")
    seed_list(seeds)
    find_convolution(conv)
    check_size(task)
    start = time.perf_counter()
    task, split_notes = split_if_needed(task)
    measured = traits(task)
    notes = [*data_changes(task.notes), *split_notes, *measured.notes]
    seconds = 60 * minutes if probes else 24.0
    evidence = _Evidence(task, conv, seeds=seeds, device=device, deadline=start + seconds)
    evidence.time_costs(max(3.0, seconds / 4))
    obstacle = why_not_probed(task) if probes else None
    notes += [*_untimed_notes(evidence.costs), *([] if obstacle is None else [obstacle])]
    usable = {cost.structure: cost for cost in evidence.costs if not cost.reason}
    triggered = reasons(measured, usable, evidence.free)
    order = ranking(triggered, usable)
    if probes and obstacle is None and not evidence.interrupted:
        evidence.run_probes(order[0][0] if order else None)
        notes += [*evidence.notes, *_short_training_notes(evidence)]
    worked = [probe for probe in (*evidence.simple, *evidence.probes) if not probe.failed]
    return Advice(
        name=task.name,
        traits=measured,
        costs=evidence.costs,
        reasons=tuple(triggered),
        points=dict(order),
        probes=tuple(evidence.probes),
        simple=tuple(evidence.simple),
        val=0 if task.split is None else task.split.count("val"),
        seeds=seeds,
        epochs=evidence.budget.epochs,
        by_rules=order[0][0] if order else None,
        notes=tuple(notes),
        conv=conv,
        seconds=time.perf_counter() - start,
        interrupted=evidence.interrupted,
        left_out=evidence.budget.left_out,
        draws=Draws(worked),
    )


def _untimed_notes(costs: tuple[Cost, ...]) -> list[str]:
    """Note structures that were not timed for lack of time or memory."""
    names = [cost.structure for cost in costs if not cost.timed and not cost.reason]
    if not names:
        return []
    return [f"there was no time or memory to time {' and '.join(names)}, so their time is unknown."]


def _short_training_notes(evidence: _Evidence) -> list[str]:
    """Note probes that trained for a short time only, which says less."""
    epochs, total = evidence.budget.epochs, max((cost.epochs for cost in evidence.costs), default=0)
    cut = [probe.name for probe in evidence.probes if probe.state is TrialState.CUT_SHORT]
    notes = []
    if evidence.probes and epochs < _ENOUGH_EPOCHS:
        notes.append(
            f"probes had {plural(epochs, 'epoch')} of {total}; what learns slowly looks"
            " worse than it is, and more --minutes would tell."
        )
    if cut:
        notes.append(
            f"time was up before {' and '.join(cut)} had as many epochs as the others, so"
            " they may be better than they look."
        )
    return notes


class _Evidence:
    """Costs and probes, kept as they come: Ctrl-C ends the work and loses nothing."""

    def __init__(
        self, task: SubgraphTask, conv: str, *, seeds: int, device: str, deadline: float
    ) -> None:
        self.task, self.conv, self.seeds, self.device = task, conv, seeds, device
        self.deadline, self.interrupted = deadline, False
        self.costs: tuple[Cost, ...] = ()
        self.simple: list[Probe] = []
        self.probes: list[Probe] = []
        self.budget = Budget((), 0, ())
        self.notes: list[str] = []
        self.free = free_memory(find_device(device))

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - time.perf_counter()

    def time_costs(self, limit: float) -> None:
        """Time the costs of all structures within a limit in seconds."""
        try:
            self.costs = time_structures(
                self.task,
                STRUCTURES,
                conv=self.conv,
                seeds=_RUN_SEEDS,
                device=self.device,
                limit=limit,
            )
        except KeyboardInterrupt:
            self.interrupted = True

    def run_probes(self, wanted: str | None) -> None:
        """Probe simple models, then structures from the cheapest on, with the one rules advise."""
        try:
            self._probe(without_test_part(self.task), wanted)
        except KeyboardInterrupt:
            self.interrupted = True

    def _probe(self, task: SubgraphTask, wanted: str | None) -> None:
        for probe in probe_simple(task):
            self.simple.append(probe)
        features, note = clear_features(task, self.simple)
        self.notes += [note] * bool(note)
        usable = {
            cost.structure: cost for cost in self.costs if cost.timed and cost.fits(self.free)
        }
        self.budget = share_out(
            usable, max(self.seconds_left, 0.0), self.seeds, features=features, wanted=wanted
        )
        if not self.budget.structures and usable:  # one, cut short, is better than none
            cheapest = min(usable.values(), key=lambda cost: cost.seconds).structure
            rest = tuple(name for name in self.budget.left_out if name != cheapest)
            self.budget = Budget((cheapest,), 20, rest)
        order = self.budget.structures
        for probe in probe_structures(
            task,
            order,
            conv=self.conv,
            epochs=self.budget.epochs,
            seeds=self.seeds,
            seconds=self.seconds_left,
            weights=[usable[name].seconds for name in order],
            device=self.device,
            features=features,
        ):
            self.probes.append(probe)
            self.interrupted = probe.interrupted
        if not self.interrupted:
            probed = {probe.name for probe in self.probes}
            late = [name for name in order if name not in probed]
            untimed = [
                cost.structure
                for cost in self.costs
                if not cost.timed and not cost.reason and cost.fits(self.free)
            ]
            left_out = (*self.budget.left_out, *late, *untimed)
            self.budget = replace(self.budget, left_out=left_out)
