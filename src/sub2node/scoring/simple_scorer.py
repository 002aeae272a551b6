"""A simple model that answers for new subgraphs; a linear one's reasons are exact."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.calibration import probabilities
from ..base.errors import ConfigError
from ..base.ragged import Array, SparseMatrix
from ..base.records import JsonObject
from ..baselines.set_classifier import SetClassifier
from ..task import SubgraphTask
from .answers import Answers, Surroundings
from .explanation import Explanation, rank_members
from .query import Query
from .scorer import Mode, PlacedSubgraphs, Scorer, check_mode, require_finite

_POINTS = 64  # on the line from an empty subgraph to the one that is explained


@dataclass(frozen=True, eq=False)
class PlainQuery(PlacedSubgraphs):
    """A query for a model that reads each subgraph by itself.

    Args:
        query: The new subgraphs.
        joint: Whether the user asked for all in one graph, which makes no difference here.
    """

    query: Query
    joint: bool = False


@dataclass(frozen=True, eq=False)
class SimpleScorer(Scorer):
    """A simple model with its global graph and the subgraphs that it learned from.

    Args:
        name: Name of the model.
        known_task: The known subgraphs with their labels.
        classifier: What the model has learned.
        seeds: One seed per replica.
        temperature: Number by which logits are divided.
        threshold: Probability above which a class of a multi-label model is predicted.
        card: Origin of the model: data, settings, versions, scores.
    """

    name: str
    known_task: SubgraphTask
    classifier: SetClassifier
    seeds: tuple[int, ...]
    temperature: float = 1.0
    threshold: float = 0.5
    card: JsonObject = field(default_factory=dict)

    @property
    def task(self) -> SubgraphTask:
        """The known subgraphs with their labels."""
        return self.known_task

    @property
    def structure(self) -> str:
        """The name of the model."""
        return self.name

    @property
    def replica_weights(self) -> Array:
        """All replicas count the same; (R,)."""
        return np.full(len(self.seeds), 1 / len(self.seeds))

    @property
    def reads_excluded(self) -> bool:
        """Whether the classifier has columns for excluded nodes."""
        return self.classifier.reads_excluded

    def with_card(self, card: JsonObject) -> SimpleScorer:
        """The same model with another card."""
        return replace(self, card=card)

    def place(self, query: Query | PlacedSubgraphs, *, mode: Mode = "independent") -> PlainQuery:
        """The query itself: an answer depends on no other subgraph."""
        check_mode(mode)
        plain = query.query if isinstance(query, PlacedSubgraphs) else query
        return PlainQuery(plain, mode == "joint")

    def logits(self, query: Query) -> Array:
        """Logits (R, K, C) of all replicas."""
        logits = self.classifier.logits(SubgraphTask(self.graph, query.subgraphs))
        require_finite(np.asarray(np.isfinite(logits).all(axis=(0, 2))), query)
        return logits

    def calibrate(self, logits: Array) -> Array:
        """Probabilities from logits; (R, K, C)."""
        return probabilities(logits, self.temperature, multilabel=self.multilabel)

    def replica_probabilities(self, placed: PlacedSubgraphs) -> Array:
        """Calibrated probabilities of all replicas; (R, K, C)."""
        return self.calibrate(self.logits(placed.query))

    def answers(self, query: Query, logits: Array) -> Answers:
        """Answers from the logits (R, K, C) of all replicas: calibrated, then averaged."""
        return self.combine(query, self.calibrate(logits))

    def explain_one(self, placed: PlacedSubgraphs, target: int | None) -> Explanation:
        """Contributions to the probability of a class, for a query with one subgraph.

        A linear model's logits are sums over members; the gradient of the probability along the
        straight line from the logits of an empty subgraph shares it out among them and the border.
        Trees read a subgraph as a whole, so all that they add is put down to its statistics, or to
        its border where they read that.
        """
        task = SubgraphTask(self.graph, placed.query.subgraphs)
        full, empty = self.logits(placed.query)[:, 0], self.classifier.empty_logits
        ends = [self.calibrate(part[:, None])[:, 0].mean(axis=0) for part in (empty, full)]
        target = int(ends[1].argmax()) if target is None else target
        baseline, probability = (float(shares[target]) for shares in ends)
        shares, around = self.classifier.member_logits(task), self.classifier.border_logits(task)
        difference, values, border = probability - baseline, np.zeros(0), None
        if shares is not None:
            gradient = self._mean_gradient(empty[0], full[0], target)
            values = shares @ gradient
            border = None if around is None else float(around[0] @ gradient)
        elif self.classifier.reads_border:
            border = difference
        whole = shares is None and border is None
        return Explanation(
            name=placed.query.names[0],
            label=self.classes[target],
            probability=probability,
            baseline=baseline,
            members=() if shares is None else rank_members(self, placed.query, values),
            neighbors=(),
            statistics=difference if whole else None,
            border=border,
            gap=0.0 if shares is None else difference - float(values.sum()) - (border or 0.0),
            joins=False,
        )

    def _mean_gradient(self, start: Array, end: Array, target: int) -> Array:
        """Mean of the gradient of a probability by the logits along a line; (C,)."""
        points, weights = np.polynomial.legendre.leggauss(_POINTS)
        path = start + ((points + 1) / 2)[:, None] * (end - start)
        shares = self.calibrate(path[None])[0]
        own = shares[:, target]
        others = 0.0 if self.multilabel else -own[:, None] * shares
        gradient = np.zeros_like(shares) + others
        gradient[:, target] += own * (1 - own) if self.multilabel else own
        return np.asarray((weights / 2) @ gradient / self.temperature)

    @cached_property
    def _known_rows(self) -> Array | SparseMatrix | None:
        return self.classifier.vectors(self.known_task.subset(np.arange(self.num_labelled)))

    def similarities(self, placed: PlacedSubgraphs) -> Array | None:
        """Cosine of the nodes that new and known labelled subgraphs have and reach; (K, n)."""
        rows = self.classifier.vectors(SubgraphTask(self.graph, placed.query.subgraphs))
        if rows is None or self._known_rows is None:
            return None
        product: Any = rows @ self._known_rows.T
        return np.asarray(product.toarray() if sp.issparse(product) else product)

    def vectors(self, query: Query | PlacedSubgraphs, *, mode: Mode = "independent") -> Array:
        """Refused: a simple model learns no vectors."""
        raise ConfigError(f"{self.name} has no vectors of subgraphs; networks have.")

    def around(self, query: Query | PlacedSubgraphs, *, most: int = 40) -> list[Surroundings]:
        """Nothing: the model reads no S2N graph."""
        return [Surroundings((), ())] * len(query)
