"""Advice before training: which structure fits this data, with its evidence.

The paper leaves it to experiments which structure is right for a task. Here they are made small:
characteristics are measured, costs are timed, and short trainings on train and val compared.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...config import STRUCTURES, Structure
from ...errors import ConfigError
from ...nn.foreign import find_convolution
from ...task import SubgraphTask
from ..protocol import seed_list, split_if_needed
from .cost import Cost, costs, free_memory
from .known import check_size, known_part, why_not_probed
from .probes import (
    Budget,
    Draws,
    Probe,
    clear_features,
    probe,
    probe_simple,
    share_out,
    within_noise,
)
from .rules import Reason, ranking, reasons
from .traits import Traits, traits

_RUN_SEEDS = 10  # of ``s2n run``, which costs are for
_ENOUGH = 150  # epochs after which what is told by shape alone usually shows


@dataclass(frozen=True, eq=False)
class Advice:
    """Which structure, and why.

    Args:
        name: Of the data.
        traits: Its characteristics.
        costs: Of all structures, for ten seeds.
        reasons: Rules that hold, before anything is trained.
        points: Of each structure by those rules.
        probes: Structures that were tried, failed ones included.
        simple: Simple models that were tried.
        val: Validation subgraphs.
        seeds: Replicas of a probe.
        epochs: Of a probe.
        by_rules: What the rules alone would advise; None without any usable structure.
        notes: What to know, one sentence each.
        conv: The convolution.
        seconds: All of it took.
        interrupted: Ctrl-C came before everything was tried.
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
        return {each.structure: each for each in self.costs}

    @property
    def worked(self) -> tuple[Probe, ...]:
        """Structures that could be tried."""
        return tuple(each for each in self.probes if not each.failed)

    @property
    def tried(self) -> tuple[Probe, ...]:
        """Simple models and structures that have a score."""
        return (*(each for each in self.simple if not each.failed), *self.worked)

    @property
    def best(self) -> Probe | None:
        """The structure with the best score, noise or not."""
        return max(self.worked, key=lambda each: each.score, default=None)

    @property
    def tied(self) -> tuple[str, ...]:
        """Structures that noise alone may keep from the best score; it is among them."""
        return within_noise(self.worked)

    @property
    def by_probes(self) -> str | None:
        """The cheapest structure within noise of the best; None where none was compared."""
        if len(self.worked) < 2:
            return None
        return min(self.tied, key=self._seconds, default=None)

    @property
    def short(self) -> bool:
        """Whether probes had so few epochs that what learns slowly looks like the others."""
        return bool(self.worked) and self.epochs < _ENOUGH

    @property
    def structure(self) -> str | None:
        """The advice: what probes say, else what rules say.

        Short probes that do not tell what rules advise from the best leave it to the rules.
        """
        if self.short and self.by_rules in self.tied:
            return self.by_rules
        return self.by_probes or self.by_rules

    def _seconds(self, name: str) -> float:
        found = self.price.get(name)
        return math.inf if found is None else found.seconds

    def verdict(self, name: str) -> str:
        """What is said of a structure, in a few words."""
        if self.price[name].reason:
            return f"cannot be used: {self.price[name].reason}"
        if name == self.structure:
            return "advised" if self.by_probes else "advised by rules"
        tried = {each.name: each for each in self.probes}.get(name)
        if tried is None:
            return "no time to probe it" if name in self.left_out else "not probed"
        if tried.failed or self.best is None:
            return tried.state
        if name in self.tied:
            dearer = self._seconds(name) >= self._seconds(str(self.structure))
            return "within noise, dearer" if dearer else "within noise"
        low, high = self.draws.behind(name, self.best.name)
        text = f"behind by {100 * low:.0f} to {100 * high:.0f} points"
        return text if tried.state == "complete" else f"{text}, {tried.state}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        from .words import next_commands, recommendation

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
                {**each.to_dict(), "points": self.points.get(each.structure),
                 "verdict": self.verdict(each.structure)}
                for each in self.costs
            ],
            "reasons": [each.to_dict() for each in self.reasons],
            "probes": [each.to_dict(self.draws.interval(each.name)) for each in self.tried],
            "validation_subgraphs": self.val,
            "seeds": self.seeds,
            "epochs": self.epochs,
            "conv": self.conv,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "notes": list(self.notes),
        }  # fmt: skip


