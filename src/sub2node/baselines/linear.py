"""What a practitioner would try first: models that need no graph network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..base.progress import counted
from ..config.settings import Settings, within
from ..encode import SubgraphScale
from .linear_classifier import Criterion, LinearClassifier, fit_linear, linear_rows
from .node_bags import NodeBag, weighted_bag
from .simple import SimpleModel, SimplePredictions, TrainingData
from .tree_classifier import TreeClassifier, forest_table, tree_rows

_STRENGTHS: dict[Criterion, tuple[float, ...]] = {  # of linear models; folds of train choose
    "micro_f1": (1.0, 10.0, 100.0),
    "log_loss": (1.0, 10.0, 100.0, 1000.0),
}


@dataclass(frozen=True)
class NoSettings(Settings):
    """Nothing to set."""


@dataclass(frozen=True)
class LinearSettings(Settings):
    """Settings of linear models.

    Args:
        criterion: What folds of train choose the strength by; ``log_loss`` also tries weaker
            penalties, and suits a member of an ensemble, whose probabilities are averaged.
    """

    criterion: Criterion = "micro_f1"


@dataclass(frozen=True)
class DiffusedSettings(LinearSettings):
    """Settings of the diffused bag of nodes.

    Args:
        criterion: As in :class:`LinearSettings`.
        hops: Number of steps of the random walk.
    """

    hops: int = within(1, 1, 16)


@dataclass(frozen=True)
class HopsSettings(LinearSettings):
    """Settings of the diffused TF-IDF of nodes.

    Args:
        criterion: As in :class:`LinearSettings`.
        hops: Number of steps of the diffusion.
        inputs: What is read beside the nodes: ``border``, what the neighbours and edges of a
            subgraph are like; ``border2``, of two hops.
    """

    hops: int = within(2, 0, 16)
    inputs: Literal["none", "border", "border2"] = "none"


@dataclass(frozen=True)
class ForestSettings(Settings):
    """Settings of the random forest on statistics.

    Args:
        trees: Number of trees.
    """

    trees: int = within(300, 1)


def _majority(data: TrainingData, settings: NoSettings) -> SimplePredictions:
    labels, classes = data.labels["train"], data.task.num_classes
    table = labels if labels.ndim == 2 else labels[:, None] == np.arange(classes)
    counts = table.sum(axis=0) + 0.5  # a class that was not seen is rare, not impossible
    biases = np.log(counts)
    if labels.ndim == 2:
        biases = biases - np.log(len(table) + 1 - counts)
    no_weights = np.zeros((0, classes), np.float32)
    classifier = LinearClassifier(NodeBag(), np.zeros(0, np.int64), no_weights, biases)
    return SimplePredictions.of(data, classifier)


def _linear(
    name: str, make_bag: Callable[[TrainingData, Any], NodeBag]
) -> Callable[[TrainingData, Any], SimplePredictions]:
    def fit(data: TrainingData, settings: Any) -> SimplePredictions:
        bag, kind = make_bag(data, settings), getattr(settings, "inputs", "none")
        border = None if kind == "none" else SubgraphScale.plain(data.train_task, kind)
        x = linear_rows(bag, data.task, border)
        strengths = _STRENGTHS[settings.criterion]
        classifier, strength = fit_linear(
            bag,
            x[data.rows("train")],
            data.labels["train"],
            classes=data.task.num_classes,
            strengths=strengths,
            border=border,
            groups=data.groups,
            criterion=settings.criterion,
        )
        note = f"{name}: C = {strength:g} chosen within train, of {len(strengths)} values."
        note = note if len(strengths) > 1 else ""
        return SimplePredictions.of(data, classifier, note, logits=lambda: classifier.weigh(x))

    return fit


def _bag(data: TrainingData, hops: int) -> NodeBag:
    return NodeBag(hops, excluded=data.task.excluded is not None)


def _hops_bag(data: TrainingData, settings: HopsSettings) -> NodeBag:
    return weighted_bag(data.train_task.subgraphs, data.task.graph.num_nodes, settings.hops)


def _forest(data: TrainingData, settings: ForestSettings) -> SimplePredictions:
    from sklearn.ensemble import RandomForestClassifier

    x, forests = tree_rows(data.train_task, "statistics", None), []
    classes = data.task.num_classes
    for seed in counted(data.seeds, "Seed", name=lambda seed: f"statistics, seed {seed}"):
        model = RandomForestClassifier(settings.trees, random_state=seed, n_jobs=-1)
        model.fit(x, data.truth)
        forest = forest_table(model, classes=classes, multilabel=data.multilabel)
        even = 0.5 if data.multilabel else 1 / classes  # says one tree more: nothing is impossible
        values = (settings.trees * forest.values + even) / (settings.trees + 1)
        forests.append(replace(forest, values=values))
    classifier = TreeClassifier(
        "statistics",
        tuple(forests),
        boosted=False,
        baseline=np.zeros(classes),
        multilabel=data.multilabel,
    )
    return SimplePredictions.of(data, classifier)


MAJORITY = SimpleModel(
    "majority",
    "the most frequent class of train",
    _majority,
    NoSettings,
    reads_excluded=True,  # it reads no node at all, so nothing is left out
)
BAG = SimpleModel(
    "bag",
    "logistic regression on the nodes of a subgraph",
    _linear("bag", lambda data, _: _bag(data, 0)),
    LinearSettings,
    reads_excluded=True,
)
DIFFUSED = SimpleModel(
    "diffused-bag",
    "the same on its nodes and each step of a random walk from them",
    _linear("diffused-bag", lambda data, settings: _bag(data, settings.hops)),
    DiffusedSettings,
    reads_excluded=True,
)
HOPS = SimpleModel(
    "hops",
    "the same with rare nodes weighing more, and two steps of a diffusion",
    _linear("hops", _hops_bag),
    HopsSettings,
    reads_excluded=True,
)
STATISTICS = SimpleModel(
    "statistics", "random forest on 11 exact measures of a subgraph", _forest, ForestSettings
)
