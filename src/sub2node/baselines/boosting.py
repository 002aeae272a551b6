"""Gradient-boosted trees on pooled node vectors and statistics of the subgraphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import scipy.sparse as sp

from ..base.errors import ConfigError
from ..base.ragged import Array
from ..config import LinkSettings, NodeFeatureSettings
from ..config.settings import NAMED_SECTION, Settings, within
from ..encode import subgraph_statistics
from ..nn.node_inputs import node_inputs
from .simple import Candidate, SimpleModel, SimplePredictions, TrainingData, choose

_RATES = (0.05, 0.2)
_LEAVES = (7, 31)


@dataclass(frozen=True)
class KnownFeatures:
    """Node vectors that carry information before any training.

    Args:
        kind: Source of the vectors: ``given``, ``link`` or ``svd``.
        width: Number of columns, except of ``given``.
        pretraining: Settings of the training of ``link``; ``svd`` reads its seed.
        encoding: Further columns: ``rwpe``, ``lappe`` or ``structure``.
        encoding_width: Columns of ``rwpe`` and ``lappe``; 0: as many as the features have.
    """

    kind: Literal["given", "link", "svd"] = "svd"
    width: int = within(64, 1)
    pretraining: LinkSettings = field(default_factory=LinkSettings, metadata=NAMED_SECTION)
    encoding: Literal["none", "rwpe", "lappe", "structure"] = "none"
    encoding_width: int = within(0, 0)


@dataclass(frozen=True)
class GBDTSettings(Settings):
    """Settings of gradient boosting.

    Args:
        inputs: Pooled node vectors, statistics of subgraphs, both, or what validation chooses.
        trees: Number of rounds of boosting.
        features: Node vectors that are averaged over each subgraph.
    """

    inputs: Literal["vectors", "statistics", "both", "choose"] = "choose"
    trees: int = within(100, 1)
    features: KnownFeatures = field(default_factory=KnownFeatures)


def pooled(data: TrainingData, features: KnownFeatures) -> tuple[Array, tuple[str, ...]]:
    """Mean of the node vectors over each subgraph, (M, F), and notes about them."""
    task = data.task
    width = min(features.width, task.graph.num_nodes)
    joined = NodeFeatureSettings(**{**vars(features), "width": width}, join="concat")
    rows = np.arange(task.graph.num_nodes)
    inputs = node_inputs(task, joined, rows, encodings=data.encodings, device=data.device)
    parts = [part for part in (inputs.vectors, inputs.encodings) if part is not None]
    members = task.subgraphs.membership(task.graph.num_nodes, dtype=np.float64)
    mean = sp.diags_array(1 / np.maximum(task.subgraphs.sizes, 1)) @ members
    return np.asarray(mean @ np.concatenate(parts, axis=1)), inputs.notes


def _gbdt(data: TrainingData, settings: GBDTSettings) -> SimplePredictions:
    from sklearn.ensemble import HistGradientBoostingClassifier

    kinds = ("vectors", "statistics", "both")
    kinds = kinds if settings.inputs == "choose" else (settings.inputs,)  # type: ignore[assignment]
    statistics = subgraph_statistics(data.task)
    notes: tuple[str, ...] = ()
    tables = {"statistics": statistics}
    if settings.inputs == "statistics" and data.encodings is not None:
        raise ConfigError("gbdt on statistics alone has no use for encodings; omit them.")
    if set(kinds) & {"vectors", "both"}:
        vectors, notes = pooled(data, settings.features)
        tables |= {"vectors": vectors, "both": np.concatenate([vectors, statistics], axis=1)}

    def candidates() -> Iterator[Candidate]:
        for kind in kinds:
            for rate in _RATES:
                for leaves in _LEAVES:
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

    count = len(kinds) * len(_RATES) * len(_LEAVES)
    predictions = choose(data, candidates(), "gbdt", count)
    return SimplePredictions(predictions.logits, (*notes, *predictions.notes))


GBDT = SimpleModel(
    "gbdt", "gradient boosting on mean node vectors and statistics", _gbdt, GBDTSettings
)
