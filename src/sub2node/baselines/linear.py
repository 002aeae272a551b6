"""What a practitioner would try first: models that need no graph network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.progress import counted
from ..base.ragged import Array, SparseMatrix
from ..config.settings import Settings, within
from ..encode import subgraph_statistics
from ..task import Part, SubgraphTask
from .simple import (
    Candidate,
    SimpleModel,
    SimplePredictions,
    TrainingData,
    choose,
    share_logits,
    unit_rows,
)

_STRENGTHS = (0.1, 1.0, 10.0, 100.0)  # of logistic regressions; validation chooses


@dataclass(frozen=True)
class NoSettings(Settings):
    """Nothing to set."""


@dataclass(frozen=True)
class DiffusedSettings(Settings):
    """Settings of the diffused bag of nodes.

    Args:
        hops: Number of steps of the random walk.
    """

    hops: int = within(1, 1)


@dataclass(frozen=True)
class ForestSettings(Settings):
    """Settings of the random forest on statistics.

    Args:
        trees: Number of trees.
    """

    trees: int = within(300, 1)


def bag_of_nodes(task: SubgraphTask) -> SparseMatrix:
    """Membership, rows of length 1; CSR (M, N)."""
    return unit_rows(task.subgraphs.membership(task.graph.num_nodes, dtype=np.float64))


def diffused_bag(task: SubgraphTask, hops: int = 1) -> SparseMatrix:
    """Membership and, beside it, each step of a random walk from it; CSR (M, (hops + 1) N).

    A step goes to a neighbour, or along a self-loop where there is one, by weight.
    """
    adjacency = task.graph.adjacency(loops=True, dtype=np.float64)
    degrees = adjacency.sum(axis=1)
    walk = sp.diags_array(1 / np.maximum(degrees, 1e-300)) @ adjacency
    bag = task.subgraphs.membership(task.graph.num_nodes, dtype=np.float64)
    steps = [bag]
    for _ in range(hops):
        steps.append(steps[-1] @ walk)
    return sp.hstack([unit_rows(matrix) for matrix in steps]).tocsr()


def _majority(data: TrainingData, settings: NoSettings) -> SimplePredictions:
    truth, task = data.labels["train"], data.task
    share = truth.mean(0) if truth.ndim == 2 else np.bincount(truth, minlength=task.num_classes)
    if truth.ndim == 2:
        share = np.log(np.maximum(share, 1e-9)) - np.log(np.maximum(1 - share, 1e-9))
    row = np.asarray(share, np.float64)[None, None]
    return SimplePredictions(lambda part: np.repeat(row, data.rows(part).sum(), axis=1))


def _logistic(
    name: str, features: Callable[[SubgraphTask, Any], SparseMatrix]
) -> Callable[[TrainingData, Any], SimplePredictions]:
    def fit(data: TrainingData, settings: Any) -> SimplePredictions:
        from sklearn.linear_model import LogisticRegression

        x = features(data.task, settings)
        candidates = (
            Candidate(f"C = {strength:g}", LogisticRegression(C=strength, max_iter=2000), x)
            for strength in _STRENGTHS
        )
        return choose(data, candidates, name, len(_STRENGTHS))

    return fit


def _forest(data: TrainingData, settings: ForestSettings) -> SimplePredictions:
    from sklearn.ensemble import RandomForestClassifier

    x, models = subgraph_statistics(data.task), []
    for seed in counted(data.seeds, "Seed", name=lambda seed: f"statistics, seed {seed}"):
        model = RandomForestClassifier(settings.trees, random_state=seed, n_jobs=-1)
        models.append(model.fit(x[data.rows("train")], data.truth))

    def logits(part: Part) -> Array:
        rows = x[data.rows(part)]
        return np.stack([share_logits(data, model, rows) for model in models])

    return SimplePredictions(logits)


MAJORITY = SimpleModel("majority", "the most frequent class of train", _majority, NoSettings)
BAG = SimpleModel(
    "bag",
    "logistic regression on the nodes of a subgraph",
    _logistic("bag", lambda task, _: bag_of_nodes(task)),
    NoSettings,
)
DIFFUSED = SimpleModel(
    "diffused-bag",
    "the same on its nodes and each step of a random walk from them",
    _logistic("diffused-bag", lambda task, settings: diffused_bag(task, settings.hops)),
    DiffusedSettings,
)
STATISTICS = SimpleModel(
    "statistics", "random forest on 11 exact measures of a subgraph", _forest, ForestSettings
)
