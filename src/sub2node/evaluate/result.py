"""The result of a run: scores, settings, outputs and curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.metrics import class_f1, micro_f1, rankings_by_class, scores
from ..base.plotting import ResultPicture, draw
from ..base.ragged import Array
from ..models.interface import Outputs
from ..task import Part, SubgraphTask
from .positive_class import PositiveScores
from .result_views import result_frame, result_html
from .score_intervals import find_intervals
from .significance import Interval, Summary
from .verdicts import ScoredOn

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


AreaTables = dict[str, dict[str, Summary]]  # by metric and class


@dataclass(frozen=True, eq=False)
class Result:
    """Scores of one model on one split, over seeds.

    Args:
        model: The name of the model in tables.
        data: Name, hash and sizes of the task.
        seeds: One seed per replica.
        scores: Scores by part (val, test) and metric; one that a part cannot define is missing.
        class_scores: F1 by part and class.
        seconds: Time of training and evaluation.
        config: All settings.
        notes: Remarks for the reader, one sentence each.
        preset: The preset that the settings come from.
        thresholds: Thresholds of multi-label answers, one per replica.
        outputs: Logits and vectors by part, in the order of the rows of the task; not kept in
            result.json, nor are the two below.
        labels: Labels of these subgraphs, by part.
        subgraph_ids: Ids of these subgraphs, by part.
        history: Curves by column, (epochs, R).
        best_epoch: The best epoch of each replica, counted from 1.
        ended: ``complete``, ``early`` (patience ran out) or ``interrupted``.
        parameters: Number of trained values of one replica; None where nothing is trained by
            epochs.
        published_ties: Test micro-F1 by the published rule of GLASS, where requested: the best
            *test* score among the epochs that tie on validation.
        class_areas: ROC-AUC, PR-AUC, precision at k and where there are more than three classes
            top-3 and MRR, by part, metric and class, for the classes that have both
            sides in the part.
        positive: Scores of the positive class, where one was named.
        leaderboard: One row per member that an ensemble tried, the best first.
    """

    model: str
    data: dict[str, Any]
    seeds: tuple[int, ...]
    scores: dict[Part, dict[str, Summary]]
    class_scores: dict[Part, dict[str, Summary]]
    seconds: float
    config: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    preset: str = ""
    thresholds: tuple[float, ...] = ()
    outputs: dict[Part, Outputs] = field(default_factory=dict, repr=False)
    labels: dict[Part, Array] = field(default_factory=dict, repr=False)
    subgraph_ids: dict[Part, tuple[str, ...]] = field(default_factory=dict, repr=False)
    history: dict[str, Array] = field(default_factory=dict, repr=False)
    best_epoch: tuple[int, ...] = ()
    ended: str = "complete"
    parameters: int | None = None
    published_ties: Summary | None = None
    class_areas: dict[Part, AreaTables] = field(default_factory=dict)
    positive: PositiveScores | None = None
    leaderboard: tuple[dict[str, Any], ...] = ()

    @property
    def test(self) -> dict[str, Summary]:
        """Scores of the test part."""
        return self.scores["test"]

    @property
    def val(self) -> dict[str, Summary]:
        """Scores of the validation part."""
        return self.scores["val"]

    @property
    def scored_on(self) -> ScoredOn:
        """What the values of each score are of: seeds, or random splits."""
        facts = self.data
        return ScoredOn(facts.get("hash", ""), facts.get("splits", 0), facts.get("split", {}))

    @cached_property
    def test_intervals(self) -> dict[str, Interval]:
        """95 % intervals of test scores over seeds and test subgraphs together, by metric.

        A bootstrap over both, for micro-F1, macro-F1 and accuracy; over random splits, of every
        metric, the interval of the corrected resampled t-test. Wider than
        ``test[metric].interval``, which is over runs alone. A metric is missing with fewer than
        five runs of a network, or where nothing varies.
        """
        return find_intervals(self)

    def to_dict(self) -> dict[str, object]:
        """The content of result.json."""
        return {
            "model": self.model,
            **{
                part: {name: summary.to_dict() for name, summary in table.items()}
                for part, table in self.scores.items()
            },
            "per_class": {
                part: {name: summary.to_dict() for name, summary in table.items()}
                for part, table in self.class_scores.items()
            },
            "test_intervals": {name: list(ends) for name, ends in self.test_intervals.items()},
            "areas_per_class": {
                part: {
                    metric: {name: summary.to_dict() for name, summary in table.items()}
                    for metric, table in tables.items()
                }
                for part, tables in self.class_areas.items()
            },
            **({} if self.positive is None else {"positive": self.positive.to_dict()}),
            **({"leaderboard": list(self.leaderboard)} if self.leaderboard else {}),
            "seconds": self.seconds,
            "data": self.data,
            "config": self.config,
            "preset": self.preset,
            "seeds": list(self.seeds),
            "best_epoch": list(self.best_epoch),
            "ended": self.ended,
            "parameters": self.parameters,
            "thresholds": list(self.thresholds),
            "notes": list(self.notes),
            **(
                {"published_ties": self.published_ties.to_dict()}
                if self.published_ties is not None
                else {}
            ),
        }

    def to_frame(self) -> pd.DataFrame:
        """The scores as a pandas data frame, one row per part, metric and seed.

        Columns ``model``, ``part``, ``metric``, ``seed`` (``split`` for random splits), ``score``.
        """
        return result_frame(self)

    def plot(self, kind: ResultPicture | None = None) -> Figure:
        """A picture of the report as a Matplotlib figure.

        Args:
            kind: ``scores`` or ``losses`` by epoch, the ``confusion`` of classes on test,
                ``reliability`` of test probabilities, or the ``interval`` of the test score. By
                default the first of scores, confusion, reliability and interval that it has.
        """
        return draw("draw_result", self, kind=kind)

    def _repr_html_(self) -> str:
        return result_html(self)

    def __repr__(self) -> str:
        f1 = self.test["micro_f1"]
        spread = "" if f1.sd is None else f" ± {f1.sd:.3f}"
        return f"Result({self.model}: test micro-F1 {f1.mean:.3f}{spread}, n = {f1.n})"


def part_scores(labels: Array, logits: Array, thresholds: tuple[float, ...]) -> dict[str, Summary]:
    """Compute every metric over replicas; logits (R, m, C)."""
    multilabel = labels.ndim == 2
    replica_scores = [
        scores(labels, replica, multilabel=multilabel, threshold=threshold)
        for replica, threshold in zip(logits, thresholds, strict=True)
    ]
    names = replica_scores[0]  # what is defined depends on the labels alone
    return {name: Summary(tuple(table[name] for table in replica_scores)) for name in names}


def class_scores(
    task: SubgraphTask, labels: Array, logits: Array, thresholds: tuple[float, ...]
) -> dict[str, Summary]:
    """Compute F1 of each class over replicas."""
    multilabel = labels.ndim == 2
    f1 = np.array(
        [
            class_f1(labels, replica, multilabel=multilabel, threshold=threshold)
            for replica, threshold in zip(logits, thresholds, strict=True)
        ]
    )
    return {
        name: Summary(tuple(map(float, column)))
        for name, column in zip(task.class_names, f1.T, strict=True)
    }


def class_areas(task: SubgraphTask, labels: Array, logits: Array) -> AreaTables:
    """Compute how well each class that has both sides is ranked, over replicas."""
    multilabel = labels.ndim == 2
    tables = [rankings_by_class(labels, replica, multilabel=multilabel) for replica in logits]
    values = {metric: np.stack([table[metric] for table in tables]) for metric in tables[0]}
    return {
        metric: {
            name: Summary(tuple(map(float, column)))
            for name, column in zip(task.class_names, by_class.T, strict=True)
            if not np.isnan(column).any()
        }
        for metric, by_class in values.items()
    }


def join_areas(results: Sequence[Result]) -> dict[Part, AreaTables]:
    """The areas of classes over random splits: one value per split, of classes that all have."""
    first = results[0].class_areas
    return {
        part: {
            metric: {
                name: Summary(tuple(r.class_areas[part][metric][name].mean for r in results))
                for name in table
                if all(name in r.class_areas[part][metric] for r in results)
            }
            for metric, table in tables.items()
        }
        for part, tables in first.items()
    }


def data_facts(task: SubgraphTask) -> dict[str, object]:
    """Name, hash and sizes of the data, as a result keeps them."""
    assert task.split is not None
    parts: tuple[Part, ...] = ("train", "virtual", "val", "test")
    return {
        "name": task.name,
        "hash": task.hash,
        "nodes": task.graph.full_size,
        "edges": task.graph.full_edges,
        "subgraphs": len(task),
        "classes": task.num_classes,
        "multilabel": task.multilabel,
        "split": {part: task.split.count(part) for part in parts if task.split.count(part)},
    }


def best_of_ties(
    labels: Array, tied: Sequence[Sequence[Array]], thresholds: Sequence[float]
) -> Summary | None:
    """Compute test micro-F1 by the published rule; None where it was not requested."""
    multilabel = labels.ndim == 2
    best = [
        max(
            micro_f1(labels, logits, multilabel=multilabel, threshold=threshold)
            for logits in tied_logits
        )
        for tied_logits, threshold in zip(tied, thresholds, strict=False)
        if tied_logits
    ]
    return Summary(tuple(best)) if best else None
