"""Several models that answer as one: their probabilities are averaged with weights."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from ..base.errors import ConfigError
from ..base.ragged import Array
from ..base.records import JsonObject
from ..config.best_settings import NAME as BEST
from ..task import SubgraphTask
from .answers import Surroundings
from .explanation import Contribution, Explanation
from .network_scorer import NetworkScorer
from .query import Query
from .scorer import Mode, PlacedSubgraphs, Scorer, check_mode


@dataclass(frozen=True, eq=False)
class PlacedForAll(PlacedSubgraphs):
    """A query with its place for each member.

    Args:
        query: The new subgraphs.
        joint: Whether all are in one graph.
        parts: The query as each member reads it.
    """

    query: Query
    joint: bool
    parts: tuple[PlacedSubgraphs, ...]


@dataclass(frozen=True, eq=False)
class EnsembleScorer(Scorer):
    """Members whose calibrated probabilities are averaged.

    Args:
        members: The models; all have the same graph, classes and known subgraphs.
        weights: How much each counts; they add up to 1.
        threshold: Probability above which a class of a multi-label model is predicted.
        card: Origin of the model: data, settings, versions, scores.
    """

    members: tuple[Scorer, ...]
    weights: tuple[float, ...]
    threshold: float = 0.5
    card: JsonObject = field(default_factory=dict)
    seeds: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        seeds = tuple(seed for member in self.members for seed in member.seeds)
        object.__setattr__(self, "seeds", seeds)

    @property
    def task(self) -> SubgraphTask:
        """The known subgraphs with their labels."""
        return self.members[0].task

    @property
    def structure(self) -> str:
        """The name of an ensemble."""
        return BEST

    @property
    def replica_weights(self) -> Array:
        """A member's weight is shared by its replicas; (R,)."""
        pairs = zip(self.weights, self.members, strict=True)
        return np.concatenate([weight * member.replica_weights for weight, member in pairs])

    @property
    def reads_excluded(self) -> bool:
        """Whether a member reads excluded nodes."""
        return any(member.reads_excluded for member in self.members)

    @property
    def vector_names(self) -> list[str]:
        """Names of the columns of :meth:`vectors`; members of one title differ by their number."""
        return [
            f"{number} {member.title} {name}"
            for number, member in enumerate(self.members, start=1)
            for name in member.vector_names
        ]

    def with_card(self, card: JsonObject) -> EnsembleScorer:
        """The same model with another card."""
        return replace(self, card=card)

    def place(self, query: Query | PlacedSubgraphs, *, mode: Mode = "independent") -> PlacedForAll:
        """The query with its place for each member."""
        check_mode(mode)
        joint = mode == "joint"
        if isinstance(query, PlacedForAll) and query.joint == joint:
            return query
        plain = query.query if isinstance(query, PlacedSubgraphs) else query
        parts = tuple(member.place(plain, mode=mode) for member in self.members)
        return PlacedForAll(plain, joint, parts)

    def _parts(self, placed: PlacedSubgraphs) -> Iterable[tuple[float, Scorer, PlacedSubgraphs]]:
        own = self.place(placed, mode="joint" if placed.joint else "independent")
        return zip(self.weights, self.members, own.parts, strict=True)

    def replica_probabilities(self, placed: PlacedSubgraphs) -> Array:
        """Calibrated probabilities of all replicas of all members; (R, K, C)."""
        return np.concatenate(
            [member.replica_probabilities(part) for _, member, part in self._parts(placed)]
        )

    def explain_one(self, placed: PlacedSubgraphs, target: int | None) -> Explanation:
        """Contributions to the probability of a class: the weighted sum over the members."""
        if target is None:
            answers = self.combine(placed.query, self.replica_probabilities(placed))
            target = int(answers.probabilities[0].argmax())
        explanations = [
            (weight, member.explain_one(part, target))
            for weight, member, part in self._parts(placed)
        ]

        def total(values: Iterable[float]) -> float:
            return float(sum(w * v for (w, _), v in zip(explanations, values, strict=True)))

        each = [explanation for _, explanation in explanations]

        def shared(name: str) -> float | None:
            values = [getattr(one, name) for one in each]
            return total(v or 0.0 for v in values) if any(v is not None for v in values) else None

        return Explanation(
            name=placed.query.names[0],
            label=self.classes[target],
            probability=total(one.probability for one in each),
            baseline=total(one.baseline for one in each),
            members=_add_up((w, one.members) for w, one in explanations),
            neighbors=_add_up((w, one.neighbors) for w, one in explanations),
            statistics=shared("statistics"),
            gap=total(one.gap for one in each),
            joins=any(one.joins for one in each),
            border=shared("border"),
        )

    def similarities(self, placed: PlacedSubgraphs) -> Array | None:
        """Cosine of new and known labelled subgraphs, weighted mean over the members; (K, n)."""
        pairs = [(w, member.similarities(part)) for w, member, part in self._parts(placed)]
        present = [(w, values) for w, values in pairs if values is not None]
        if not present:
            return None
        weights = np.array([w for w, _ in present])
        stacked = np.stack([values for _, values in present])
        return np.asarray(np.einsum("m,mkn->kn", weights / weights.sum(), stacked))

    def vectors(self, query: Query | PlacedSubgraphs, *, mode: Mode = "independent") -> Array:
        """Vectors of subgraphs by all networks, side by side; (K, F)."""
        networks = [member for member in self.members if isinstance(member, NetworkScorer)]
        if not networks:
            raise ConfigError("no member of this model has vectors of subgraphs; networks have.")
        return np.concatenate([member.vectors(query, mode=mode) for member in networks], axis=1)

    def around(self, query: Query | PlacedSubgraphs, *, most: int = 40) -> list[Surroundings]:
        """The S2N graph around each subgraph, as the heaviest member that reads one sees it."""
        pairs = sorted(zip(self.weights, self.members, strict=True), key=lambda pair: -pair[0])
        for _, member in pairs:
            surroundings = member.around(query, most=most)
            if any(one.nodes for one in surroundings):
                return surroundings
        return [Surroundings((), ())] * len(query)


def _add_up(
    parts: Iterable[tuple[float, tuple[Contribution, ...]]],
) -> tuple[Contribution, ...]:
    """Weighted sums of contributions of the same thing, largest first."""
    totals: dict[tuple[str, bool], Contribution] = {}
    values: dict[tuple[str, bool], float] = {}
    for weight, contributions in parts:
        for one in contributions:
            key = (one.id, one.excluded)
            totals.setdefault(key, one)
            values[key] = values.get(key, 0.0) + weight * one.value
    ordered = sorted(totals, key=lambda key: -abs(values[key]))
    return tuple(replace(totals[key], value=values[key]) for key in ordered)
