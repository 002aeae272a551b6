"""Forests and boosted trees as plain arrays, which answer as the library that grew them does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
import scipy.sparse as sp

from ..base.errors import DataError
from ..base.ragged import Array, pointers
from ..base.records import JsonObject
from ..encode import border_inputs, subgraph_statistics
from ..encode.border import BORDER_HOPS
from ..task import SubgraphTask

TreeInputs = Literal["statistics", "vectors", "both", "border", "border2", "all"]
_SIDES = ("left", "right")
_STATISTICS, _VECTORS = ("statistics", "both", "all"), ("vectors", "both", "all")
_BORDER_HOPS = {**BORDER_HOPS, "all": 1}  # by the inputs that have a border
_ROWS = 1 << 12  # subgraphs that walk down the trees together


@dataclass(frozen=True, eq=False)
class TreeTable:
    """Many binary trees, one after the other.

    Args:
        roots: The first node of each tree, ascending; (T,).
        features: Column that a node asks about; (nodes,).
        thresholds: A row goes left where its value is at most this; (nodes,).
        left: The next node on the left, by its number among all; a leaf leads to itself; (nodes,).
        right: Likewise on the right.
        values: What a node says; (nodes, V).
        columns: Class that each tree is about; all of them, where trees say V = C values; (T,).
    """

    roots: Array
    features: Array
    thresholds: Array
    left: Array
    right: Array
    values: Array
    columns: Array

    def leaves(self, x: Array) -> Array:
        """The leaf of each row in each tree; (n, T)."""
        node = np.broadcast_to(self.roots, (len(x), len(self.roots)))
        rows = np.arange(len(x))[:, None]
        while True:
            goes_left = x[rows, self.features[node]] <= self.thresholds[node]
            following = np.where(goes_left, self.left[node], self.right[node])
            if np.array_equal(following, node):
                return np.asarray(following)
            node = following

    def check(self, width: int) -> None:
        """Raise unless every walk ends and reads columns that exist."""
        count = len(self.features)
        arrays = (self.thresholds, self.left, self.right, self.values)
        sound = all(len(array) == count for array in arrays) and self.values.ndim == 2
        sound = sound and len(self.columns) == len(self.roots) and count > 0
        numbers = np.arange(count)
        for side in (self.left, self.right):  # downwards only, or a leaf
            sound = sound and bool((side >= numbers).all() and (side < count).all())
        sound = sound and bool(((self.left == numbers) == (self.right == numbers)).all())
        sound = sound and bool(((self.features >= 0) & (self.features < width)).all())
        sound = sound and bool(((self.roots >= 0) & (self.roots < count)).all())
        if not sound or not np.isfinite(self.values).all():
            raise DataError("the trees of the model make no sense.")


@dataclass(frozen=True, eq=False)
class TreeClassifier:
    """Trees on statistics of subgraphs, mean vectors of their nodes and what lies around them.

    Args:
        inputs: What the trees read.
        forests: One table per seed.
        boosted: Whether logits are sums over trees; else probabilities are means over them.
        baseline: Logits before the first tree; zeros of a forest; (C,).
        multilabel: Whether a subgraph may have several classes.
        vectors_of_nodes: Vectors of all nodes, where the trees read them; float32 (N, F).
        border_columns: What the columns of the border are, where the trees read it.
    """

    kind: ClassVar[str] = "trees"
    reads_excluded: ClassVar[bool] = False

    inputs: TreeInputs
    forests: tuple[TreeTable, ...]
    boosted: bool
    baseline: Array
    multilabel: bool
    vectors_of_nodes: Array | None = None
    border_columns: tuple[str, ...] = ()

    @property
    def facts(self) -> JsonObject:
        """What it consists of besides numbers."""
        facts = {"inputs": self.inputs, "boosted": self.boosted, "multilabel": self.multilabel}
        border = {"border_columns": list(self.border_columns)} if self.reads_border else {}
        return {**facts, "forests": len(self.forests), **border}

    @property
    def reads_border(self) -> bool:
        """Whether what lies around subgraphs has a say."""
        return self.inputs in _BORDER_HOPS

    @property
    def arrays(self) -> dict[str, Array]:
        """The numbers that it consists of."""
        arrays = {
            f"{number}.{name}": array
            for number, forest in enumerate(self.forests)
            for name, array in vars(forest).items()
        }
        if self.vectors_of_nodes is not None:
            arrays["vectors_of_nodes"] = self.vectors_of_nodes
        return {**arrays, "baseline": self.baseline}

    @classmethod
    def restore(cls, facts: JsonObject, arrays: Mapping[str, Array]) -> Self:
        """The classifier that had these facts and arrays."""
        inputs, count = facts.get("inputs"), facts.get("forests")
        flags = (facts.get("boosted"), facts.get("multilabel"))
        border = facts.get("border_columns", [])
        sound = isinstance(inputs, str) and inputs in get_args(TreeInputs)
        sound = sound and type(count) is int and 0 < count < 10_000
        sound = sound and all(isinstance(flag, bool) for flag in flags)
        sound = sound and isinstance(border, list) and all(isinstance(one, str) for one in border)
        if not sound or bool(border) != (inputs in _BORDER_HOPS):
            raise DataError("the settings of a model of trees make no sense.")
        names = TreeTable.__dataclass_fields__
        forests = tuple(
            TreeTable(**{name: arrays[f"{number}.{name}"] for name in names})
            for number in range(count)  # type: ignore[arg-type]  # sound, as checked
        )
        vectors = arrays.get("vectors_of_nodes")
        if (vectors is None) == (inputs in _VECTORS):
            raise DataError("the trees of the model do not have the vectors that they read.")
        width = (0 if vectors is None else vectors.shape[1]) + len(border)
        width += _num_statistics() if inputs in _STATISTICS else 0
        for forest in forests:
            forest.check(width)
        return cls(
            inputs,  # type: ignore[arg-type]  # one of them, as checked
            forests,
            boosted=bool(flags[0]),
            baseline=arrays["baseline"],
            multilabel=bool(flags[1]),
            vectors_of_nodes=vectors,
            border_columns=tuple(border),
        )

    def rows(self, task: SubgraphTask) -> Array:
        """What the trees read of each subgraph; (M, F)."""
        if border_columns(task, self.inputs) != self.border_columns:
            raise DataError(
                "the model reads other columns of the border than these subgraphs have; use the"
                " data that it was trained on."
            )
        return tree_rows(task, self.inputs, self.vectors_of_nodes)

    def logits(self, task: SubgraphTask) -> Array:
        """Logits (R, M, C) of all subgraphs of a task on the same graph."""
        x = self.rows(task)
        return np.stack([self._logits(forest, x) for forest in self.forests])

    def _logits(self, forest: TreeTable, x: Array) -> Array:
        classes, parts = len(self.baseline), [np.zeros((0, len(self.baseline)))]
        for first in range(0, len(x), _ROWS):
            values = forest.values[forest.leaves(x[first : first + _ROWS])]  # (n, T, V)
            if not self.boosted:
                parts.append(_log_odds(values.mean(axis=1), multilabel=self.multilabel))
                continue
            sums = [values[:, forest.columns == c, 0].sum(axis=1) for c in range(classes)]
            parts.append(self.baseline + np.stack(sums, axis=1))
        return np.concatenate(parts)

    def member_logits(self, task: SubgraphTask) -> None:
        """Trees read a subgraph as a whole."""
        return

    def border_logits(self, task: SubgraphTask) -> None:
        """Trees read a subgraph as a whole."""
        return

    @property
    def empty_logits(self) -> Array:
        """Logits of a subgraph about which nothing is known: the mean over all leaves."""
        means = [
            self.baseline
            if self.boosted
            else _log_odds(forest.values[forest.roots].mean(axis=0), multilabel=self.multilabel)
            for forest in self.forests
        ]
        return np.stack(means)

    def vectors(self, task: SubgraphTask) -> None:
        """Rows of different units say nothing about similarity."""
        return


def _num_statistics() -> int:
    from ..encode.structure_statistics import SUBGRAPH_COLUMNS

    return len(SUBGRAPH_COLUMNS)


def _log_odds(shares: Array, *, multilabel: bool) -> Array:
    """log p, or log p/(1-p) for multi-label."""
    logs = np.log(np.maximum(shares, 1e-9))
    return logs - np.log(np.maximum(1 - shares, 1e-9)) if multilabel else logs


def border_columns(task: SubgraphTask, inputs: TreeInputs) -> tuple[str, ...]:
    """What the columns of the border are that trees read; none where they read none."""
    if inputs not in _BORDER_HOPS:
        return ()
    return border_inputs(task, hops=_BORDER_HOPS[inputs]).columns


def tree_rows(task: SubgraphTask, inputs: TreeInputs, vectors: Array | None) -> Array:
    """Mean vectors of the nodes of subgraphs, their statistics and their border; float32 (M, F)."""
    parts = []
    if inputs in _VECTORS:
        assert vectors is not None
        members = task.subgraphs.membership(task.graph.num_nodes, dtype=np.float64)
        mean = sp.diags_array(1 / np.maximum(task.subgraphs.sizes, 1)) @ members
        parts.append(np.asarray(mean @ vectors))
    if inputs in _STATISTICS:
        parts.append(subgraph_statistics(task))
    if inputs in _BORDER_HOPS:
        parts.append(border_inputs(task, hops=_BORDER_HOPS[inputs]).values)
    return np.concatenate(parts, axis=1).astype(np.float32)


def forest_table(model: Any, *, classes: int, multilabel: bool) -> TreeTable:
    """The trees of a scikit-learn forest; leaves hold the shares of the classes.

    Args:
        model: A fitted ``RandomForestClassifier``.
        classes: Number of classes; those that the forest has not seen have share 0.
        multilabel: Whether the forest has one output for each class.
    """
    trees = [estimator.tree_ for estimator in model.estimators_]
    values = np.concatenate([tree.value for tree in trees]).astype(np.float64)
    values = values / values.sum(axis=2, keepdims=True)
    if multilabel:
        sides = model.classes_ if isinstance(model.classes_, list) else [model.classes_]
        shares = np.stack(
            [
                values[:, output, list(side).index(True)] if True in side else 0 * values[:, 0, 0]
                for output, side in enumerate(sides)
            ],
            axis=1,
        )
    else:
        shares = np.zeros((len(values), classes))
        shares[:, model.classes_] = values[:, 0]
    parts = [
        (tree.feature, tree.threshold, tree.children_left, tree.children_right) for tree in trees
    ]
    return _join_trees(parts, shares, np.full(len(trees), -1))


def boosting_table(models: Sequence[Any], columns: Sequence[Sequence[int]]) -> TreeTable:
    """The trees of boosted classifiers of scikit-learn.

    Args:
        models: Fitted ``HistGradientBoostingClassifier``s: one for several classes, or one per
            label; none where no label has two sides in train.
        columns: Classes that the trees of an iteration are about, by model. Two classes for the one
            tree that tells two classes apart: each has half of its value, with either sign.
    """
    if not models:  # one leaf that adds nothing
        leaf = (np.zeros(1, np.int64), np.zeros(1), *(np.full(1, -1) for _ in _SIDES))
        return _join_trees([leaf], np.zeros((1, 1)), np.zeros(1, np.int64))
    parts, values, about = [], [], []
    for model, classes in zip(models, columns, strict=True):
        halves = len(classes) == 2 and model.n_trees_per_iteration_ == 1
        for iteration in model._predictors:
            predictors = [*iteration, *iteration] if halves else iteration
            for number, predictor in enumerate(predictors):
                nodes, leaf = predictor.nodes, predictor.nodes["is_leaf"].astype(bool)
                sides = (np.where(leaf, -1, nodes[name].astype(np.int64)) for name in _SIDES)
                parts.append((nodes["feature_idx"], nodes["num_threshold"], *sides))
                values.append(nodes["value"] * ((-0.5, 0.5)[number] if halves else 1.0))
                about.append(classes[number])
    return _join_trees(parts, np.concatenate(values)[:, None], np.array(about))


def boosting_baseline(model: Any, classes: int, count: int) -> Array:
    """Logits of a classifier for several classes before its first tree; (C,).

    Args:
        model: The classifier; a class that it has not seen is as half a training subgraph.
        classes: Number of classes.
        count: Number of training subgraphs.
    """
    raw = np.ravel(model._baseline_prediction)
    raw = np.array([-0.5, 0.5]) * raw if len(raw) == 1 else raw
    baseline = np.full(classes, np.logaddexp.reduce(raw) - np.log(2 * count))
    baseline[model.classes_] = raw
    return baseline


def _join_trees(parts: Sequence[tuple[Array, ...]], values: Array, columns: Array) -> TreeTable:
    """Trees one after the other; children are counted over all, a leaf leads to itself."""
    starts = pointers(np.array([len(part[0]) for part in parts]))
    shift = np.repeat(starts[:-1], np.diff(starts))
    features, thresholds, left, right = (
        np.concatenate([part[place] for part in parts]) for place in range(4)
    )
    own, leaf = np.arange(len(features)), left < 0
    return TreeTable(
        roots=starts[:-1],
        features=np.where(leaf, 0, features).astype(np.int64),
        thresholds=np.where(leaf, 0.0, thresholds).astype(np.float64),
        left=np.where(leaf, own, left + shift),
        right=np.where(leaf, own, right + shift),
        values=values,
        columns=columns.astype(np.int64),
    )
