"""Linear models on the nodes that subgraphs have and reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp

from ..base.calibration import best_temperature, log_loss
from ..base.errors import DataError
from ..base.metrics import micro_f1
from ..base.progress import counted
from ..base.ragged import Array, SparseMatrix, generator
from ..base.records import JsonObject
from ..encode import SubgraphScale
from ..encode.border import BORDER_HOPS
from ..task import SubgraphTask
from .node_bags import NodeBag, unit_rows
from .one_vs_rest import fit_one_vs_rest

_FEW = 1000  # training subgraphs up to which a strength is judged on five folds instead of one
_FOLDS = 5
Criterion = Literal["micro_f1", "log_loss"]


@dataclass(frozen=True, eq=False)
class LinearClassifier:
    """Logits x w + b of the rows x of a bag of nodes, and of what lies around subgraphs.

    Args:
        bag: How subgraphs become rows.
        columns: Columns of the rows that have weights, ascending; (F,).
        weights: Weights of these columns, float32 (F, C).
        biases: One per class, (C,).
        border: How what lies around subgraphs becomes further columns; None: it is not read.
    """

    kind: ClassVar[str] = "linear"

    bag: NodeBag
    columns: Array
    weights: Array
    biases: Array
    border: SubgraphScale | None = None

    @property
    def facts(self) -> JsonObject:
        """What it consists of besides numbers."""
        facts: JsonObject = {"hops": self.bag.hops, "symmetric": self.bag.symmetric}
        if self.border is not None:
            facts["border"] = self.border.kind
        return {**facts, "excluded": True} if self.bag.excluded else facts

    @property
    def arrays(self) -> dict[str, Array]:
        """The numbers that it consists of."""
        arrays = {"columns": self.columns, "weights": self.weights, "biases": self.biases}
        if self.bag.node_weights is not None:
            arrays["node_weights"] = self.bag.node_weights
        if self.bag.excluded_weights is not None:
            arrays["excluded_weights"] = self.bag.excluded_weights
        if self.border is not None:
            arrays |= {"border.mean": self.border.mean, "border.sd": self.border.sd}
        return arrays

    @classmethod
    def restore(cls, facts: JsonObject, arrays: Mapping[str, Array]) -> Self:
        """The classifier that had these facts and arrays."""
        hops, symmetric = facts.get("hops"), facts.get("symmetric")
        excluded = facts.get("excluded", False)
        if type(hops) is not int or not 0 <= hops <= 16 or not isinstance(symmetric, bool):
            raise DataError("the settings of a linear model make no sense.")
        columns, weights, biases = (arrays[name] for name in ("columns", "weights", "biases"))
        fits = columns.ndim == 1 and weights.shape == (len(columns), *biases.shape)
        if not fits or biases.ndim != 1 or (np.diff(columns) <= 0).any() or (columns < 0).any():
            raise DataError("the arrays of a linear model do not fit each other.")
        if not isinstance(excluded, bool):
            raise DataError("the settings of a linear model make no sense.")
        own, absent = (arrays.get(name) for name in ("node_weights", "excluded_weights"))
        bag = NodeBag(hops, own, symmetric, excluded=excluded, excluded_weights=absent)
        return cls(bag, columns, weights, biases, _read_border(facts.get("border"), arrays))

    @property
    def reads_excluded(self) -> bool:
        """Whether excluded nodes have a say."""
        return self.bag.excluded

    def logits(self, task: SubgraphTask) -> Array:
        """Logits (1, M, C) of all subgraphs of a task on the same graph."""
        return self.weigh(linear_rows(self.bag, task, self.border))

    def weigh(self, rows: SparseMatrix) -> Array:
        """Logits (1, M, C) of rows of the bag."""
        return (self._weigh(rows) + self.biases)[None]

    def member_logits(self, task: SubgraphTask) -> Array:
        """What each member, then each excluded node, adds to the logits of its subgraph; (n, C)."""
        rows = self.bag.member_rows(task)
        if self.border is not None:
            rows = sp.hstack([rows, sp.csr_array((rows.shape[0], len(self.border.mean)))]).tocsr()
        return self._weigh(rows)

    @property
    def reads_border(self) -> bool:
        """Whether what lies around subgraphs has a say."""
        return self.border is not None

    def border_logits(self, task: SubgraphTask) -> Array | None:
        """What lies around subgraphs adds to their logits; (M, C)."""
        if self.border is None:
            return None
        rows = _border_rows(self.border, task)
        own = self.columns >= self.bag.width(task)
        return rows[:, self.columns[own] - self.bag.width(task)] @ self._wide_weights[own]

    @property
    def empty_logits(self) -> Array:
        """Logits of an empty subgraph; (1, C)."""
        return np.asarray(self.biases[None], np.float64)

    def vectors(self, task: SubgraphTask) -> SparseMatrix:
        """Rows by which subgraphs can be compared, of length 1."""
        rows = linear_rows(self.bag, task, self.border)
        several = self.bag.excluded or self.border is not None
        return unit_rows(rows) if several else rows / np.sqrt(self.bag.hops + 1)

    def _weigh(self, rows: SparseMatrix) -> Array:
        # Most columns have a place, so a table of places is smaller than the rows.
        place = np.full(rows.shape[1], -1, np.int64)
        if len(self.columns) and self.columns[-1] >= len(place):
            raise DataError("the linear model has weights for nodes that the graph does not have.")
        place[self.columns] = np.arange(len(self.columns))
        chosen = place[rows.indices] >= 0
        kept = np.concatenate([[0], np.cumsum(chosen)])[rows.indptr]
        parts = (rows.data[chosen], place[rows.indices[chosen]], kept)
        matrix = sp.csr_array(parts, shape=(rows.shape[0], len(self.columns)))
        return np.asarray(matrix @ self._wide_weights)

    @cached_property
    def _wide_weights(self) -> Array:
        return self.weights.astype(np.float64)


def linear_rows(
    bag: NodeBag, task: SubgraphTask, border: SubgraphScale | None = None
) -> SparseMatrix:
    """Rows of a bag of nodes, then columns of the border, whose mean square length is 1 in train.

    Args:
        bag: The bag.
        task: The subgraphs.
        border: How what lies around subgraphs becomes columns; None: it does not.
    """
    rows = bag.rows(task)
    if border is None:
        return rows
    return sp.hstack([rows, sp.csr_array(_border_rows(border, task))], format="csr")


def _border_rows(border: SubgraphScale, task: SubgraphTask) -> Array:
    inputs = border.inputs(task).astype(np.float64)
    return np.asarray(inputs / np.sqrt(inputs.shape[1]))


def _read_border(kind: object, arrays: Mapping[str, Array]) -> SubgraphScale | None:
    if kind is None:
        return None
    mean, sd = arrays["border.mean"], arrays["border.sd"]
    if kind not in BORDER_HOPS or mean.ndim != 1 or mean.shape != sd.shape or not (sd > 0).all():
        raise DataError("the scales of the border of a linear model make no sense.")
    return SubgraphScale(str(kind), mean, sd)


def fit_linear(
    bag: NodeBag,
    x: SparseMatrix,
    labels: Array,
    *,
    classes: int,
    strengths: Sequence[float],
    border: SubgraphScale | None = None,
    groups: Array | None = None,
    criterion: Criterion = "micro_f1",
) -> tuple[LinearClassifier, float]:
    """A linear model on rows of training subgraphs, and the strength that was chosen within them.

    Args:
        bag: What made the rows.
        x: Rows of the training subgraphs, CSR (n, F).
        labels: Their classes (n,), or booleans (n, C).
        classes: Number of classes.
        strengths: Weights of the losses against the L2 penalty, ascending, to choose from.
        border: What made the columns of the border, where there are some.
        groups: One value per training subgraph; those of equal value are in one fold.
        criterion: What the strength is chosen by.
    """
    table = labels if labels.ndim == 2 else labels[:, None] == np.arange(classes)
    x = x.tocsr()
    used = np.flatnonzero(np.bincount(x.indices, minlength=x.shape[1]))
    x = x[:, used]
    strength, temperature = choose_strength(
        x, table, labels, strengths, groups=groups, criterion=criterion
    )
    weights, biases = (values / temperature for values in solve(x, table, labels, strength))
    return LinearClassifier(bag, used, weights.astype(np.float32), biases, border), strength


def solve(x: SparseMatrix, table: Array, labels: Array, strength: float) -> tuple[Array, Array]:
    """Weights and biases; of two classes one regression is fitted, of which each has half."""
    if labels.ndim == 2 or table.shape[1] != 2:
        return fit_one_vs_rest(x, table, strength)
    weights, biases = fit_one_vs_rest(x, table[:, 1:], strength)
    sides = np.array([-0.5, 0.5])
    return weights * sides, biases * sides


def choose_strength(
    x: SparseMatrix,
    table: Array,
    labels: Array,
    strengths: Sequence[float],
    *,
    groups: Array | None = None,
    criterion: Criterion = "micro_f1",
) -> tuple[float, float]:
    """The strength that is best on folds of the training subgraphs, and the temperature there.

    Of equal strengths it is the weakest. By ``log_loss`` the temperature is what calibrates the
    answers on the folds, so that models of different strengths mean the same by a logit; else 1.

    Args:
        x: Rows of the training subgraphs, CSR (n, F).
        table: Which subgraph has which class; bool (n, C).
        labels: Classes (n,), or booleans (n, C).
        strengths: Those to choose from, ascending; by ``log_loss`` none is tried after one that
            did worse than the one before.
        groups: One value per training subgraph; those of equal value are in one fold.
        criterion: As of :func:`score_strength`.
    """
    if len(strengths) == 1 or len(labels) < _FOLDS:
        return strengths[0], 1.0
    best, temperature = (-np.inf, -strengths[0]), 1.0
    for strength in counted(strengths, "Strength", name=lambda value: f"C = {value:g}"):
        score, fitting = score_strength(
            x, table, labels, strength, groups=groups, criterion=criterion
        )
        if (score, -strength) > best:
            best, temperature = (score, -strength), fitting
        elif criterion == "log_loss":  # it has one minimum, and the strongest take longest
            break
    return abs(best[1]), temperature


def score_strength(
    x: SparseMatrix,
    table: Array,
    labels: Array,
    strength: float,
    *,
    groups: Array | None = None,
    criterion: Criterion = "micro_f1",
) -> tuple[float, float]:
    """Score on folds of the training subgraphs, 0 where there are too few; and a temperature.

    Args:
        x: Rows of the training subgraphs, CSR (n, F).
        table: Which subgraph has which class; bool (n, C).
        labels: Classes (n,), or booleans (n, C).
        strength: The weight of the losses against the L2 penalty.
        groups: One value per training subgraph; those of equal value are in one fold.
        criterion: ``micro_f1``, the mean over folds; or ``log_loss``: minus that of all answers
            under the one temperature that fits them best, which is returned.
    """
    truth, answers, scores = [], [], []
    for rest, out in _folds(labels, groups):
        weights, biases = solve(x[rest], table[rest], labels[rest], strength)
        truth.append(labels[out])
        answers.append(np.asarray(x[out] @ weights) + biases)
        scores.append(micro_f1(truth[-1], answers[-1], multilabel=labels.ndim == 2))
    if not scores:
        return 0.0, 1.0
    if criterion == "micro_f1":
        return float(np.mean(scores)), 1.0
    logits, known = np.concatenate(answers)[None], np.concatenate(truth)
    temperature = best_temperature(logits, known)
    return -log_loss(logits, known, temperature), temperature


def _folds(labels: Array, groups: Array | None) -> Iterator[tuple[Array, Array]]:
    """Rows to learn from and rows to judge on: five folds of few, one of many."""
    count = len(labels)
    if count < _FOLDS:
        return
    unit, units = np.arange(count), count
    if groups is not None:
        unit = np.unique(groups, return_inverse=True)[1]
        units = int(unit.max()) + 1
    part = (generator(0).permutation(units) % _FOLDS)[unit]
    numbers = np.unique(part) if units > 1 else ()  # all in one group: nothing to judge on
    for fold in numbers[: _FOLDS if count <= _FEW else 1]:
        yield np.flatnonzero(part != fold), np.flatnonzero(part == fold)
