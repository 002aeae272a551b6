"""The jobs of the equal search: which trial, of which model, on which splits, in which order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

FIRST = ("glass", "subgnn")  # their trainings are the longest
PUBLISHED = -1  # the number of the split that the data come with
Best = dict[tuple[str, str, int], tuple[int, int]]


@dataclass(frozen=True)
class Job:
    """A piece of work for one process.

    Args:
        kind: ``search``: a trial within a split; ``confirm``: settings on random splits;
            ``published``: settings on the published split.
        data: The name of the data.
        model: The name of the contestant.
        trial: The number of the settings; 0: the published ones.
        of: The number of trials that the settings are the best of; 0 in a search.
        splits: The numbers of the random splits; that of the published one is -1.
    """

    kind: str
    data: str
    model: str
    trial: int
    of: int = 0
    splits: tuple[int, ...] = (PUBLISHED,)

    @property
    def key(self) -> tuple[object, ...]:
        """What is never done twice."""
        return self.kind, self.data, self.model, self.trial, self.splits


def in_turn(models: Sequence[str]) -> list[str]:
    """Models in the order of their jobs: those that take longest first."""
    return sorted(models, key=lambda name: (name.split(",")[0] not in FIRST, "rwpe" in name))


def search_jobs(
    data: Sequence[str], models: Sequence[str], trials: int, splits: int = 10, *, given: bool = True
) -> list[Job]:
    """Trial by trial, over all models, data and splits.

    The published split comes first, without ``given`` not at all.
    """
    return [
        Job("search", name, model, trial, splits=(split,))
        for trial in range(trials)
        for split in range(PUBLISHED if given else 0, splits)
        for model in in_turn(models)
        for name in data
    ]


def best_trials(rows: Sequence[dict[str, Any]]) -> Best:
    """For data, model and split: the best trial (of equal ones the first) and of how many.

    On each data set that is the number of trials that every model has on every split, of the
    models that have any.
    """
    scores: dict[tuple[str, str, int], dict[int, float]] = defaultdict(dict)
    for row in rows:
        if row["kind"] == "search":
            score = float(row["score"]) if row.get("score") else -1.0  # it failed
            scores[row["data"], row["model"], int(row["splits"])][int(row["trial"])] = score
    counts: dict[str, int] = {}
    for (data, *_), trials in scores.items():
        complete = next(n for n in range(len(trials) + 1) if n not in trials)
        counts[data] = min(counts.get(data, complete), complete)
    best = {}
    for key, trials in scores.items():
        count = counts[key[0]]
        if count and max(trials[n] for n in range(count)) >= 0:
            best[key] = max(range(count), key=lambda n: (trials[n], -n)), count
    return best


def later_jobs(
    rows: Sequence[dict[str, Any]], data: Sequence[str], models: Sequence[str]
) -> list[Job]:
    """What follows a search: the best settings of each split, then the published ones."""
    best, jobs = best_trials(rows), []
    for settings in ("searched", "published"):
        for kind in ("confirm", "published"):
            for model in in_turn(models):
                for name in data:
                    jobs += _jobs_of(best, kind, name, model, searched=settings == "searched")
    return jobs


def _jobs_of(best: Best, kind: str, data: str, model: str, *, searched: bool) -> Iterator[Job]:
    """Jobs of one kind: splits whose settings are the same are trained side by side."""
    splits: dict[int, list[int]] = defaultdict(list)
    count = 0
    for (name, other, split), (trial, of) in sorted(best.items()):
        if (name, other) == (data, model) and (split == PUBLISHED) == (kind == "published"):
            splits[trial if searched else 0].append(split)
            count = of
    for trial, numbers in sorted(splits.items()):
        yield Job(kind, data, model, trial, count, tuple(numbers))
