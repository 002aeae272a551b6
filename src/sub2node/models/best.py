"""``best``: members of several kinds, weighed out of fold, then learned from all labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ..base.calibration import probabilities
from ..base.errors import ConfigError, Sub2NodeError
from ..base.leaderboard import LeaderboardRow
from ..base.notes import Note, NoteKind
from ..base.ragged import Array
from ..coarsen import without_virtual
from ..config.best_settings import NAME, BestSettings
from ..task import Part, Split, SplitCode, SubgraphTask
from .greedy_selection import select_members, steady_weights
from .interface import Labels, Outputs
from .member_plans import MemberPlan, member_plans
from .member_refits import EnsembleMember, MemberRefits
from .member_trials import JudgedMember, MemberTrials, calibrate_together
from .out_of_fold import fold_tasks
from .stop_signals import StopSignals

_TINY = 1e-12


@dataclass(frozen=True, eq=False)
class TrainedEnsemble:
    """Members whose calibrated probabilities are averaged.

    Args:
        task: The task whose training part holds all labelled subgraphs.
        members: Those with a weight.
        leaderboard: All members that were tried, the best first.
        out_of_fold: Probabilities of train and val by members that had not learned from them.
        settings: Settings of the ensemble.
        grouped: Whether folds kept groups of subgraphs together.
        interrupted: Whether the user asked to stop before all members were judged.
    """

    task: SubgraphTask
    members: tuple[EnsembleMember, ...]
    leaderboard: tuple[LeaderboardRow, ...]
    out_of_fold: dict[Part, Array]
    settings: BestSettings
    grouped: bool = False
    interrupted: bool = False

    @property
    def facts(self) -> dict[str, Any]:
        """Fields of the :class:`Result` that come from the model itself."""
        chosen = ", ".join(f"{member.name} {member.weight:.2f}" for member in self.members)
        notes = [Note(NoteKind.CHOSEN, f"best: members and weights chosen out of fold ({chosen}).")]
        notes += [
            Note(NoteKind.CHOSEN, f"best: {row.name}: {row.state}.")
            for row in self.leaderboard
            if row.log_loss is not None and row.state
        ]
        if self.grouped:
            text = "best: no group of subgraphs was on both sides of a border between folds."
            notes.append(Note(NoteKind.CHOSEN, text))
        if self.interrupted:
            notes.append(
                Note(NoteKind.CHOSEN, "best: interrupted; what was judged by then answers.")
            )
        return {
            "config": {"baseline": NAME, **self.settings.to_dict()},
            "notes": tuple(notes),
            "leaderboard": tuple(asdict(row) for row in self.leaderboard),
            "ended": "interrupted" if self.interrupted else "complete",
        }

    def outputs(self, part: Part) -> Outputs:
        """Logits for a part; of train and val by members that had not learned from them."""
        multilabel = self.task.multilabel
        if part in self.out_of_fold:
            shares = self.out_of_fold[part]
        else:
            answers = [(member, member.trained.outputs(part).logits) for member in self.members]
            by_member = [
                probabilities(logits, member.temperature, multilabel=multilabel).mean(axis=0)
                for member, logits in answers
            ]
            weights = np.array([member.weight for member in self.members])
            shares = np.einsum("k,knc->nc", weights, np.stack(by_member))
        return Outputs(as_logits(shares, multilabel=multilabel)[None])


def as_logits(shares: Array, *, multilabel: bool) -> Array:
    """Logits whose softmax, or sigmoid, are these probabilities."""
    logs = np.log(np.maximum(shares, _TINY))
    return logs - np.log(np.maximum(1 - shares, _TINY)) if multilabel else logs


@dataclass(frozen=True)
class BestModel:
    """The best answer within a time limit.

    Args:
        plans: Members to try, in this order.
        settings: Folds, seeds and the time limit.
        groups: One value per row of the task, or the name of an attribute; equal ones are never on
            both sides of a border between folds.
        all_nodes: Whether nodes in no subgraph get vectors too, for subgraphs to come.
    """

    plans: tuple[MemberPlan, ...]
    settings: BestSettings = field(default_factory=BestSettings)
    groups: str | Sequence[Any] | Array | None = None
    all_nodes: bool = False

    @property
    def name(self) -> str:
        """What tables call it."""
        return NAME

    def fit(self, task: SubgraphTask, labels: Labels, seeds: Sequence[int]) -> TrainedEnsemble:
        """Learn from train and val together; ``labels`` has both."""
        task = without_virtual(task)
        assert task.split is not None
        values = self.groups
        if isinstance(values, str):
            values = task.attributes.groups(values)
        if values is not None and len(values) != len(task):
            raise ConfigError(f"{len(values):,} groups for {len(task):,} subgraphs.")
        is_test = task.split.mask("test")  # the rows after those of train and val
        truth = np.concatenate([labels["train"], labels["val"]])
        labelled = task.subset(~is_test)
        groups = None if values is None else np.asarray(values)[~is_test]
        signals = StopSignals()
        trials = MemberTrials(
            fold_tasks(labelled, min(self.settings.folds, len(truth)), groups=groups),
            truth,
            seconds=60 * self.settings.minutes,
            seeds=_enough_seeds(seeds, self.settings.most_seeds),
            fold_seeds=self.settings.fold_seeds,
            signals=signals,
        )
        with signals.listening():
            trials.judge_all(self.plans)
            trials.add_seeds()
            if not trials.judged:
                raise Sub2NodeError(f"no member could be judged; {trials.rejected[0].state}")
            return self._combine(trials, task, len(labels["train"]), groups)

    def _combine(
        self, trials: MemberTrials, task: SubgraphTask, num_train: int, groups: Array | None
    ) -> TrainedEnsemble:
        """Choose members and weights, let the members learn from all labels, and calibrate."""
        assert task.split is not None
        multilabel = task.multilabel
        codes = np.where(task.split.mask("test"), SplitCode.TEST, SplitCode.TRAIN)
        whole = task.with_split(Split(codes.astype(np.int8)))
        refits = MemberRefits(trials, whole, all_nodes=self.all_nodes, groups=groups)
        chosen, weights = _select_and_learn(trials, refits, multilabel=multilabel)
        chosen = calibrate_together(chosen, weights, trials.labels)
        shares = [member.probabilities(multilabel=multilabel) for member in chosen]
        mean = np.einsum("k,knc->nc", weights, np.stack(shares))
        by_name = {m.plan.name: float(w) for m, w in zip(chosen, weights, strict=True)}
        members = tuple(
            EnsembleMember(
                member.plan.name,
                refits.trained[member.plan.name],
                by_name[member.plan.name],
                member.temperature,
            )
            for member in chosen
        )
        rows = sorted(
            refits.rows(by_name), key=lambda row: (row.log_loss is None, row.log_loss or 0.0)
        )
        return TrainedEnsemble(
            whole,
            members,
            tuple(rows),
            {"train": mean[:num_train], "val": mean[num_train:]},
            self.settings,
            groups is not None,
            trials.interrupted,
        )


def _select_and_learn(
    trials: MemberTrials, refits: MemberRefits, *, multilabel: bool
) -> tuple[list[JudgedMember], Array]:
    """Members with a weight that have learned from all labels, and their weights.

    Where one of them did not learn, weights are chosen anew among the others.
    """
    while usable := [member for member in trials.judged if refits.can_answer(member)]:
        shares = [member.probabilities(multilabel=multilabel) for member in usable]
        weights, _ = select_members(shares, trials.labels)
        weights = steady_weights(weights, shares, trials.labels)
        chosen = [member for member, weight in zip(usable, weights, strict=True) if weight > 0]
        weights = weights[weights > 0]
        if refits.learn(chosen, weights.tolist()):
            return chosen, weights
        if not any(map(refits.can_answer, trials.judged)):
            refits.accept_worse()
    if trials.interrupted:
        raise KeyboardInterrupt  # there is nothing to keep
    raise Sub2NodeError(
        f"no member could learn from all labels; {next(iter(refits.states.values()))}"
    )


def _enough_seeds(seeds: Sequence[int], count: int) -> list[int]:
    """As many seeds as a network may have: those given, and others up to the usual number."""
    first = max(seeds, default=9) + 1
    return [*seeds, *range(first, first + count)][: max(count, len(seeds))]


def best_model(
    task: SubgraphTask,
    *,
    preset: str = "default",
    settings: BestSettings | None = None,
    groups: str | Sequence[Any] | Array | None = None,
    all_nodes: bool = False,
    **options: Any,
) -> BestModel:
    """``best`` for a task, with the members that fit it.

    Args:
        task: The task to learn.
        preset: Preset of the networks.
        settings: Folds, seeds and the time limit.
        groups: One value per row of the task, or the name of an attribute.
        all_nodes: Whether the model will answer for subgraphs to come.
        options: Options of networks.
    """
    plans = member_plans(task, preset, **options)
    return BestModel(plans, settings or BestSettings(), groups, all_nodes)
