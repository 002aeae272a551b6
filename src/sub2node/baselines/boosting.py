"""Gradient-boosted trees on pooled node vectors, statistics and the border of the subgraphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from ..base.errors import ConfigError
from ..base.ragged import Array
from ..config import LinkSettings, NodeFeatureSettings
from ..config.settings import NAMED_SECTION, Settings, within
from ..nn.node_inputs import node_inputs
from .one_vs_rest import lone_logit
from .simple import Candidate, SimpleModel, SimplePredictions, TrainingData, choose
from .tree_classifier import (
    TreeClassifier,
    TreeInputs,
    boosting_baseline,
    boosting_table,
    border_columns,
    tree_rows,
)

_RATES = (0.05, 0.2)
_LEAVES = (7, 31)


@dataclass(frozen=True)
class KnownFeatures:
    """Node vectors that carry information before any training.

    Args:
        kind: Source of the vectors: ``given``, ``link`` or ``svd``.
        width: Number of columns, except of ``given``.
        pretraining: Settings of the training of ``link``; ``svd`` reads its seed.
        encoding: Further columns: ``rwpe``, ``lappe``, ``structure``, or ``given``: the graph's
            features beside the vectors.
        encoding_width: Columns of ``rwpe`` and ``lappe``; 0: as many as the features have.
    """

    kind: Literal["given", "link", "svd"] = "svd"
    width: int = within(64, 1)
    pretraining: LinkSettings = field(default_factory=LinkSettings, metadata=NAMED_SECTION)
    encoding: Literal["none", "rwpe", "lappe", "structure", "given"] = "none"
    encoding_width: int = within(0, 0)


@dataclass(frozen=True)
class GBDTSettings(Settings):
    """Settings of gradient boosting.

    Args:
        inputs: Pooled node vectors, statistics of subgraphs, both, ``border`` (what the neighbours
            and edges of subgraphs are like; ``border2``: of two hops), all of them, or what
            validation chooses of the first three.
        trees: Number of rounds of boosting.
        rate: Learning rate; 0: validation chooses.
        leaves: Leaves per tree; 0: validation chooses.
        features: Node vectors that are averaged over each subgraph.
    """

    inputs: Literal["vectors", "statistics", "both", "border", "border2", "all", "choose"] = (
        "choose"
    )
    trees: int = within(100, 1)
    rate: float = within(0.0, 0, 1)
    leaves: int = within(0, 0, 10_000)
    features: KnownFeatures = field(default_factory=KnownFeatures)


def node_vectors(data: TrainingData, features: KnownFeatures) -> tuple[Array, tuple[str, ...]]:
    """Vectors of all nodes, float32 (N, F), and notes about them."""
    task = data.task
    width = min(features.width, task.graph.num_nodes)
    joined = NodeFeatureSettings(**{**vars(features), "width": width}, join="concat")
    rows = np.arange(task.graph.num_nodes)
    inputs = node_inputs(task, joined, rows, encodings=data.encodings, device=data.device)
    parts = [part for part in (inputs.vectors, inputs.encodings) if part is not None]
    return np.concatenate(parts, axis=1).astype(np.float32), inputs.notes


def _gbdt(data: TrainingData, settings: GBDTSettings) -> SimplePredictions:
    from sklearn.ensemble import HistGradientBoostingClassifier

    kinds: tuple[TreeInputs, ...] = ("vectors", "statistics", "both")
    kinds = kinds if settings.inputs == "choose" else (settings.inputs,)
    notes: tuple[str, ...] = ()
    vectors: Array | None = None
    reads_vectors = set(kinds) & {"vectors", "both", "all"}
    if not reads_vectors and data.encodings is not None:
        raise ConfigError(f"gbdt on {settings.inputs} alone has no use for encodings; omit them.")
    if reads_vectors:
        vectors, notes = node_vectors(data, settings.features)
    tables = {kind: tree_rows(data.task, kind, vectors) for kind in kinds}

    rates = (settings.rate,) if settings.rate else _RATES
    leaf_counts = (max(settings.leaves, 2),) if settings.leaves else _LEAVES

    def candidates() -> Iterator[Candidate]:
        for kind in kinds:
            for rate in rates:
                for leaves in leaf_counts:
                    model = HistGradientBoostingClassifier(
                        learning_rate=rate,
                        max_leaf_nodes=leaves,
                        max_iter=settings.trees,
                        early_stopping=False,
                        min_samples_leaf=5,
                        max_features=0.3,
                        random_state=0,
                    )
                    description = f"{kind}, rate {rate:g}, {leaves} leaves"
                    yield Candidate(description, model, tables[kind])

    count = len(kinds) * len(rates) * len(leaf_counts)
    chosen = choose(data, candidates(), "gbdt", count)
    kind = next(kind for kind in kinds if tables[kind] is chosen.candidate.x)
    classifier = _as_arrays(data, chosen.model, kind, vectors if kind in reads_vectors else None)
    predictions = SimplePredictions.of(data, classifier, chosen.note)
    return replace(predictions, notes=(*notes, *predictions.notes))


def _as_arrays(
    data: TrainingData, model: Any, inputs: TreeInputs, vectors: Array | None
) -> TreeClassifier:
    """The trees of a fitted model, one for each label where there may be several."""
    classes, count = data.task.num_classes, len(data.labels["train"])
    if data.multilabel:
        models = getattr(model, "estimators_", [model])
        grown = [number for number, one in enumerate(models) if hasattr(one, "_predictors")]
        baseline = np.array([_only_side(one, count) for one in models])
        baseline[grown] = [float(models[n]._baseline_prediction[0, 0]) for n in grown]
        trees = boosting_table([models[n] for n in grown], [[n] for n in grown])
    elif len(model.classes_) == 1:  # the only class of train, as in a fold without the others
        trees = boosting_table([], [])
        baseline = np.where(np.arange(classes) == model.classes_[0], lone_logit(count), 0.0)
    else:
        trees = boosting_table([model], [list(model.classes_)])
        baseline = boosting_baseline(model, classes, count)
    return TreeClassifier(
        inputs,
        (trees,),
        boosted=True,
        baseline=baseline,
        multilabel=data.multilabel,
        vectors_of_nodes=vectors,
        border_columns=border_columns(data.task, inputs),
    )


def _only_side(model: Any, count: int) -> float:
    """The logit of a label that all training subgraphs have, or none."""
    answer = getattr(model, "answer", None)
    constant = bool(model.y_[0]) if hasattr(model, "y_") else bool(answer)
    return lone_logit(count) if constant else -lone_logit(count)


GBDT = SimpleModel(
    "gbdt", "gradient boosting on mean node vectors and statistics", _gbdt, GBDTSettings
)
