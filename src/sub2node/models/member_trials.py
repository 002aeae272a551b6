"""Members of an ensemble on trial: judged out of fold within a time limit."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..base.calibration import best_temperature, log_loss, probabilities
from ..base.errors import Sub2NodeError
from ..base.leaderboard import LeaderboardRow
from ..base.metrics import micro_f1
from ..base.progress import item
from ..base.ragged import Array
from .interface import Model
from .member_plans import MemberPlan
from .out_of_fold import FoldOutputs, FoldTask, predict_folds
from .stop_signals import StopSignals

_JUDGING = 0.6  # share of the time after which no further member is judged
_HOPELESS = 1.5  # times the log loss of the best member so far, after one fold
_LEAST = 1.0  # seconds that a network must have for a fold
_WORTHWHILE = 1.25  # times the log loss of the best member, up to which a network gets more seeds
_FOLD_SEEDS = 8  # the most seeds of a network in a fold
_SHARES = 2  # into how many shares the time for judging is cut for the network that is next
_RESERVE = 1.3  # times the seconds that the folds of a network let expect of all labels


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

    @property
    def log_loss(self) -> float:
        """Log loss of its answers out of fold."""
        assert self.row.log_loss is not None
        return self.row.log_loss

    def probabilities(self, *, multilabel: bool) -> Array:
        """Calibrated out-of-fold probabilities, (n, C)."""
        shares = probabilities(self.logits, self.temperature, multilabel=multilabel)
        return np.asarray(shares.mean(axis=0))


class TrialInterruptedError(Sub2NodeError):
    """The user asked to stop while a member was judged."""


class MemberTrials:
    """Judges members out of fold.

    Args:
        folds: Tasks that members are judged on.
        labels: Labels of all labelled subgraphs.
        seconds: Time limit of everything, with what comes after.
        seeds: Seeds of the networks; the first ones are used in folds.
        fold_seeds: Number of seeds in a fold.
        signals: What notes that the user asks to stop.
    """

    def __init__(
        self,
        folds: Sequence[FoldTask],
        labels: Array,
        *,
        seconds: float,
        seeds: Sequence[int],
        fold_seeds: int,
        signals: StopSignals | None = None,
    ) -> None:
        self.folds, self.labels, self.seconds = folds, labels, seconds
        self.seeds, self.fold_seeds = list(seeds), list(seeds)[:fold_seeds]
        self.start = time.perf_counter()
        self.judged: list[JudgedMember] = []
        self.rejected: list[LeaderboardRow] = []
        self.signals = StopSignals() if signals is None else signals

    @property
    def seconds_left(self) -> float:
        """Seconds until the time limit."""
        return self.start + self.seconds - time.perf_counter()

    @property
    def interrupted(self) -> bool:
        """Whether the user asked to stop."""
        return self.signals.requested

    def judge_all(self, plans: Sequence[MemberPlan]) -> None:
        """Judge one after the other, until the time is up or the user asks to stop."""
        for number, plan in enumerate(plans):
            self.report("Member", number, len(plans), plan.name)
            if self.interrupted:
                break
            left = self.seconds_left - (1 - _JUDGING) * self.seconds
            share = self._fold_seconds(plans[number:], left)
            too_slow = left <= plan.fold_seconds * len(self.folds)
            if self.judged and (too_slow or (plan.is_network and share < _LEAST)):
                self.rejected.append(LeaderboardRow(plan.name, state="no time left"))
                continue
            try:
                with self.signals.interrupting():
                    self._judge(plan, max(share, _LEAST))
            except (KeyboardInterrupt, TrialInterruptedError):
                self.signals.note()
                break
            except Sub2NodeError as error:
                self.rejected.append(LeaderboardRow(plan.name, state=str(error)))
        if self.interrupted and not self.judged:
            raise KeyboardInterrupt  # there is nothing to keep
        self.report("Member", len(plans), len(plans))

    def report(self, what: str, number: int, total: int, name: str = "") -> None:
        """Progress: the item in hand, and how much of the time limit is left."""
        item(what, number, total, name, even=False, seconds_left=max(self.seconds_left, 0.0))

    def _fold_seconds(self, plans: Sequence[MemberPlan], left: float) -> float:
        """Seconds for a fold of the next network: half the time that is left, or all of it.

        One that has learned enough is worth more than several that were cut short. Most need less
        than that; where time is short, the last ones get none.
        """
        networks = sum(plan.is_network for plan in plans)
        affordable = int(left / (_LEAST * len(self.folds)))
        return left / max(min(networks, affordable, _SHARES), 1) / len(self.folds)

    def refit_seconds(self, member: JudgedMember, seeds: int = 1) -> float:
        """Seconds that so many seeds of a member will take to learn from all labels."""
        learned_from = max(len(self.folds[0].labels["train"]), 1)
        grown = len(self.labels) / learned_from
        factor = _RESERVE if member.plan.is_network else 1.0
        return factor * seeds * member.fold_seconds * grown

    def _reserved(self) -> float:
        """Seconds to keep for learning from all labels, if all members that may count do."""
        most = (1 - _JUDGING) * self.seconds
        limit = _WORTHWHILE * min((member.log_loss for member in self.judged), default=0.0)
        worthwhile = [member for member in self.judged if member.log_loss <= limit]
        needed = sum(
            self.refit_seconds(member, len(self.seeds) if member.plan.is_network else 1)
            for member in worthwhile
        )
        return min(needed, most)

    def add_seeds(self) -> None:
        """Judge networks by more seeds, as far as the time for judging goes.

        In the end a network answers with the mean of many seeds, which is better than one of them:
        judged by a single seed it would weigh too little.
        """
        if self.interrupted or not self.judged:
            return
        limit = _WORTHWHILE * min(member.log_loss for member in self.judged)
        reserved = self._reserved()  # often less than what judging has left
        networks = [m for m in self.judged if m.plan.is_network and m.log_loss <= limit]
        for number, member in enumerate(sorted(networks, key=lambda member: member.log_loss)):
            self.report("More seeds", number, len(networks), member.plan.name)
            if self.interrupted:
                break
            left = self.seconds_left - reserved
            per_fold = left / (len(networks) - number) / len(self.folds)
            affordable = max(int(per_fold / max(member.fold_seconds, 1e-3)), 0)
            first = len(member.logits)
            seeds = self.seeds[first : min(first + affordable, _FOLD_SEEDS)]
            if not seeds:
                continue
            try:
                with self.signals.interrupting():
                    outputs = list(self._predict(member.plan, per_fold, seeds))
            except (KeyboardInterrupt, TrialInterruptedError):
                self.signals.note()
                break
            place = self.judged.index(member)
            self.judged[place] = self._summarize(member.plan, outputs, len(seeds), before=member)
        self.report("More seeds", len(networks), len(networks))

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

        def make(fold: FoldTask) -> Model:
            return plan.make_model(seconds, groups=fold.groups)

        for fold in predict_folds(make, self.folds, seeds):
            if fold.trained.facts.get("ended") == "interrupted":
                raise TrialInterruptedError("interrupted")
            yield fold

    def _is_too_slow(self, fold: FoldOutputs) -> bool:
        """Whether the other folds and all labels would take longer than what can be spared.

        What was judged already must still learn from all labels; networks can be cut short, simple
        models cannot.
        """
        return fold.seconds * len(self.folds) + self._reserved() > self.seconds_left

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


def calibrate_together(
    members: Sequence[JudgedMember], weights: Array, labels: Array
) -> list[JudgedMember]:
    """Multiply all temperatures by the one factor that fits the weighted mean best.

    The mean stays a mean of the members' probabilities, so that reasons still add up.
    """
    scaled = [member.logits / member.temperature for member in members]
    shares = [
        np.full(len(one), weight / len(one)) for one, weight in zip(scaled, weights, strict=True)
    ]
    factor = best_temperature(np.concatenate(scaled), labels, np.concatenate(shares))
    return [replace(member, temperature=member.temperature * factor) for member in members]