def advise(
    task: SubgraphTask,
    *,
    minutes: float = 2.0,
    probes: bool = True,
    conv: str = "gcn2",
    seeds: int = 2,
    device: str = "auto",
) -> Advice:
    """Say which structure fits a task; the test part is never looked at.

    Args:
        task: Labels may be missing: then nothing is tried. A split is drawn where there is none.
        minutes: How long all of it may take, about.
        probes: Whether to train; without, rules about characteristics and costs decide.
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
    task, drawn = split_if_needed(task)
    found, notes = traits(task), [*drawn]
    notes += found.notes
    seconds = 60 * minutes if probes else 24.0
    trial = _Trial(task, conv, seeds, device, start + seconds)
    trial.price(max(3.0, seconds / 8))
    why = why_not_probed(task) if probes else None
    if why is not None:
        notes.append(why)
    usable = {each.structure: each for each in trial.costs if not each.reason}
    said = reasons(found, usable, trial.free)
    order = ranking(said, usable)
    if probes and why is None and not trial.interrupted:
        trial.run(order[0][0] if order else None)
        notes += [*trial.notes, *_short(trial)]
    worked = [each for each in (*trial.simple, *trial.probes) if not each.failed]
    return Advice(
        name=task.name,
        traits=found,
        costs=trial.costs,
        reasons=tuple(said),
        points=dict(order),
        probes=tuple(trial.probes),
        simple=tuple(trial.simple),
        val=0 if task.split is None else task.split.count("val"),
        seeds=seeds,
        epochs=trial.budget.epochs,
        by_rules=order[0][0] if order else None,
        notes=tuple(notes),
        conv=conv,
        seconds=time.perf_counter() - start,
        interrupted=trial.interrupted,
        left_out=trial.budget.left_out,
        draws=Draws(worked),
    )


def _short(trial: _Trial) -> list[str]:
    """That some learned for a short time only, which says less."""
    epochs, cut = trial.budget.epochs, [p.name for p in trial.probes if p.state == "cut short"]
    found = []
    if trial.probes and epochs < _ENOUGH:
        found.append(
            f"probes had {epochs} epochs of {trial.costs[0].epochs}; what learns slowly looks"
            " worse than it is, and more --minutes would tell."
        )
    if cut:
        found.append(
            f"time was up before {' and '.join(cut)} had as many epochs as the others, so"
            " they may be better than they look."
        )
    return found


class _Trial:
    """What is timed and trained, kept as it comes: Ctrl-C ends it and loses nothing."""

    def __init__(
        self, task: SubgraphTask, conv: str, seeds: int, device: str, deadline: float
    ) -> None:
        self.task, self.conv, self.seeds, self.device = task, conv, seeds, device
        self.deadline, self.interrupted = deadline, False
        self.costs: tuple[Cost, ...] = ()
        self.simple: list[Probe] = []
        self.probes: list[Probe] = []
        self.budget = Budget((), 0, ())
        self.notes: list[str] = []
        self.free = free_memory(device)

    @property
    def left(self) -> float:
        """Seconds."""
        return self.deadline - time.perf_counter()

    def price(self, allowance: float) -> None:
        """Costs of all structures."""
        try:
            self.costs = costs(
                self.task, STRUCTURES, conv=self.conv, seeds=_RUN_SEEDS, device=self.device,
                allowance=allowance,
            )  # fmt: skip
        except KeyboardInterrupt:
            self.interrupted = True

    def run(self, wanted: str | None) -> None:
        """Simple models, then structures from the cheapest on, what rules want among them."""
        try:
            self._run(known_part(self.task), wanted)
        except KeyboardInterrupt:
            self.interrupted = True

    def _run(self, task: SubgraphTask, wanted: str | None) -> None:
        for each in probe_simple(task):
            self.simple.append(each)
        features, note = clear_features(task, self.simple)
        self.notes += [note] * bool(note)
        usable = {
            each.structure: each
            for each in self.costs
            if not each.reason and (self.free is None or each.memory <= self.free)
        }
        self.budget = share_out(
            usable, max(self.left, 0.0), self.seeds, features=features, wanted=wanted
        )
        order: Sequence[Structure] = self.budget.structures
        if not order and usable:  # better one than none, cut short
            cheapest = min(usable.values(), key=lambda each: each.seconds).structure
            rest = tuple(name for name in self.budget.left_out if name != cheapest)
            order, self.budget = (cheapest,), Budget((cheapest,), 20, rest)
        for done, name in enumerate(order):
            weights = [usable[each].seconds for each in order[done:]]
            share = max(self.left, 1.0) * min(1.0, 2 * weights[0] / sum(weights))
            found, self.interrupted = probe(
                task, name, conv=self.conv, epochs=self.budget.epochs, seeds=self.seeds,
                seconds=share, device=self.device, features=features,
            )  # fmt: skip
            self.probes.append(found)
            if self.interrupted:
                return
