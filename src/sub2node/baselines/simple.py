"""What a practitioner would try first: models that need no graph network."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..encode import subgraph_statistics
from ..metrics import scores
from ..progress import step
from ..ragged import Array
from ..task import Part, SubgraphTask

_STRENGTHS = (0.1, 1.0, 10.0, 100.0)  # of logistic regressions; the best on validation is taken


@dataclass(frozen=True)
class SimpleModel:
    """A model by name.

    Args:
        name: What tables call it.
        about: What it does, in one line.
        fit: From the task, the labels of train and val, and the seeds, to a function that gives
            the logits (R, m, C) of a part.
    """

    name: str
    about: str
    fit: Callable[[SubgraphTask, dict[Part, Array], Sequence[int]], Callable[[Part], Array]]


def bag_of_nodes(task: SubgraphTask) -> Any:
    """Membership, rows of length 1; CSR (M, N)."""
    return _unit_rows(task.subgraphs.membership(task.graph.num_nodes, dtype=np.float64))


def diffused_bag(task: SubgraphTask) -> Any:
    """Membership and, beside it, one step of a random walk from it; CSR (M, 2N)."""
    adjacency = task.graph.adjacency(loops=True, dtype=np.float64)
    around = adjacency.sum(axis=1)
    walk = sp.diags_array(1 / np.maximum(around, 1e-300)) @ adjacency
    bag = task.subgraphs.membership(task.graph.num_nodes, dtype=np.float64)
    return sp.hstack([_unit_rows(bag), _unit_rows(bag @ walk)]).tocsr()


def _unit_rows(matrix: Any) -> Any:
    length = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    return sp.csr_array(sp.diags_array(1 / np.maximum(length, 1e-300)) @ matrix)


def _majority(
    task: SubgraphTask, labels: dict[Part, Array], seeds: Sequence[int]
) -> Callable[[Part], Array]:
    truth = labels["train"]
    share = truth.mean(0) if truth.ndim == 2 else np.bincount(truth, minlength=task.num_classes)
    if truth.ndim == 2:
        share = np.log(np.maximum(share, 1e-9)) - np.log(np.maximum(1 - share, 1e-9))
    row = np.asarray(share, np.float64)[None, None]
    return lambda part: np.repeat(row, _rows(task, part).sum(), axis=1)


def _logistic(features: Callable[[SubgraphTask], Any]) -> Any:
    def fit(
        task: SubgraphTask, labels: dict[Part, Array], seeds: Sequence[int]
    ) -> Callable[[Part], Array]:
        from sklearn.linear_model import LogisticRegression
        from sklearn.multiclass import OneVsRestClassifier

        x, best, chosen = features(task), -1.0, None
        multilabel = labels["train"].ndim == 2
        for done, strength in enumerate(_STRENGTHS):
            step("Logistic regression", done, len(_STRENGTHS), f"C = {strength:g}")
            model: Any = LogisticRegression(C=strength, max_iter=2000)
            model = OneVsRestClassifier(model) if multilabel else model
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Label .* is present in all")
                model.fit(x[_rows(task, "train")], _truth(labels))
            logits = _decision(model, x[_rows(task, "val")], task.num_classes, multilabel)
            score = scores(labels["val"], logits, multilabel=multilabel)["micro_f1"]
            if score > best:
                best, chosen = score, model
        step("Logistic regression", len(_STRENGTHS), len(_STRENGTHS))
        return lambda part: _decision(chosen, x[_rows(task, part)], task.num_classes, multilabel)[
            None
        ]

    return fit


def _forest(
    task: SubgraphTask, labels: dict[Part, Array], seeds: Sequence[int]
) -> Callable[[Part], Array]:
    from sklearn.ensemble import RandomForestClassifier

    x, models = subgraph_statistics(task), []
    for done, seed in enumerate(seeds):
        step("Random forest", done, len(seeds))
        model = RandomForestClassifier(300, random_state=seed, n_jobs=-1)
        models.append(model.fit(x[_rows(task, "train")], _truth(labels)))
    step("Random forest", len(seeds), len(seeds))

    def logits(part: Part) -> Array:
        rows = x[_rows(task, part)]
        return np.stack(
            [_share_logits(model, rows, labels["train"], task.num_classes) for model in models]
        )

    return logits


def _rows(task: SubgraphTask, part: Part) -> Array:
    assert task.split is not None
    return task.split.mask(part)


def _truth(labels: dict[Part, Array]) -> Array:
    """Labels to train on; a single column flat, which is how scikit-learn takes it anyway."""
    found = labels["train"]
    return found[:, 0] if found.shape[1:] == (1,) else found


def _decision(model: Any, x: Any, classes: int, multilabel: bool) -> Array:
    """Logits of a linear model, also for classes and label columns without two sides in train."""
    found = model.decision_function(x)
    if multilabel:
        return np.asarray(found).reshape(x.shape[0], classes)
    if found.ndim == 1:
        found = np.stack([-found, found], axis=1) / 2
    full = np.full((x.shape[0], classes), -1e9)
    full[:, model.classes_] = found
    return full


def _share_logits(model: Any, x: Array, train: Array, classes: int) -> Array:
    """log p, or log p/(1-p) for multi-label, of a forest's shares of votes."""
    found = model.predict_proba(x)
    if train.ndim == 1:
        shares = np.zeros((len(x), classes))
        shares[:, model.classes_] = found
        return np.log(np.maximum(shares, 1e-9))
    votes, known = ([found], [model.classes_]) if train.shape[1] == 1 else (found, model.classes_)
    columns = [
        vote[:, list(sides).index(True)] if True in sides else np.zeros(len(x))
        for vote, sides in zip(votes, known, strict=True)
    ]
    shares = np.stack(columns, axis=1)
    return np.log(np.maximum(shares, 1e-9)) - np.log(np.maximum(1 - shares, 1e-9))


SIMPLE: dict[str, SimpleModel] = {
    model.name: model
    for model in (
        SimpleModel("majority", "the most frequent class of train", _majority),
        SimpleModel("bag of nodes", "logistic regression on members", _logistic(bag_of_nodes)),
        SimpleModel(
            "diffused bag", "the same on members and one step around", _logistic(diffused_bag)
        ),
        SimpleModel("structure statistics", "random forest on 11 exact measures", _forest),
    )
}
