"""Members of an ensemble on trial: judged out of fold within a time limit, then learned anew."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..base.calibration import best_temperature, log_loss, probabilities
from ..base.errors import Sub2NodeError
from ..base.metrics import micro_f1
from ..base.progress import item
from ..base.ragged import Array
from ..task import SubgraphTask
from .interface import Labels, Trained
from .member_plans import MemberPlan
from .out_of_fold import FoldOutputs, FoldTask, predict_folds

_JUDGING = 0.6  # share of the time after which no further member is judged
_HOPELESS = 1.5  # times the log loss of the best member so far, after one fold
_LEAST = 1.0  # seconds that a network must have for a fold
_WORTHWHILE = 1.25  # times the log loss of the best member, up to which a network gets more seeds
_FOLD_SEEDS = 4  # the most seeds of a network in a fold


@dataclass(frozen=True)
class LeaderboardRow:
    """A member as the user reads it.

    Args:
        name: The member.
        micro_f1: Micro-F1 of its out-of-fold answers; None: it has none.
        log_loss: Log loss of the same, calibrated.
        fit_seconds: Seconds that it took to learn, on folds and from all labels together.
        answer_ms: Milliseconds per answer.
        weight: Its share of the ensemble.
        state: What became of it, where it was not tried to its end.
    """

    name: str
    micro_f1: float | None = None
    log_loss: float | None = None
    fit_seconds: float = 0.0
    answer_ms: float | None = None
    weight: float = 0.0
    state: str = ""


@dataclass(frozen=True, eq=False)
class JudgedMember:
    """A member with its out-of-fold answers.

    Args:
        plan: The member.
        logits: Out-of-fold logits, (R, n, C).
        temperature: The temperature that fits them best.
        row: Its line of the leaderboard.
        fold_seconds: Seconds that one seed takes to learn from all folds but one.
    """

    plan: MemberPlan
    logits: Array
    temperature: float
    row: LeaderboardRow
    fold_seconds: float

    def probabilities(self, *, multilabel: bool) -> Array:
        """Calibrated out-of-fold probabilities, (n, C)."""
        shares = probabilities(self.logits, self.temperature, multilabel=multilabel)
        return np.asarray(shares.mean(axis=0))


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


class TrialInterruptedError(Sub2NodeError):
    """The user asked to stop while a member was judged."""


class MemberTrials:
    """Judges members out of fold, and lets those that are chosen learn from all labels.

    Args:
        folds: Tasks that members are judged on.
        labels: Labels of all labelled subgraphs.
        seconds: Time limit of everything.
        seeds: Seeds of the networks; the first ones are used in folds.
        fold_seeds: Number of seeds in a fold.
    """

    def __init__(
        self,
        folds: Sequence[FoldTask],
        labels: Array,
        *,
        seconds: float,
        seeds: Sequence[int],
        fold_seeds: int,
    ) -> None:
        self.folds, self.labels, self.seconds = folds, labels, seconds
        self.seeds, self.fold_seeds = list(seeds), list(seeds)[:fold_seeds]
        self.start = time.perf_counter()
        self.judged: list[JudgedMember] = []
        self.rejected: list[LeaderboardRow] = []
        self.interrupted = False

    @property
    def _left(self) -> float:
        return self.start + self.seconds - time.perf_counter()

    def judge_all(self, plans: Sequence[MemberPlan]) -> None:
        """Judge one after the other, until the time is up or the user asks to stop."""
        for number, plan in enumerate(plans):
            item("Member", number, len(plans), plan.name, even=False)
            left = self._left - (1 - _JUDGING) * self.seconds
            share = self._fold_seconds(plans[number:], left)
            too_slow = left <= plan.fold_seconds * len(self.folds)
            if self.judged and (too_slow or (plan.is_network and share < _LEAST)):
                self.rejected.append(LeaderboardRow(plan.name, state="no time left"))
                continue
            try:
                self._judge(plan, max(share, _LEAST))
            except (KeyboardInterrupt, TrialInterruptedError):
                if not self.judged:
                    raise KeyboardInterrupt from None
                self.interrupted = True
                break
            except Sub2NodeError as error:
                self.rejected.append(LeaderboardRow(plan.name, state=str(error)))
        item("Member", len(plans), len(plans))

    def _fold_seconds(self, plans: Sequence[MemberPlan], left: float) -> float:
        """Seconds for a fold of the next network; where time is short, the last ones get none."""
        networks = sum(plan.is_network for plan in plans)
        affordable = int(left / (_LEAST * len(self.folds)))
        return left / max(min(networks, affordable), 1) / len(self.folds)

    def add_seeds(self) -> None:
        """Judge networks by more seeds, as far as the time for judging goes.

        In the end a network answers with the mean of many seeds, which is better than one of them:
        judged by a single seed it would weigh too little.
        """
        if self.interrupted or not self.judged:
            return
        limit = _WORTHWHILE * min(_loss_of(member) for member in self.judged)
        networks = [m for m in self.judged if m.plan.is_network and _loss_of(m) <= limit]
        for number, member in enumerate(sorted(networks, key=_loss_of)):
            item("More seeds", number, len(networks), member.plan.name, even=False)
            left = self._left - (1 - _JUDGING) * self.seconds
            per_fold = left / (len(networks) - number) / len(self.folds)
            affordable = max(int(per_fold / max(member.fold_seconds, 1e-3)), 0)
            first = len(member.logits)
            seeds = self.seeds[first : min(first + affordable, _FOLD_SEEDS)]
            if not seeds:
                continue
            try:
                outputs = list(self._predict(member.plan, per_fold, seeds))
            except (KeyboardInterrupt, TrialInterruptedError):
                self.interrupted = True
                break
            place = self.judged.index(member)
            self.judged[place] = self._summarize(member.plan, outputs, len(seeds), before=member)
        item("More seeds", len(networks), len(networks))

    def _judge(self, plan: MemberPlan, seconds: float) -> None:
        outputs: list[FoldOutputs] = []
        seeds = self.fold_seeds if plan.is_network else self.seeds[:1]
        for fold in self._predict(plan, seconds, seeds):
            outputs.append(fold)
            if len(outputs) > 1 or not self.judged:
                continue
            state = "stopped after one fold" if self._is_hopeless(fold) else ""
            if not plan.is_network and self._is_too_slow(fold):
                state = "too slow for the time limit"
            if state:
                spent = fold.seconds + fold.answer_seconds
                self.rejected.append(LeaderboardRow(plan.name, fit_seconds=spent, state=state))
                return
        self.judged.append(self._summarize(plan, outputs, len(seeds)))

    def _predict(
        self, plan: MemberPlan, seconds: float, seeds: Sequence[int]
    ) -> Iterator[FoldOutputs]:
        """Answers fold by fold; raises where the user asks to stop."""
        for fold in predict_folds(lambda: plan.for_fold(seconds), self.folds, seeds):
            if fold.trained.facts.get("ended") == "interrupted":
                raise TrialInterruptedError("interrupted")
            yield fold

    def _is_too_slow(self, fold: FoldOutputs) -> bool:
        """Whether the other folds and all labels would take longer than what can be spared.

        What was judged already must still learn from all labels; networks can be cut short, simple
        models cannot.
        """
        reserved = sum(m.fold_seconds for m in self.judged if not m.plan.is_network)
        return fold.seconds * len(self.folds) + reserved > self._left

    def _is_hopeless(self, fold: FoldOutputs) -> bool:
        """Whether another member is so much better on this fold that the rest is not worth it."""
        labels = self.labels[fold.rows]
        if not self.judged or not len(labels):
            return False
        best = min(
            log_loss(member.logits[:, fold.rows], labels, member.temperature)
            for member in self.judged
        )
        own = log_loss(fold.logits, labels, best_temperature(fold.logits, labels))
        return own > _HOPELESS * best + 0.05

    def _summarize(
        self,
        plan: MemberPlan,
        outputs: Sequence[FoldOutputs],
        replicas: int,
        *,
        before: JudgedMember | None = None,
    ) -> JudgedMember:
        """The member with these answers, joined to those of other seeds ``before``."""
        first, labels = outputs[0].logits, self.labels
        logits = np.zeros((first.shape[0], len(labels), first.shape[2]))
        for fold in outputs:
            logits[:, fold.rows] = fold.logits
        seconds = sum(fold.seconds for fold in outputs)
        per_seed = seconds / len(outputs) / max(replicas, 1)
        answer_seconds = sum(fold.answer_seconds for fold in outputs)
        answer_ms = 1000 * answer_seconds / max(len(labels), 1)
        if before is not None:
            logits = np.concatenate([before.logits, logits])
            seconds += before.row.fit_seconds
            answer_ms += before.row.answer_ms or 0.0
        temperature, multilabel = best_temperature(logits, labels), labels.ndim == 2
        mean = probabilities(logits, temperature, multilabel=multilabel).mean(axis=0)
        row = LeaderboardRow(
            plan.name,
            micro_f1(labels, mean, multilabel=multilabel, threshold=0.5),
            log_loss(logits, labels, temperature),
            seconds,
            answer_ms,
        )
        return JudgedMember(plan, logits, temperature, row, per_seed)

    def calibrate_together(self, weights: Array) -> None:
        """Multiply all temperatures by the one factor that fits the weighted mean best.

        The mean stays a mean of the members' probabilities, so that reasons still add up.
        """
        scaled = [member.logits / member.temperature for member in self.judged]
        shares = [
            np.full(len(one), weight / len(one))
            for one, weight in zip(scaled, weights, strict=True)
        ]
        factor = best_temperature(np.concatenate(scaled), self.labels, np.concatenate(shares))
        self.judged = [
            replace(member, temperature=member.temperature * factor) for member in self.judged
        ]

    def learn_all(
        self, task: SubgraphTask, weights: Array, *, all_nodes: bool
    ) -> tuple[list[EnsembleMember], list[LeaderboardRow]]:
        """The members with a weight, learned from all labels, and the lines of the leaderboard.

        Args:
            task: The task whose training part holds all labelled subgraphs.
            weights: The weight of each judged member.
            all_nodes: Whether nodes in no subgraph get vectors too, for subgraphs to come.
        """
        labels: Labels = {"train": self.labels, "val": self.labels[:0]}
        chosen = [(m, float(w)) for m, w in zip(self.judged, weights, strict=True) if w > 0]
        members, rows = [], {member.row.name: member.row for member in self.judged}
        networks = sum(member.plan.is_network for member, _ in chosen)
        for number, (member, weight) in enumerate(chosen):
            name = member.plan.name
            item("Learning from all labels", number, len(chosen), name, even=False)
            share = max(self._left, _LEAST) / max(networks, 1)
            networks -= member.plan.is_network
            start = time.perf_counter()
            seeds = self._final_seeds(member, share)
            model = member.plan.for_all(share, all_nodes=all_nodes)
            trained = model.fit(task, labels, seeds)
            self.interrupted |= trained.facts.get("ended") == "interrupted"
            spent = rows[name].fit_seconds + time.perf_counter() - start
            rows[name] = replace(rows[name], weight=weight, fit_seconds=spent)
            members.append(EnsembleMember(name, trained, weight, member.temperature))
        item("Learning from all labels", len(chosen), len(chosen))
        return members, [*rows.values(), *self.rejected]

    def _final_seeds(self, member: JudgedMember, seconds: float) -> list[int]:
        """As many seeds as there is time for; a simple model has one."""
        if not member.plan.is_network:
            return self.seeds[:1]
        grown = len(self.labels) / max(len(self.folds[0].labels["train"]), 1)
        affordable = int(seconds / max(member.fold_seconds * grown, 1e-3))
        return self.seeds[: max(1, min(len(self.seeds), affordable))]


def _loss_of(member: JudgedMember) -> float:
    assert member.row.log_loss is not None
    return member.row.log_loss
