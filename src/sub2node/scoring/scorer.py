"""A trained model that answers for new subgraphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from ..base.errors import ConfigError, NotFiniteError
from ..base.progress import counted
from ..base.ragged import Array
from ..base.records import JsonObject
from ..nn.networks import Network
from ..task import Graph, SubgraphTask
from .answers import Answers, NearbySubgraph, Neighbor, Surroundings
from .calibration import probabilities
from .explain import Explanation, explain
from .forward import ForwardPass
from .placed_query import PlacedQuery
from .query import IdLists, Node, NodeIndex, Query, UnknownPolicy, ask, look_up
from .reference_set import KnownSubgraphs

Mode = Literal["independent", "joint"]
_TRIED = 8  # known subgraphs that a model must have finite answers for
_LINKS_PER_NODE = 3  # in the surroundings of a subgraph


@dataclass(frozen=True, eq=False)
class Scorer:
    """A trained network with its global graph and its known subgraphs.

    Args:
        known_subgraphs: The known subgraphs with their graph and the settings.
        network: All replicas, trained.
        seeds: One seed per replica.
        temperature: Number by which logits are divided.
        threshold: Probability above which a class of a multi-label model is predicted.
        card: Origin of the model: data, settings, versions, scores.
    """

    known_subgraphs: KnownSubgraphs
    network: Network
    seeds: tuple[int, ...]
    temperature: float = 1.0
    threshold: float = 0.5
    card: JsonObject = field(default_factory=dict)

    @property
    def task(self) -> SubgraphTask:
        """The known subgraphs with their labels."""
        return self.known_subgraphs.task

    @property
    def graph(self) -> Graph:
        """The global graph."""
        return self.known_subgraphs.graph

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return self.task.class_names

    @property
    def multilabel(self) -> bool:
        """Whether a subgraph may have several labels."""
        return self.task.multilabel

    @cached_property
    def index(self) -> NodeIndex:
        """The nodes of the graph by id."""
        return NodeIndex(self.graph)

    @cached_property
    def forward(self) -> ForwardPass:
        """The forward pass of the network for new subgraphs."""
        return ForwardPass(self.network, self.known_subgraphs)

    def ask(
        self,
        sets: Sequence[Sequence[str | int]],
        *,
        names: Sequence[str] | None = None,
        unknown_nodes: UnknownPolicy = "error",
    ) -> Query:
        """A query from lists of node ids.

        Args:
            sets: One list of node ids per subgraph.
            names: Names of the subgraphs, by default their numbers.
            unknown_nodes: A node that is not in the graph is an ``error``, or ``drop``-ped.
        """
        return ask(self.index, IdLists.of(sets, names), unknown_nodes)

    def look_up(
        self, lists: IdLists, *, unknown_nodes: str = "error"
    ) -> tuple[Query, dict[int, str]]:
        """A query from lists of ids, and the problems of those that cannot be answered."""
        return look_up(self.index, lists, unknown_nodes)

    def place(self, query: Query | PlacedQuery, *, mode: Mode = "independent") -> PlacedQuery:
        """A query with its place beside the known subgraphs, for several questions about it.

        Args:
            query: The subgraphs; a query that was placed in this mode stays as it is.
            mode: The mode of :meth:`predict`.
        """
        if mode not in get_args(Mode):
            raise ConfigError(f"a mode is independent or joint, not {mode!r}.")
        joint = mode == "joint"
        if not isinstance(query, PlacedQuery):
            return PlacedQuery(query, self.known_subgraphs, joint)
        return (
            query if query.joint == joint else PlacedQuery(query.query, self.known_subgraphs, joint)
        )

    def outputs(
        self, query: Query | PlacedQuery, *, mode: Mode = "independent"
    ) -> tuple[Array, Array]:
        """Vectors (R, K, F) and logits (R, K, C) of all replicas."""
        placed = self.place(query, mode=mode)
        vectors, logits = self.forward.answer(placed)
        finite = (vectors.isfinite().all(dim=-1) & logits.isfinite().all(dim=-1)).all(dim=0)
        if not finite.all():
            name = placed.query.names[int(finite.int().argmin())]
            raise NotFiniteError(f"the model has no finite answer for the subgraph {name!r}.")
        return vectors.numpy(), logits.numpy()

    def check_answers(self) -> None:
        """Raise unless the model has finite answers for a few of its known subgraphs."""
        known = Query.of(self.task.subgraphs.take(np.arange(min(len(self.task), _TRIED))))
        self.outputs(known)

    def predict(self, query: Query | PlacedQuery, *, mode: Mode = "independent") -> Answers:
        """Answers for a query.

        Args:
            query: What to answer for.
            mode: ``independent``: each beside the known subgraphs alone, so that its answer never
                depends on the others; ``joint``: all in one graph, as the paper evaluates.
        """
        placed = self.place(query, mode=mode)
        return self.answers(placed.query, self.outputs(placed, mode=mode)[1])

    def answers(self, query: Query, logits: Array) -> Answers:
        """Answers from the logits (R, K, C) of all replicas: calibrated, then averaged."""
        by_replica = probabilities(logits, self.temperature, multilabel=self.multilabel)
        mean = by_replica.mean(axis=0)
        one_seed = len(by_replica) == 1
        spread = np.full_like(mean, np.nan) if one_seed else by_replica.std(axis=0, ddof=1)
        return Answers(
            names=query.names,
            probabilities=mean,
            spread=spread,
            known=query.known,
            unknown=query.unknown,
            predicted=self.predict_classes(mean),
            classes=self.classes,
            multilabel=self.multilabel,
        )

    def predict_classes(self, probabilities: Array) -> Array:
        """The classes that are predicted from probabilities (K, C); bool (K, C)."""
        if self.multilabel:
            return np.asarray(probabilities > self.threshold)
        return np.asarray(probabilities.argmax(axis=1)[:, None] == range(len(self.classes)))

    def explain(self, query: Query | PlacedQuery, *, label: str | None = None) -> list[Explanation]:
        """What members and neighbours contribute to the probability of a class.

        Args:
            query: The subgraphs whose answers are explained.
            label: The class; by default the likeliest.
        """
        if label is not None and label not in self.classes:
            raise ConfigError(f"there is no class {label!r}; known: {', '.join(self.classes)}.")
        target = None if label is None else self.classes.index(label)
        placed = self.place(query)
        if len(placed) == 1:
            return [explain(self, placed, target)]
        numbers = counted(range(len(placed)), "Explanation")
        singles = (placed.query.take([number]) for number in numbers)
        return [explain(self, self.place(single), target) for single in singles]

    @cached_property
    def _known_vectors(self) -> Array:
        """Unit vectors of the known labelled subgraphs, one per replica; (R, n, F)."""
        return _normalize(self.forward.known_vectors().numpy()[:, : self._num_labelled])

    @property
    def _num_labelled(self) -> int:
        """Number of known subgraphs that are not virtual; they come first."""
        return len(self.task) - self.task.num_virtual

    def neighbors(self, query: Query | PlacedQuery, *, count: int = 10) -> list[list[Neighbor]]:
        """The known subgraphs whose vectors are nearest, by cosine, mean over seeds."""
        if not len(query):
            return []
        vectors = _normalize(self.outputs(query)[0])
        similarity = np.einsum("rkf,rnf->kn", vectors, self._known_vectors) / len(vectors)
        order = np.argsort(-similarity, axis=1, kind="stable")[:, : max(count, 0)]
        return [
            [Neighbor(*self.describe_known(i), float(row[i])) for i in map(int, best)]
            for row, best in zip(similarity, order, strict=True)
        ]

    def describe_known(self, number: int) -> tuple[str, str, tuple[str, ...]]:
        """Name, title and labels of a known subgraph."""
        subgraphs, labels = self.task.subgraphs, self.task.labels
        title = "" if subgraphs.titles is None else subgraphs.titles[number]
        label_names: tuple[str, ...] = ()
        if labels is not None and number < self._num_labelled:
            row = np.flatnonzero(labels[number]) if self.multilabel else [labels[number]]
            label_names = tuple(self.classes[c] for c in row)
        return subgraphs.name_of(number), title, label_names

    def around(self, query: Query | PlacedQuery, *, most: int = 40) -> list[Surroundings]:
        """The S2N graph around each subgraph: strongest neighbours, then theirs."""
        attachment = self.place(query).attachment
        if attachment is None:
            return [Surroundings((), ())] * len(query)
        parts = [attachment.links.part(number, number + 1) for number in range(len(query))]
        return [self._surroundings(part.nodes, part.weights.numpy(), most) for part in parts]

    def _surroundings(self, nodes: Array, weights: Array, most: int) -> Surroundings:
        matrix = self.known_subgraphs.outer.matrix
        first = np.argsort(-weights, kind="stable")[:most]
        near, strength = nodes[first], weights[first]
        reach = np.asarray(matrix[near].max(axis=0).todense()).ravel() if len(near) else None
        far = np.empty(0, np.int64)
        if reach is not None:
            reach[nodes] = 0
            far = np.argsort(-reach, kind="stable")[: max(most - len(near), 0)]
            far = far[reach[far] > 0]
        chosen = np.concatenate([near, far]).astype(np.int64)
        block = matrix[chosen][:, chosen].tocoo()
        upper = np.flatnonzero(block.row < block.col)
        upper = upper[
            np.argsort(-block.data[upper], kind="stable")[: _LINKS_PER_NODE * len(chosen)]
        ]
        between = zip(block.row[upper], block.col[upper], block.data[upper], strict=True)
        hop_1 = [
            NearbySubgraph(*self.describe_known(int(i)), weight, 1)
            for i, weight in zip(near, strength.tolist(), strict=True)
        ]
        hop_2 = [NearbySubgraph(*self.describe_known(int(i)), None, 2) for i in far]
        links = [(-1, p, float(w)) for p, w in enumerate(strength)]
        links += [(int(a), int(b), float(w)) for a, b, w in between]
        return Surroundings((*hop_1, *hop_2), tuple(links))

    def find_nodes(self, text: str, *, count: int = 20) -> list[Node]:
        """Nodes whose id or title has this text."""
        return self.index.search(text, count)


def _normalize(vectors: Array) -> Array:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-12))
