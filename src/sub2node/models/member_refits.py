"""Members of an ensemble that learn once more, from all labels, and the check that they did."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..base.calibration import log_loss
from ..base.errors import Sub2NodeError
from ..base.leaderboard import LeaderboardRow
from ..base.ragged import Array
from ..task import SubgraphTask
from .interface import Labels, Trained
from .member_trials import JudgedMember, MemberTrials

_LEAST = 1.0  # seconds that a network gets in any case
_AFTER_STOP = 0.1  # share of the time limit that networks get after Ctrl-C
_TOLERANCE, _SLACK = 1.1, 0.02  # factor and summand on the log loss out of fold; see below


@dataclass(frozen=True, eq=False)
class EnsembleMember:
    """A member that has learned from all labels.

    Args:
        name: What tables call it.
        trained: The model.
        weight: Its share of the answer.
        temperature: Number by which its logits are divided.
    """

    name: str
    trained: Trained
    weight: float
    temperature: float


class MemberRefits:
    """Lets members that were judged learn from all labels, as far as time and the user allow.

    A member must know the labels that it has learned from at least as well as its models of the
    folds knew those that they had not seen: with a clearly higher log loss something went wrong (a
    network that was cut short, say), and it does not answer.

    Args:
        trials: The trials in which members were judged.
        task: The task whose training part holds all labelled subgraphs.
        all_nodes: Whether nodes in no subgraph get vectors too, for subgraphs to come.
        groups: One value per labelled subgraph; folds within them keep equal ones together.
    """

    def __init__(
        self,
        trials: MemberTrials,
        task: SubgraphTask,
        *,
        all_nodes: bool,
        groups: Array | None = None,
    ) -> None:
        self.trials, self.task, self.all_nodes, self.groups = trials, task, all_nodes, groups
        self.trained: dict[str, Trained] = {}
        self.seconds: dict[str, float] = {}
        self.states: dict[str, str] = {}  # why a member does not answer
        self._worse: dict[str, tuple[float, Trained]] = {}  # by how much, and what has learned
        self._given_up = False  # the user asked twice: members that have not learned never will

    def can_answer(self, member: JudgedMember) -> bool:
        """Whether it has learned from all labels, or may still do so."""
        name = member.plan.name
        return name in self.trained or not (self._given_up or name in self.states)

    def learn(self, chosen: Sequence[JudgedMember], weights: Sequence[float]) -> bool:
        """Let those learn that have not yet; whether all of them can answer then.

        Simple models come first, which cannot be cut short, then the networks by weight.

        Args:
            chosen: Members with a weight.
            weights: The weights.
        """
        missing = [
            (member.plan.is_network, -weight, number)
            for number, (member, weight) in enumerate(zip(chosen, weights, strict=True))
            if member.plan.name not in self.trained
        ]
        order = [chosen[number] for *_, number in sorted(missing)]
        for number, member in enumerate(order):
            self.trials.report("Learning from all labels", number, len(order), member.plan.name)
            if self._given_up:
                break
            networks = sum(other.plan.is_network for other in order[number:])
            try:
                with self.trials.signals.interrupting(number=2):
                    self._learn(member, self._share(networks))
            except KeyboardInterrupt:
                self.trials.signals.note()
                self.states[member.plan.name] = "interrupted"
                self._given_up = bool(self.trained)  # else the next one, or there is no answer
            except Sub2NodeError as error:
                self.states[member.plan.name] = str(error)
        self.trials.report("Learning from all labels", len(order), len(order))
        return all(member.plan.name in self.trained for member in chosen)

    def _share(self, networks: int) -> float:
        """Seconds for the next network; after Ctrl-C there is little time left."""
        left = self.trials.seconds_left
        if (since := self.trials.signals.since) is not None:
            left = min(left, since + _AFTER_STOP * self.trials.seconds - time.perf_counter())
        return max(left, _LEAST) / max(networks, 1)

    def _learn(self, member: JudgedMember, seconds: float) -> None:
        name, plan = member.plan.name, member.plan
        seeds = self._seeds(member, seconds)
        if not seeds:
            self.states[name] = "interrupted"
            return
        start = time.perf_counter()
        labels: Labels = {"train": self.trials.labels, "val": self.trials.labels[:0]}
        model = plan.make_model(seconds, all_nodes=self.all_nodes, groups=self.groups)
        trained = model.fit(self.task, labels, seeds)
        if trained.facts.get("ended") == "interrupted":
            self.trials.signals.note()
        loss = log_loss(trained.outputs("train").logits, labels["train"], member.temperature)
        self.seconds[name] = time.perf_counter() - start
        expected = member.log_loss
        if loss <= _TOLERANCE * expected + _SLACK:
            self.trained[name] = trained
            return
        self._worse[name] = loss - expected, trained
        self.states[name] = (
            f"left out: learned anew from all labels, its log loss on these is {loss:.3f}, where"
            f" it was {expected:.3f} on folds that it had not seen"
        )

    def accept_worse(self) -> None:
        """Where nobody has learned as it should, the one that comes nearest answers after all."""
        if self._worse:
            name = min(self._worse, key=lambda name: self._worse[name][0])
            _, self.trained[name] = self._worse[name]
            self.states[name] = self.states[name].replace("left out", "kept, as the only one", 1)

    def _seeds(self, member: JudgedMember, seconds: float) -> list[int]:
        """As many seeds as there is time for; a simple model has one."""
        seeds, plan = self.trials.seeds, member.plan
        if not plan.is_network:
            return seeds[:1]
        affordable = int(seconds / max(self.trials.refit_seconds(member), 1e-3))
        if self.trials.interrupted:
            return seeds[: min(affordable, 1)]
        return seeds[: max(1, min(len(seeds), affordable))]

    def rows(self, weights: dict[str, float]) -> list[LeaderboardRow]:
        """The lines of the leaderboard, those of members that were not judged last.

        Args:
            weights: The weight of each member that answers, by name.
        """
        lines = []
        for member in self.trials.judged:
            name, row = member.plan.name, member.row
            spent = row.fit_seconds + self.seconds.get(name, 0.0)
            state, weight = self.states.get(name, ""), weights.get(name, 0.0)
            lines.append(replace(row, fit_seconds=spent, weight=weight, state=state))
        return [*lines, *self.trials.rejected]
