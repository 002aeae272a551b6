"""Models that learn in a fraction of a second, so that they can learn again for every control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..base.errors import DataError
from ..base.metrics import answers
from ..base.ragged import Array, SparseMatrix
from ..baselines.linear_classifier import solve
from ..baselines.node_bags import NodeBag, weighted_bag
from ..encode import subgraph_statistics
from ..task import Part, SubgraphTask, require_learnable
from .chance import Chance, chance_of, micro_f1_of_tables

_STRENGTH = 10.0  # of all regressions alike: nothing is chosen, so nothing can be chosen by labels
_HOPS = 2
_BINS = 8  # of a number that becomes columns


@dataclass(frozen=True, eq=False)
class QuickModel:
    """A logistic regression on rows that do not depend on any label.

    Args:
        name: What it is called in texts.
        rows: Rows of the subgraphs of each part, CSR (m, F); columns are those that train has.
    """

    name: str
    rows: Mapping[Part, SparseMatrix]

    def predict(self, labels: Array, *, classes: int, part: Part = "test") -> Array:
        """What it predicts for a part after learning from these labels of train; bool (m, C).

        Args:
            labels: Labels of the training subgraphs: classes (n,), or booleans (n, C).
            classes: Number of classes.
            part: The part to predict.
        """
        table = one_hot(labels, classes)
        weights, biases = solve(self.rows["train"], table, labels, _STRENGTH)
        logits = np.asarray(self.rows[part] @ weights) + biases
        return one_hot(answers(logits, multilabel=labels.ndim == 2), classes)


@dataclass(frozen=True, eq=False)
class QuickScore:
    """The score of a model on the test part.

    Args:
        predicted: Predictions, bool (m, C).
        score: Micro-F1.
        chance: The same by chance, of these predictions.
    """

    predicted: Array
    score: float
    chance: Chance

    @classmethod
    def of(cls, truth: Array, predicted: Array) -> QuickScore:
        """The score of predictions (m, C) against labels (m, C)."""
        return cls(predicted, micro_f1_of_tables(truth, predicted), chance_of(truth, predicted))


def why_not_learned(task: SubgraphTask) -> str | None:
    """Why no model can be learned and scored on this task; None where one can."""
    try:
        require_learnable(task, ("train", "test"))
    except DataError as error:
        return str(error)
    return None


def quick_models(task: SubgraphTask) -> tuple[QuickModel, ...]:
    """``bag``, ``hops`` and ``shape``: members, what they reach, and statistics of a subgraph.

    Args:
        task: The data, with a split; its labels are not read.
    """
    assert task.split is not None
    known = task.subgraphs.take(np.flatnonzero(task.split.mask("train")))
    hops = weighted_bag(known, task.graph.num_nodes, _HOPS)
    return (
        _model(task, "bag", NodeBag(excluded=hops.excluded).rows(task)),
        _model(task, "hops", hops.rows(task)),
        model_of_numbers(task, "shape", subgraph_statistics(task)),
    )


def quick_scores(task: SubgraphTask, models: Sequence[QuickModel]) -> tuple[QuickScore, ...]:
    """Scores of models on the test part of a task, after learning from train."""
    truth, labels = truth_of_part(task, "test"), labels_of_part(task, "train")
    return tuple(
        QuickScore.of(truth, model.predict(labels, classes=task.num_classes)) for model in models
    )


def model_of_numbers(task: SubgraphTask, name: str, numbers: Array) -> QuickModel:
    """A quick model on numbers of each subgraph, cut into bins with equal shares of train.

    Args:
        task: The data, with a split.
        name: What it is called in texts.
        numbers: Numbers of each subgraph, (M, K).
    """
    assert task.split is not None
    train = task.split.mask("train")
    shares = np.arange(1, _BINS) / _BINS
    bins = [
        np.searchsorted(np.unique(np.quantile(column[train], shares)), column, side="right")
        for column in numbers.T
    ]
    columns = np.stack(bins, axis=1) + _BINS * np.arange(len(bins))
    ptr = np.arange(len(task) + 1) * len(bins)
    ones = np.ones(columns.size)
    shape = (len(task), _BINS * len(bins))
    return _model(task, name, sp.csr_array((ones, columns.ravel(), ptr), shape=shape))


def _model(task: SubgraphTask, name: str, rows: SparseMatrix) -> QuickModel:
    assert task.split is not None
    train = rows[task.split.mask("train")]
    used = np.flatnonzero(np.bincount(train.indices, minlength=rows.shape[1]))
    kept = rows[:, used]
    parts: tuple[Part, ...] = ("train", "val", "test")
    return QuickModel(name, {part: kept[task.split.mask(part)] for part in parts})


def labels_of_part(task: SubgraphTask, part: Part) -> Array:
    """The labels of a part: classes (m,), or booleans (m, C)."""
    assert task.labels is not None
    assert task.split is not None
    return np.asarray(task.labels[task.split.mask(part)])


def truth_of_part(task: SubgraphTask, part: Part) -> Array:
    """The labels of a part as booleans (m, C)."""
    return one_hot(labels_of_part(task, part), task.num_classes)


def majority_score(task: SubgraphTask) -> float:
    """Micro-F1 on test of the most frequent class of train; multi-label: of those above half."""
    train, truth = truth_of_part(task, "train"), truth_of_part(task, "test")
    share = train.mean(axis=0)
    row = share > 0.5 if task.multilabel else np.arange(task.num_classes) == share.argmax()
    return micro_f1_of_tables(truth, np.tile(row, (len(truth), 1)))


def one_hot(labels: Array, classes: int) -> Array:
    """Labels as booleans (m, C)."""
    return np.asarray(labels if labels.ndim == 2 else labels[:, None] == np.arange(classes), bool)
