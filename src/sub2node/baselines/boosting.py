"""Gradient-boosted trees on pooled node vectors and statistics of the subgraphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Literal

import numpy as np
import scipy.sparse as sp

from ..config import NodeFeatures
from ..encode import subgraph_statistics
from ..errors import ConfigError
from ..nn.inputs import node_inputs
from ..ragged import Array
from ..settings import Settings, within
from .simple import Answers, Candidate, Lesson, SimpleModel, choose

_RATES = (0.05, 0.2)
_LEAVES = (7, 31)


@dataclass(frozen=True)
class KnownFeatures:
    """Vectors that say something before any training.

    Args:
        kind: ``given``, ``link`` or ``svd``.
        width: Columns, unless given.
        pretraining: Settings of ``link``, as in ``layers=3,lr=0.003``.
        encoding: Further columns: ``rwpe``, ``lappe`` or ``structure``.
        encoding_width: Columns of ``rwpe`` and ``lappe``; 0: as many as the features have.
    """

    kind: Literal["given", "link", "svd"] = "svd"
    width: int = within(64, 1)
    pretraining: str = ""
    encoding: Literal["none", "rwpe", "lappe", "structure"] = "none"
    encoding_width: int = within(0, 0)


@dataclass(frozen=True)
class GBDTSettings(Settings):
    """Of gradient boosting.

    Args:
        inputs: Pooled node vectors, statistics of subgraphs, both, or what validation chooses.
        trees: Rounds of boosting.
        features: Node vectors, for the mean over a subgraph.
    """

    inputs: Literal["vectors", "statistics", "both", "choose"] = "choose"
    trees: int = within(100, 1)
    features: KnownFeatures = field(default_factory=KnownFeatures)


def pooled(lesson: Lesson, features: KnownFeatures) -> tuple[Array, tuple[str, ...]]:
    """Mean of the node vectors over each subgraph, (M, F), and what to know about them."""
    task = lesson.task
    width = min(features.width, task.graph.num_nodes)
    beside = NodeFeatures(**{**asdict(features), "width": width}, join="concat")
    found = node_inputs(
        task, beside, np.arange(task.graph.num_nodes), encodings=lesson.encodings,
        device=lesson.device,
    )  # fmt: skip
    parts = [part for part in (found.vectors, found.encodings) if part is not None]
    members = task.subgraphs.membership(task.graph.num_nodes, dtype=np.float64)
    mean = sp.diags_array(1 / np.maximum(task.subgraphs.sizes, 1)) @ members
    return np.asarray(mean @ np.concatenate(parts, axis=1)), found.notes


def _gbdt(lesson: Lesson, settings: GBDTSettings) -> Answers:
    from sklearn.ensemble import HistGradientBoostingClassifier

    kinds = ("vectors", "statistics", "both")
    kinds = kinds if settings.inputs == "choose" else (settings.inputs,)  # type: ignore[assignment]
    statistics = subgraph_statistics(lesson.task)
    notes: tuple[str, ...] = ()
    tables = {"statistics": statistics}
    if settings.inputs == "statistics" and lesson.encodings is not None:
        raise ConfigError("gbdt on statistics alone has no use for encodings; leave them out.")
    if set(kinds) & {"vectors", "both"}:
        vectors, notes = pooled(lesson, settings.features)
        tables |= {"vectors": vectors, "both": np.concatenate([vectors, statistics], axis=1)}

    def candidates() -> Iterator[Candidate]:
        for kind in kinds:
            for rate in _RATES:
                for leaves in _LEAVES:
                    model = HistGradientBoostingClassifier(
                        learning_rate=rate, max_leaf_nodes=leaves, max_iter=settings.trees,
                        early_stopping=False, min_samples_leaf=5, max_features=0.3, random_state=0,
                    )  # fmt: skip
                    words = f"{kind}, rate {rate:g}, {leaves} leaves"
                    yield Candidate(words, model, tables[kind])

    found = choose(lesson, candidates(), "gbdt", len(kinds) * len(_RATES) * len(_LEAVES))
    return Answers(found.logits, (*notes, *found.notes))


GBDT = SimpleModel(
    "gbdt", "gradient boosting on mean node vectors and statistics", _gbdt, GBDTSettings
)
