"""Answers for new subgraphs: what every trained model offers to commands and to the service."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from ..base.errors import ConfigError, NotFiniteError
from ..base.progress import counted
from ..base.ragged import Array
from ..base.records import JsonObject
from ..task import Graph, SubgraphTask
from .answers import Answers, Neighbor, Surroundings
from .card_words import card_words
from .doubt import TrainingProfile
from .explanation import Explanation
from .node_index import Node, NodeIndex
from .query import IdLists, Query, UnknownPolicy, ask, look_up

Mode = Literal["independent", "joint"]
_TRIED = 8  # known subgraphs that a model must have finite answers for


class PlacedSubgraphs(ABC):
    """A query as a model reads it, computed once for answer and explanation."""

    query: Query
    joint: bool

    def __len__(self) -> int:
        return len(self.query)


class Scorer(ABC):
    """A trained model with its global graph and its known subgraphs.

    Attributes:
        seeds: One seed per replica.
        threshold: Probability above which a class of a multi-label model is predicted.
        card: Origin of the model: data, settings, versions, scores.
    """

    seeds: tuple[int, ...]
    threshold: float
    card: JsonObject

    @property
    @abstractmethod
    def task(self) -> SubgraphTask:
        """The known subgraphs with their labels."""

    @property
    @abstractmethod
    def structure(self) -> str:
        """The structure of a network, or the name of another model."""

    @property
    def conv(self) -> str:
        """The convolution of a network; "" for other models."""
        return ""

    @property
    def title(self) -> str:
        """What tables call the model."""
        return f"{self.structure} {self.conv}".rstrip()

    @property
    @abstractmethod
    def replica_weights(self) -> Array:
        """How much each replica counts; they add up to 1; (R,)."""

    @property
    @abstractmethod
    def reads_excluded(self) -> bool:
        """Whether nodes that are excluded from a subgraph have a say in its answer."""

    @abstractmethod
    def place(
        self, query: Query | PlacedSubgraphs, *, mode: Mode = "independent"
    ) -> PlacedSubgraphs:
        """A query with its place beside the known subgraphs, for several questions about it.

        Args:
            query: The subgraphs; a query that was placed in this mode stays as it is.
            mode: The mode of :meth:`predict`.
        """

    @abstractmethod
    def replica_probabilities(self, placed: PlacedSubgraphs) -> Array:
        """Calibrated probabilities of all replicas; (R, K, C)."""

    @abstractmethod
    def explain_one(self, placed: PlacedSubgraphs, target: int | None) -> Explanation:
        """Contributions to the probability of a class, for a query with one subgraph.

        Args:
            placed: The query.
            target: Number of the class; None: the likeliest.
        """

    @abstractmethod
    def similarities(self, placed: PlacedSubgraphs) -> Array | None:
        """Cosine of new and known labelled subgraphs, (K, n); None: the model has no vectors."""

    @abstractmethod
    def around(self, query: Query | PlacedSubgraphs, *, most: int = 40) -> list[Surroundings]:
        """The S2N graph around each subgraph: strongest neighbours, then theirs."""

    @abstractmethod
    def vectors(self, query: Query | PlacedSubgraphs, *, mode: Mode = "independent") -> Array:
        """Vectors of subgraphs, those of all replicas side by side; (K, F)."""

    @property
    def vector_names(self) -> list[str]:
        """Names of the columns of :meth:`vectors`."""
        return []

    @abstractmethod
    def with_card(self, card: JsonObject) -> Scorer:
        """The same model with another card."""

    @property
    def graph(self) -> Graph:
        """The global graph."""
        return self.task.graph

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return self.task.class_names

    @property
    def multilabel(self) -> bool:
        """Whether a subgraph may have several labels."""
        return self.task.multilabel

    @property
    def trained_graph(self) -> Graph:
        """The global graph as the model was trained on it."""
        return self.graph

    @cached_property
    def index(self) -> NodeIndex:
        """The nodes of the graph by id."""
        return NodeIndex(self.graph)

    def reach(self, ids: Sequence[str]) -> None:  # noqa: B027  # most graphs are all there
        """Make nodes of these ids known where the rest of the graph lies on disk."""

    def ask(
        self,
        sets: Sequence[Sequence[str | int]],
        *,
        names: Sequence[str] | None = None,
        excluded: Sequence[Sequence[str | int]] | None = None,
        unknown_nodes: UnknownPolicy = "error",
    ) -> Query:
        """A query from lists of node ids.

        Args:
            sets: One list of node ids per subgraph.
            names: Names of the subgraphs, by default their numbers.
            excluded: One list per subgraph of nodes that were looked for and are absent.
            unknown_nodes: A node that is not in the graph is an ``error``, or ``drop``-ped.
        """
        lists = IdLists.of(sets, names, excluded=excluded)
        self.reach(lists.ids)
        return ask(self.index, lists, unknown_nodes)

    def look_up(
        self, lists: IdLists, *, unknown_nodes: str = "error"
    ) -> tuple[Query, dict[int, str]]:
        """A query from lists of ids, and the problems of those that cannot be answered."""
        return look_up(self.index, lists, unknown_nodes)

    def check_answers(self) -> None:
        """Raise unless the model has finite answers for a few of its known subgraphs."""
        known = Query.of(self.task.subgraphs.take(np.arange(min(len(self.task), _TRIED))))
        self.replica_probabilities(self.place(known))

    def predict(self, query: Query | PlacedSubgraphs, *, mode: Mode = "independent") -> Answers:
        """Answers for a query.

        Args:
            query: What to answer for.
            mode: ``independent``: each beside the known subgraphs alone, so that its answer never
                depends on the others; ``joint``: all in one graph, as the paper evaluates.
        """
        placed = self.place(query, mode=mode)
        answers = self.combine(placed.query, self.replica_probabilities(placed))
        warnings = self.training_profile.find_warnings(
            placed.query, answers, reads_excluded=self.reads_excluded
        )
        return replace(answers, warnings=warnings)

    @cached_property
    def training_profile(self) -> TrainingProfile:
        """What the training subgraphs are like, to tell what a question has in common with them."""
        return TrainingProfile.of(self.task, card_words(self.card, self.task))

    def combine(self, query: Query, by_replica: Array) -> Answers:
        """Answers from the calibrated probabilities (R, K, C) of all replicas: averaged."""
        weights = self.replica_weights
        mean = np.einsum("r,rkc->kc", weights, by_replica)
        spread = np.full_like(mean, np.nan)
        if len(by_replica) > 1:  # of a sample: with equal weights the sum over R - 1
            square = np.einsum("r,rkc->kc", weights, (by_replica - mean) ** 2)
            spread = np.sqrt(square / (1 - weights @ weights))
        return Answers(
            names=query.names,
            probabilities=mean,
            spread=spread,
            known=query.known,
            unknown=query.unknown,
            mapping=query.mapping,
            predicted=self.predict_classes(mean),
            classes=self.classes,
            multilabel=self.multilabel,
            learned=self.training_profile.learned,
        )

    def predict_classes(self, probabilities: Array) -> Array:
        """The classes that are predicted from probabilities (K, C); bool (K, C)."""
        if self.multilabel:
            return np.asarray(probabilities > self.threshold)
        return np.asarray(probabilities.argmax(axis=1)[:, None] == range(len(self.classes)))

    def explain(
        self, query: Query | PlacedSubgraphs, *, label: str | None = None
    ) -> list[Explanation]:
        """What members and neighbours contribute to the probability of a class.

        Args:
            query: The subgraphs whose answers are explained.
            label: The class; by default the likeliest.
        """
        if label is not None and label not in self.classes:
            raise ConfigError(f"there is no class {label!r}; known: {', '.join(self.classes)}.")
        target, placed = None if label is None else self.classes.index(label), self.place(query)
        if len(placed) == 1:
            return [self.explain_one(placed, target)]
        numbers = counted(range(len(placed)), "Explanation")
        singles = (placed.query.take([number]) for number in numbers)
        return [self.explain_one(self.place(single), target) for single in singles]

    @property
    def num_learned(self) -> int:
        """Number of classes that known subgraphs have; the others it never answers with."""
        return int(self.training_profile.learned.sum())

    @property
    def num_labelled(self) -> int:
        """Number of known subgraphs that are not virtual; they come first."""
        return len(self.task) - self.task.num_virtual

    def neighbors(self, query: Query | PlacedSubgraphs, *, count: int = 10) -> list[list[Neighbor]]:
        """The known subgraphs whose vectors are nearest, by cosine, mean over seeds."""
        placed = self.place(query) if len(query) else None
        similarity = None if placed is None else self.similarities(placed)
        if placed is None or similarity is None:
            return [[] for _ in range(len(query))]
        order = np.argsort(-similarity, axis=1, kind="stable")[:, : max(count, 0)]
        asked = placed.query.subgraphs
        return [
            [self._neighbor(i, float(row[i]), own) for i in map(int, best)]
            for row, best, own in zip(
                similarity, order, np.split(asked.nodes, asked.ptr[1:-1]), strict=True
            )
        ]

    def _neighbor(self, number: int, similarity: float, asked: Array) -> Neighbor:
        """A known subgraph beside one that has the nodes ``asked``."""
        known = self.task.subgraphs
        members = known.nodes[known.ptr[number] : known.ptr[number + 1]]
        shared = members[np.isin(members, asked)].tolist()
        names = tuple(self.index.title(node) or self.index.name(node) for node in shared)
        return Neighbor(*self.describe_known(number), similarity, names, len(members))

    def describe_known(self, number: int) -> tuple[str, str, tuple[str, ...]]:
        """Name, title and labels of a known subgraph."""
        subgraphs, labels = self.task.subgraphs, self.task.labels
        title = "" if subgraphs.titles is None else subgraphs.titles[number]
        label_names: tuple[str, ...] = ()
        if labels is not None and number < self.num_labelled:
            row = np.flatnonzero(labels[number]) if self.multilabel else [labels[number]]
            label_names = tuple(self.classes[c] for c in row)
        return subgraphs.name_of(number), title, label_names

    def find_nodes(self, text: str, *, count: int = 20) -> list[Node]:
        """Nodes that have this text in a name."""
        return self.index.search(text, count)


def check_mode(mode: str) -> None:
    """Raise unless this is a mode of :meth:`Scorer.predict`."""
    if mode not in get_args(Mode):
        raise ConfigError(f"a mode is independent or joint, not {mode!r}.")


def require_finite(finite: Array, query: Query) -> None:
    """Raise unless every answer of a query is finite; bool (K,)."""
    if not finite.all():
        name = query.names[int(finite.argmin())]
        raise NotFiniteError(f"the model has no finite answer for the subgraph {name!r}.")
