"""All checks of a task, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..base.errors import ConfigError, DataError
from ..base.notes import data_changes
from ..base.progress import counted
from ..base.ragged import Array
from ..base.records import JsonObject
from ..coarsen import without_virtual
from ..evaluate.protocol import split_if_needed
from ..task import Part, SubgraphTask
from ..task.frames import TableLike
from ..task.whole_graph import require_loaded
from .check import Check, Verdict, not_applicable, worst
from .edge_origins import EdgeOrigin, edge_origins
from .group_leaks import check_groups, group_numbers
from .label_conflicts import check_label_conflicts
from .label_links import check_label_links
from .near_copies import check_near_copies
from .part_power import check_part_power
from .permuted_labels import check_permuted_labels
from .quick_models import (
    QuickModel,
    QuickScore,
    labels_of_part,
    quick_models,
    quick_scores,
    why_not_learned,
)
from .random_sets import check_random_sets
from .shared_members import check_shared_members

READS_TEST = (
    "some checks read the labels of the test part: audit data, and do not choose a model by it."
)
_DRAWS = 2  # of random sets


@dataclass(frozen=True, eq=False)
class Audit:
    """What an audit found.

    Args:
        name: The name of the data.
        data_hash: Content hash of the data, with the split that was audited.
        checks: One for each way in which a score could not be trusted.
        notes: Remarks for the reader, one sentence each.
        seconds: Time of all checks.
    """

    name: str
    data_hash: str
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def verdict(self) -> Verdict:
        """The most serious verdict."""
        return worst(*(check.verdict for check in self.checks))

    def __getitem__(self, name: str) -> Check:
        for check in self.checks:
            if check.name == name:
                return check
        raise KeyError(name)

    def to_dict(self) -> JsonObject:
        """The checks with their numbers, for JSON."""
        return {
            "data": self.name,
            "hash": self.data_hash,
            "verdict": str(worst(Verdict.OK, self.verdict)),
            "checks": [check.to_dict() for check in self.checks],
            "notes": list(self.notes),
            "seconds": self.seconds,
        }


def audit(
    task: SubgraphTask,
    *,
    groups: Mapping[str, object] | Sequence[object] | Array | None = None,
    origins: TableLike | None = None,
    permutations: int = 39,
    seed: int = 0,
) -> Audit:
    """Check a task for what makes a score on it untrustworthy; test labels are read.

    Args:
        task: The data; a missing split is drawn where there are labels.
        groups: The patient, family or source of each subgraph, by id or in the order of the input.
        origins: Where edges of the graph come from: a data frame ``source, target, origin``.
        permutations: How often labels are permuted; p-values are multiples of one over one more.
        seed: Seed of permutations and random sets.

    Example:
        >>> audit(task)["near_copies"].verdict
    """
    if permutations < 1:
        raise ConfigError(f"at least one permutation is needed, found {permutations}.")
    require_loaded(task.graph, "an audit")
    start = time.perf_counter()
    task, split_notes = split_if_needed(without_virtual(task))
    if task.split is None:
        raise DataError("the data has neither labels nor a split, so there is nothing to audit.")
    numbers = None if groups is None else group_numbers(task, groups)
    named = () if origins is None else edge_origins(task, origins)
    checks = _Checks(task, numbers, named, permutations, seed)
    found = [make() for _, make in counted(checks.steps, "Check", name=lambda step: step[0])]
    return Audit(
        name=task.name,
        data_hash=task.hash,
        checks=tuple(found),
        notes=(*data_changes(task.notes), *split_notes, READS_TEST),
        seconds=time.perf_counter() - start,
    )


@dataclass(frozen=True, eq=False)
class _Checks:
    """The checks of one task; what several need is computed once."""

    task: SubgraphTask
    groups: Array | None
    origins: tuple[EdgeOrigin, ...]
    permutations: int
    seed: int

    @property
    def steps(self) -> list[tuple[str, Callable[[], Check]]]:
        """What each check is called while it runs, and the check."""
        task, parts = self.task, self.parts
        return [
            ("near copies", lambda: check_near_copies(task, parts)),
            ("shared members", lambda: check_shared_members(task, parts)),
            ("groups", lambda: check_groups(task, parts, self.groups)),
            ("permuted labels", self._permuted_labels),
            ("random sets", self._random_sets),
            ("links", self._label_links),
            ("test part", lambda: check_part_power(task, parts, self._predictions())),
            ("label conflicts", lambda: check_label_conflicts(task)),
        ]

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Val and test, where they have subgraphs."""
        assert self.task.split is not None
        both: tuple[Part, ...] = ("val", "test")
        return tuple(part for part in both if self.task.split.count(part))

    @cached_property
    def obstacle(self) -> str | None:
        """Why no model can be learned."""
        return why_not_learned(self.task)

    @cached_property
    def models(self) -> tuple[QuickModel, ...]:
        """The quick models."""
        return quick_models(self.task)

    @cached_property
    def scores(self) -> tuple[QuickScore, ...]:
        """Their scores on the test part."""
        return quick_scores(self.task, self.models)

    def _predictions(self) -> dict[Part, Array]:
        """Predictions by part of the quick model that is best on test."""
        if self.obstacle is not None:
            return {}
        labels, classes = labels_of_part(self.task, "train"), self.task.num_classes
        best = max(range(len(self.scores)), key=lambda place: self.scores[place].score)
        model = self.models[best]
        return {part: model.predict(labels, classes=classes, part=part) for part in self.parts}

    def _permuted_labels(self) -> Check:
        if self.obstacle is not None:
            return self._not_learned("permuted_labels", "Permuted labels")
        return check_permuted_labels(
            self.task,
            self.models,
            self.scores,
            permutations=self.permutations,
            seed=self.seed,
        )

    def _random_sets(self) -> Check:
        if self.obstacle is not None:
            return self._not_learned("random_sets", "Size, degrees and random sets")
        return check_random_sets(self.task, self.scores, draws=_DRAWS, seed=self.seed)

    def _label_links(self) -> Check:
        if self.obstacle is not None:
            return self._not_learned("label_links", "Links that agree with labels")
        return check_label_links(self.task, self.origins, self._best_score)

    def _best_score(self, task: SubgraphTask) -> float:
        """The best score of the quick models on a task with other edges, or on this one."""
        own = task is self.task
        scores = self.scores if own else quick_scores(task, quick_models(task))
        return max(score.score for score in scores)

    def _not_learned(self, name: str, title: str) -> Check:
        return not_applicable(
            name,
            title,
            reason=self.obstacle or "",
            advice="Audit the data with labels and all parts.",
        )
