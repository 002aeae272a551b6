"""Scores of the one class that matters, as fraud among payments: its ranking and its threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..base.errors import ConfigError, suggest
from ..base.metrics import best_threshold, comparable
from ..base.ragged import Array
from ..base.ranking_metrics import class_areas, precision_at_k
from ..base.records import Count, JsonObject
from ..task import Part, SubgraphTask
from .significance import Summary

AT = (10, 50, 100)  # of the likeliest, how many are looked at, where there are as many
AS_POSITIVES = "positives"  # as many as there are positives
HALF = 0.5


@dataclass(frozen=True)
class PositiveClass:
    """The class whose subgraphs are sought.

    Args:
        label: Its name.
        index: Its number.
    """

    label: str
    index: int

    @classmethod
    def find(cls, label: str, classes: Sequence[str], *, multilabel: bool) -> PositiveClass:
        """The class by its name.

        Args:
            label: The name that was given.
            classes: Names of the classes.
            multilabel: Whether a subgraph may have several labels.

        Raises:
            ConfigError: There is no such class, or a subgraph may have several.
        """
        if multilabel:
            raise ConfigError(
                "a positive class is for data with one label per subgraph; here each label has a"
                " ROC-AUC and a PR-AUC of its own anyway."
            )
        if label not in classes:
            raise ConfigError(f"there is no class {label!r}.{suggest(label, classes)}")
        return cls(label, list(classes).index(label))

    @classmethod
    def of_task(cls, task: SubgraphTask, label: str | None) -> PositiveClass | None:
        """The class of a task by its name; None where none is asked for."""
        if label is None:
            return None
        return cls.find(label, task.class_names, multilabel=task.multilabel)

    def truth(self, labels: Array) -> Array:
        """Which of the labels (m,) are this class."""
        return np.asarray(labels == self.index)

    def probabilities(self, logits: Array) -> Array:
        """Probabilities (R, m) of the class, from logits (R, m, C)."""
        logits = np.nan_to_num(logits, nan=-1e30)
        return np.asarray(comparable(logits, multilabel=False)[..., self.index])

    def choose_thresholds(self, labels: Array, logits: Array) -> tuple[float, ...]:
        """The threshold of each replica that is best on these labels.

        Args:
            labels: Classes (m,) of the validation part.
            logits: Logits (R, m, C) of the replicas.
        """
        truth = self.truth(labels)
        return tuple(choose_threshold(truth, row) for row in self.probabilities(logits))

    def score(
        self,
        labels: Mapping[Part, Array],
        logits: Mapping[Part, Array],
        thresholds: tuple[float, ...],
    ) -> PositiveScores:
        """Scores of the class on validation and test.

        Args:
            labels: Classes (m,) by part.
            logits: Logits (R, m, C) of the replicas, by part.
            thresholds: The threshold of each replica, as chosen on validation.
        """
        parts: list[PositivePart] = []
        asked: tuple[Part, ...] = ("val", "test")
        for part in asked:
            truth, probabilities = self.truth(labels[part]), self.probabilities(logits[part])
            rows = zip(probabilities, thresholds, strict=True)
            parts.append(PositivePart.of([measure_positive(truth, row, t) for row, t in rows]))
        return PositiveScores(self.label, thresholds, *parts)


def choose_threshold(truth: Array, probabilities: Array) -> float:
    """The probability above which the class has the best F1; one half where nothing is positive.

    Of thresholds that are equally good, the highest: it gives the fewest alerts.

    Args:
        truth: Booleans (m,).
        probabilities: Probabilities of the class (m,).
    """
    return best_threshold(truth, probabilities) if truth.any() else HALF


def measure_positive(truth: Array, probabilities: Array, threshold: float) -> JsonObject:
    """What one ranking of subgraphs is worth, as plain numbers.

    Counts, ``prevalence``, ``roc_auc`` and ``pr_auc`` (None without both kinds of subgraphs),
    ``precision_at`` by number of subgraphs, and ``precision``, ``recall`` and ``f1`` of those above
    the threshold (a share of nothing counts as 0).

    Args:
        truth: Booleans (m,).
        probabilities: Probabilities of the class (m,).
        threshold: The probability above which a subgraph counts as positive.
    """
    count, positives = len(truth), int(truth.sum())
    roc, pr = class_areas(truth[:, None], probabilities[:, None])
    alerts = probabilities > threshold
    hits, alert_count = int((alerts & truth).sum()), int(alerts.sum())
    sizes = {str(k): k for k in AT if k <= count}
    sizes |= {AS_POSITIVES: positives} if positives else {}
    return {
        "subgraphs": count,
        "positives": positives,
        "prevalence": positives / max(count, 1),
        "roc_auc": None if np.isnan(roc[0]) else float(roc[0]),
        "pr_auc": None if np.isnan(pr[0]) else float(pr[0]),
        "precision_at": {
            name: precision_at_k(truth, probabilities, k=k) for name, k in sizes.items()
        },
        "precision": hits / max(alert_count, 1),
        "recall": hits / max(positives, 1),
        "f1": 2 * hits / max(alert_count + positives, 1),
    }


@dataclass(frozen=True)
class PositivePart:
    """Scores of the positive class on one part, over runs; fields as in :func:`measure_positive`.

    Over random splits the counts are those of the first one.
    """

    subgraphs: Count
    positives: Count
    precision_at: dict[str, Summary]
    precision: Summary
    recall: Summary
    f1: Summary
    roc_auc: Summary | None = None
    pr_auc: Summary | None = None

    def __post_init__(self) -> None:
        scores = {**self.content(), **self.precision_at}
        for name, value in scores.items():
            if isinstance(value, Summary) and not value.values:
                raise ValueError(f"{name}.values: expected a value, found []")

    @property
    def prevalence(self) -> float:
        """Share of the class in the part."""
        return self.positives / max(self.subgraphs, 1)

    @classmethod
    def of(cls, measures: Sequence[JsonObject]) -> PositivePart:
        """From the measures of each run; what some runs do not have is omitted."""
        first = measures[0]
        shared = [
            at for at in first["precision_at"] if all(at in m["precision_at"] for m in measures)
        ]
        areas = {
            name: Summary(tuple(m[name] for m in measures))
            for name in ("roc_auc", "pr_auc")
            if all(m[name] is not None for m in measures)
        }
        return cls(
            subgraphs=first["subgraphs"],
            positives=first["positives"],
            precision_at={
                at: Summary(tuple(m["precision_at"][at] for m in measures)) for at in shared
            },
            **{
                key: Summary(tuple(m[key] for m in measures))
                for key in ("precision", "recall", "f1")
            },
            **areas,
        )

    def means(self) -> JsonObject:
        """The measures of a single run, from the means over runs."""
        return {key: _mean_of(value) for key, value in self.content().items()}

    def content(self) -> dict[str, object]:
        """Counts and :class:`Summary` objects by name, in the order of tables."""
        return {
            "subgraphs": self.subgraphs,
            "positives": self.positives,
            "prevalence": self.prevalence,
            "roc_auc": self.roc_auc,
            "pr_auc": self.pr_auc,
            "precision_at": self.precision_at,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
        }

    def to_dict(self) -> JsonObject:
        """For JSON."""
        return {key: _plain(value) for key, value in self.content().items()}


@dataclass(frozen=True)
class PositiveScores:
    """Scores of the positive class.

    Args:
        label: Its name.
        thresholds: The probability above which a subgraph counts as positive, by replica; the best
            on validation.
        val: Scores on the validation part.
        test: Scores on the test part.
    """

    label: str
    thresholds: tuple[float, ...]
    val: PositivePart
    test: PositivePart

    def __post_init__(self) -> None:
        if not self.thresholds:
            raise ValueError("thresholds: expected at least one, found []")

    def to_dict(self) -> JsonObject:
        """For JSON."""
        return {
            "label": self.label,
            "thresholds": list(self.thresholds),
            "val": self.val.to_dict(),
            "test": self.test.to_dict(),
        }


def join_positive(scores: Sequence[PositiveScores | None]) -> PositiveScores | None:
    """Scores over random splits: one value per split, the mean over its seeds.

    Args:
        scores: Scores on each split; None where no positive class was asked for.
    """
    asked = [one for one in scores if one is not None]
    if not asked:
        return None
    return PositiveScores(
        asked[0].label,
        tuple(float(np.mean(one.thresholds)) for one in asked),
        PositivePart.of([one.val.means() for one in asked]),
        PositivePart.of([one.test.means() for one in asked]),
    )


def missing_positive_note(label: str) -> str:
    """What to say where no threshold could be chosen."""
    return (
        f"the validation part has no subgraph of the class {label!r}, so that its threshold is one"
        " half; more labelled subgraphs, or another split, would let one be chosen."
    )


def _mean_of(value: object) -> object:
    if isinstance(value, Summary):
        return value.mean
    if isinstance(value, dict):
        return {key: _mean_of(inner) for key, inner in value.items()}
    return value


def _plain(value: object) -> object:
    if isinstance(value, Summary):
        return value.to_dict()
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return value
